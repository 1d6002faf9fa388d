"""The tab Charts: failed runs by category and method, and the runs themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.express as px
import streamlit as st

from gear_app.annotation.agreement import LabelCounts, counts
from gear_app.annotation.codebook import code_book, paper_book
from gear_app.annotation.record import Record
from gear_app.app.shared import address, elements, panels
from gear_app.core.text import count
from gear_app.display import markup
from gear_app.display.labels import method_name
from gear_app.evaluation.question_set import of_runs
from gear_app.workspace.workspace import Workspace

PAPER = "GEAR in its paper (20 cases, GPT-4o mini)"
NOTE = (
    "The paper's cases are other questions, read by a language model. Runs that wait for a"
    " decision, not counted: {undecided}. Runs that you have not judged, not listed, because second"
    " labels are blind: {hidden}."
)
BAR, LEGEND = 34, 90  # pixels


def show(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw the chart, and the failed runs that the annotator may see."""
    if not counts(workspace.annotations.labels(collection)).judged:
        elements.message("No run is judged yet. Complete a run on the tab Queue.")
        return
    failures(workspace, collection, annotator)
    if records := _failed(counts(workspace.annotations.seen(collection, annotator))):
        with st.container(border=True):
            _runs(workspace, collection, records)


def failures(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw failed runs by category and method, next to GEAR's own Table 14."""
    tally, names = counts(workspace.annotations.labels(collection)), _names(workspace)
    rows = [
        {"category": names.get(key, key) or "no category", "method": name, "runs": len(records)}
        for method, by_category in tally.failed.items()
        for name in [f"{method_name(method)} ({tally.judged[method]} judged)"]
        for key, records in by_category.items()
    ]
    rows += [
        {"category": category.name, "method": PAPER, "runs": category.cases}
        for category in paper_book("gear")
    ]
    figure = px.bar(rows, x="runs", y="category", color="method", orientation="h")
    order = {"categoryorder": "array", "categoryarray": [*reversed(names.values())]}
    figure.update_yaxes(title="", **order).update_xaxes(title="failed runs", dtick=1)
    figure.update_traces(selector={"name": PAPER}, marker={"pattern": {"shape": "/"}})
    figure.update_layout(
        barmode="group",
        bargap=0.1,
        height=LEGEND + BAR * len({row["category"] for row in rows}),
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        legend={"title": "", "orientation": "h"},
    )
    judged = count(sum(tally.judged.values()), "judged run")
    with st.container(border=True):
        heading = f"{len(_failed(tally))} of {judged} failed"
        st.html(markup.title(heading, "by category and method"))
        st.plotly_chart(figure, key="annotate-failures", alt="Failed runs by category and method")
        visible = workspace.annotations.seen(collection, annotator)
        hidden = {key.case for key in workspace.annotations.labels(collection).keys() - visible}
        st.caption(NOTE.format(undecided=tally.undecided, hidden=len(hidden)))


def _names(workspace: Workspace) -> dict[str, str]:
    book = code_book(workspace.store.labels.categories())
    return {category.key: category.name for category in book}


def _failed(tally: LabelCounts) -> list[Record]:
    categories = (by_category.values() for by_category in tally.failed.values())
    return [record for groups in categories for records in groups for record in records]


def _runs(workspace: Workspace, collection: str, records: Sequence[Record]) -> None:
    """Draw the failed runs as a table that opens them, and their questions as a set."""
    items = {item.case: item for item in workspace.annotations.items(collection)}
    names = _names(workspace)
    rows = [
        {
            "question": record.case.question,
            "method": method_name(record.case.method),
            "category": names.get(record.label.category, record.label.category),
            "annotator": record.annotator,
            "note": record.label.note,
            "run": "" if record.case.id in items else "not in this workspace",
        }
        for record in records
    ]
    st.html(markup.title("Failed runs", "select a row to open its run"))
    table: Any = st.dataframe(
        rows,
        hide_index=True,
        key="annotate-failed",
        on_select="rerun",
        selection_mode="single-row",
    )
    for row in table.selection.rows:
        if item := items.get(records[row].case.id):
            address.explore(item.run)
    present = [items[record.case.id] for record in records if record.case.id in items]
    panels.offer_question_set(
        workspace,
        "set-evaluate",
        len({item.question for item in present}),
        lambda: of_runs(workspace, collection, [workspace.runs.get(item.run) for item in present]),
    )
