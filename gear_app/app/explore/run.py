"""One run on the screen, drawn from its events, and drawn again while it is going on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from gear_app.app.explore import gold_search, head, side_panel, stage, what_if, why_not
from gear_app.app.shared import address, components, elements, session
from gear_app.display import draw, gold, labels, markup, memory, settings
from gear_app.display.step import card_rows, slide, telling
from gear_app.display.telling import Scene, gain
from gear_app.store.rows import RunInfo
from gear_app.trace import gold as golds
from gear_app.trace import timeline
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunProgress, RunTrace, progress
from gear_app.workspace.collections.service import is_markable
from gear_app.workspace.workspace import Workspace

REFRESH_S = 0.5
HIDE, PRESENT = "hide", "present"  # switches of the address: later steps, one step on a slide


def show(workspace: Workspace, run_id: str) -> None:
    """Draw the run, again and again while it is going on."""
    live = workspace.runs.get(run_id).going
    st.fragment(_body, run_every=REFRESH_S if live else None)(workspace, run_id, live)


def _body(workspace: Workspace, run_id: str, live: bool) -> None:
    if st.session_state.get("run") != run_id or "ask_error" in st.session_state:
        st.rerun()  # a button in here opened another run, or was refused
    run = workspace.runs.get(run_id)
    if live and not run.going:
        st.rerun()
    trace = session.events(workspace, run)
    steps, hidden = trace.steps, bool(address.named(HIDE))
    if not steps:
        st.session_state.setdefault(address.FOLLOWED, run.id)
        head.head(workspace, run, RunProgress(trace, 0, False))
        head.state(workspace, run, trace)
        return
    number = stage.current(workspace, run, trace, hidden=hidden)
    current = progress(trace, number, finished=not run.going)
    if address.named(PRESENT):
        scene = Scene(run, current.events, steps[number], (), run.gold)
        components.presenter(
            {**slide(scene, steps), "run": run.id},
            go=partial(stage.go_to, run.id),
            leave=partial(address.hold, PRESENT, ""),
        )
        return
    revealed = progress(trace, number, finished=not run.going, everything=not hidden)
    head.head(workspace, run, revealed)
    head.state(workspace, run, trace)
    repeatable = run.state == "done" and run.repeatable
    change = what_if.change_of(run) if repeatable else None
    if revealed.over and change is None:
        head.evidence_found(workspace, run, trace)
        why_not.panel(workspace, run, trace)
    ask_what_if = partial(_ask_what_if, run.id) if repeatable else None
    _bar(run, trace, number, ask_what_if, hidden=hidden)
    if change is not None:
        what_if.panel(workspace, run, trace, change)
        return
    scene = Scene(
        run,
        revealed.events,
        steps[number],
        timeline.before(steps[number], steps),
        run.gold,
        _markable(workspace, run),
        revealed.over,
    )
    _scene(workspace, scene, len(steps))
    _gold(workspace, run, revealed, steps[number])
    _memory(scene)
    _details(workspace, scene)


def _bar(
    run: RunInfo,
    trace: RunTrace,
    number: int,
    ask_what_if: Callable[[], None] | None,
    *,
    hidden: bool,
) -> None:
    """Steps of the run, the switch that hides later steps, *Present* and, where `ask_what_if` is
    given, *What if*.
    """
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="steps"):
        clicked = components.strip(
            trace.steps,
            number,
            live=run.going,
            everything=not hidden,
            run=run.id,
            question=run.question,
        )
        st.session_state[HIDE] = hidden
        st.toggle("Hide later steps", key=HIDE, on_change=_hide)
        st.button(
            "Present",
            key="present-button",
            icon=":material/slideshow:",
            shortcut="P",
            help="One step fills the screen, for a hall. P or Esc leaves.",
            on_click=address.hold,
            args=(PRESENT, "1"),
        )
        if ask_what_if is not None:
            st.button(
                "What if",
                key="what-if-button",
                icon=":material/tune:",
                help="Change a setting or a fact, and see what enters and leaves. It compares final"
                " rankings: hidden steps are shown.",
                on_click=ask_what_if,
            )
    if clicked is not None and (clicked != number or address.named(address.CHANGE)):
        what_if.set_change(run.id, None)
        stage.go_to(run.id, clicked)
        st.rerun(scope="fragment")


def _hide() -> None:
    address.hold(HIDE, "1" if st.session_state[HIDE] else "")


def _ask_what_if(run_id: str) -> None:
    address.hold(HIDE, "")
    what_if.set_change(run_id)


def _gold(workspace: Workspace, run: RunInfo, revealed: RunProgress, step: Step) -> None:
    """The gold passages with what is shown of them."""
    events, over = revealed.events, revealed.over
    if not run.gold or golds.base(events) is None:
        return
    titles = elements.passage_titles(workspace, run.collection, run.gold)
    passages = golds.gold_passages(events, run.gold, titles)
    verdict = gain(events, run.gold, over=over)
    if run.gold_marked:
        verdict += f" · gold marked later, {labels.readable_time(run.gold_marked)}"
    with st.container(border=True, key="gold", gap=None):
        st.html(markup.title("Gold passages", verdict))
        current = golds.stop_of(step)
        st.html(gold.strip(events, passages, run.question, over=over, current=current))


def _scene(workspace: Workspace, scene: Scene, count: int) -> None:
    with st.container(horizontal=True, gap="small", key="scene"):
        with st.container(border=True, key="stage"):
            with elements.spread():
                view = telling(scene)
                st.html(markup.title(view.title, view.purpose))
                stage.controls(scene.run.id, scene.step.number, count)
            for label, query in scene.queries:
                st.html(markup.query(markup.named(query, scene.trace.names), label))
            selection = stage.draw(scene)
        with st.container(key="side", gap="small"):
            side_panel.selection(workspace, scene, selection.detail)
    if selection.mark:
        _mark(workspace, scene.run, selection.mark)


def _memory(scene: Scene) -> None:
    """The gist memory, or what each iteration asked and thought."""
    view = memory.memory(scene.trace)
    if view is None:
        return
    with st.container(border=True, key="memory"):
        st.html(markup.title(*memory.title(scene.trace, scene.run)))
        detail = stage.picture(view, scene, "memory")
        if words := draw.detail(detail) + draw.sentence(detail, scene.trace.names):
            st.html(words)
        elements.folded_table("As a table", partial(card_rows, view.columns), "memory")


def _details(workspace: Workspace, scene: Scene) -> None:
    """Recall per iteration, gold by title and the settings of the run, in one fold."""
    run = scene.run
    fold = st.expander("Recall, gold passages and settings", key="details", on_change="rerun")
    if fold.open:
        with fold:
            side_panel.recall(scene)
            gold_search.of_run(workspace, run, markable=scene.markable)
            rows = settings.rows(run.method, run.config)
            st.dataframe(
                rows,
                hide_index=True,
                height="content",
                column_config=elements.number_columns(rows),
            )


def _markable(workspace: Workspace, run: RunInfo) -> bool:
    return is_markable(run, workspace.store.questions.find(run.collection_id, run.question))


def _mark(workspace: Workspace, run: RunInfo, mark: dict[str, object]) -> None:
    keys = [key for key in session.gold_before(workspace, run) if key != mark["key"]]
    if mark["gold"]:
        keys.append(str(mark["key"]))
    with elements.refusals():
        session.mark_gold(workspace, run, keys)
        st.rerun(scope="fragment")
