"""Figures of a comparison: one method highlighted, the others grey, labels beside them."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log10
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go

from gear_app.analysis.metrics import recall_at
from gear_app.analysis.rankings import keys
from gear_app.runs.comparison import ComparedRun
from gear_app.text import cut
from gear_app.views.markup import escaped
from gear_app.views.palette import Palette

HEIGHT = 260
BELOW = 38  # pixels of it are under the plotting area
UP = HEIGHT - 8 - BELOW  # pixels the plotting area is high
TOP, BOTTOM = 1.16, -0.06  # of the recall axis
LABEL = 15  # pixels a label is high
LETTER = 6.6  # pixels a letter is wide, on average
LETTERS = 34  # of a label beside a line; the table under the figure has all of it
PLOT = 420  # pixels the plotting area is wide where the page is narrow


class Line(NamedTuple):
    """One method's recall after every iteration it had; `last` is where the figure ends."""

    label: str
    xs: list[int]
    ys: list[float]


def lines(columns: Sequence[ComparedRun], gold: Sequence[str], k: int) -> list[Line]:
    """Recall at k after every iteration, one line a finished run.

    A method of one step has one point.
    """
    return [
        Line(
            column.label,
            xs := sorted(column.measured.rounds),
            [recall_at(keys(column.measured.rounds[x]), gold, k) for x in xs],
        )
        for column in columns
        if column.measured and column.measured.rounds
    ]


def recall_rows(
    columns: Sequence[ComparedRun], gold: Sequence[str], k: int
) -> list[dict[str, Any]]:
    """The figure as a table: a line a method, a column an iteration."""
    found = lines(columns, gold, k)
    last = max((x for line in found for x in line.xs), default=0)
    return [
        {"method": line.label}
        | {
            f"iteration {n}": f"{line.ys[line.xs.index(n)]:.2f}" if n in line.xs else ""
            for n in range(1, last + 1)
        }
        for line in found
    ]


def recall(
    columns: Sequence[ComparedRun], gold: Sequence[str], k: int, chosen: str, palette: Palette
) -> go.Figure:
    """Recall per iteration.

    A method that stopped early goes on as a dotted line: its ranking stays what it was. `chosen` is
    the label of the highlighted method, which is drawn last.
    """
    found = sorted(lines(columns, gold, k), key=lambda line: line.label == chosen)
    last = max((x for line in found for x in line.xs), default=1)
    traces = [
        trace
        for line in found
        for trace in _traces(line, last, palette, chosen=line.label == chosen)
    ]
    ends = [(line.label, line.ys[-1]) for line in found]
    margin = 26 + LETTER * max((len(label) for label, _ in ends), default=0)
    return go.Figure(
        traces,
        layout(palette, min(margin, 26 + LETTER * LETTERS))
        | {
            "annotations": end_labels(ends, last, chosen, palette),
            "xaxis": (
                axis(palette, "iteration")
                | {
                    "tickvals": list(range(1, last + 1)),
                    "range": [0.88, last + 0.02],
                }
            ),
        },
    )


def _traces(line: Line, last: int, palette: Palette, *, chosen: bool) -> list[go.Scatter]:
    colour = palette.kept if chosen else palette.pruned
    drawn = go.Scatter(
        x=line.xs,
        y=line.ys,
        mode="lines+markers",
        line={"color": colour, "width": 3 if chosen else 1.8},
        marker={"size": 9 if chosen else 6, "symbol": "diamond" if chosen else "circle"},
        hovertemplate=f"{escaped(line.label)}, iteration %{{x}}: %{{y:.2f}}<extra></extra>",
    )
    if line.xs[-1] >= last:
        return [drawn]
    rest = go.Scatter(
        x=[line.xs[-1], last],
        y=[line.ys[-1]] * 2,
        mode="lines",
        line={"color": colour, "width": 2 if chosen else 1.2, "dash": "dot"},
        hoverinfo="skip",
    )
    return [rest, drawn]


def axis(palette: Palette, title: str) -> dict[str, Any]:
    """An axis without grid lines."""
    return {
        "color": palette.muted_text,
        "tickfont": {"size": 12},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "title": title,
    }


