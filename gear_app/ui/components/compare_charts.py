"""The figures of Compare, each with the table that says the same."""

from __future__ import annotations

import streamlit as st

from gear_app.ui import session
from gear_app.ui.components import folded
from gear_app.ui.components.comparison import Comparison
from gear_app.views import compare_figures, detail
from gear_app.views.compare_labels import Point


def figures(comparison: Comparison) -> None:
    """Recall per iteration, recall against time, and against tokens where any were used."""
    if not comparison.gold or not comparison.done:
        return
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, height="stretch"):
        _recall(comparison)
    with right, st.container(border=True, height="stretch"):
        _time(comparison)
    points = compare_figures.token_points(comparison.columns, comparison.keys, comparison.k)
    if points:
        with st.container(border=True):
            words = "Tokens in and out, as the model's server counted them."
            _cost(comparison, points, "tokens", "Recall against tokens", words, log=False)


def _recall(comparison: Comparison) -> None:
    st.html(detail.title("Recall per iteration", f"R@{comparison.k}"))
    figure = compare_figures.recall(
        comparison.columns, comparison.keys, comparison.k, comparison.highlight, session.colours()
    )
    st.plotly_chart(figure, key="compare-recall", config={"displayModeBar": False}, alt="Recall per iteration")
    st.caption("Of the ranking as if the iteration were the last. Dotted: the method had stopped, its ranking stays.")
    folded.table(
        "As a table",
        lambda: compare_figures.recall_rows(comparison.columns, comparison.keys, comparison.k),
        "compare-recall",
    )


def _time(comparison: Comparison) -> None:
    points = compare_figures.time_points(comparison.columns, comparison.keys, comparison.k)
    words = "Time as each run recorded it; the first to ask a question also encodes what later ones find encoded."
    if not any(column.run.input_tokens + column.run.output_tokens for column in comparison.done):
        words += " No language model was asked, so every run used 0 calls and 0 tokens."
    _cost(comparison, points, "time", "Recall against time", words, log=True)


def _cost(comparison: Comparison, points: list[Point], name: str, title: str, words: str, *, log: bool) -> None:
    st.html(detail.title(title, f"R@{comparison.k}"))
    figure = compare_figures.cost(points, comparison.highlight, session.colours(), title=name, log=log)
    st.plotly_chart(figure, key=f"compare-{name}", config={"displayModeBar": False}, alt=title)
    st.caption(words)
    folded.table("As a table", lambda: compare_figures.cost_rows(points, comparison.k, name), f"compare-{name}")
