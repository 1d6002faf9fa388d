"""The picture of a lesson's page: a step as in Explore, the gist memory, a competition of beams, or
the final rankings of all runs fused.
"""

from __future__ import annotations

import streamlit as st

from gear_app.app.explore import side_panel, stage
from gear_app.app.learn import competition
from gear_app.app.learn.runs import LessonRun
from gear_app.app.shared import address, components, elements
from gear_app.core.errors import GearError
from gear_app.display import draw as drawing
from gear_app.display import markup, memory, scores
from gear_app.display.step import telling
from gear_app.display.telling import Detail, Scene, ScoredRanking
from gear_app.lessons.facts import beams, candidate, fused
from gear_app.lessons.lesson import Page
from gear_app.trace import timeline
from gear_app.trace.trace import progress
from gear_app.workspace.workspace import Workspace

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


def draw(workspace: Workspace, runs: Runs, page: Page, guess: str | None) -> None:
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
