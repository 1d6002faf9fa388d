"""The runs of a lesson, made where the workspace has none of today's methods, and the picture of
the step that a page of it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from gear_app.app.explore import side_panel, stage
from gear_app.app.learn import competition
from gear_app.app.shared import address, components, elements, session
from gear_app.core.errors import GearError
from gear_app.display import draw as drawing
from gear_app.display import markup, memory, scores
from gear_app.display.labels import as_sentence
from gear_app.display.step import telling
from gear_app.display.telling import Detail, Scene, ScoredRanking
from gear_app.lessons.facts import LessonTrace, beams, candidate, fused
from gear_app.lessons.lesson import Lesson, Page, Run
from gear_app.methods import version_words
from gear_app.store.rows import RunInfo
from gear_app.trace import timeline
from gear_app.trace.trace import progress
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
    if any(info.going for info in infos.values()):
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
    ended = sum(not workspace.runs.get(id_).going for id_ in run_ids)
    if ended == len(run_ids):
        st.rerun()
    words = f"{ended} of {len(run_ids)} runs of this lesson complete."
    elements.message(f"{words} They are made once, on this machine, in some seconds.", "busy")


Runs = dict[str, LessonRun]
GIST = "What each iteration added, and what was decided."


def scene_of(run: LessonRun, page: Page, name: str) -> Scene:
    """The scene of a step."""
    step = run.trace.step(name)
    current = progress(run.trace.events, step.number, finished=True)
    opens = candidate(page.opens, beams(step)).path if page.opens and beams(step) else ()
    return Scene(
        run.info,
        current.events,
        step,
        timeline.before(step, list(run.trace.steps.values())),
        run.trace.gold,
        over=current.over,
        opens=opens,
    )


def draw_step(workspace: Workspace, runs: Runs, page: Page, guess: str | None) -> None:
    """Draw the picture of a page. `guess` is the value that was predicted, None before the task is
    answered.
    """
    run, revealed = runs[page.run], page.task is None or guess is not None
    name = page.reveal if revealed else page.step
    detail = None
    with st.container(border=True, key="lesson-stage"):
        try:
            scene = scene_of(run, page, name) if name else None
            if scene and page.picture == "step":
                detail = _step(scene)
            else:
                _other(workspace, runs, page, scene, guess, revealed=revealed)
        except GearError as error:
            elements.message(str(error), "bad")
            return
        if scene and st.button(
            "Open this run in Explore",
            key="lesson-explore",
            type="tertiary",
            icon=":material/open_in_new:",
        ):
            address.explore(run.info.id, scene.step.number)
    if scene and detail:
        side_panel.selection(workspace, scene, detail)


def _step(scene: Scene) -> Detail:
    view = telling(scene)
    st.html(markup.title(view.title, view.purpose))
    for label, query in scene.queries:
        st.html(markup.query(markup.named(query, scene.trace.names), label))
    return stage.draw(scene).detail


def _other(
    workspace: Workspace,
    runs: Runs,
    page: Page,
    scene: Scene | None,
    guess: str | None,
    *,
    revealed: bool,
) -> None:
    """Draw a picture that is no step, below the question of its run."""
    run = runs[page.run]
    names = run.trace.events.names
    if page.picture == "gist" and scene:
        st.html(markup.title("Gist memory", GIST))
    st.html(markup.query(markup.named(run.info.question, names), "Question"))
    if page.picture == "competition":
        competition.draw(workspace, run, page, revealed=revealed, guess=guess or "")
    elif page.picture == "fusion" and revealed:
        _fusion(runs, run)
    elif scene:
        detail = stage.picture(memory.gist(scene.trace), scene, "lesson-gist")
        if words := drawing.detail(detail) + drawing.sentence(detail, names):
            st.html(words)
    else:
        elements.message("Predict first. Then the picture shows what the run did.")


def _fusion(runs: Runs, run: LessonRun) -> None:
    ranking, gold = fused({name: run.trace for name, run in runs.items()}), run.trace.gold
    about = f"The final rankings of {' and '.join(runs)} become one."
    st.html(markup.title("Fused by reciprocal rank", about))
    lines = scores.lines(ScoredRanking(ranking), (), gold, run.trace.events.names)
    first = next((line.id for line in ranking if line.key in gold), None)
    components.ranking(lines, first, f"fused-{run.info.id}", markable=False)
