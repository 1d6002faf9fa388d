"""The background jobs of a collection, a line each."""

from __future__ import annotations

import time
from datetime import datetime

import streamlit as st

from gear_app.app.shared import elements
from gear_app.core.errors import Unknown
from gear_app.display import collections as views
from gear_app.display import extraction
from gear_app.display.labels import literal
from gear_app.store.rows import CollectionInfo, JobInfo
from gear_app.workspace.workspace import Workspace

REFRESH_S, NEWS_S = 1.0, 300.0
DISMISSED = "jobs_dismissed"
TONES: dict[str, elements.Tone] = {"failed": "bad", "cancelled": "info", "done": "good"}


def show(workspace: Workspace, info: CollectionInfo) -> None:
    """Unfinished jobs with progress, the news of finished ones, and imports to undo."""
    live = frozenset(job.id for job in workspace.jobs.recent(info.name) if job.going)
    try:
        changed = not live and workspace.collections.get(info.name).revision != info.revision
    except Unknown:
        changed = False
    if changed:
        st.rerun()  # a job ended while the page was drawn
    st.fragment(_jobs, run_every=REFRESH_S if live else None)(workspace, info.name, live)


def _jobs(workspace: Workspace, collection: str, live: frozenset[int]) -> None:
    jobs = workspace.jobs.recent(collection)
    going = [job for job in jobs if job.going]
    ended = live - {job.id for job in going}
    if ended and (not going or any(job.kind == "import" for job in jobs if job.id in ended)):
        st.rerun()  # of the whole page, whose tables are other ones now
    unfinished = {job.id: job.passages for job in workspace.imports.unfinished(collection)}
    extraction_ = next((job for job in jobs if job.kind == "extraction"), None)
    for job in jobs:
        news = job is extraction_ or (job.kind == "vectors" and job.state == "failed")
        if job.going or (news and is_news(job)):
            _line(workspace, job)
        elif job.id in unfinished and not _dismissed(job):
            _unfinished(workspace, job, unfinished[job.id])


def _line(workspace: Workspace, job: JobInfo) -> None:
    words, button = st.columns([8, 1], vertical_alignment="center")
    share, progress = views.progress(job)
    spent = literal(extraction.totals(job))
    tone = "info" if job.failed and not job.going else TONES.get(job.state, "busy")
    with words:
        elements.message(views.job_sentence(job), tone)
        if job.state == "running":
            st.progress(share, text=" · ".join(filter(None, (progress, spent))) or None)
        elif spent:
            st.caption(spent)
    label, act = ("Cancel", workspace.jobs.cancel) if job.going else ("Dismiss", dismiss)
    key = f"{'cancel-job' if job.going else 'dismiss'}-{job.id}"
    button.button(label, key=key, on_click=act, args=(job.id,), width="stretch")


def _unfinished(workspace: Workspace, job: JobInfo, passages: int) -> None:
    """An import that ended before everything was stored; what is stored can be taken out."""
    words, first, second = st.columns([7, 1, 1], vertical_alignment="center")
    with words:
        elements.message(views.unfinished_import(job, passages), "bad")
    if passages:
        first.button("Dismiss", key=f"dismiss-{job.id}", on_click=dismiss, args=(job.id,))
    second.button(
        "Undo" if passages else "Dismiss",
        key=f"undo-import-{job.id}",
        on_click=elements.attempt,
        args=("extract_error", workspace.imports.undo, job.id),
    )


def is_news(job: JobInfo) -> bool:
    """Whether the end of a job is news: for five minutes; a failure or pause, until dismissed."""
    if _dismissed(job) or job.finished is None:
        return not _dismissed(job) and job.state in ("failed", "paused")
    age = time.time() - datetime.fromisoformat(job.finished).timestamp()
    return job.state in ("failed", "paused") or age < NEWS_S


def _dismissed(job: JobInfo) -> bool:
    return job.id in st.session_state.get(DISMISSED, ())


def dismiss(job_id: int) -> None:
    """Show no more how a job ended, in this session."""
    st.session_state[DISMISSED] = {*st.session_state.get(DISMISSED, ()), job_id}
