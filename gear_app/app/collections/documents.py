"""The tab Documents: files, text or a path to add, the report of the last import, and the
documents of the collection, with its background jobs, a line each.
"""

from __future__ import annotations

import time
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from gear_app.app.shared import elements, session, share, visitors
from gear_app.display import collections as views
from gear_app.display import extraction
from gear_app.display.labels import literal
from gear_app.documents.items import ROLES
from gear_app.store.rows import JobInfo
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.workspace import Workspace

LARGEST_MB = 200
FIELDS = ROLES[:5]  # question to title
NOTHING = "There is nothing to add yet. Choose files, or paste a text."
BY_MODEL = (
    "For a language model leave this off and open the tab Triples: it shows an estimate first"
)


def show(workspace: Workspace, collection: str) -> None:
    """Draw the form, the report of the last import, and the documents."""
    if not workspace.read_only:
        with st.container(border=True):
            add(workspace, collection)
        report(workspace, collection)
    _documents(workspace, collection)


def add(workspace: Workspace, collection: str) -> None:
    """Draw a form for files, pasted text and, for a visitor at the server's machine, a path."""
    path, fields = "", dict[str, str]()
    with st.form("add", border=False):
        left, right = st.columns(2, gap="medium")
        files = left.file_uploader(
            "Documents, data sets or a zip of these",
            accept_multiple_files=True,
            key=elements.field_key("add", "files"),
            max_upload_size=LARGEST_MB,
        )
        if visitors.is_home():
            path = left.text_input(
                "Or a file or folder of this machine",
                key=elements.field_key("add", "path"),
                placeholder="Its path",
            ).strip()
        title = right.text_input(
            "Or the title of a text",
            key=elements.field_key("add", "title"),
            placeholder="What the text is about",
        )
        text = right.text_area("The text", key=elements.field_key("add", "text"), height=118)
        with st.expander("Names of columns, where the report of a table says that none is known"):
            for role, cell in zip(FIELDS, st.columns(len(FIELDS)), strict=True):
                fields[role] = cell.text_input(role.capitalize(), key=f"field-{role}").strip()
        extract = st.checkbox(
            "Extract triples right away (local extractor, English only)",
            value=True,
            key="extract-added",
            help=BY_MODEL,
        )
        sent = st.form_submit_button("Add", type="primary", key=elements.field_key("add", "add"))
    if not sent:
        return
    uploads = share.without_runs(workspace, [(file.name, file.getvalue()) for file in files])
    if not (uploads or path or text.strip()):
        elements.message("" if files else NOTHING)
        return
    names = {role: name for role, name in fields.items() if name}
    options: dict[str, Any] = {"extract": extract, "owner": session.owner()}
    with elements.submission("add"):
        if uploads:
            workspace.imports.enqueue(uploads, collection, fields=names, **options)
        if path:
            workspace.imports.enqueue(Path(path), collection, fields=names, **options)
        if text.strip():
            workspace.imports.enqueue(
                Pasted(title.strip() or "Untitled", text), collection, **options
            )
        st.rerun()


def report(workspace: Workspace, collection: str) -> None:
    """Draw what became of each file of the last import, for an hour."""
    imports = [job for job in workspace.jobs.recent(collection) if job.kind == "import"]
    done = [job for job in imports if job.state == "done" and job.owner and is_news(job)]
    if not done:
        return
    job_id = done[0].id
    reports = workspace.imports.reports(job_id)
    elements.message(views.report_sentence(reports), views.report_tone(reports))
    st.dataframe(views.reports(reports), hide_index=True)


def _documents(workspace: Workspace, collection: str) -> None:
    """Draw the documents as a table; the chosen one can be deleted."""
    documents = workspace.store.documents.of(workspace.store.collections.get(collection).id)
    if not documents:
        elements.message(
            "This collection has no documents of its own; add some above. Imported passages are on"
            " the tab Passages."
        )
        return
    table: Any = st.dataframe(
        views.documents(documents),
        hide_index=True,
        on_select="rerun",
        selection_mode="single-row",
        key=f"documents-{len(documents)}",
    )
    if table.selection.rows and not workspace.read_only:
        chosen = documents[table.selection.rows[0]]
        with st.popover("Delete document", key=f"delete-popover-{chosen.id}"):
            elements.message(f"“{chosen.title}” goes with its passages and triples.", "bad")
            st.button(
                "Delete it",
                type="primary",
                key="delete-document",
                on_click=elements.attempt,
                args=("", workspace.collections[collection].delete_document, chosen.id),
            )


REFRESH_S, NEWS_S = 1.0, 3600.0
FAILED = "job-error"
TONES: dict[str, elements.Tone] = {"failed": "bad", "cancelled": "info", "done": "good"}


def draw_jobs(workspace: Workspace, collection: str) -> None:
    """Draw unfinished jobs with their progress, and the news of those that ended."""
    elements.message(st.session_state.pop(FAILED, ""), "bad")
    live = frozenset(job.id for job in workspace.jobs.recent(collection) if job.going)
    st.fragment(_jobs, run_every=REFRESH_S if live else None)(workspace, collection, live)


def _jobs(workspace: Workspace, collection: str, live: frozenset[int]) -> None:
    jobs = workspace.jobs.recent(collection)
    if live - {job.id for job in jobs if job.going}:
        st.rerun()  # of the whole page, whose tables are other ones now
    newest = {job.kind: job for job in reversed(jobs)}
    for job in jobs:
        line = job.kind == "extraction" or job.state != "done"  # an import has its own report
        if job.going or (line and job is newest[job.kind] and is_news(job)):
            _line(workspace, job)


def _line(workspace: Workspace, job: JobInfo) -> None:
    words, button = st.columns([8, 1], vertical_alignment="center")
    share, progress = views.progress(job)
    spent = literal(extraction.totals(job))
    stopped = job.kind == "import" and not job.going
    with words:
        elements.message(
            views.job_sentence(job),
            "info" if job.failed and not job.going else TONES.get(job.state, "busy"),
        )
        if job.state == "running":
            st.progress(share, text=" · ".join(filter(None, (progress, spent))) or None)
        elif spent:
            st.caption(spent)
    press = partial(button.button, on_click=elements.attempt, width="stretch")
    if job.going:
        press("Cancel", key=f"cancel-job-{job.id}", args=(FAILED, workspace.jobs.cancel, job.id))
    elif stopped:
        press("Undo", key=f"undo-import-{job.id}", args=(FAILED, workspace.imports.undo, job.id))


def is_news(job: JobInfo) -> bool:
    """Whether a job ended in the last hour, and was not undone."""
    if job.undone or job.finished is None:
        return not job.undone
    return time.time() - datetime.fromisoformat(job.finished).timestamp() < NEWS_S
