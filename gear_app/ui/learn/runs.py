"""The runs of a lesson: found where they are, else made, and that is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from gear_app.errors import GearError, NotReady
from gear_app.lessons import Lesson, LessonPage, LessonRun
from gear_app.lessons.competition import Competition, contest
from gear_app.lessons.evidence import RunEvidence, RunEvidences
from gear_app.paths import packaged_data
from gear_app.retrievers import version_words
from gear_app.runs.what_if import RunChange, RunVariant
from gear_app.store.rows import RunInfo
from gear_app.ui.shared import elements, session
from gear_app.views.labels import as_sentence, method_name
from gear_app.workspace import Workspace

REFRESH_S = 0.5
PATIENCE_S = 20.0  # with the worker, which may still load its models
CACHED = 64
ASKED = "learn-asked"  # runs that this session has asked for, by lesson and name


@dataclass(frozen=True)
class LessonRuns:
    """A lesson's runs that are done, by name, and what they say."""

    infos: Mapping[str, RunInfo]
    evidences: RunEvidences


def ready(workspace: Workspace, lesson: Lesson) -> LessonRuns | None:
    """The lesson's runs; None while one is made, or where none can be: the page says which."""
    if not _collections_there(workspace, lesson):
        return None
    infos: dict[str, RunInfo] = {}
    for run in lesson.runs:
        try:
            infos[run.name] = _found(workspace, lesson, run)
        except GearError as error:
            elements.message(as_sentence(str(error)), "bad")
            return None
    if any(not info.ended for info in infos.values()):
        waiting = st.fragment(_waiting, run_every=REFRESH_S)
        waiting(workspace, lesson, [info.id for info in infos.values()])
        return None
    failed = [info for info in infos.values() if info.state != "done"]
    for info in failed:
        elements.message(
            f"The run by {method_name(info.method)} that this lesson looks at ended as"
            f" “{info.state}”. {info.message}",
            "bad",
        )
    if failed:
        st.button("Make it again", key="learn-again", on_click=_forget, args=(lesson,))
        return None
    evidences = {
        run.name: _evidence(
            str(workspace.path),
            infos[run.name].id,
            infos[run.name].gold,
            run.name,
            _of=(workspace, run),
        )
        for run in lesson.runs
    }
    return LessonRuns(infos, evidences)


@st.cache_resource(max_entries=CACHED, show_spinner=False)
def _evidence(
    path: str, run_id: str, gold: tuple[str, ...], name: str, *, _of: tuple[Workspace, LessonRun]
) -> RunEvidence:
    """A run's events with its names, looked for once."""
    workspace, run = _of
    events = session.events(workspace, workspace.runs.get(run_id))
    return RunEvidence(run, tuple(events), gold)


def competition(workspace: Workspace, runs: LessonRuns, page: LessonPage) -> Competition:
    """The competition of a page's beam search, at every stop of γ. Raises NotReady."""
    info = runs.infos[page.run]
    return _contest(str(workspace.path), info.id, str(page.step), _of=(workspace, runs, page))


@st.cache_resource(max_entries=CACHED, show_spinner="Moving γ …")
def _contest(
    path: str, run: str, step: str, *, _of: tuple[Workspace, LessonRuns, LessonPage]
) -> Competition:
    workspace, runs, page = _of

    def variant(change: RunChange) -> RunVariant:
        made = workspace.what_if.await_variant(run, change, PATIENCE_S)
        if made is None:
            raise NotReady(
                "The worker has not computed yet what other values of γ keep. Open this page again"
                " in a moment."
            )
        return made

    return contest(variant, runs.evidences[page.run], page)


def _collections_there(workspace: Workspace, lesson: Lesson) -> bool:
    there = {info.name: info for info in workspace.collections.all()}
    for name in dict.fromkeys(run.collection for run in lesson.runs):
        busy = name in there and bool(there[name].unfinished_imports)
        if name in there and not busy:
            continue
        if busy or st.session_state.get(f"learn-import-{name}"):
            elements.message(
                f"The collection {name} is being made. This takes some seconds.", "busy"
            )
            st.fragment(_look_again, run_every=REFRESH_S)(workspace, name)
            return False
        try:
            folder = packaged_data(name)
        except NotReady:
            elements.message(
                f"This lesson looks at the collection {name}, which is not here. Import it on the"
                " page Collections under this name.",
                "bad",
            )
            return False
        elements.message(f"This lesson looks at the collection {name}, which is not here yet.")
        if st.button(f"Make the collection {name}", key="learn-import", type="primary"):
            bare = not any(folder.glob("triples*.jsonl"))
            workspace.imports.enqueue_path(folder, name, extract=bare, owner=session.owner())
            st.session_state[f"learn-import-{name}"] = True
            st.rerun()
        return False
    return True


def _look_again(workspace: Workspace, name: str) -> None:
    there = {info.name: info for info in workspace.collections.all()}
    if name in there and not there[name].unfinished_imports:
        st.session_state.pop(f"learn-import-{name}", None)
        st.rerun()


def _found(workspace: Workspace, lesson: Lesson, run: LessonRun) -> RunInfo:
    """The run that is there, or the one that was put into the queue just now or before."""
    request = run.request(session.owner())
    there = workspace.runs.same(request)
    if there and _of_today(there):
        return there
    asked: dict[str, str] = st.session_state.setdefault(ASKED, {})
    key = f"{lesson.id}/{run.name}/{version_words(run.method)}"
    if key not in asked:
        asked[key] = workspace.runs.enqueue(request)
    return workspace.runs.get(asked[key])


def _of_today(run: RunInfo) -> bool:
    """Whether its method is still what it was when the run was made: else γ could not be moved, and
    the lesson was written about the method as it is now.
    """
    now = version_words(run.method)
    return run.versions.get("method", now) == now


def _forget(lesson: Lesson) -> None:
    asked: dict[str, str] = st.session_state.get(ASKED, {})
    for key in [key for key in asked if key.startswith(f"{lesson.id}/")]:
        asked.pop(key)


def _waiting(workspace: Workspace, lesson: Lesson, run_ids: Sequence[str]) -> None:
    infos = [workspace.runs.get(id_) for id_ in run_ids]
    if all(info.ended for info in infos):
        st.rerun()
    done = sum(info.ended for info in infos)
    names = ", ".join(dict.fromkeys(method_name(run.method) for run in lesson.runs))
    elements.message(
        f"Asking the lesson's questions by {names}: {done} of {len(infos)} runs are there. They are"
        " made once, on this machine, in some seconds.",
        "busy",
    )
