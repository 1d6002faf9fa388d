"""The figures of a comparison, one method highlighted and the others grey: recall after every
iteration, and recall against what it took, tokens, calls, time or dollars.

What a method takes counts, not who paid for it; dollars are what was paid.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log10
from typing import Any, NamedTuple

import plotly.graph_objects as go

from gear_app.analysis.metrics import recall_at
from gear_app.analysis.rankings import keys, recall_per_iteration
from gear_app.rendering.chart import LABEL, LETTER
from gear_app.rendering.values import Chart, Series
from gear_app.runs.comparison import ComparedRun
from gear_app.text import count
from gear_app.views.labels import dollars, duration
from gear_app.views.markup import escaped
from gear_app.views.palette import Palette

TITLES = {
    "tokens": "tokens, in and out",
    "calls": "calls of a language model",
    "time": "time",
    "dollars": "dollars",
}
TICKS = 6
HEIGHT = 260
BELOW = 38  # pixels of it are under the plotting area
UP = HEIGHT - 8 - BELOW  # pixels the plotting area is high
TOP, BOTTOM = 1.16, -0.06  # of the recall axis
PLOT = 420  # pixels the plotting area is wide where the page is narrow
AT_ZERO = "Methods that asked no language model stand at 0."


class Point(NamedTuple):
    """One method's cost and recall."""

    label: str
    x: float
    y: float
    words: str


def recalls(columns: Sequence[ComparedRun], gold: Sequence[str], k: int) -> dict[str, list[float]]:
    """Recall at k after every iteration, by the label of each finished run; a method of one step
    has one value.
    """
    measured = [(column.label, column.measured) for column in columns]
    return {
        label: recall_per_iteration(digest.rounds, gold, k)
        for label, digest in measured
        if digest and digest.rounds
    }


def recall_rows(
    columns: Sequence[ComparedRun], gold: Sequence[str], k: int
) -> list[dict[str, Any]]:
    """The same as a table: a line a method, a column an iteration."""
    lines = recalls(columns, gold, k)
    last = max(map(len, lines.values()), default=0)
    empty = {f"iteration {n}": "" for n in range(1, last + 1)}
    return [
        {"method": label}
        | empty
        | {f"iteration {n}": f"{value:.2f}" for n, value in enumerate(values, start=1)}
        for label, values in lines.items()
    ]


def recall_chart(columns: Sequence[ComparedRun], gold: Sequence[str], k: int, chosen: str) -> Chart:
    """Recall after every iteration; `chosen` is the label of the highlighted method. One that
    stopped early goes on dotted: its ranking stays what it was.
    """
    lines = recalls(columns, gold, k)
    series = [
        Series(label, values, "hot" if label == chosen else "") for label, values in lines.items()
    ]
    return Chart(f"Recall at {k} after each iteration", series)


def choices(columns: Sequence[ComparedRun]) -> list[str]:
    """What recall can be drawn against, the most telling first.

    Dollars only where some were paid.
    """
    done = [column.run.spent for column in columns if column.digest]
    if not any(spent.calls for spent in done):
        return ["time"]
    return ["tokens", "calls", "time"] + (["dollars"] if any(spent.cost for spent in done) else [])


def points(
    against: str, columns: Sequence[ComparedRun], gold: Sequence[str], k: int
) -> list[Point]:
    """One point a finished run; none where its time is not known, or its price."""
    found = [(column, _measured(against, column)) for column in columns if column.measured]
    return [
        Point(column.label, measured[0], recall_at(keys(column.ranking), gold, k), measured[1])
        for column, measured in found
        if measured is not None
    ]


def _measured(against: str, column: ComparedRun) -> tuple[float, str] | None:
    """The number and its words."""
    run, spent = column.run, column.run.spent
    match against:
        case "time":
            return None if run.ms is None else (max(1.0, run.ms), duration(run.ms))
        case "dollars":
            return None if spent.cost is None else (spent.cost, dollars(spent.cost))
        case "calls":
            return spent.calls, count(spent.calls, "call")
        case _:
            return spent.tokens, f"{spent.tokens:,} tokens"


