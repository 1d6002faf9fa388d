"""The background jobs of a collection, as they go on."""

from __future__ import annotations

import streamlit as st

from gear_app.ui import session
from gear_app.views import collections as views
from gear_app.workspace import JobInfo, Workspace

REFRESH_S = 1.0
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
    for job in going or jobs[:1]:
        _job(workspace, job)


def _job(workspace: Workspace, job: JobInfo) -> None:
    share, line = views.progress(job)
    tone = TONES.get(job.state, "info")
    if job.state not in OPEN:
        session.say(views.job_sentence(job), tone)
        return
    words, stop = st.columns([8, 1], vertical_alignment="center")
    with words:
        session.say(views.job_sentence(job), tone)
        st.progress(share, text=line or None)
    stop.button("Cancel", key=f"cancel-job-{job.id}", on_click=workspace.cancel_job, args=(job.id,), width="stretch")
