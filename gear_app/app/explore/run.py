"""One run on the screen, drawn from its events, and drawn again while it is going on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from gear_app.app.explore import (
    found,
    gold_search,
    position,
    run_head,
    side_panel,
    stage,
    what_if,
    what_if_change,
    why_not,
)
from gear_app.app.shared import components, elements, method_settings, session
from gear_app.core.errors import GearError
from gear_app.display import draw, gold_strip, labels, markup, memory
from gear_app.display.labels import base_name
from gear_app.display.step import slide, telling
from gear_app.display.telling import Scene, Telling
from gear_app.store.rows import RunInfo
from gear_app.trace import gold as golds
from gear_app.trace import timeline
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunProgress, RunTrace, progress
from gear_app.workspace.collections.service import is_markable
from gear_app.workspace.workspace import Workspace

REFRESH_S = 0.5


def show(workspace: Workspace, run_id: str) -> None:
    """Draw the run, again and again while it is going on."""
    live = not workspace.runs.get(run_id).ended
    st.fragment(_body, run_every=REFRESH_S if live else None)(workspace, run_id, live)


def _body(workspace: Workspace, run_id: str, live: bool) -> None:
    if st.session_state.get("run") != run_id:
        st.rerun()  # a button in here opened another run, and a fragment would draw this one again
    run = workspace.runs.get(run_id)
    if live and run.ended:
        st.rerun()
    trace = session.events(workspace, run)
    steps = trace.steps
    everything = position.settle_switch("all", run.id)
    if not steps:
        run_head.head(workspace, run, RunProgress(trace, 0, False, 0))
        run_head.state(workspace, run, trace)
        position.wait_for_steps(run.id)
        return
    presents = position.settle_switch("present", run.id)
    number = position.settle(workspace, run, trace, steps, live=live, everything=everything)
    finished = run.ended
    current = progress(trace, number, finished=finished)
    if presents:
        current_scene = Scene(run, current.events, steps[number], (), run.gold)
        components.presenter(
            {**slide(current_scene, steps), "run": run.id},
            go=position.go_to,
            leave=partial(position.turn_switch, "present", on=False),
        )
        return
    revealed = progress(trace, number, finished=finished, everything=everything)
    repeatable = run.state == "done" and run.repeatable
    change = what_if_change.settle(run) if repeatable else None
    run_head.head(workspace, run, revealed)
    run_head.state(workspace, run, trace)
    ask_what_if = partial(_ask_what_if, run.id, revealed=revealed.over) if repeatable else None
    if revealed.over and change is None:
        last = number == len(steps) - 1
        found.show(workspace, run, trace, number, last=last, markable=repeatable)
    _bar(run, steps, number, ask_what_if, live=live, everything=everything)
    if change is not None:
        what_if.panel(workspace, run, trace, change)
        return
    step, events = steps[number], revealed.events
    scene = Scene(
        run,
        events,
        step,
        timeline.before(step, steps),
        run.gold,
        _markable(workspace, run),
        revealed.iterations,
        revealed.over,
    )
    _scene(workspace, scene, steps)
    _gold(workspace, run, revealed, current)
    if revealed.over:  # it says where gold was lost
        why_not.panel(workspace, run, trace)
    _memory(scene)
    _beams(scene)
    method_settings.of_run(run)


def _bar(
    run: RunInfo,
    steps: Sequence[Step],
    number: int,
    ask_what_if: Callable[[], None] | None,
    *,
    live: bool,
    everything: bool,
) -> None:
    """Steps of the run, the switch that hides later steps, *Present* and, where `ask_what_if` is
    given, *What if*.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="steps"):
        clicked = components.strip(
            steps,
            number,
            live=live,
            everything=everything,
            run=run.id,
            question=run.question,
        )
        st.session_state["reveal"] = not everything
        st.toggle(
            "Reveal as I step",
            key="reveal",
            on_change=_turn_reveal,
        )
        st.button(
            "Present",
            key="present-button",
            icon=":material/slideshow:",
            shortcut="P",
            help="One step fills the screen, for a hall. P or Esc leaves.",
            on_click=position.turn_switch,
            args=("present",),
            kwargs={"on": True},
        )
        if ask_what_if is not None:
            st.button(
                "What if",
                key="what-if-button",
                icon=":material/tune:",
                help="Change a setting or a fact, and see at once what enters and leaves. It"
                " compares final rankings: with steps to come, Reveal as I step is turned off.",
                on_click=ask_what_if,
            )
    if clicked is not None and (clicked != number or what_if_change.is_open()):
        what_if_change.set_change(run.id, None)
        position.go_to(clicked)
        st.rerun(scope="fragment")


