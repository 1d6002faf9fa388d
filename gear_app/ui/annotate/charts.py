"""The tab Charts: failures by method and category, and the questions behind them."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from gear_app.annotate.codebook import CODE_BOOK
from gear_app.annotate.counts import LabelCounts, counts, remade
from gear_app.annotate.queue import QueueItem
from gear_app.annotate.record import Record
from gear_app.evaluate.question_set import of_runs
from gear_app.text import count, normalise_entity
from gear_app.ui.shared import elements, plots, question_sets
from gear_app.views import agreement as drawn
from gear_app.views import markup
from gear_app.views.labels import method_name
from gear_app.workspace import Workspace

ALL = ""


def show(workspace: Workspace, collection: str, annotator: str) -> None:
    """Squares like Table 14, and the ids of the questions that failed: of what the annotator may
    see.
    """
    found = counts(workspace.annotations.seen(collection, annotator))
    hidden = workspace.annotations.hidden(collection, annotator)
    if not found.judged:
        elements.message(drawn.hidden_words(hidden))
        elements.message(f"{drawn.counts_heading(found, hidden)}. Complete a run on the tab Queue.")
        return
    items = {item.case: item for item in workspace.annotations.items(collection)}
    names = {one.key: one.name for one in (*CODE_BOOK, *workspace.annotations.categories())}
    failures(workspace, found, items, hidden)
    _questions(workspace, collection, _failed(found), items, names)


def failures(
    workspace: Workspace, found: LabelCounts, items: Mapping[str, QueueItem], hidden: int
) -> None:
    """The squares alone, each a link to its run, and what they are. So many judged runs are
    `hidden` from who looks.
    """
    book = (*CODE_BOOK, *workspace.annotations.categories())
    names = {one.key: one.name for one in book}
    links = {case: f"./explore?run={item.run}" for case, item in items.items()}
    since = remade(_failed(found), items)
    with st.container(border=True):
        st.html(markup.title(drawn.counts_heading(found, hidden), "by category and method"))
        squares = drawn.squares(found, book, links, names)
        plots.markup_figure(squares, "failures", "failures by category and method")
        st.html(markup.tag("p", drawn.counts_note(found, since, hidden), class_="gear-note"))


def _failed(found: LabelCounts) -> dict[str, Record]:
    return {
        record.case.id: record
        for of in found.failed.values()
        for records in of.values()
        for record in records
    }


def _questions(
    workspace: Workspace,
    collection: str,
    failed: Mapping[str, Record],
    items: Mapping[str, QueueItem],
    names: dict[str, str],
) -> None:
    """The ids of the questions of some failures, to be run again after a fix."""
    records = list(failed.values())
    with st.container(border=True):
        st.html(markup.title("Questions of these failed runs", "to ask again after a fix"))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            methods = [ALL, *dict.fromkeys(one.case.method for one in records)]
            keys = [ALL, *dict.fromkeys(one.label.category for one in records)]
            method = st.selectbox(
                "Method",
                methods,
                key="set-method",
                format_func=lambda one: method_name(one) if one else "all",
            )
            key = st.selectbox(
                "Category", keys, key="set-category", format_func=lambda one: names.get(one, "all")
            )
            wanted = {
                normalise_entity(one.case.question) for one in records if _fits(one, method, key)
            }
            asked = workspace.collections.questions(collection)
            ids = [one.id for one in asked if normalise_entity(one.question) in wanted]
            st.download_button(
                f"The ids of {count(len(ids), 'question')}",
                "".join(f"{id_}\n" for id_ in ids),
                file_name=f"{collection}-failures.txt",
                key="set-ids",
                on_click="ignore",
            )
            here = [
                items[one.case.id]
                for one in records
                if one.case.id in items and _fits(one, method, key)
            ]
            there = {normalise_entity(item.question) for item in here}
            runs = [item.run for item in here]
            question_sets.offer(
                workspace,
                "set-evaluate",
                sum(normalise_entity(one.question) in there for one in asked),
                lambda: of_runs(workspace, collection, [workspace.runs.get(run) for run in runs]),
            )


def _fits(record: Record, method: str, category: str) -> bool:
    return method in (ALL, record.case.method) and category in (ALL, record.label.category)
