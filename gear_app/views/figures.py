"""Plotly figures. Labels stand at the lines.

Text from a corpus is escaped, for plotly reads tags in labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go

from gear_app.analysis.metrics import recall_at
from gear_app.analysis.rankings import QuerySearch, keys, recall_per_iteration
from gear_app.events import RankedPassage
from gear_app.views.labels import base_name
from gear_app.views.markup import explained
from gear_app.views.palette import Palette

HEIGHT = 190


def recall_rows(
    rankings: Mapping[int, Sequence[RankedPassage]],
    base: QuerySearch | None,
    gold: Sequence[str],
    cuts: Sequence[int],
) -> list[dict[str, str]]:
    """The figure as a table: one row an iteration, one column a cut-off; the baseline first."""
    rows = []
    if base:
        rows.append({"after": f"{base_name(base.base)} alone"} | _recalls(base.ranking, gold, cuts))
    for n, ranking in sorted(rankings.items()):
        rows.append({"after": f"iteration {n}"} | _recalls(ranking, gold, cuts))
    return rows


def _recalls(
    ranking: Sequence[RankedPassage], gold: Sequence[str], cuts: Sequence[int]
) -> dict[str, str]:
    return {f"R@{k}": f"{recall_at(keys(ranking), gold, k):.2f}" for k in cuts}


def baseline_label(base: QuerySearch, k: int) -> str:
    """What the baseline is, honestly: a first retrieval of fewer than k passages says so."""
    depth = len(base.ranking)
    return f"{base_name(base.base)} alone" + (f" (only {depth} deep)" if depth < k else "")


def recall_numbers(
    ranking: Sequence[RankedPassage],
    base: QuerySearch | None,
    gold: Sequence[str],
    cuts: Sequence[int],
) -> list[tuple[str, str]]:
    """Recall of one ranking as (cut-off, words), each with the baseline's where there is one."""
    return [
        (
            explained(f"R@{k}"),
            f"{recall_at(keys(ranking), gold, k):.2f}"
            + (
                f" · {baseline_label(base, k)} {recall_at(keys(base.ranking), gold, k):.2f}"
                if base
                else ""
            ),
        )
        for k in cuts
    ]


def recall(
    rankings: Mapping[int, Sequence[RankedPassage]],
    base: QuerySearch | None,
    gold: Sequence[str],
    k: int,
    method: str,
    palette: Palette,
    current: int = 0,
    iterations: int = 0,
) -> go.Figure:
    """Recall at k after every iteration, and the first retrieval's as a dotted line.

    `current` gets a larger mark. The axis has room for so many `iterations`, where more are to
    come.
    """
    ys = recall_per_iteration(rankings, gold, k)
    xs = list(range(1, len(ys) + 1))
    sizes = [12 if n == current else 8 for n in xs]
    lines = [_line(xs, ys, method, palette.kept, "solid", "circle", sizes)]
    labels = [(ys[-1] if ys else 0.0, method)]
    if base:
        before = recall_at(keys(base.ranking), gold, k)
        words = baseline_label(base, k)
        lines.append(
            _line(xs, [before] * len(xs), words, palette.passage, "dot", "diamond", [7] * len(xs))
        )
        labels.append(
            (before, words.replace(" (", "<br>("))
        )  # one line would be cut off at the figure's edge
    return go.Figure(lines, _layout(xs, max([*xs, iterations], default=1), labels, palette))


def _line(
    xs: Sequence[int],
    ys: Sequence[float],
    name: str,
    colour: str,
    dash: str,
    symbol: str,
    sizes: Sequence[int],
) -> go.Scatter:
    return go.Scatter(
        x=list(xs),
        y=list(ys),
        name=name,
        mode="lines+markers",
        line={"color": colour, "width": 2.5, "dash": dash},
        marker={"size": list(sizes), "symbol": symbol},
        hovertemplate=name + ", iteration %{x}: %{y:.2f}<extra></extra>",
    )


def _apart(place: int, text: str) -> int:
    """Pixels by which the first of two close labels moves up, the second down."""
    return 8 if place == 0 else -8 * (1 + text.count("<br>"))


def _layout(
    xs: Sequence[int], end: int, labels: Sequence[tuple[float, str]], palette: Palette
) -> dict[str, object]:
    """`end` is where the axis ends; the labels stand at the last of `xs`."""
    last = max(xs, default=1)
    close = len(labels) == 2 and abs(labels[0][0] - labels[1][0]) < 0.12
    notes = [
        {
            "x": last,
            "y": y,
            "text": text,
            "showarrow": False,
            "xanchor": "left",
            "xshift": 10,
            "align": "left",
            "yshift": _apart(place, text) if close else 0,
            "font": {"size": 12, "color": palette.text},
        }
        for place, (y, text) in enumerate(labels)
    ]
    axis = {"color": palette.muted_text, "tickfont": {"size": 12}}
    return {
        "height": HEIGHT,
        "margin": {"l": 36, "r": 120, "t": 8, "b": 34},
        "showlegend": False,
        "annotations": notes,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "xaxis": (
            axis
            | {
                "tickvals": list(range(1, end + 1)),
                "showgrid": False,
                "zeroline": False,
                "range": [0.85, end + 0.1],
                "title": "iteration",
                "fixedrange": True,
            }
        ),
        "yaxis": (
            axis
            | {
                "range": [-0.04, 1.08],
                "tickvals": [0, 0.5, 1],
                "tickformat": ".1f",
                "gridcolor": palette.grid,
                "zeroline": False,
                "fixedrange": True,
            }
        ),
        "hovermode": "closest",
        "dragmode": False,
    }
