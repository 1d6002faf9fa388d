"""One run on the screen, drawn from its events, and drawn again while it is going on."""

from __future__ import annotations

import streamlit as st

from gear_app.analysis import gold as golds
from gear_app.analysis import timeline
from gear_app.errors import GearError
from gear_app.events import Event, Thought
from gear_app.ui.explore import side_panel, stage, stage_links, stepper
from gear_app.ui.explore.scene import Scene
from gear_app.ui.shared import (
    components,
    elements,
    method_settings,
    passages,
    run_record,
    session,
)
from gear_app.views import (
    calls,
    gear,
    gold_strip,
    header,
    labels,
    markup,
    thoughts,
)
from gear_app.views import settings as setting_views
from gear_app.views.labels import base_name
from gear_app.workspace import RunInfo, Workspace

REFRESH_S = 0.5
TONES: dict[str, elements.Tone] = {"queued": "busy", "running": "busy", "failed": "bad"}


def show(workspace: Workspace, run_id: str) -> None:
    """Draw the run, again and again while it is going on."""
    live = workspace.runs.get(run_id).state not in header.FINISHED
    st.fragment(_body, run_every=REFRESH_S if live else None)(workspace, run_id, live)


def _body(workspace: Workspace, run_id: str, live: bool) -> None:
    run = workspace.runs.get(run_id)
    if live and run.state in header.FINISHED:
        st.rerun()
    events = run_record.events(workspace, run)
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
    clicked = components.strip(steps, number, live=live, key="strip")
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
    _thoughts(events, scene)
    method_settings.of_run(run)


def _head(run: RunInfo, events: list[Event]) -> None:
    model = labels.model_of(run)
    line = header.facts(run.method, events, run.collection, run.triple_set, run.id, run.ms, model)
    changed = setting_views.changed_words(run.method, run.config)
    set_to = f"Set to: {changed}" if changed else ""
    figures = header.figures(events, run.gold, run.answers)
    st.html(header.head(run.question, line, figures, set_to, calls.spent(events)))


def _state(workspace: Workspace, run: RunInfo) -> None:
    sentence = header.state_sentence(
        run.state,
        message=run.message,
        position=run.queue_position,
        worker=workspace.jobs.worker_status(),
    )
    tone = TONES.get(run.state, "info")
    if run.state not in header.FINISHED:
        left, right = st.columns([8, 1], vertical_alignment="center")
        with left:
            elements.message(sentence, tone)
        right.button(
            "Cancel",
            key="cancel-run",
            on_click=workspace.runs.cancel,
            args=(run.id,),
            width="stretch",
        )
        return
    gone = run_record.collection_gone(run, workspace.collections.all())
    if gone:
        sentence += " This run's collection was deleted: what you see is what the run recorded."
    elif run.stale:
        sentence += " The collection changed after this run: what you see is what it saw then."
    if not sentence:
        return
    if gone:
        elements.message(sentence.strip(), tone)
        return
    left, right = st.columns([8, 1], vertical_alignment="center")
    with left:
        elements.message(sentence.strip(), tone)
    right.button(
        "Run again", key="again", on_click=_again, args=(workspace, run.id), width="stretch"
    )


def _again(workspace: Workspace, run_id: str) -> None:
    try:
        session.open_run(run_record.again(workspace, run_id), fresh=True)
    except GearError as error:
        st.session_state["ask_error"] = str(error)


def _gold(workspace: Workspace, run: RunInfo, events: list[Event]) -> None:
    base = golds.base(events)
    if not run.gold or base is None:
        return
    strip = golds.gold_passages(
        events, run.gold, passages.titles(workspace, run.collection, run.gold)
    )
    with st.container(border=True, key="gold", gap=None):
        marked = (
            f" · gold marked later, {labels.readable_time(run.gold_marked)}"
            if run.gold_marked
            else ""
        )
        st.html(markup.title("Gold passages", gold_strip.verdict(events, run.gold) + marked))
        st.html(
            gold_strip.drawn(
                strip, base_name(base.base), run.question, iterates=timeline.iterates(events)
            )
        )


def _scene(workspace: Workspace, scene: Scene, steps: tuple[timeline.Step, ...]) -> None:
    left, right = st.columns([2.15, 1], gap="small")
    with left, st.container(border=True):
        words, move = st.columns([8, 5], vertical_alignment="center")
        words.html(markup.stage(*stage.title(scene)))
        with move:
            stepper.controls(steps)
        for label, query in scene.queries:
            st.html(markup.query(query, label))
        choice = stage.draw(scene)
    with right:
        side_panel.selected(workspace, scene, choice)
        side_panel.recall(scene)
    mark = choice.mark or stage_links.terms(scene, choice)
    if mark:
        _mark(workspace, scene.run, mark)


def _gist(events: list[Event], scene: Scene) -> None:
    drawn = gear.memory(events, scene.step.iteration)
    if not drawn:
        return
    with st.container(border=True):
        by = _by_reader(events, scene.run)
        st.html(markup.title("Gist memory", "what each iteration added and what was decided" + by))
        st.html(drawn)
        elements.folded_table("As a table", lambda: gear.memory_rows(events), "gist")


def _thoughts(events: list[Event], scene: Scene) -> None:
    """What each iteration asked and thought, for methods that have no gist memory to tell it."""
    drawn = (
        thoughts.iterations(events, scene.step.iteration)
        if not timeline.gist_iterations(events)
        else ""
    )
    if not drawn:
        return
    with st.container(border=True):
        thought = any(isinstance(event, Thought) for event in events)
        by = _by_reader(events, scene.run) if thought else ""
        name = "Queries and thoughts" if thought else "Queries"
        st.html(markup.title(name, "what each iteration asked and what came of it" + by))
        st.html(drawn)
        elements.folded_table("As a table", lambda: thoughts.rows(events), "told")


def _by_reader(events: list[Event], run: RunInfo) -> str:
    """Who read, to follow other words; "" for a run without a reader."""
    begun = timeline.started(events)
    if begun is None or not begun.reader:
        return ""
    return f", {labels.reader_note(begun.reader, labels.model_of(run))}"


def _markable(workspace: Workspace, run: RunInfo) -> bool:
    """Whether gold can be marked: not where it came with the collection's question."""
    if not run.gold or run.gold_marked is not None:
        return True
    try:
        question = workspace.collections.question(run.collection, run.question)
    except GearError:  # the collection was deleted; the run's own snapshot can still be marked
        return True
    return question is None or not (question.answers or question.type)


def _mark(workspace: Workspace, run: RunInfo, mark: dict[str, object]) -> None:
    keys = [key for key in run.gold if key != mark["key"]]
    if mark["gold"]:
        keys.append(str(mark["key"]))
    try:
        run_record.mark_gold(workspace, run, keys)
    except GearError as error:
        elements.message(str(error), "bad")
        return
    st.rerun(scope="fragment")
