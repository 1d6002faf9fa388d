"""Annotate: judge runs, agreement and charts, the code book, export and import."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from gear_app.annotation.codebook import code_book
from gear_app.annotation.record import person
from gear_app.app.annotate import agreement, charts, desk, missing_runs
from gear_app.app.shared import collection as current
from gear_app.app.shared import elements, session
from gear_app.core.errors import BadInput, GearError
from gear_app.core.text import count
from gear_app.display import markup
from gear_app.display.labels import literal
from gear_app.workspace.workspace import Workspace

STYLE, SCRIPT = session.UI / "annotate.css", session.UI / "annotate.html"
NAME = "annotator"


def page() -> None:
    """The annotator's name, then a tab."""
    st.html(STYLE)
    st.html(SCRIPT, unsafe_allow_javascript=True)
    workspace = session.workspace()
    names = [info.name for info in workspace.collections.all()]
    if not names:
        session.tell_empty()
        return
    collection, annotator = current.chosen() or names[0], _annotator()
    if workspace.read_only:
        elements.message("This workspace is read-only: what you choose is not saved.")
    missing_runs.show(workspace, collection)
    tabs: dict[str, Callable[[], None]] = {
        "Queue": lambda: _queue(workspace, collection, annotator),
        "Agreement": lambda: agreement.show(workspace, collection, annotator),
        "Charts": lambda: charts.show(workspace, collection, annotator),
        "Code book": lambda: show_code_book(workspace, annotator),
        "Files": lambda: show_files(workspace, collection, annotator),
    }
    elements.tabs(tabs, "annotate")


def _queue(workspace: Workspace, collection: str, annotator: str) -> None:
    if annotator:
        desk.show(workspace, collection, annotator)
    else:
        _ask_name()
        _judged_so_far(workspace, collection)


def _annotator() -> str:
    """The annotator's name, with a button to change it; "" where none was typed."""
    state = st.session_state
    annotator = state[NAME] = _name(str(state.get(NAME) or st.query_params.get(NAME, "")))
    if annotator:
        st.query_params[NAME] = annotator
        st.button(literal(f"Annotator: {annotator}"), key="annotator-change", on_click=_forget)
    return annotator


def _ask_name() -> None:
    """Draw a form for the annotator's name, which goes into the session and the address."""
    with st.form("who", border=True, width=520):
        st.text_input(
            "Your name",
            key="annotator-typed",
            max_chars=60,
            placeholder="Stored with your labels, also in exported files",
        )
        st.form_submit_button("Begin", type="primary", key="annotator-begin", on_click=_remember)


def _judged_so_far(workspace: Workspace, collection: str) -> None:
    """Draw the failures that others have judged."""
    if workspace.annotations.labels(collection):
        charts.failures(workspace, collection, "")


def _remember() -> None:
    st.session_state[NAME] = _name(str(st.session_state["annotator-typed"]))


def _name(typed: str) -> str:
    """A typed name as it is stored; "" where it is none."""
    try:
        return person(typed)
    except BadInput:
        return ""


def _forget() -> None:
    st.session_state[NAME] = ""
    st.query_params.pop(NAME, None)


def show_code_book(workspace: Workspace, annotator: str) -> None:
    """All categories with their definitions, and a form for another."""
    elements.message(st.session_state.pop("category-said", ""), "good")
    elements.message(st.session_state.pop("category-error", ""), "bad")
    rows = [
        {
            "category": category.name,
            "when to choose it": category.definition,
            "from": category.source,
            "cases in the paper": category.cases or None,
        }
        for category in code_book(workspace.annotations.categories())
    ]
    st.dataframe(rows, hide_index=True, height="content")
    with st.form("category", border=True):
        st.html(markup.title("New category", "for all annotators"))
        st.text_input("Name", key="category-name", max_chars=60)
        st.text_input("When to choose it", key="category-definition", max_chars=300)
        st.form_submit_button(
            "Add", key="category-add", on_click=_add_category, args=(workspace, annotator)
        )


def _add_category(workspace: Workspace, annotator: str) -> None:
    state = st.session_state
    with elements.refusals("category-error"):
        category = workspace.annotations.add_category(
            state["category-name"], state["category-definition"], annotator
        )
        state["category-said"] = f"{category.name} is in the code book."
        state["category-name"] = state["category-definition"] = ""


def show_files(workspace: Workspace, collection: str, annotator: str) -> None:
    """Export with the runs, of what the annotator may see, and import."""
    elements.message(st.session_state.pop("annotate-imported", ""), "good")
    elements.message(st.session_state.pop("annotate-import-error", ""), "bad")
    service = workspace.annotations
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, height="stretch"):
        labels, hidden = service.labels(collection), service.hidden(collection, annotator)
        st.html(markup.title("Export", count(len(labels), "label")))
        if hidden:
            elements.message(
                f"Without others' labels of {count(len(hidden), 'run')} that you have not judged:"
                " second labels are blind."
            )
        st.download_button(
            "JSON lines, with the runs",
            lambda: "".join(service.json_lines(collection, annotator)).encode(),
            file_name=f"{collection}-annotations.jsonl",
            key="export-jsonl",
            disabled=not labels,
            on_click="ignore",
        )
        st.download_button(
            "CSV, the labels as a table",
            lambda: service.csv(collection, annotator).encode(),
            file_name=f"{collection}-annotations.csv",
            key="export-csv",
            disabled=not labels,
            on_click="ignore",
        )
    with right, st.container(border=True, height="stretch"):
        st.html(markup.title("Import", "JSON lines; the later label of a person and run counts"))
        file = st.file_uploader(
            "Annotations", type=["jsonl"], key="import-file", label_visibility="collapsed"
        )
        if file is not None:
            st.button(
                "Import", key="import-annotations", on_click=_import, args=(workspace, collection)
            )


def _import(workspace: Workspace, collection: str) -> None:
    file = st.session_state["import-file"]
    try:
        lines = file.getvalue().decode("utf-8-sig").split("\n")
        imported = workspace.annotations.import_lines(collection, lines)
    except UnicodeDecodeError:
        st.session_state["annotate-import-error"] = f"{file.name} is no text in UTF-8."
    except GearError as error:
        st.session_state["annotate-import-error"] = f"{file.name}: {error}"
    else:
        st.session_state["annotate-imported"] = f"{file.name}: {imported.words}"


page()
