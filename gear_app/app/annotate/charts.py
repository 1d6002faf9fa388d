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
    tally = counts(workspace.annotations.seen(collection, annotator))
    if records := _failed(tally):
        items = {item.case: item for item in workspace.annotations.items(collection)}
        _runs(workspace, collection, records, items)


def failures(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw failed runs by category and method, next to GEAR's own Table 14."""
    service = workspace.annotations
    tally, hidden = counts(service.labels(collection)), service.hidden(collection, annotator)
    items = {item.case: item for item in service.items(collection)}
    names = {category.key: category.name for category in code_book(service.categories())}
    rows = [
        {"category": names.get(key, key) or "no category", "method": name, "runs": len(records)}
        for method, by_category in tally.failed.items()
        for name in [f"{method_name(method)} ({tally.judged[method]} judged)"]
        for key, records in by_category.items()
    ]
    paper = [
        {"category": category.name, "method": PAPER, "runs": category.cases}
        for category in paper_book("gear")
    ]
    since = remade({record.case.id: record for record in _failed(tally)}, items)
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
        st.html(markup.title(counts_heading(tally), "by category and method"))
        st.plotly_chart(figure, key="annotate-failures", alt="Failed runs by category and method")
        st.caption(counts_note(tally, since, len(hidden)))


def _failed(tally: LabelCounts) -> list[Record]:
    return [
        record
        for by_category in tally.failed.values()
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
    names = {
        category.key: category.name for category in code_book(workspace.annotations.categories())
    }
    with st.container(border=True):
        st.html(markup.title("Failed runs", "select a row to open its run"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            methods = [ALL, *dict.fromkeys(record.case.method for record in records)]
            keys = [ALL, *dict.fromkeys(record.label.category for record in records)]
            method = st.selectbox("Method", methods, key="set-method", format_func=method_name)
            key = st.selectbox(
                "Category",
                keys,
                key="set-category",
                format_func=lambda option: names.get(option, option),
            )
            selected = [
                record
                for record in records
                if method in (ALL, record.case.method) and key in (ALL, record.label.category)
            ]
            _question_set(workspace, collection, selected, items)
        rows = [
            {
                "question": record.case.question,
                "method": method_name(record.case.method),
                "category": names.get(record.label.category, record.label.category),
                "annotator": record.annotator,
                "note": record.label.note,
                "run": "" if record.case.id in items else "not in this workspace",
            }
            for record in selected
        ]
        table: Any = st.dataframe(
            rows,
            hide_index=True,
            key="annotate-failed",
            on_select="rerun",
            selection_mode="single-row",
        )
        for row in table.selection.rows:
            if item := items.get(selected[row].case.id):
                address.explore(item.run)


def _question_set(
    workspace: Workspace,
    collection: str,
    records: Sequence[Record],
    items: Mapping[str, QueueItem],
) -> None:
    """Draw buttons for the ids of the questions, and for an evaluation of them."""
    questions = workspace.collections.questions(collection)
    failed = {normalise_entity(record.case.question) for record in records}
    ids = [question.id for question in questions if normalise_entity(question.question) in failed]
    st.download_button(
        f"The ids of {count(len(ids), 'question')}",
        "".join(f"{id_}\n" for id_ in ids),
        file_name=f"{collection}-failures.txt",
        key="set-ids",
        on_click="ignore",
    )
    present = [items[record.case.id] for record in records if record.case.id in items]
    queries = {normalise_entity(item.question) for item in present}
    question_sets.offer(
        workspace,
        "set-evaluate",
        sum(normalise_entity(question.question) in queries for question in questions),
        lambda: of_runs(workspace, collection, [workspace.runs.get(item.run) for item in present]),
    )


def counts_heading(tally: LabelCounts) -> str:
    """Failed and judged runs."""
    judged = count(sum(tally.judged.values()), "judged run")
    return f"{len(_failed(tally))} of {judged} failed"


def counts_note(tally: LabelCounts, since: Remade, hidden: int) -> str:
    """Remarks on the chart: later runs of the failures, hidden labels and undecided runs."""
    words = []
    if since.again:
        failures_ = count(since.again, "failed run was", "failed runs were")
        words.append(f"{failures_} repeated later; {since.all_gold} then found all gold.")
    if hidden:
        runs = count(hidden, "run")
        words.append(f"{runs} that you have not judged are not listed: second labels are blind.")
    if tally.undecided:
        runs = count(tally.undecided, "run")
        words.append(f"{runs} with different labels wait for a decision and are not counted.")
    words.append("The paper's cases are other questions, read by a language model.")
    return " ".join(words)
