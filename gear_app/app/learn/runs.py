"""The runs of a lesson, made where the workspace has none of today's methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from gear_app.app.shared import elements, session
from gear_app.core.errors import GearError
from gear_app.display.labels import as_sentence
from gear_app.lessons.facts import LessonTrace
from gear_app.lessons.lesson import Lesson, Run
from gear_app.methods import version_words
from gear_app.store.rows import RunInfo
from gear_app.workspace.workspace import Workspace

REFRESH_S = 0.5
REQUESTED = "learn-requested"  # in the session: ids of runs, by lesson and name
DEMO = "The collections of the lessons are made by: gear-app demo"


class LessonRun(NamedTuple):
    """A finished run of a lesson."""

    info: RunInfo
    trace: LessonTrace


def lesson_runs(workspace: Workspace, lesson: Lesson) -> dict[str, LessonRun] | None:
    """The lesson's runs by name; None while one is made or cannot be, which the page says."""
    try:
        infos = {run.name: _run(workspace, lesson, run) for run in lesson.runs}
    except GearError as error:
        elements.message(f"{as_sentence(str(error))} {DEMO}", "bad")
        return None
    if not all(info.ended for info in infos.values()):
        _wait(workspace, [info.id for info in infos.values()])
        return None
    if failed := [info for info in infos.values() if info.state != "done"]:
        elements.message(f"A run of this lesson is {failed[0].state}. {failed[0].message}", "bad")
        st.button("Run again", key="learn-again", on_click=st.session_state.pop, args=(REQUESTED,))
        return None
    return {name: LessonRun(info, _trace(workspace, info)) for name, info in infos.items()}


def _trace(workspace: Workspace, info: RunInfo) -> LessonTrace:
    return LessonTrace(session.events(workspace, info), info.gold)


def _run(workspace: Workspace, lesson: Lesson, run: Run) -> RunInfo:
    """The newest run of today's method, else the run that this session requested."""
    request = run.request(session.owner())
    version = version_words(run.method)
    stored = workspace.runs.same(request)
    if stored and stored.versions.get("method", version) == version:
        return stored
    requested: dict[str, str] = st.session_state.setdefault(REQUESTED, {})
    key = f"{lesson.title}/{run.name}/{version}"
    if key not in requested:
        requested[key] = workspace.runs.enqueue(request)
    return workspace.runs.get(requested[key])


@st.fragment(run_every=REFRESH_S)
def _wait(workspace: Workspace, run_ids: Sequence[str]) -> None:
    ended = sum(workspace.runs.get(id_).ended for id_ in run_ids)
    if ended == len(run_ids):
        st.rerun()
    words = f"{ended} of {len(run_ids)} runs of this lesson complete."
    elements.message(f"{words} They are made once, on this machine, in some seconds.", "busy")
