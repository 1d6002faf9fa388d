"""Figures of an evaluation: means with their intervals, and lines over iterations.

Shape says what colour says: the baseline is a diamond with a dotted line, a hollow dot is not
significantly different from it, a thin line is the oracle decomposition.
"""

from __future__ import annotations

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from gear_app.core.text import cut
from gear_app.display.evaluate.sections import Section
from gear_app.display.evaluate.words import label, measure_name, methods_by_recall
from gear_app.display.markup import escaped
from gear_app.display.palette import Palette
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.results import Results
from gear_app.evaluation.tables import Table
from gear_app.store.evaluations import ORACLE

ROW, MARGIN, LETTERS = 36, 70, 28  # pixels of a row and around all; letters of a name
SYMBOLS = ("circle", "square", "triangle-up", "cross", "x", "star", "hexagon", "triangle-down")


def draw(results: Results, section: Section, highlight: str, k: int, palette: Palette) -> go.Figure:
    """The figure of a section."""
    if section.figure == "intervals":
        return intervals(results, highlight, k, palette)
    return lines(results, section.table, highlight, k, palette)


def intervals(results: Results, highlight: str, k: int, palette: Palette) -> go.Figure:
    """A column a measure: the mean of every method with its 95 % interval."""
    comparison, methods = results.comparison, methods_by_recall(results)[::-1]
    metrics = [*(f"recall@{cut_off}" for cut_off in results.evaluation.ks), f"all@{k}"]
    titles = [measure_name(metric) for metric in metrics]
    figure = make_subplots(1, len(metrics), shared_yaxes=True, subplot_titles=titles)
    halo = ", ".join([f"0 0 3px {palette.background}"] * 6)  # numbers are read across lines
    for place, metric in enumerate(metrics, start=1):
        for name in methods:
            row = comparison.row(name, metric)
            if not row:
                continue
            colour, mean = _colour(results, name, highlight, palette), row["mean"]
            low, high = row["interval"]
            significant = row["verdict"] in ("above", "below")
            symbol = "circle" if significant else "circle-open"
            symbol = "diamond" if name == comparison.baseline else symbol
            figure.add_scatter(
                x=[mean],
                y=[_name(name)],
                text=[f"{mean:.3f}"],
                mode="markers+text",
                textposition="top center",
                textfont={"color": colour, "shadow": halo},
                marker={"symbol": symbol, "size": 10, "color": colour, "line": {"width": 2}},
                error_x={"array": [high - mean], "arrayminus": [mean - low], "color": colour},
                hovertemplate=f"{mean:.3f} ({low:.3f} to {high:.3f})<extra>{_name(name)}</extra>",
                row=1,
                col=place,
            )
        if mean := comparison.row(comparison.baseline, metric).get("mean"):
            figure.add_vline(
                mean,
                line={"dash": "dot", "color": palette.passage},
                layer="below",
                col=place,
                row=1,
            )
        oracle = oracle_mean(results.evaluation, metric)
        if oracle is not None:
            figure.add_vline(
                oracle,
                line={"width": 1, "color": palette.text},
                layer="below",
                col=place,
                row=1,
            )
    figure.update_yaxes(range=[-0.5, len(methods) - 0.3])
    return _styled(figure, palette, height=MARGIN + ROW * max(2, len(methods)))


def lines(results: Results, table: Table, highlight: str, k: int, palette: Palette) -> go.Figure:
    """A line a method over iterations; dotted if no question goes on and the value is carried. The
    oracle's line if its questions are those of the methods.
    """
    numbers = table.numbers.drop(ORACLE, errors="ignore")
    last, figure = numbers.shape[1], go.Figure()
    for place, (method, row) in enumerate(numbers.iterrows()):
        values, name = list(row.dropna()), str(method)
        colour = _colour(results, name, highlight, palette)
        symbol = "diamond" if name == results.comparison.baseline else SYMBOLS[place % len(SYMBOLS)]
        figure.add_scatter(
            x=list(range(1, len(values) + 1)),
            y=values,
            name=_name(name),
            mode="lines+markers",
            line={"color": colour},
            marker={"symbol": symbol, "size": 9},
        )
        figure.add_scatter(
            x=[len(values), last],
            y=[values[-1]] * 2,
            mode="lines",
            line={"color": colour, "dash": "dot", "width": 1},
            showlegend=False,
            hoverinfo="skip",
        )
    oracle = oracle_mean(results.evaluation, f"recall@{k}")
    if oracle is not None:
        line = {"width": 1, "color": palette.text}
        figure.add_hline(oracle, line=line, annotation_text=ORACLE)
    figure.update_xaxes(title="iteration", dtick=1)
    return _styled(figure, palette, height=320).update_layout(showlegend=True)


def oracle_mean(evaluation: Evaluation, metric: str) -> float | None:
    """The oracle's mean of a measure; None if its questions differ from those of the methods, with
    whose means it would be compared.
    """
    return evaluation.means(metric).get(ORACLE) if evaluation.oracle_is_complete else None


def _name(method: str) -> str:
    return str(escaped(cut(label(method), LETTERS)))


def _colour(results: Results, method: str, highlight: str, palette: Palette) -> str:
    if method == results.comparison.baseline:
        return palette.passage
    return palette.kept if method == highlight else palette.query


def _styled(figure: go.Figure, palette: Palette, height: int) -> go.Figure:
    clear = "rgba(0,0,0,0)"
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        paper_bgcolor=clear,
        plot_bgcolor=clear,
        font={"size": 13, "color": palette.text},
        showlegend=False,
    )
    figure.update_annotations(font_size=13)
    figure.update_xaxes(gridcolor=palette.grid, zeroline=False)
    return figure.update_yaxes(gridcolor=palette.grid, automargin=True, zeroline=False)
