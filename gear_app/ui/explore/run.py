"""One run on the screen, finished or still going on. It reads the events there are and draws
them.
"""

from __future__ import annotations

import streamlit as st

from gear_app.analysis import gold as golds
from gear_app.analysis import timeline
from gear_app.errors import GearError
from gear_app.events import Event, Thought
from gear_app.ui.explore import drawings, passages, question_bar, side_panel, stage, stepper
from gear_app.ui.explore.scene import Scene
from gear_app.ui.shared import (
    folded_table,
    gold_mark,
    method_settings,
    reader_picker,
    run_events,
    session,
)
from gear_app.views import (
    calls,
    detail,
    gist,
    gold_strip,
    header,
    names,
    step_words,
    thoughts,
)
from gear_app.views import settings as told
from gear_app.views.names import base_name
from gear_app.workspace import RunInfo, Workspace

REFRESH_S = 0.5
TONES: dict[str, session.Tone] = {"queued": "busy", "running": "busy", "failed": "bad"}


def show(workspace: Workspace, run_id: str) -> None:
    """Draw the run, again and again while it is going on."""
    live = workspace.run(run_id).state not in header.FINISHED
    st.fragment(_body, run_every=REFRESH_S if live else None)(workspace, run_id, live)


def _body(workspace: Workspace, run_id: str, live: bool) -> None:
    run = workspace.run(run_id)
    if live and run.state in header.FINISHED:
        st.rerun()
    events = run_events.events(workspace, run)
    _head(run, events)
    _state(workspace, run)
    steps = timeline.steps(events)
    if not steps:
        stepper.wait(run.id)
        return
    start = len(steps) - 1 if live else golds.decisive_step(events, run.gold)
    number = stepper.settle(
        run.id, len(steps), len(steps) - 1 if start is None else start, live=live
    )
    if not live:
        stepper.rest()
    clicked = drawings.strip(steps, number, live=live, key="strip")
    if clicked is not None and clicked != number:
        stepper.go(clicked)
        st.rerun(scope="fragment")
    stepper.write()
    _gold(workspace, run, events)
    step = steps[number]
    before = tuple(one for one in steps[:number] if one.iteration == step.iteration)
    scene = Scene(run, events, step, before, run.gold, _markable(workspace, run))
    _scene(workspace, scene, steps)
    _gist(events, scene)
    _told(events, scene)
    method_settings.of_run(run)


def _head(run: RunInfo, events: list[Event]) -> None:
    model = names.model_of(run)
    line = header.facts(run.method, events, run.collection, run.triple_set, run.id, run.ms, model)
    changed = told.changed_words(run.method, run.config)
    figures, set_to = (
        header.figures(events, run.gold, run.answers),
        f"Set to: {changed}" if changed else "",
    )
    st.html(header.drawn(run.question, line, figures, set_to, calls.spent(events)))


def _state(workspace: Workspace, run: RunInfo) -> None:
    sentence = header.state_sentence(
        run.state,
        message=run.message,
        position=run.queue_position,
        worker=workspace.worker_status(),
    )
    tone = TONES.get(run.state, "info")
    if run.state not in header.FINISHED:
        left, right = st.columns([8, 1], vertical_alignment="center")
        with left:
            session.say(sentence, tone)
        right.button(
            "Cancel", key="cancel-run", on_click=workspace.cancel, args=(run.id,), width="stretch"
        )
        return
    gone = question_bar.gone(run, workspace.collections())
    if gone:
        sentence += " This run's collection was deleted: what you see is what the run recorded."
    elif run.stale:
        sentence += " The collection changed after this run: what you see is what it saw then."
    if not sentence:
        return
    if gone:
        session.say(sentence.strip(), tone)
        return
    left, right = st.columns([8, 1], vertical_alignment="center")
    with left:
        session.say(sentence.strip(), tone)
    right.button(
        "Run again", key="again", on_click=_again, args=(workspace, run.id), width="stretch"
    )


def _again(workspace: Workspace, run_id: str) -> None:
    try:
        session.open_run(reader_picker.again(workspace, run_id), fresh=True)
    except GearError as error:
        st.session_state["ask_error"] = str(error)


def _gold(workspace: Workspace, run: RunInfo, events: list[Event]) -> None:
    base = golds.base(events)
    if not run.gold or base is None:
        return
    found = golds.gold_passages(
        events, run.gold, passages.titles(workspace, run.collection, run.gold)
    )
    with st.container(border=True, key="gold", gap=None):
        marked = (
            f" · gold marked later, {header.readable(run.gold_marked)}" if run.gold_marked else ""
        )
        st.html(detail.title("Gold passages", gold_strip.verdict(events, run.gold) + marked))
        st.html(
            gold_strip.drawn(
                found, base_name(base.base), run.question, iterates=timeline.iterates(events)
            )
        )


def _scene(workspace: Workspace, scene: Scene, steps: tuple[timeline.Step, ...]) -> None:
    left, right = st.columns([2.15, 1], gap="small")
    with left, st.container(border=True):
        words, move = st.columns([8, 5], vertical_alignment="center")
        words.html(
            detail.stage(step_words.title(scene.step), step_words.purpose(scene.step, scene.events))
        )
        with move:
            stepper.controls(steps)
        for label, query in scene.asked:
            st.html(detail.query(query, label))
        choice = stage.draw(scene)
    with right:
        side_panel.selected(workspace, scene, choice)
        side_panel.recall(scene)
    if choice.mark:
        _mark(workspace, scene.run, choice.mark)


def _gist(events: list[Event], scene: Scene) -> None:
    drawn = gist.drawn(events, scene.step.iteration)
    if not drawn:
        return
    with st.container(border=True):
        begun, model = timeline.started(events), names.model_of(scene.run)
        by = f", {names.reader_note(begun.reader, model)}" if begun and begun.reader else ""
        st.html(detail.title("Gist memory", "what each iteration added and what was decided" + by))
        st.html(drawn)
        folded_table.table("As a table", lambda: gist.rows(events), "gist")


def _told(events: list[Event], scene: Scene) -> None:
    """What each iteration asked and thought, for methods that have no gist memory to tell it."""
    drawn = (
        thoughts.iterations(events, scene.step.iteration)
        if not timeline.gist_iterations(events)
        else ""
    )
    if not drawn:
        return
    with st.container(border=True):
        begun, thought = (
            timeline.started(events),
            any(isinstance(event, Thought) for event in events),
        )
        model = names.model_of(scene.run)
        by = (
            f", {names.reader_note(begun.reader, model)}"
            if begun and begun.reader and thought
            else ""
        )
        name = "Queries and thoughts" if thought else "Queries"
        st.html(detail.title(name, "what each iteration asked and what came of it" + by))
        st.html(drawn)
        folded_table.table("As a table", lambda: thoughts.rows(events), "told")


def _markable(workspace: Workspace, run: RunInfo) -> bool:
    """Gold that came with a collection's question is left alone; a question of one's own can be
    marked.
    """
    if not run.gold or run.gold_marked is not None:
        return True
    try:
        question = workspace.question(run.collection, run.question)
    except GearError:  # the collection was deleted; the run's own snapshot can still be marked
        return True
    return question is None or not (question.answers or question.type)


def _mark(workspace: Workspace, run: RunInfo, mark: dict[str, object]) -> None:
    keys = [key for key in run.gold if key != mark["key"]] + (
        [str(mark["key"])] if mark["gold"] else []
    )
    try:
        gold_mark.mark_both(workspace, run, keys)
    except GearError as error:
        session.say(str(error), "bad")
        return
    st.rerun(scope="fragment")
