"""The tab Documents: files, pasted text or a path to add, the report of each file, and the
documents of the collection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from gear_app.app.collections import jobs
from gear_app.app.shared import elements, session, share, visitors
from gear_app.core.text import count, cut
from gear_app.display import collections as views
from gear_app.documents.items import ROLES, UNKNOWN, FileReport
from gear_app.workspace.workspace import Workspace

LARGEST_MB = 200
MOST_NEEDED = 5  # roles that a file's fields may have, in a row: question to title
BY_MODEL = (
    "For a language model leave this off and open the tab Triples: it shows an estimate first"
)


def show(workspace: Workspace, collection: str) -> None:
    """Draw three ways to add documents, the last report, and the documents."""
    if not workspace.read_only:
        left, right = st.columns(2, gap="medium")
        with left, st.container(border=True):
            fields = upload(workspace, collection)
        with right, st.container(border=True):
            _paste(workspace, collection)
        if visitors.is_home():
            with st.expander("Import a file or folder of this machine"):
                _path(workspace, collection, fields)
        report(workspace, collection)
    _table(workspace, collection)


def upload(workspace: Workspace, collection: str) -> dict[str, str]:
    """Draw the form for files; the names of fields that were typed for a file of unknown form."""
    reports = _newest(workspace, collection)[1]
    unknown = [report.name for report in reports if UNKNOWN in report.message]
    fields = _fields(unknown) if unknown else {}
    _files(workspace, collection, fields)
    return fields


def _fields(files: list[str]) -> dict[str, str]:
    names = ", ".join(f"“{cut(name, 60)}”" for name in files[:3])
    elements.message(
        f"{names}: the report below tells the fields. Write the names of those that hold these,"
        " then add the file again."
    )
    roles = ROLES[:MOST_NEEDED]
    cells = zip(roles, st.columns(len(roles)), strict=True)
    named = {
        role: cell.text_input(role.capitalize(), key=f"field-{role}").strip()
        for role, cell in cells
    }
    return {role: name for role, name in named.items() if name}


def _files(workspace: Workspace, collection: str, fields: dict[str, str]) -> None:
    with st.form("upload", border=False):
        files = st.file_uploader(
            "Documents, data sets or a zip of these",
            accept_multiple_files=True,
            key=elements.field_key("upload", "files"),
            max_upload_size=LARGEST_MB,
        )
        extract = st.checkbox(
            "Extract triples right away (local extractor, English only)",
            value=True,
            key="extract-files",
            help=BY_MODEL,
        )
        sent = st.form_submit_button(
            "Add the files", type="primary", key=elements.field_key("upload", "add-files")
        )
    if sent and not files:
        elements.message("There is no file yet. Choose some, or drop them on the field.")
    elif sent:
        uploads = [(file.name, file.getvalue()) for file in files]
        contents = share.without_runs(workspace, uploads)
        if not contents:
            return
        _enqueue(
            lambda owner: workspace.imports.enqueue_files(
                contents, collection, extract=extract, owner=owner, fields=fields
            ),
            "upload",
        )


def _paste(workspace: Workspace, collection: str) -> None:
    with st.form("paste", border=False):
        title = st.text_input(
            "Title",
            key=elements.field_key("paste", "paste-title"),
            placeholder="What the text is about",
        )
        text = st.text_area("Text", key=elements.field_key("paste", "paste-text"), height=118)
        extract = st.checkbox(
            "Extract triples right away", value=True, key="extract-text", help=BY_MODEL
        )
        sent = st.form_submit_button("Add the text", key=elements.field_key("paste", "add-text"))
    if sent and not text.strip():
        elements.message("There is no text yet. Paste some.")
    elif sent:
        _enqueue(
            lambda owner: workspace.imports.enqueue_text(
                title.strip() or "Untitled", text, collection, extract=extract, owner=owner
            ),
            "paste",
        )


def _path(workspace: Workspace, collection: str, fields: dict[str, str]) -> None:
    with st.form("path", border=False):
        path = st.text_input(
            "Path",
            key=elements.field_key("path", "path"),
            placeholder="A file, a folder of documents, a data set or a pack",
        )
        sent = st.form_submit_button("Import", key=elements.field_key("path", "import-path"))
    if sent and path.strip():
        _enqueue(
            lambda owner: workspace.imports.enqueue_path(
                path.strip(), collection, owner=owner, fields=fields
            ),
            "path",
        )


def _enqueue(enqueue: Callable[[str], int], form: str) -> None:
    owner = session.owner()
    with elements.taken(form):
        enqueue(owner)
        st.rerun()


def _newest(workspace: Workspace, collection: str) -> tuple[int, list[FileReport]]:
    """The newest import that was asked for here, until dismissed, with what became of each file; 0
    where there is none.
    """
    done = [
        job
        for job in workspace.jobs.recent(collection)
        if job.kind == "import" and job.state == "done" and job.owner
    ]
    if not done or not jobs.is_news(done[0]):
        return 0, []
    return done[0].id, workspace.imports.reports(done[0].id)


def report(workspace: Workspace, collection: str) -> None:
    """Draw what became of each file of the last import."""
    job_id, reports = _newest(workspace, collection)
    if not job_id:
        return
    elements.message_with_button(
        views.report_sentence(reports),
        views.report_tone(reports),
        "Dismiss",
        f"dismiss-report-{job_id}",
        jobs.dismiss,
        job_id,
    )
    older = workspace.imports.older(job_id)
    if older:
        elements.message_with_button(
            f"Of {count(len(older), 'older document')} a new text of the same name came in."
            " Both are searched; Replace takes the older out.",
            "info",
            "Replace",
            f"replace-older-{job_id}",
            elements.attempt,
            "",
            workspace.imports.replace_older,
            job_id,
        )
    st.space(28)  # where the table's own buttons show, which would cover “Dismiss”
    st.dataframe(views.reports(reports), hide_index=True)


def _table(workspace: Workspace, collection: str) -> None:
    """The documents as a table; the chosen one can be deleted, after a question."""
    documents = workspace.collections.documents(collection)
    if not documents:
        elements.message(
            "This collection has no documents of its own; add some above. Imported passages are on"
            " the tab Passages."
        )
        return
    event: Any = st.dataframe(
        views.documents(documents),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key="documents-table",
    )
    rows = event.selection.rows
    if rows and rows[0] < len(documents) and not workspace.read_only:
        chosen = documents[rows[0]]
        with st.container(horizontal=True, vertical_alignment="center"):
            sure = st.checkbox(
                "Delete the chosen document with its passages and triples",
                key=f"sure-document-{chosen.id}",
            )
            if st.button("Delete document", disabled=not sure, key="delete-document"):
                with elements.refusals():
                    workspace.collections.delete_document(collection, chosen.id)
                    st.rerun()
