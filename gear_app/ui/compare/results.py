"""Runs side by side, drawn from their events, and drawn again while any is going on; the figures,
each with the table that says the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from gear_app.analysis.rankings import CUTS
from gear_app.errors import GearError
from gear_app.rendering import html
from gear_app.rendering.values import Note, Section
from gear_app.runs import comparison as compare
from gear_app.store.rows import RunInfo
from gear_app.ui.compare import cards
from gear_app.ui.compare.cards import comparison_of
from gear_app.ui.shared import address, components, elements, fold, picture, session, share
from gear_app.views import header, markup
from gear_app.views.compare import figures
from gear_app.views.compare.comparison import Comparison
from gear_app.views.markup import tag
from gear_app.workspace import Workspace

REFRESH_S = 0.7
BY_RECALL = "recall"  # in the address


def show(workspace: Workspace, run_ids: Sequence[str]) -> None:
    """Draw the runs, again and again while one of them is going on."""
    live = header.going_on([workspace.runs.get(id_) for id_ in run_ids])
    st.fragment(_body, run_every=REFRESH_S if live else None)(workspace, list(run_ids), live)


def _body(workspace: Workspace, run_ids: list[str], live: bool) -> None:
    act = components.requested_act()
    if act and act.run in run_ids:
        _act(workspace, run_ids, act)
    runs = [workspace.runs.get(id_) for id_ in run_ids]
    if live and not header.going_on(runs):
        st.rerun()
    comparison = comparison_of(workspace, _ordered(workspace, runs))
    left, right = st.columns([1, 1], vertical_alignment="bottom")
    with left:
        cards.head(comparison)
    with (
        right,
        st.container(
            horizontal=True, vertical_alignment="bottom", horizontal_alignment="right", gap="small"
        ),
    ):
        _controls(comparison)
        if workspace.collections.all():  # there is one, and so a bar
            fold.button("compare", "Ask")
        share.of_runs(workspace, [column.run for column in comparison.columns])
    comparison = _settled(comparison)
    cards.remarks(comparison, workspace.jobs.worker_status())
    cards.found(comparison)
    cards.rankings(workspace, comparison)
    cards.gold(comparison)
    cards.misses(workspace, comparison)
    _figures(comparison)
    cards.tables(comparison)


def _ordered(workspace: Workspace, runs: Sequence[RunInfo]) -> list[RunInfo]:
    """The runs as they were picked, or as the address wants it by recall, the lowest first."""
    if address.named("order") != BY_RECALL:
        return list(runs)
    comparison = comparison_of(workspace, runs)
    k = _cut_off()
    order = compare.by_recall(comparison.columns, comparison.keys, k)
    return [column.run for column in order]


def _cut_off() -> int:
    asked = st.query_params.get("k", "")
    return int(asked) if asked in map(str, CUTS) else CUTS[0]


def _controls(comparison: Comparison) -> None:
    """Baseline, highlighted method and cut-off; the first and the last are in the address."""
    state = st.session_state
    ids = {column.run.id: column.label for column in comparison.columns}
    state["compare-baseline"] = compare.baseline(
        comparison.columns, st.query_params.get("baseline")
    )
    state["compare-k"] = _cut_off()
    state["compare-order"] = address.named("order", [BY_RECALL])
    done = [column.label for column in comparison.columns if column.digest]
    best = compare.best(comparison.columns, comparison.keys) or None
    state["compare-highlight"] = (
        state["compare-picked-out"] if state.get("compare-picked-out") in done else best
    )
    st.selectbox(
        "Baseline",
        list(ids),
        key="compare-baseline",
        format_func=lambda id_: ids.get(id_, ""),
        width=150,
        on_change=_write,
        args=("baseline", "compare-baseline"),
    )
    if comparison.gold:  # without gold there are no figures
        st.selectbox(
            "Highlighted in figures",
            done,
            key="compare-highlight",
            width=150,
            placeholder="none is done yet",
            on_change=_choose_highlight,
        )
        st.selectbox(
            "Order of columns",
            ["", BY_RECALL],
            key="compare-order",
            format_func=lambda order: "by recall" if order else "as picked",
            width=130,
            on_change=lambda: address.hold_field("compare-order", "order"),
        )
    st.segmented_control(
        "Look at the first",
        CUTS,
        key="compare-k",
        on_change=_write,
        args=("k", "compare-k"),
        required=True,
    )


def _write(name: str, key: str) -> None:
    session.control(name, str(st.session_state[key]))


def _choose_highlight() -> None:
    """From now on the visitor's choice, not the best so far."""
    st.session_state["compare-picked-out"] = st.session_state["compare-highlight"]


def _settled(comparison: Comparison) -> Comparison:
    state = st.session_state
    return comparison.settled(
        state["compare-baseline"], state["compare-k"], state["compare-highlight"] or ""
    )


def _act(workspace: Workspace, run_ids: list[str], act: components.Act) -> None:
    """Do what was asked of a run, then draw the page anew."""
    if act.what == "open":
        address.explore(act.run, act.step)
    if act.what == "stop":
        with elements.refusals("compare-error"):
            workspace.runs.cancel(act.run, session.owner())
    if act.what == "drop":
        session.compare([id_ for id_ in run_ids if id_ != act.run])
    if act.what == "again":
        try:
            made = session.run_again(workspace, act.run)
        except GearError as error:
            st.session_state["compare-error"] = str(error)
        else:
            if st.query_params.get("baseline") == act.run:
                session.control("baseline", made)
            session.compare([made if id_ == act.run else id_ for id_ in run_ids])
    st.rerun()


AS_IF_THE_LAST = (
    "Of the ranking as if the iteration were the last. Dotted: the method had stopped, its ranking"
    " stays."
)
AGAINST = "compare-against"


def _figures(comparison: Comparison) -> None:
    """Recall per iteration, and recall against what it took."""
    if not comparison.gold or not comparison.done:
        return
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, height="stretch"):
        _recall(comparison)
    with right, st.container(border=True, height="stretch"):
        _cost(comparison)


def _recall(comparison: Comparison) -> None:
    of = comparison.columns, comparison.keys, comparison.k
    chart = figures.recall_chart(*of, comparison.highlight)
    section = Section("recall", "Recall per iteration", f"R@{comparison.k}")
    picture.plain(
        "compare-recall",
        html.head(section),
        html.draw(replace(chart, notes=["under the axis: iterations"], wide=True)),
        html.draw(Note([AS_IF_THE_LAST])),
    )
    elements.folded_table("As a table", lambda: figures.recall_rows(*of), "compare-recall-rows")


def _cost(comparison: Comparison) -> None:
    """Recall against what the visitor chose: tokens, calls, time or dollars."""
    with elements.spread():
        title = st.empty()
        against = _against(comparison)
    title.html(markup.title(f"Recall against {against}", f"R@{comparison.k}"), width="content")
    points = figures.points(against, comparison.columns, comparison.keys, comparison.k)
    figure = figures.figure(points, comparison.highlight, session.colours(), against)
    remark = figures.remark(against, comparison.columns)
    elements.figure(
        figure,
        f"compare-{against}",
        f"Recall against {against}",
        # It may name methods, which a server's words may be in.
        note=tag("p", remark, class_="gear-facts-line", dir="auto"),
        table=lambda: elements.folded_table(
            "As a table",
            lambda: figures.rows(points, comparison.k, against),
            f"compare-{against}",
        ),
    )


def _against(comparison: Comparison) -> str:
    """What the visitor wants recall drawn against, of what there is."""
    offered = figures.choices(comparison.columns)
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
