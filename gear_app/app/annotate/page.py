"""Annotate: judge runs, agreement and charts, the code book, export and import."""

from __future__ import annotations

import streamlit as st

from gear_app.annotation.codebook import code_book
from gear_app.annotation.record import person
from gear_app.app.annotate import agreement, charts, desk
from gear_app.app.shared import collection as current
from gear_app.app.shared import elements, session
from gear_app.core.errors import BadInput
from gear_app.core.text import count
from gear_app.display import markup
from gear_app.workspace.runs.annotations import MOST_RUNS, OWNER
from gear_app.workspace.workspace import Workspace

STYLES = session.UI / "annotate.css", session.UI / "frontend" / "columns.css"
SCRIPT = session.UI / "annotate.html"
NAME = "annotator"
REFRESH_S = 1.0
RUN_ERROR = "annotate-make-error"
OUTCOME, CATEGORY_ERROR = "annotate-import-outcome", "category-error"


def page() -> None:
    """Draw the field for the annotator's name, then a tab."""
    for style in STYLES:
        st.html(style)
    st.html(SCRIPT, unsafe_allow_javascript=True)
    workspace = session.workspace()
    collection = current.chosen()
    if collection is None:
        session.tell_empty()
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        annotator = _annotator()
        if workspace.read_only:
            elements.message("This workspace is read-only: what you choose is not saved.")
        _missing_runs(workspace, collection)
    elements.tabs(
        {
            "Queue": lambda: _queue(workspace, collection, annotator),
            "Agreement": lambda: agreement.show(workspace, collection, annotator),
            "Charts": lambda: charts.show(workspace, collection, annotator),
            "Code book": lambda: show_code_book(workspace, annotator),
            "Files": lambda: show_files(workspace, collection, annotator),
        },
        "annotate",
    )


def _annotator() -> str:
    """The annotator's name, which is in the address; "" where none was typed."""
    typed = st.text_input(
        "Your name",
        key=NAME,
        bind="query-params",
        persist_state="session",
        max_chars=60,
        width=240,
        icon=":material/person:",
        placeholder="Your name, stored with your labels",
        label_visibility="collapsed",
    )
    if typed.strip():
        with elements.refusals():
            return person(typed)
    return ""


def _missing_runs(workspace: Workspace, collection: str) -> None:
    """Draw a button that creates judged runs of another workspace, or how many are to come."""
    elements.message(st.session_state.pop(RUN_ERROR, ""), "bad")
    if _going(workspace, collection):
        st.fragment(_progress, run_every=REFRESH_S)(workspace, collection)
        return
    requests = workspace.annotations.requests(collection)
    if requests and not workspace.read_only:
        runs = count(len(requests), "judged run is", "judged runs are")
        elements.message_with_button(
            f"{runs} here by their labels alone. Creating the runs takes some seconds and no"
            " language model.",
            "info",
            "Create runs",
            "annotate-make",
            _create,
            workspace,
            collection,
        )


def _going(workspace: Workspace, collection: str) -> int:
    recent = workspace.runs.recent(collection, MOST_RUNS)
    return sum(run.going for run in recent if run.owner == OWNER)


def _create(workspace: Workspace, collection: str) -> None:
    """Enqueue every missing run; a refused one keeps no other back."""
    for request in workspace.annotations.requests(collection):
        elements.attempt(RUN_ERROR, workspace.runs.enqueue, request)


def _progress(workspace: Workspace, collection: str) -> None:
    """Draw how many runs remain; the page is drawn again after the last."""
    going = _going(workspace, collection)
    if not going:
        st.rerun()
    elements.message(f"Creating the judged runs: {going} remaining.", "busy")


def _queue(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw the desk; before there is a name, the failures that others have judged."""
    if annotator:
        desk.show(workspace, collection, annotator)
        return
    elements.message("Type your name above and press Enter to begin.")
    if workspace.annotations.labels(collection):
        charts.failures(workspace, collection, "")


def show_code_book(workspace: Workspace, annotator: str) -> None:
    """Draw all categories with their definitions, and a form for another."""
    elements.message(st.session_state.pop(CATEGORY_ERROR, ""), "bad")
    rows = [
        {
            "category": category.name,
            "when to choose it": category.definition,
            "from": category.source,
            "cases in the paper": str(category.cases or ""),
        }
        for category in code_book(workspace.store.labels.categories())
    ]
    st.dataframe(rows, hide_index=True, height="content")
    with st.form("category", border=True):
        st.html(markup.title("New category", "for all annotators"))
        st.text_input("Name", key="category-name", max_chars=60)
        st.text_input("When to choose it", key="category-definition", max_chars=300)
        st.form_submit_button("Add", on_click=_add_category, args=(workspace, annotator))


def _add_category(workspace: Workspace, annotator: str) -> None:
    state = st.session_state
    with elements.refusals(CATEGORY_ERROR):
        name, definition = state["category-name"], state["category-definition"]
        workspace.annotations.add_category(name, definition, annotator)
        state["category-name"] = state["category-definition"] = ""


def show_files(workspace: Workspace, collection: str, annotator: str) -> None:
    """Draw the export, of what the annotator may see, and the import."""
    elements.message(*st.session_state.pop(OUTCOME, ("", "info")))
    service = workspace.annotations
    labels, visible = service.labels(collection), service.seen(collection, annotator)
    hidden = {key.case for key in labels.keys() - visible.keys()}
    files = {
        "JSON lines, with the runs": (
            "jsonl",
            lambda: "".join(service.json_lines(collection, annotator)).encode(),
        ),
        "CSV, the labels as a table": (
            "csv",
            lambda: service.csv(collection, annotator).encode(),
        ),
    }
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, height="stretch"):
        st.html(markup.title("Export", count(len(labels), "label")))
        if hidden:
            elements.message(
                f"Without others' labels of {count(len(hidden), 'run')} that you have not judged:"
                " second labels are blind."
            )
        for words, (ending, content) in files.items():
            st.download_button(
                words,
                content,
                file_name=f"{collection}-annotations.{ending}",
                key=f"export-{ending}",
                disabled=not labels,
                on_click="ignore",
            )
    with right, st.container(border=True, height="stretch"):
        st.html(markup.title("Import", "JSON lines; the later label of a person and run counts"))
        file = st.file_uploader(
            "Annotations", type=["jsonl"], key="import-file", label_visibility="collapsed"
        )
        arguments = workspace, collection
        st.button("Import", key="import-annotations", on_click=_import, args=arguments,
                  disabled=file is None)  # fmt: skip


def _import(workspace: Workspace, collection: str) -> None:
    file = st.session_state["import-file"]
    try:
        lines = file.getvalue().decode("utf-8-sig").split("\n")
        words = workspace.annotations.import_lines(collection, lines).words
    except (BadInput, UnicodeDecodeError) as error:
        st.session_state[OUTCOME] = f"{file.name}: {error}", "bad"
    else:
        st.session_state[OUTCOME] = f"{file.name}: {words}", "good"


page()
