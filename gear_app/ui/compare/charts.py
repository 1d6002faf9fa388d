"""The figures of Compare, each with the table that says the same."""

from __future__ import annotations

import streamlit as st

from gear_app.ui.compare.comparison import Comparison
from gear_app.ui.shared import elements, session
from gear_app.views import markup
from gear_app.views.compare import charts, costs
from gear_app.views.markup import tag

AGAINST = "compare-against"


def figures(comparison: Comparison) -> None:
    """Recall per iteration, and recall against what it took."""
    if not comparison.gold or not comparison.done:
        return
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, height="stretch"):
        _recall(comparison)
    with right, st.container(border=True, height="stretch"):
        _cost(comparison)


def _recall(comparison: Comparison) -> None:
    st.html(markup.title("Recall per iteration", f"R@{comparison.k}"))
    figure = charts.recall(
        comparison.columns, comparison.keys, comparison.k, comparison.highlight, session.colours()
    )
    st.plotly_chart(
        figure, key="compare-recall", config={"displayModeBar": False}, alt="Recall per iteration"
    )
    st.caption(
        "Of the ranking as if the iteration were the last. Dotted: the method had stopped, its"
        " ranking stays."
    )
    elements.folded_table(
        "As a table",
        lambda: charts.recall_rows(comparison.columns, comparison.keys, comparison.k),
        "compare-recall",
    )


def _cost(comparison: Comparison) -> None:
    """Recall against what the visitor chose: tokens, calls, time or dollars."""
    with st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute", gap="small"
    ):
        title = st.empty()
        against = _against(comparison)
    title.html(markup.title(f"Recall against {against}", f"R@{comparison.k}"), width="content")
    points = costs.points(against, comparison.columns, comparison.keys, comparison.k)
    figure = costs.figure(points, comparison.highlight, session.colours(), against)
    label = f"Recall against {against}"
    st.plotly_chart(figure, key=f"compare-{against}", config={"displayModeBar": False}, alt=label)
    remark = costs.remark(against, comparison.columns)
    # It may name methods, which a server's words may be in.
    st.html(tag("p", remark, class_="gear-facts-line", dir="auto"))
    elements.folded_table(
        "As a table",
        lambda: costs.rows(points, comparison.k, against),
        f"compare-{against}",
    )


def _against(comparison: Comparison) -> str:
    """What the visitor wants recall drawn against, of what there is."""
    offered = costs.offered(comparison.columns)
    if st.session_state.get(AGAINST) not in offered:
        st.session_state[AGAINST] = offered[0]
    return str(
        st.segmented_control(
            "Recall against",
            offered,
            format_func=str.capitalize,
            key=AGAINST,
            label_visibility="collapsed",
            required=True,
            persist_state="session",
        )
    )
