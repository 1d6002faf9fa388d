"""Recall against what it took: tokens, calls, time or dollars.

What a method takes counts, not who paid for it; dollars are what was paid.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log10
from typing import Any

import plotly.graph_objects as go

from gear_app.analysis.metrics import recall_at
from gear_app.analysis.rankings import keys
from gear_app.runs.comparison import ComparedRun
from gear_app.text import count
from gear_app.views.compare.charts import Point, axis, layout, point_labels
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
AT_ZERO = "Methods that asked no language model stand at 0."


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
