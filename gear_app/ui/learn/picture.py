"""A lesson page's picture: the step as Explore draws it, beams that compete, the gist memory, or
rankings fused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from gear_app.analysis import timeline
from gear_app.analysis.timeline import Step, progress
from gear_app.errors import NotReady
from gear_app.lessons import LessonPage
from gear_app.lessons.competition import OWN
from gear_app.lessons.evidence import fused, opened_first
from gear_app.lessons.lesson import StepName
from gear_app.step_views import gist
from gear_app.step_views.step import view_of
from gear_app.step_views.view import Scene
from gear_app.ui.explore import side_panel, stage
from gear_app.ui.learn import lesson_bars
from gear_app.ui.learn import runs as lesson_runs
from gear_app.ui.learn.runs import LessonRuns
from gear_app.ui.shared import address, elements, session
from gear_app.ui.shared import components as shared
from gear_app.views import markup, rankings
from gear_app.workspace import Workspace

GAMMA = "gamma"  # in the address


def draw(workspace: Workspace, runs: LessonRuns, page: LessonPage, answer: int | None) -> None:
    """What the page shows; `answer` is the option that was chosen, None before."""
    PICTURES[page.picture](workspace, runs, page, answer)


def step_shown(page: LessonPage, answer: int | None) -> StepName | None:
    """The step of the page that is shown: the revealing one once the task is answered."""
    return page.step if page.task and answer is None else page.reveal


def _scene(runs: LessonRuns, page: LessonPage, answer: int | None) -> Scene | None:
    name = step_shown(page, answer)
    if name is None:
        return None
    info, there = runs.infos[page.run], runs.evidences[page.run]
    step = there.step(name)
    known = progress(there.events, there.steps, step.number, finished=True)
    return Scene(
        info,
        list(known.events),
        step,
        timeline.before(step, there.steps),
        info.gold,
        markable=False,
        texts=partial(elements.passage_texts, session.workspace()),
        iterations=known.iterations,
        over=known.over,
        opens=_opens(page, step),
    )


def _opens(page: LessonPage, step: Step) -> tuple[int, ...]:
    """The beam whose card the page opens first; () leaves that to the picture."""
    for event in step.events:
        if found := opened_first(page.opens, event):
            return found.path
    return ()


def _step(workspace: Workspace, runs: LessonRuns, page: LessonPage, answer: int | None) -> None:
    scene = _scene(runs, page, answer)
    if scene is None:
        _asked(runs, page)
        return
    with st.container(border=True, key="lesson-stage"):
        view = view_of(scene)
        st.html(markup.stage(view.title, view.purpose))
        for label, query in scene.queries:
            st.html(markup.query(markup.named(query, scene.names), label))
        choice = stage.draw(scene)
        _open(runs, page, scene)
    side_panel.selection(workspace, scene, choice)
    stage.terms(scene, choice)


def _asked(runs: LessonRuns, page: LessonPage) -> None:
    """The question alone, of a page that shows no step yet."""
    there = runs.evidences[page.run]
    with st.container(border=True, key="lesson-stage"):
        st.html(markup.query(markup.named(there.run.question, there.names), "Question"))
        elements.message("Predict first. Then the picture shows what the run did.")


def _competition(
    workspace: Workspace, runs: LessonRuns, page: LessonPage, answer: int | None
) -> None:
    there = runs.evidences[page.run]
    with st.container(border=True, key="lesson-stage"):
        st.html(markup.query(markup.named(there.run.question, there.names), "Question"))
        try:
            found = lesson_runs.competition(workspace, runs, page)
        except NotReady as error:
            elements.message(str(error), "bad")
            return
        stop = address.named(GAMMA, tuple(found.gammas)) or page.gamma or OWN
        task = page.task
        asked = lesson_bars.card_of(found, task.asks.arguments[0]) if task else ""
        chosen = task.options[answer].value if task and answer is not None else ""
        guess = lesson_bars.card_of(found, chosen) if chosen else ""
        revealed = page.task is None or answer is not None
        data = lesson_bars.bars_data(
            found,
            there.run.question,
            there.gold,
            stop=stop,
            revealed=revealed,
            guess=guess,
            asked=asked,
        )
        key = f"bars-{runs.infos[page.run].id}-{page.number}"
        lesson_bars.bars(data, key, lambda to: address.hold(GAMMA, to, page.gamma or OWN))
        told = stop if revealed else None
        elements.folded_table("As a table", lambda: lesson_bars.rows(found, told), f"lesson-{key}")
        scene = _scene(runs, page, answer)
        if scene:
            _open(runs, page, scene)


def _gist(workspace: Workspace, runs: LessonRuns, page: LessonPage, answer: int | None) -> None:
    scene = _scene(runs, page, answer)
    if scene is None:
        return
    with st.container(border=True, key="lesson-stage"):
        st.html(markup.stage("Gist memory", "What each iteration added, and what was decided."))
        st.html(markup.query(markup.named(scene.run.question, scene.names), "Question"))
        st.html(gist.graph(scene.events, scene.step.iteration, scene.iterations, scene.run.gold))
        elements.folded_table("As a table", lambda: gist.rows(scene.events), "lesson-gist")
        _open(runs, page, scene)


def _fusion(workspace: Workspace, runs: LessonRuns, page: LessonPage, answer: int | None) -> None:
    """The final rankings of the lesson's runs, fused; before the answer, the page's step."""
    if page.task and answer is None:
        _step(workspace, runs, page, answer)
        return
    there = runs.evidences[page.run]
    ranking = fused(runs.evidences)
    with st.container(border=True, key="lesson-stage"):
        names = " and ".join(runs.evidences)
        st.html(
            markup.stage("Fused by reciprocal rank", f"The final rankings of {names} become one.")
        )
        st.html(markup.query(markup.named(there.run.question, there.names), "Question"))
        lines = rankings.lines(ranking, there.gold, beside=rankings.Beside(names=there.names))
        first = next((line.id for line in ranking if line.key in there.gold), None)
        shared.ranking(lines, first, f"fused-{page.number}", markable=False)
        elements.folded_table(
            "As a table", lambda: rankings.rows(ranking, there.gold), "lesson-fused"
        )


def _open(runs: LessonRuns, page: LessonPage, scene: Scene) -> None:
    """The same step in Explore, with everything around it."""
    if st.button(
        "Open this run in Explore",
        key="lesson-explore",
        type="tertiary",
        icon=":material/open_in_new:",
    ):
        address.explore(runs.infos[page.run].id, scene.step.number)


PICTURES: dict[str, Callable[[Workspace, LessonRuns, LessonPage, int | None], None]] = {
    "step": _step,
    "competition": _competition,
    "gist": _gist,
    "fusion": _fusion,
}
