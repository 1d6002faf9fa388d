"""Figures of a comparison: one method highlighted, the others grey, labels at the lines and points."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10
from typing import Any, NamedTuple

import plotly.graph_objects as go

from gear_app.views.compare import Column
from gear_app.views.compare_labels import BELOW, BOTTOM, HEIGHT, LETTER, TOP, Point, end_labels, point_labels
from gear_app.views.gold import CUTS, recall_at
from gear_app.views.header import duration
from gear_app.views.markup import escaped
from gear_app.views.palette import Palette


class Line(NamedTuple):
    """One method's recall after every iteration it had; `last` is where the figure ends."""

    label: str
    xs: list[int]
    ys: list[float]


def lines(columns: Sequence[Column], gold: Sequence[str], k: int) -> list[Line]:
    """Recall at k after every iteration, one line a finished run; a method of one step has one point."""
    return [
        Line(
            column.label, xs := sorted(column.digest.rounds), [recall_at(k, column.digest.rounds[x], gold) for x in xs]
        )
        for column in columns
        if column.digest and column.digest.rounds
    ]


def recall_rows(columns: Sequence[Column], gold: Sequence[str], k: int) -> list[dict[str, Any]]:
    """The figure as a table: a line a method, a column an iteration."""
    found = lines(columns, gold, k)
    last = max((x for line in found for x in line.xs), default=0)
    return [
        {"method": line.label}
        | {f"iteration {n}": f"{line.ys[line.xs.index(n)]:.2f}" if n in line.xs else "" for n in range(1, last + 1)}
        for line in found
    ]


def recall(columns: Sequence[Column], gold: Sequence[str], k: int, chosen: str, palette: Palette) -> go.Figure:
    """Recall per iteration. A method that stopped early goes on as a dotted line: its ranking stays what it was.

    `chosen` is the label of the highlighted method, which is drawn last.
    """
    found = sorted(lines(columns, gold, k), key=lambda line: line.label == chosen)
    last = max((x for line in found for x in line.xs), default=1)
    traces = [trace for line in found for trace in _traces(line, last, palette, chosen=line.label == chosen)]
    ends = [(line.label, line.ys[-1]) for line in found]
    margin = 26 + LETTER * max((len(label) for label, _ in ends), default=0)
    return go.Figure(
        traces,
        _layout(palette, min(margin, 230))
        | {
            "annotations": end_labels(ends, last, chosen, palette),
            "xaxis": _axis(palette, "iteration") | {"tickvals": list(range(1, last + 1)), "range": [0.88, last + 0.02]},
        },
    )


def time_points(columns: Sequence[Column], gold: Sequence[str], k: int) -> list[Point]:
    """Milliseconds against recall at k."""
    done = [column for column in columns if column.digest and column.run.ms is not None]
    return [Point(c.label, max(1.0, c.run.ms or 0.0), recall_at(k, c.ranking, gold), duration(c.run.ms)) for c in done]


def token_points(columns: Sequence[Column], gold: Sequence[str], k: int) -> list[Point]:
    """Tokens against recall at k; none where no run used any."""
    done = [(c, c.run.input_tokens + c.run.output_tokens) for c in columns if c.digest]
    if not any(tokens for _, tokens in done):
        return []
    return [Point(c.label, tokens, recall_at(k, c.ranking, gold), f"{tokens:,} tokens") for c, tokens in done]


def cost_rows(points: Sequence[Point], k: int, cost: str) -> list[dict[str, Any]]:
    """The figure as a table, the cheapest first."""
    ordered = sorted(points, key=lambda point: point.x)
    return [{"method": point.label, cost: point.words, f"R@{k}": f"{point.y:.2f}"} for point in ordered]


def cost(points: Sequence[Point], chosen: str, palette: Palette, *, title: str, log: bool) -> go.Figure:
    """Recall against a cost; `log` puts the cost on a logarithmic axis, where no point may be 0."""
    ordered = sorted(points, key=lambda point: point.label == chosen)
    marks = go.Scatter(
        x=[point.x for point in ordered],
        y=[point.y for point in ordered],
        mode="markers",
        marker={
            "size": [13 if point.label == chosen else 9 for point in ordered],
            "color": [palette.kept if point.label == chosen else palette.pruned for point in ordered],
            "symbol": ["diamond" if point.label == chosen else "circle" for point in ordered],
            "opacity": 1,
        },
        hovertemplate=[f"{escaped(p.label)}: {escaped(p.words)}, recall {p.y:.2f}<extra></extra>" for p in ordered],
    )
    span = _span([point.x for point in ordered], log=log)
    return go.Figure(
        [marks],
        _layout(palette, 18)
        | {
            "annotations": point_labels(ordered, span, chosen, palette, log=log),
            "xaxis": _axis(palette, title)
            | {"type": "log" if log else "linear", "range": list(span)}
            | _ticks(span, log),
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


def _span(xs: Sequence[float], *, log: bool) -> tuple[float, float]:
    """The range of the cost axis, in powers of ten where it is logarithmic, with room at both ends."""
    low, high = min(xs, default=1), max(xs, default=10)
    if log:
        return log10(low) - 0.25, log10(high) + 0.6
    return 0 - high * 0.05, high * 1.3 or 1


def _ticks(span: tuple[float, float], log: bool) -> dict[str, Any]:
    if not log:
        return {}
    values = [n * 10**power for power in range(8) for n in (1, 2, 5)]
    shown = [value for value in values if 10 ** span[0] <= value <= 10 ** span[1]]
    if len(shown) > 8:
        shown = [value for value in shown if str(value)[0] == "1"]
    return {"tickvals": shown, "ticktext": [duration(value) for value in shown]}


def _axis(palette: Palette, title: str) -> dict[str, Any]:
    return {
        "color": palette.muted_text,
        "tickfont": {"size": 12},
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "title": title,
    }


def _layout(palette: Palette, right: float) -> dict[str, Any]:
    return {
        "height": HEIGHT,
        "margin": {"l": 36, "r": right, "t": 8, "b": BELOW},
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "yaxis": _axis(palette, "")
        | {
            "range": [BOTTOM, TOP],
            "tickvals": [0, 0.5, 1],
            "tickformat": ".1f",
            "showgrid": True,
            "gridcolor": palette.grid,
        },
        "hovermode": "closest",
        "dragmode": False,
    }


def best(columns: Sequence[Column], gold: Sequence[str]) -> str:
    """The label to highlight unless told otherwise: the highest recall at 5, then 10, then 15, then the later one.

    Without gold the last that is done; without any the empty string.
    """
    done = [column for column in columns if column.digest]
    if not done:
        return ""
    ranked = [(tuple(recall_at(k, c.ranking, gold) for k in CUTS), place, c.label) for place, c in enumerate(done)]
    return max(ranked)[2]
