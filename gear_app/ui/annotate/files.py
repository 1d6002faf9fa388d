"""The tabs Code book and Files: one's own categories, export, and import."""

from __future__ import annotations

import streamlit as st

from gear_app.annotate.codebook import CODE_BOOK
from gear_app.errors import GearError
from gear_app.text import count
from gear_app.ui.shared import elements
from gear_app.views import markup
from gear_app.workspace import Workspace


def code_book(workspace: Workspace, annotator: str) -> None:
    """All categories with their definitions, and a form for another."""
    elements.message(st.session_state.pop("category-said", ""), "good")
    elements.message(st.session_state.pop("category-error", ""), "bad")
    rows = [
        {"category": one.name, "when to choose it": one.definition, "from": one.source}
        for one in (*CODE_BOOK, *workspace.annotations.categories())
    ]
    st.dataframe(rows, hide_index=True, height="content")
    with st.form("category", border=True):
        st.html(markup.title("A category of your own", "everybody's from then on"))
        st.text_input("Name", key="category-name", max_chars=60)
        st.text_input("When to choose it", key="category-definition", max_chars=300)
        st.form_submit_button("Add", key="category-add", on_click=_add, args=(workspace, annotator))


def _add(workspace: Workspace, annotator: str) -> None:
    state = st.session_state
    try:
        made = workspace.annotations.add_category(
            state["category-name"], state["category-definition"], annotator
        )
    except GearError as error:
        state["category-error"] = str(error)
    else:
        state["category-said"] = f"{made.name} is in the code book."
        state["category-name"] = state["category-definition"] = ""


def files(workspace: Workspace, collection: str, annotator: str) -> None:
    """Export with the runs, of what the annotator may see, and import."""
    elements.message(st.session_state.pop("annotate-imported", ""), "good")
    elements.message(st.session_state.pop("annotate-import-error", ""), "bad")
    service = workspace.annotations
    left, right = st.columns(2, gap="small")
    with left, st.container(border=True, height="stretch"):
        records = service.records(collection)
        st.html(markup.title("Export", f"{count(len(records), 'record')}, undone ones included"))
        hidden = service.hidden(collection, annotator)
        if hidden:
            elements.message(
                f"Without others' labels of {count(hidden, 'run')} that two are to judge: they come"
                " in once you have judged them, or two others have."
            )
        st.download_button(
            "JSON lines, with the runs",
            lambda: "".join(service.json_lines(collection, annotator)).encode(),
            file_name=f"{collection}-annotations.jsonl",
            key="export-jsonl",
            disabled=not records,
            on_click="ignore",
        )
        st.download_button(
            "CSV, what is said now",
            lambda: service.csv(collection, annotator).encode("utf-8-sig"),
            file_name=f"{collection}-annotations.csv",
            key="export-csv",
            disabled=not records,
            on_click="ignore",
        )
    with right, st.container(border=True, height="stretch"):
        st.html(markup.title("Import", "JSON lines; what is there already is not added again"))
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
        added = workspace.annotations.import_lines(collection, lines)
    except UnicodeDecodeError:
        st.session_state["annotate-import-error"] = f"{file.name} is no text in UTF-8."
    except GearError as error:
        st.session_state["annotate-import-error"] = f"{file.name}: {error}"
    else:
        st.session_state["annotate-imported"] = import_words(added, file.name)


def import_words(added: int, name: str) -> str:
    """What became of an import."""
    if not added:
        return f"{name}: everything in it was there already."
    return f"{name}: {count(added, 'record')} came in."
