"""The background jobs of a collection, as they go on."""

from __future__ import annotations

import time
from datetime import datetime

import streamlit as st

from gear_app.ui import session
from gear_app.views import collections as views
from gear_app.workspace import JobInfo, Workspace

REFRESH_S = 1.0
TOLD_S = 300.0
OPEN = ("queued", "running")
TONES: dict[str, session.Tone] = {"queued": "busy", "running": "busy", "failed": "bad", "done": "good"}


def show(workspace: Workspace, collection: str) -> None:
    """The unfinished jobs with progress and a cancel button, and how the last finished one went."""
    live = any(job.state in OPEN for job in workspace.jobs(collection))
    st.fragment(_body, run_every=REFRESH_S if live else None)(workspace, collection, live)


def _body(workspace: Workspace, collection: str, live: bool) -> None:
    jobs = workspace.jobs(collection)
    going = [job for job in jobs if job.state in OPEN]
    if live and not going:
        st.rerun()
    for job in going or [job for job in jobs[:1] if _fresh(job)]:
        _job(workspace, job)


def _fresh(job: JobInfo) -> bool:
    """Whether to tell that a job has ended: five minutes long, a failure until it is dismissed."""
    ended: dict[int, float] = st.session_state.setdefault("jobs_ended", {})
    if job.id in st.session_state.get("jobs_dismissed", ()):
        return False
    if job.state == "failed":
        return True
    began = datetime.fromisoformat(job.created).timestamp()
    first_seen = ended.setdefault(job.id, time.time() if job.id in _watched() else began)
    return time.time() - first_seen < TOLD_S


def _watched() -> set[int]:
    """The jobs this visitor saw going on."""
    watched: set[int] = st.session_state.setdefault("jobs_watched", set())
    return watched


def _dismiss(job_id: int) -> None:
    st.session_state["jobs_dismissed"] = {*st.session_state.get("jobs_dismissed", ()), job_id}


def _job(workspace: Workspace, job: JobInfo) -> None:
    share, line = views.progress(job)
    tone = TONES.get(job.state, "info")
    if job.state not in OPEN:
        words, away = st.columns([8, 1], vertical_alignment="center")
        with words:
            session.say(views.job_sentence(job), tone)
        away.button("Dismiss", key=f"dismiss-{job.id}", on_click=_dismiss, args=(job.id,), width="stretch")
        return
    _watched().add(job.id)
    words, stop = st.columns([8, 1], vertical_alignment="center")
    with words:
        session.say(views.job_sentence(job), tone)
        st.progress(share, text=line or None)
    stop.button("Cancel", key=f"cancel-job-{job.id}", on_click=workspace.cancel_job, args=(job.id,), width="stretch")
