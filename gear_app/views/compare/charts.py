"""Figures of a comparison: one method highlighted, the others grey, labels at the lines and
points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from gear_app.analysis.comparison import ComparedRun
from gear_app.analysis.metrics import recall_at
from gear_app.analysis.rankings import keys
from gear_app.views.compare.labels import BELOW, BOTTOM, HEIGHT, LETTER, LETTERS, TOP, end_labels
from gear_app.views.markup import escaped
from gear_app.views.palette import Palette


class Line(NamedTuple):
    """One method's recall after every iteration it had; `last` is where the figure ends."""

    label: str
    xs: list[int]
    ys: list[float]


def lines(columns: Sequence[ComparedRun], gold: Sequence[str], k: int) -> list[Line]:
    """Recall at k after every iteration, one line a finished run; a method of one step has one
    point.
    """
    return [
        Line(
            column.label,
            xs := sorted(column.digest.rounds),
            [recall_at(keys(column.digest.rounds[x]), gold, k) for x in xs],
        )
        for column in columns
        if column.digest and column.digest.rounds
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
    """Recall per iteration. A method that stopped early goes on as a dotted line: its ranking stays
    what it was.

    `chosen` is the label of the highlighted method, which is drawn last.
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
