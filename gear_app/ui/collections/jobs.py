"""The background jobs of a collection, as they go on."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import datetime

import streamlit as st

from gear_app.errors import Unknown
from gear_app.store.rows import CollectionInfo, JobInfo
from gear_app.ui.shared import elements
from gear_app.views import collections as views
from gear_app.views import extraction
from gear_app.views.markup import tag
from gear_app.workspace import Workspace

REFRESH_S = 1.0
NEWS_S = 300.0
UNTIL_DISMISSED = ("failed", "paused")
TONES: dict[str, elements.Tone] = {
    "queued": "busy",
    "running": "busy",
    "paused": "busy",
    "failed": "bad",
    "done": "good",
}


def show(workspace: Workspace, shown: CollectionInfo, *, finished: bool) -> None:
    """Unfinished jobs with progress, how the last ones ended, and imports to undo.

    `shown` is the collection as the page has it. `finished`: also those that ended well, of which
    nothing is left to do.
    """
    live = frozenset(job.id for job in workspace.jobs.recent(shown.name) if job.going)
    if not live and _revision(workspace, shown) != shown.revision:
        st.rerun()  # a job ended while the page was drawn: what stands above is of before
    body = st.fragment(_body, run_every=REFRESH_S if live else None)
    body(workspace, shown.name, live, finished=finished)


def _revision(workspace: Workspace, shown: CollectionInfo) -> int:
    """The revision of a collection now; the one that is shown, of one that is gone."""
    try:
        return workspace.collections.get(shown.name).revision
    except Unknown:
        return shown.revision


def _body(workspace: Workspace, collection: str, live: frozenset[int], *, finished: bool) -> None:
    jobs = workspace.jobs.recent(collection)
    going = sorted((job for job in jobs if job.going), key=_turn)
    ended = live - {job.id for job in going}
    if ended and (not going or any(job.kind == "import" for job in jobs if job.id in ended)):
        st.rerun()  # there is something new to show on the rest of the page
    unfinished = {import_.job: import_ for import_ in workspace.imports.unfinished(collection)}
    for job in [*going, *(job for job in _ended(jobs) if finished or job.state != "done")]:
        if job.kind != "import" or job.going:
            _job(workspace, job)
    for job in jobs:
        if job.id in unfinished and not job.going and not _dismissed(job):
            _import(workspace, job, unfinished[job.id].passages)


def _turn(job: JobInfo) -> tuple[int, int]:
    """The place of a job among those that are not done: as the worker takes them."""
    if job.kind != "vectors":
        return 1, job.id
    return (0 if job.set_id is None else 2), job.id


def _ended(jobs: Sequence[JobInfo]) -> list[JobInfo]:
    """The newest job of each kind whose end is news; vectors only where nothing else was done."""
    newest = {job.kind: job for job in reversed(jobs)}.values()
    told = [job for job in newest if not job.going and is_news(job)]
    alone = {job.kind for job in jobs} == {"vectors"}
    return [job for job in told if job.kind == "extraction" or job.state != "done" or alone]


def _import(workspace: Workspace, job: JobInfo, passages: int) -> None:
    """An import that ended before everything was stored; what is stored can be taken out."""
    words, first, second = st.columns([7, 1, 1], vertical_alignment="center")
    with words:
        elements.message(views.unfinished_import(job, passages), "bad")
    if passages:
        first.button(
            "Dismiss",
            key=f"dismiss-{job.id}",
            on_click=dismiss,
            args=(job.id,),
            width="stretch",
        )
    second.button(
        "Undo" if passages else "Dismiss",
        key=f"undo-import-{job.id}",
        on_click=elements.attempt,
        args=("extract_error", workspace.imports.undo, job.id),
        width="stretch",
    )


def is_news(job: JobInfo) -> bool:
    """Whether the end of a job is news: for five minutes; a failure or pause, until dismissed."""
    if _dismissed(job):
        return False
    if job.state in UNTIL_DISMISSED:
        return True
    return (
        job.finished is not None
        and time.time() - datetime.fromisoformat(job.finished).timestamp() < NEWS_S
    )


def _dismissed(job: JobInfo) -> bool:
    return job.id in st.session_state.get("jobs_dismissed", ())


def dismiss(job_id: int) -> None:
    """Show no more how a job ended, in this session."""
    st.session_state["jobs_dismissed"] = {*st.session_state.get("jobs_dismissed", ()), job_id}


def _in_use(workspace: Workspace, job: JobInfo) -> str:
    """The triple set that runs on the collection of an ended extraction use, where it has one and
    nobody deletes it just now.
    """
    if job.going or job.kind != "extraction":
        return ""
    try:
        active = workspace.collections.get(job.collection).active
    except Unknown:
        return ""
    return active.name if active else ""


def _job(workspace: Workspace, job: JobInfo) -> None:
    share, line = views.progress(job)
    words, button = st.columns([8, 1], vertical_alignment="center")
    with words:
        elements.message(
            views.job_sentence(job, _in_use(workspace, job)),
            "info" if job.failed and not job.going else TONES.get(job.state, "info"),
        )
        if job.going:
            st.progress(share, text=line or None)
        if took := extraction.totals(job):
            st.html(tag("div", took, class_="gear-note gear-took", dir="auto"))
    if job.going:
        button.button(
            "Cancel",
            key=f"cancel-job-{job.id}",
            on_click=workspace.jobs.cancel,
            args=(job.id,),
            width="stretch",
        )
    else:
        button.button(
            "Dismiss", key=f"dismiss-{job.id}", on_click=dismiss, args=(job.id,), width="stretch"
        )