def layout(palette: Palette, right: float) -> dict[str, Any]:
    """All but the horizontal axis: recall upwards, and `right` pixels beside the plotting area."""
    return {
        "height": HEIGHT,
        "margin": {"l": 36, "r": right, "t": 8, "b": BELOW},
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "yaxis": (
            axis(palette, "")
            | {
                "range": [BOTTOM, TOP],
                "tickvals": [0, 0.5, 1],
                "tickformat": ".1f",
                "showgrid": True,
                "gridcolor": palette.grid,
            }
        ),
        "hovermode": "closest",
        "dragmode": False,
    }


class Point(NamedTuple):
    """One method's cost and recall."""

    label: str
    x: float
    y: float
    words: str


def spread(heights: Sequence[float], gap: float, least: float = -inf) -> list[float]:
    """The heights moved apart until neighbours are at least `gap` from each other, none below
    `least`.

    The order is kept, ties too; the sum of squared moves is the least possible.
    """
    from scipy.optimize import isotonic_regression  # late: slow to import, and only this needs it

    if not heights:
        return []
    order = np.argsort(heights, kind="stable")
    steps = gap * np.arange(len(heights))
    moved = np.empty(len(heights))
    apart = isotonic_regression(np.take(heights, order) - steps).x
    moved[order] = np.maximum(apart, least) + steps
    return [float(height) for height in moved]


def end_labels(
    ends: Sequence[tuple[str, float]], last: int, chosen: str, palette: Palette
) -> list[dict[str, Any]]:
    """A label at the end of every line, (label, recall), beside iteration `last`.

    Those at one height stand apart, and all within the plotting area as far as they fit.
    """
    pixels = UP / (TOP - BOTTOM)
    heights = spread([y * pixels for _, y in ends], LABEL)
    below = max(0.0, BOTTOM * pixels - min(heights, default=0.0))
    above = max(0.0, max(heights, default=0.0) - TOP * pixels)
    notes = []
    for (label, y), height in zip(ends, heights, strict=True):
        rise = round(height + below - above - y * pixels)
        note = _label(cut(label, LETTERS), last, y, cut(chosen, LETTERS), palette)
        notes.append(note | {"xanchor": "left", "xshift": 9, "yshift": rise})
    return notes


# Where a label of a point may stand, the best first: which of its sides is at the point, and how
# many pixels it is above it.
PLACES = [("left", 0), ("right", 0)]
PLACES += [
    (side, rise) for rise in (16, -16, -31, 31, -46, 46) for side in ("center", "left", "right")
]


def point_labels(
    points: Sequence[Point], span: tuple[float, float], chosen: str, palette: Palette, *, log: bool
) -> list[dict[str, Any]]:
    """A label beside every point, the last first, where it covers no other label and no point.

    Where there is no such place it stands to the right of the point. `span` is the range of the
    cost axis, in powers of ten where it is logarithmic.
    """
    across, up = PLOT / (span[1] - span[0]), UP / (TOP - BOTTOM)
    costs = [log10(point.x) if log else point.x for point in points]
    centres = [
        ((cost - span[0]) * across, (point.y - BOTTOM) * up)
        for cost, point in zip(costs, points, strict=True)
    ]
    taken = [(x - 7, y - 7, x + 7, y + 7) for x, y in centres]
    notes = []
    for point, cost, (x, y) in reversed(list(zip(points, costs, centres, strict=True))):
        width = LETTER * len(point.label)
        boxes = {(side, rise): _box(x, y + rise, width, side) for side, rise in PLACES}
        free = [
            place
            for place, box in boxes.items()
            if _inside(box) and not any(_cover(box, other) for other in taken)
        ]
        side, rise = free[0] if free else PLACES[0]
        taken.append(boxes[side, rise])
        note = _label(point.label, cost, point.y, chosen, palette)
        shift = {"left": 10, "right": -10, "center": 0}[side]
        notes.append(note | {"xanchor": side, "xshift": shift, "yshift": rise})
    return notes


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