def _turn_reveal() -> None:
    position.turn_switch("all", on=not st.session_state["reveal"])


def _ask_what_if(run_id: str, *, revealed: bool) -> None:
    """Open what-if, which compares final rankings, so that no step stays hidden."""
    if not revealed:
        position.turn_switch("all", on=True)
    what_if_change.set_change(run_id)


def _gold(workspace: Workspace, run: RunInfo, revealed: RunProgress, current: RunProgress) -> None:
    """The gold passages with what is shown of them; the column of `here` is marked."""
    base = golds.base(revealed.events)
    if not run.gold or base is None:
        return
    titles = elements.passage_titles(workspace, run.collection, run.gold)
    passages, current_passages = (
        golds.gold_passages(events, run.gold, titles)
        for events in (revealed.events, current.events)
    )
    now = gold_strip.newest(current_passages, over=current.over)
    with st.container(border=True, key="gold", gap=None):
        marked = (
            f" · gold marked later, {labels.readable_time(run.gold_marked)}"
            if run.gold_marked
            else ""
        )
        verdict = gold_strip.verdict(revealed.events, run.gold, over=revealed.over)
        st.html(markup.title("Gold passages", verdict + marked))
        st.html(
            gold_strip.strip(
                passages,
                base_name(base.base),
                run.question,
                iterates=revealed.events.iterates,
                at=gold_strip.Position(now, revealed.ahead, revealed.over),
            )
        )


def _scene(workspace: Workspace, scene: Scene, steps: tuple[timeline.Step, ...]) -> None:
    with st.container(horizontal=True, gap="small", key="scene"):
        with st.container(border=True, key="stage"):
            with elements.spread():
                view = telling(scene)
                st.html(markup.stage(view.title, view.purpose))
                position.controls(scene.run.id, steps)
            for label, query in scene.queries:
                st.html(markup.query(markup.named(query, scene.names), label))
            selection = stage.draw(scene)
        with st.container(key="side", gap="small"):
            side_panel.selection(workspace, scene, selection.detail)
            side_panel.recall(scene)
            gold_search.of_run(workspace, scene.run, markable=scene.markable)
    if selection.mark:
        _mark(workspace, scene.run, selection.mark)


def _memory(scene: Scene) -> None:
    """The gist memory, or what each iteration asked and thought."""
    view = memory.memory(scene.events)
    if view is None:
        return
    with st.container(border=True, key="memory"):
        heading = memory.title(scene.events)
        by = _by_reader(scene.trace, scene.run) if heading.reads else ""
        title = markup.title(heading.name, heading.aside + by)
        st.html(markup.tag("div", title, id=memory.FACTS))
        _picture(view, scene, "memory")
        elements.folded_table("As a table", partial(memory.rows, scene.events), "memory")


def _picture(view: Telling, scene: Scene, key: str) -> None:
    """A picture, and under it what its selected card opens into."""
    detail = stage.picture(view, scene, key)
    if words := draw.detail(detail) + draw.sentence(detail, scene.names):
        st.html(words)


def _beams(scene: Scene) -> None:
    """The beams that join the first passages, once the run is over."""
    view = memory.beams(scene.events, scene.gold) if scene.over else None
    if view:
        with st.container(border=True, key="beam-graph"):
            st.html(markup.title(memory.TITLE, memory.PURPOSE))
            _picture(view, scene, "beam-graph")


def _by_reader(events: RunTrace, run: RunInfo) -> str:
    """Who read, to follow other words; "" for a run without a reader."""
    start = events.start
    if start is None or not start.reader:
        return ""
    return f", {labels.reader_note(start.reader, labels.model_of(run))}"


def _markable(workspace: Workspace, run: RunInfo) -> bool:
    try:
        question = workspace.collections.question(run.collection, run.question)
    except GearError:  # the collection was deleted; the run's own snapshot can still be marked
        question = None
    return is_markable(run, question)


def _mark(workspace: Workspace, run: RunInfo, mark: dict[str, object]) -> None:
    keys = [key for key in session.gold_before(workspace, run) if key != mark["key"]]
    if mark["gold"]:
        keys.append(str(mark["key"]))
    with elements.refusals():
        session.mark_gold(workspace, run, keys)
        st.rerun(scope="fragment")
