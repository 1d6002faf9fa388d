"""The tab Charts: failed runs by category and method, and the questions behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.express as px
import streamlit as st

from gear_app.annotation.codebook import code_book, paper_book
from gear_app.annotation.counts import LabelCounts, Remade, counts, remade
from gear_app.annotation.queue import QueueItem
from gear_app.annotation.record import Record
from gear_app.app.shared import address, elements, question_sets
from gear_app.core.text import count, normalise_entity
from gear_app.display import markup
from gear_app.display.labels import method_name
from gear_app.evaluation.question_set import of_runs
from gear_app.workspace.workspace import Workspace

ALL = "all"
PAPER = "GEAR in its paper (20 cases, GPT-4o mini)"
BAR, LEGEND = 34, 90  # pixels


def show(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw the chart, and the failed runs that the annotator may see."""
    if not counts(workspace.annotations.labels(collection)).judged:
        elements.message("No run is judged yet. Complete a run on the tab Queue.")
        return
    failures(workspace, collection, annotator)
    seen = counts(workspace.annotations.seen(collection, annotator))
    if records := _failed(seen):
        items = {item.case: item for item in workspace.annotations.items(collection)}
        _runs(workspace, collection, records, items)


def failures(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw failed runs by category and method, next to GEAR's own Table 14."""
    service = workspace.annotations
    found, hidden = counts(service.labels(collection)), service.hidden(collection, annotator)
    items = {item.case: item for item in service.items(collection)}
    names = {one.key: one.name for one in code_book(service.categories())}
    rows = [
        {"category": names.get(key, key) or "no category", "method": name, "runs": len(records)}
        for method, by_category in found.failed.items()
        for name in [f"{method_name(method)} ({found.judged[method]} judged)"]
        for key, records in by_category.items()
    ]
    paper = [
        {"category": one.name, "method": PAPER, "runs": one.cases} for one in paper_book("gear")
    ]
    since = remade({one.case.id: one for one in _failed(found)}, items)
    figure = px.bar([*rows, *paper], x="runs", y="category", color="method", orientation="h")
    order = {"categoryorder": "array", "categoryarray": [*reversed(names.values())]}
    figure.update_yaxes(title="", **order).update_xaxes(title="failed runs", dtick=1)
    figure.update_traces(
        selector={"name": PAPER}, marker={"pattern": {"shape": "/"}, "opacity": 0.5}
    )
    figure.update_layout(
        barmode="group",
        bargap=0.1,
        height=LEGEND + BAR * len({row["category"] for row in [*rows, *paper]}),
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        legend={"title": "", "orientation": "h"},
    )
    with st.container(border=True):
        st.html(markup.title(counts_heading(found), "by category and method"))
        st.plotly_chart(figure, key="annotate-failures", alt="Failed runs by category and method")
        st.caption(counts_note(found, since, len(hidden)))


def _failed(found: LabelCounts) -> list[Record]:
    return [
        record
        for by_category in found.failed.values()
        for records in by_category.values()
        for record in records
    ]


def _runs(
    workspace: Workspace,
    collection: str,
    records: Sequence[Record],
    items: Mapping[str, QueueItem],
) -> None:
    """Draw the failed runs as a table that opens them, and their questions as a set."""
    names = {one.key: one.name for one in code_book(workspace.annotations.categories())}
    with st.container(border=True):
        st.html(markup.title("Failed runs", "select a row to open its run"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            methods = [ALL, *dict.fromkeys(one.case.method for one in records)]
            keys = [ALL, *dict.fromkeys(one.label.category for one in records)]
            method = st.selectbox("Method", methods, key="set-method", format_func=method_name)
            key = st.selectbox(
                "Category", keys, key="set-category", format_func=lambda one: names.get(one, one)
            )
            shown = [
                one
                for one in records
                if method in (ALL, one.case.method) and key in (ALL, one.label.category)
            ]
            _question_set(workspace, collection, shown, items)
        rows = [
            {
                "question": one.case.question,
                "method": method_name(one.case.method),
                "category": names.get(one.label.category, one.label.category),
                "annotator": one.annotator,
                "note": one.label.note,
                "run": "" if one.case.id in items else "not in this workspace",
            }
            for one in shown
        ]
        table: Any = st.dataframe(
            rows,
            hide_index=True,
            key="annotate-failed",
            on_select="rerun",
            selection_mode="single-row",
        )
        for row in table.selection.rows:
            if item := items.get(shown[row].case.id):
                address.explore(item.run)


def _question_set(
    workspace: Workspace,
    collection: str,
    records: Sequence[Record],
    items: Mapping[str, QueueItem],
) -> None:
    """Draw buttons for the ids of the questions, and for an evaluation of them."""
    questions = workspace.collections.questions(collection)
    wanted = {normalise_entity(one.case.question) for one in records}
    ids = [one.id for one in questions if normalise_entity(one.question) in wanted]
    st.download_button(
        f"The ids of {count(len(ids), 'question')}",
        "".join(f"{id_}\n" for id_ in ids),
        file_name=f"{collection}-failures.txt",
        key="set-ids",
        on_click="ignore",
    )
    present = [items[one.case.id] for one in records if one.case.id in items]
    asked = {normalise_entity(item.question) for item in present}
    question_sets.offer(
        workspace,
        "set-evaluate",
        sum(normalise_entity(one.question) in asked for one in questions),
        lambda: of_runs(workspace, collection, [workspace.runs.get(one.run) for one in present]),
    )


def counts_heading(found: LabelCounts) -> str:
    """Failed and judged runs."""
    judged = count(sum(found.judged.values()), "judged run")
    return f"{len(_failed(found))} of {judged} failed"


def counts_note(found: LabelCounts, since: Remade, hidden: int) -> str:
    """Remarks on the chart: later runs of the failures, hidden labels and undecided runs."""
    words = []
    if since.again:
        failures_ = count(since.again, "failed run was", "failed runs were")
        words.append(f"{failures_} repeated later; {since.all_gold} then found all gold.")
    if hidden:
        runs = count(hidden, "run")
        words.append(f"{runs} that you have not judged are not listed: second labels are blind.")
    if found.undecided:
        runs = count(found.undecided, "run")
        words.append(f"{runs} with different labels wait for a decision and are not counted.")
    words.append("The paper's cases are other questions, read by a language model.")
    return " ".join(words)
