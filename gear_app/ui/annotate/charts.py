"""The tab Charts: failures by method and category, and the questions behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from gear_app.annotate.codebook import CODE_BOOK
from gear_app.annotate.counts import counts
from gear_app.annotate.history import Current
from gear_app.annotate.record import JudgedCase, Record
from gear_app.errors import GearError
from gear_app.evaluate.definition import Definition
from gear_app.evaluate.service import EvaluationService
from gear_app.text import count, normalise_entity
from gear_app.ui.shared import elements, session
from gear_app.views import agreement as drawn
from gear_app.views import markup
from gear_app.views.labels import method_name
from gear_app.workspace import Workspace

ALL = ""


def show(workspace: Workspace, collection: str, seen: Current) -> None:
    """Squares like Table 14, and the ids of the questions that failed."""
    found = counts(seen)
    everything = {key.case for key in workspace.annotations.heads(collection)}
    hidden = len(everything - {key.case for key in seen})
    if hidden:
        elements.message(
            f"{count(hidden, 'run')} that others have judged and two are to judge stay hidden until"
            " you have judged them."
        )
    if not found.judged:
        elements.message("Nothing is judged yet. Complete a run on the tab Queue.")
        return
    book = (*CODE_BOOK, *workspace.annotations.categories())
    names = {one.key: one.name for one in book}
    items = {item.case: item for item in workspace.annotations.items(collection)}
    links = {case: f"./explore?run={item.run}" for case, item in items.items()}
    failed = {
        record.case.id: record
        for of in found.failed.values()
        for records in of.values()
        for record in records
    }
    now = sum(case in items and not items[case].missed for case in failed)
    with st.container(border=True):
        st.html(markup.title(drawn.counts_heading(found), "by category and method"))
        st.html(drawn.squares(found, book, links, names))
        st.html(markup.tag("p", drawn.counts_note(found, now), class_="gear-note"))
    _questions(workspace, collection, failed, names)


def _questions(
    workspace: Workspace, collection: str, failed: Mapping[str, Record], names: dict[str, str]
) -> None:
    """The ids of the questions of some failures, to be run again after a fix."""
    records = list(failed.values())
    with st.container(border=True):
        st.html(markup.title("Make a question set of these", "to run again after a fix"))
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
                normalise_entity(one.case.question)
                for one in records
                if method in (ALL, one.case.method) and key in (ALL, one.label.category)
            }
            asked = workspace.collections.questions(collection)
            ids = [one.id for one in asked if normalise_entity(one.question) in wanted]
            st.download_button(
                f"The ids of {count(len(ids), 'question')}",
                "".join(f"{id_}\n" for id_ in ids),
                file_name=f"{collection}-failures.txt",
                key="set-ids",
            )
            again = {_words(one.case) for one in records if method in (ALL, one.case.method)}
            if st.button("Evaluate them", key="set-evaluate", disabled=not ids):
                _evaluate(workspace, collection, ids, sorted(again))


def _words(case: JudgedCase) -> str:
    """A case's method as an evaluation names it, with its settings."""
    return " ".join([case.method, *(f"{name}={value}" for name, value in case.settings)])


def _evaluate(
    workspace: Workspace, collection: str, ids: Sequence[str], methods: Sequence[str]
) -> None:
    """Measure the methods on these questions, and go where it is shown."""
    chosen = f"{count(len(ids), 'judged failure')}"
    definition = Definition(collection, tuple(ids), tuple(methods), choice=chosen)
    try:
        service = EvaluationService(workspace)
        made = service.create(definition, session.owner())
        service.start(made)
    except GearError as error:
        elements.message(str(error), "bad")
        return
    st.session_state["evaluation"] = made
    st.switch_page(session.EVALUATE, query_params={"evaluation": made})