def remark(against: str, columns: Sequence[ComparedRun]) -> str:
    """What has to be known to read the figure, in a sentence or two."""
    done = [column for column in columns if column.digest]
    asked = [column for column in done if column.run.spent.calls]
    at_zero = [AT_ZERO] if len(asked) < len(done) else []
    kept = any(column.run.spent.kept for column in asked)
    if against == "time":
        words = [
            "Time as each run recorded it; the first to ask a question also encodes what later ones"
            " find encoded."
        ]
        words += ["Replies kept from before came at once."] if kept else []
        words += (
            []
            if asked
            else [
                "No language model was asked, so there are no calls, tokens or dollars to compare."
            ]
        )
        return " ".join(words)
    if against == "dollars":
        unknown = [column.label for column in asked if column.run.spent.cost is None]
        left_out = (
            [f"Left out, since a price is not known: {', '.join(unknown)}."] if unknown else []
        )
        return " ".join(
            [
                "What was paid.",
                *(["Kept replies cost nothing."] if kept else []),
                *at_zero,
                *left_out,
            ]
        )
    counted = (
        "Tokens in and out of all calls" if against == "tokens" else "Calls of a language model"
    )
    return " ".join([f"{counted}{', kept replies included' if kept else ''}.", *at_zero])


def rows(found: Sequence[Point], k: int, against: str) -> list[dict[str, Any]]:
    """The figure as a table, the cheapest first."""
    ordered = sorted(found, key=lambda point: point.x)
    return [
        {"method": point.label, against: point.words, f"R@{k}": f"{point.y:.2f}"}
        for point in ordered
    ]


def figure(found: Sequence[Point], chosen: str, palette: Palette, against: str) -> go.Figure:
    """Recall against it; time on a logarithmic axis, the others from 0."""
    log = against == "time"
    ordered = sorted(found, key=lambda point: point.label == chosen)
    marks = go.Scatter(
        x=[point.x for point in ordered],
        y=[point.y for point in ordered],
        mode="markers",
        marker={
            "size": [13 if point.label == chosen else 9 for point in ordered],
            "color": [
                palette.kept if point.label == chosen else palette.pruned for point in ordered
            ],
            "symbol": ["diamond" if point.label == chosen else "circle" for point in ordered],
            "opacity": 1,
        },
        hovertemplate=[
            f"{escaped(p.label)}: {escaped(p.words)}, recall {p.y:.2f}<extra></extra>"
            for p in ordered
        ],
    )
    span = _span([point.x for point in ordered], log=log)
    return go.Figure(
        [marks],
        layout(palette, 18)
        | {
            "annotations": point_labels(ordered, span, chosen, palette, log=log),
            "xaxis": (
                axis(palette, TITLES[against])
                | {"type": "log" if log else "linear", "range": list(span)}
                | _ticks(span, against)
            ),
        },
    )


def _span(xs: Sequence[float], *, log: bool) -> tuple[float, float]:
    """The range of the cost axis with room at both ends, in powers of ten where logarithmic."""
    low, high = min(xs, default=1), max(xs, default=10)
    if log:
        return log10(low) - 0.25, log10(high) + 0.6
    return 0 - high * 0.05, high * 1.3 or 1


def _ticks(span: tuple[float, float], against: str) -> dict[str, Any]:
    if against == "time":
        values = [n * 10**power for power in range(8) for n in (1, 2, 5)]
        shown = [value for value in values if 10 ** span[0] <= value <= 10 ** span[1]]
        if len(shown) > 8:
            shown = [value for value in shown if str(value)[0] == "1"]
        return {"tickvals": shown, "ticktext": [duration(value) for value in shown]}
    if against == "calls":
        return {"tick0": 0, "dtick": max(1, ceil(span[1] / TICKS))}
    words = (
        {"tickprefix": "$", "exponentformat": "none"}
        if against == "dollars"
        else {"tickformat": ","}
    )
    return {"tick0": 0, "nticks": TICKS, **words}


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
