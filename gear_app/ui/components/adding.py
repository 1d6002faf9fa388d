"""Ways in: files, pasted text, a path on the server's machine. Each file's report stays until the
next import.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from gear_app.errors import GearError
from gear_app.ui import session, visitors
from gear_app.views import collections as views
from gear_app.workspace import Workspace

TYPES = ["txt", "md", "html", "htm", "pdf", "docx", "csv", "jsonl", "json", "gz", "zip"]
LARGEST_MB = 200
BY_MODEL = (
    "To ask a language model leave this off and go to the tab Triple sets: an estimate comes first"
    " there"
)


def show(workspace: Workspace, collection: str) -> None:
    """The three ways in, and the last report."""
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True):
        _files(workspace, collection)
    with right, st.container(border=True):
        _paste(workspace, collection)
    if visitors.is_home():
        with st.expander("Import a file or folder of this machine"):
            _path(workspace, collection)
    _report(collection)


def _files(workspace: Workspace, collection: str) -> None:
    with st.form("upload", border=False, clear_on_submit=True):
        files = st.file_uploader(
            "Documents, data sets or a zip of these",
            TYPES,
            accept_multiple_files=True,
            key="files",
            max_upload_size=LARGEST_MB,
        )
        extract = st.checkbox(
            "Extract triples right away (local extractor, English only)",
            value=True,
            key="extract-files",
            help=BY_MODEL,
        )
        sent = st.form_submit_button("Add the files", type="primary", key="add-files")
    if sent and not files:
        session.say("There is no file yet. Choose some, or drop them on the field.")
    elif sent:
        contents = [(file.name, file.getvalue()) for file in files]
        _import(
            workspace,
            collection,
            lambda: workspace.import_files(contents, collection),
            extract=extract,
        )


def _paste(workspace: Workspace, collection: str) -> None:
    with st.form("paste", border=False, clear_on_submit=True):
        title = st.text_input("Title", key="paste-title", placeholder="What the text is about")
        text = st.text_area("Text", key="paste-text", height=118)
        extract = st.checkbox(
            "Extract triples right away", value=True, key="extract-text", help=BY_MODEL
        )
        sent = st.form_submit_button("Add the text", key="add-text")
    if sent and not text.strip():
        session.say("There is no text yet. Paste some.")
    elif sent:
        _import(
            workspace,
            collection,
            lambda: workspace.import_text(title.strip() or "Untitled", text, collection),
            extract=extract,
        )


def _path(workspace: Workspace, collection: str) -> None:
    with st.form("path", border=False):
        path = st.text_input(
            "Path", key="path", placeholder="A file, a folder of documents, a data set or a pack"
        )
        sent = st.form_submit_button("Import", key="import-path")
    if sent and path.strip():
        _import(
            workspace,
            collection,
            lambda: workspace.import_path(path.strip(), collection),
            extract=False,
        )


def _import(
    workspace: Workspace, collection: str, run: Callable[[], Any], *, extract: bool
) -> None:
    try:
        with st.spinner("Reading …"):
            found = run()
        reports = found if isinstance(found, list) else [found]
        if extract and any(report.passages for report in reports):
            workspace.enqueue_extraction(collection)
    except GearError as error:
        session.say(str(error), "bad")
        return
    st.session_state["reports"] = (collection, reports)
    st.rerun()


def _report(collection: str) -> None:
    of, reports = st.session_state.get("reports", ("", ()))
    if reports and of == collection:
        session.say(views.report_sentence(reports), views.report_tone(reports))
        st.dataframe(views.reports(reports), hide_index=True)
