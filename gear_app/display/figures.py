"""Recall of a run after every iteration, as a chart and as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gear_app.display.labels import base_name
from gear_app.display.palette import Palette
from gear_app.trace.events import RankedPassage
from gear_app.trace.metrics import recall_at
from gear_app.trace.rankings import QuerySearch, keys

if TYPE_CHECKING:
    import plotly.graph_objects as go


def recall_rows(
    rankings: Mapping[int, Sequence[RankedPassage]],
    base: QuerySearch | None,
    gold: Sequence[str],
    cuts: Sequence[int],
) -> list[dict[str, str]]:
    """The figure as a table: one row an iteration, one column a cut-off; the baseline first."""
    lists = {f"{base_name(base.base)} alone": base.ranking} if base else {}
    lists |= {f"iteration {n}": tuple(ranking) for n, ranking in sorted(rankings.items())}
    return [
        {"after": name} | {f"R@{k}": f"{recall_at(keys(ranking), gold, k):.2f}" for k in cuts}
        for name, ranking in lists.items()
    ]


def recall_chart(
    rankings: Mapping[int, Sequence[RankedPassage]],
    base: QuerySearch | None,
    gold: Sequence[str],
    k: int,
    palette: Palette,
) -> go.Figure:
    """Recall at k after every iteration, and the first retrieval's as a dotted line."""
    import plotly.graph_objects as go  # late: half a second

    line = go.Scatter(
        x=sorted(rankings),
        y=[recall_at(keys(rankings[n]), gold, k) for n in sorted(rankings)],
        mode="lines+markers",
        line={"color": palette.kept, "width": 3},
        hovertemplate="iteration %{x}: %{y:.2f}<extra></extra>",
    )
    figure = go.Figure(line)
    if base:
        alone = recall_at(keys(base.ranking), gold, k)
        dotted = {"dash": "dot", "color": palette.passage}
        words = f"{base_name(base.base)} alone {alone:.2f}"
        figure.add_hline(alone, line=dotted, annotation_text=words)
    figure.update_layout(
        height=220,
        margin={"l": 34, "r": 10, "t": 10, "b": 40},
        paper_bgcolor=palette.background,
        plot_bgcolor=palette.background,
        font={"color": palette.text, "size": 13},
        showlegend=False,
    )
    figure.update_xaxes(title="iteration", dtick=1, gridcolor=palette.grid)
    figure.update_yaxes(range=[-0.05, 1.1], tickvals=[0, 0.5, 1], gridcolor=palette.grid)
    return figure
