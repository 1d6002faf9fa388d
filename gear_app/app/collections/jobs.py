"""The background jobs of a collection, a line each."""

from __future__ import annotations

import time
from datetime import datetime
from functools import partial

import streamlit as st

from gear_app.app.shared import elements
from gear_app.display import collections as views
from gear_app.display import extraction
from gear_app.display.labels import literal
from gear_app.store.rows import JobInfo
from gear_app.workspace.workspace import Workspace

REFRESH_S, NEWS_S = 1.0, 3600.0
FAILED = "job-error"
TONES: dict[str, elements.Tone] = {"failed": "bad", "cancelled": "info", "done": "good"}


def show(workspace: Workspace, collection: str) -> None:
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
