"""Where labels stand in the figures of a comparison, so that none covers another; worked out in
pixels.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import Any, NamedTuple

from gear_app.views.markup import escaped
from gear_app.views.palette import Palette

HEIGHT = 260
BELOW = 38  # pixels of it are under the plotting area
TOP, BOTTOM = 1.16, -0.06  # of the recall axis
LABEL = 15  # pixels a label is high
LETTER = 6.6  # pixels a letter is wide, on average
LETTERS = 34  # of a label beside a line; the table under the figure has all of it
PLOT = 420  # pixels the plotting area is wide where the page is narrow


class Point(NamedTuple):
    """One method's cost and recall."""

    label: str
    x: float
    y: float
    words: str


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """The heights moved apart until neighbours are at least `gap` from each other; the order is
    kept, ties too.

    Those that must move do so evenly around where they were.
    """
    order = sorted(range(len(heights)), key=lambda place: (heights[place], place))
    groups: list[list[float]] = []  # (centre, members)
    for place in order:
        groups.append([heights[place], 1])
        while (
            len(groups) > 1
            and groups[-1][0] - groups[-2][0] < gap * (groups[-1][1] + groups[-2][1]) / 2
        ):
            centre, size = groups.pop()
            before, count = groups[-1]
            groups[-1] = [(before * count + centre * size) / (count + size), count + size]
    moved = [
        centre + gap * (n - (size - 1) / 2) for centre, size in groups for n in range(int(size))
    ]
    found = [0.0] * len(heights)
    for place, height in zip(order, moved, strict=True):
        found[place] = height
    return found


def end_labels(
    ends: Sequence[tuple[str, float]], last: int, chosen: str, palette: Palette
) -> list[dict[str, Any]]:
    """A label at the end of every line, (label, recall), beside iteration `last`; those at one
    height stand apart.
    """
    pixels = (HEIGHT - 8 - BELOW) / (TOP - BOTTOM)
    moved = spread([y * pixels for _, y in ends], LABEL)
    low = BOTTOM * pixels
    moved = [
        height + max(0.0, low - min(moved)) - max(0.0, max(moved) - TOP * pixels)
        for height in moved
    ]
    return [
        _label(_cut(label), last, y, _cut(chosen), palette)
        | {
            "xanchor": "left",
            "xshift": 9,
            "yshift": round(height - y * pixels),
        }
        for (label, y), height in zip(ends, moved, strict=True)
    ]


def point_labels(
    points: Sequence[Point], span: tuple[float, float], chosen: str, palette: Palette, *, log: bool
) -> list[dict[str, Any]]:
    """A label beside every point where it covers no other label and no point; else to the right of
    it.
    """
    across, up = PLOT / (span[1] - span[0]), (HEIGHT - 8 - BELOW) / (TOP - BOTTOM)
    places = [((log10(p.x) if log else p.x) - span[0], p.y - BOTTOM) for p in points]
    centres = [(x * across, y * up) for x, y in places]
    taken = [(x - 7, y - 7, x + 7, y + 7) for x, y in centres]
    found = []
    for point, (x, y) in reversed(list(zip(points, centres, strict=True))):
        width = LETTER * len(point.label)
        tried = [
            (side, rise)
            for rise in (0, 16, -16, -31, 31, -46, 46)
            for side in (("left", "right") if rise == 0 else ("center", "left", "right"))
        ]
        boxes = [(side, rise, _box(x, y + rise, width, side)) for side, rise in tried]
        free = [
            choice
            for choice in boxes
            if _inside(choice[2]) and not any(_cover(choice[2], it) for it in taken)
        ]
        side, rise, box = (free or boxes)[0]
        taken.append(box)
        shift = {"left": 10, "right": -10, "center": 0}[side]
        at = log10(point.x) if log else point.x
        found.append(
            _label(point.label, at, point.y, chosen, palette)
            | {
                "xanchor": side,
                "xshift": shift,
                "yshift": rise,
            }
        )
    return found


def _cut(label: str) -> str:
    return label if len(label) <= LETTERS else label[: LETTERS - 1] + "…"


def _box(x: float, y: float, width: float, side: str) -> tuple[float, float, float, float]:
    left = {"left": x + 10, "right": x - 10 - width, "center": x - width / 2}[side]
    return left, y - LABEL / 2, left + width, y + LABEL / 2


def _inside(box: tuple[float, float, float, float]) -> bool:
    return box[0] >= 0 and box[2] <= PLOT and box[1] >= 0 and box[3] <= HEIGHT - BELOW


def _cover(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _label(text: str, x: float, y: float, chosen: str, palette: Palette) -> dict[str, Any]:
    strong = text == chosen
    words = f"<b>{escaped(text)}</b>" if strong else str(escaped(text))
    font = {"size": 12, "color": palette.kept if strong else palette.text}
    return {"x": x, "y": y, "text": words, "showarrow": False, "font": font}
