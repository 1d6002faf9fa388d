"""What if on Explore: a draft run with a change, its ranking next to the run's, and one step of
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from gear_app.app.explore import position, run_head, stage
from gear_app.app.explore.what_if_change import ERROR, controls, set_change
from gear_app.app.shared import (
    address,
    elements,
    language_models,
    method_settings,
    session,
    visitors,
)
from gear_app.core.errors import GearError
from gear_app.display import dials, markup
from gear_app.display import what_if as pictures
from gear_app.display.labels import took
from gear_app.display.settings import paper_words
from gear_app.display.telling import Scene
from gear_app.store.rows import RunInfo
from gear_app.trace import timeline
from gear_app.trace.difference import StepDifference, run_difference
from gear_app.trace.passage_labels import labelled, named_passages
from gear_app.trace.rankings import CUTS
from gear_app.trace.trace import RunTrace
from gear_app.workspace.runs.rerun import NO_CHANGE, Draft, RunChange
from gear_app.workspace.workspace import Workspace

STYLE = session.UI / "what_if.css"
WAIT_S = 1.2  # for the worker, before the page says that it waits
REFRESH_S = 0.4
K = CUTS[0]

_picture = elements.component(
    "what_if", html='<div class="what-if"></div>', js="what_if.js", css="what_if.css"
)


def panel(workspace: Workspace, run: RunInfo, events: RunTrace, change: RunChange) -> None:
    """Controls of a change and what it makes of the run, in the place of the step."""
    st.html(STYLE)
    elements.message(st.session_state.pop(ERROR, ""), "bad")
    if outdated := workspace.reruns.outdated(run):
        elements.message(f"{outdated} Run it again, then ask what if.", "bad")
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Run again",
                key="what-again",
                on_click=run_head.again,
                args=(workspace, run.id),
                kwargs={"told": ERROR},
            )
            _close(run)
        return
    _actions(workspace, run, change)
    draft, words = None, dials.change_words(run, change)
    try:
        if change:
            draft = workspace.reruns.draft(run.id, change, visitors.rights(), WAIT_S)
    except GearError as error:
        elements.message(str(error), "bad")
    else:
        if change and draft is None:
            elements.message("The changed run is being made and appears here in a moment.", "busy")
            st.fragment(_look_again, run_every=REFRESH_S)(workspace, run.id, change)
    after = _trace(workspace, draft) if draft else events
    difference = run_difference(events, after, run.gold, K)
    if draft:
        st.html(pictures.sentence(words, difference))
        time = f"{took(draft.run.ms, draft.run.loading_ms)}, no language model asked"
        st.html(markup.tag("p", time, class_="gear-note"))
    left, right = st.columns([1, 2], gap="small")
    with left.container(border=True):
        controls(run, events, change)
    if change and not draft:
        return
    with right.container(border=True):
        title = f"What if: {words}" if words else "What if"
        _picture(data=pictures.chart(difference, title), key=f"what-picture-{run.id}")
    elements.folded_table("The chart as a table", lambda: pictures.rows(difference), "what")
    if draft:
        _steps((run, draft.run), (events, after), difference.steps)


def _trace(workspace: Workspace, draft: Draft) -> RunTrace:
    labels = workspace.collections.labels(sorted(named_passages(draft.events)))
    return RunTrace(labelled(draft.events, labels))


def _look_again(workspace: Workspace, run_id: str, change: RunChange) -> None:
    try:
        ready = workspace.reruns.draft(run_id, change, visitors.rights()) is not None
    except GearError:
        ready = True  # it failed, and the page says why
    if ready:
        st.rerun()


def _actions(workspace: Workspace, run: RunInfo, change: RunChange) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="what-act"):
        st.html(markup.title("What if", "one thing changed, nothing stored"), width="stretch")
        st.button(
            "As it was run",
            key="what-reset",
            on_click=set_change,
            args=(run.id, NO_CHANGE),
            disabled=not change,
            icon=":material/undo:",
        )
        if paper := dials.as_in_paper(run):
            st.button(
                method_settings.PAPER,
                key="what-paper",
                on_click=set_change,
                args=(run.id, paper),
                disabled=change == paper,
                icon=":material/article:",
                help=paper_words(run.method),
            )
        st.button(
            "Keep as a run",
            key="what-keep",
            on_click=_store,
            args=(workspace, run, change),
            disabled=not change,
            icon=":material/save:",
            help="The question is asked with this change, on the collection as it is now, and"
            " stored. A language model is asked where the run has one.",
        )
        _close(run)


def _close(run: RunInfo) -> None:
    st.button("Close", key="what-close", on_click=set_change, args=(run.id, None))


def _store(workspace: Workspace, run: RunInfo, change: RunChange) -> None:
    with elements.refusals(ERROR):
        request = replace(
            workspace.reruns.request(run.id, change),
            owner=session.owner(),
            model=language_models.spec_again(run.model, run.key_from) if run.model else None,
            budget=language_models.budget() if run.model else None,
            rights=visitors.rights(),
        )
        address.open_run(workspace.runs.enqueue(request), fresh=True)


def _steps(
    runs: tuple[RunInfo, RunInfo],
    traces: tuple[RunTrace, RunTrace],
    differences: Sequence[StepDifference],
) -> None:
    """One step of the run and of the draft, at first the first whose results differ."""
    if not differences:
        st.html(markup.title("The same step before and after", "every step has the same result"))
        return
    with st.container(border=True):
        st.html(markup.title("The same step before and after", "steps whose results differ"))
        moved = (
            place
            for place, difference in enumerate(differences)
            if difference.entered or difference.left
        )
        first = next(moved, 0)
        chosen: int | None = st.pills(
            "Step",
            range(len(differences)),
            key=f"what-step-{runs[1].id}",
            default=first,
            format_func=lambda place: pictures.step_label(differences[place]),
            label_visibility="collapsed",
        )
        step = differences[first if chosen is None else chosen]
        st.html(markup.tag("p", pictures.step_sentence(step), dir="auto"))
        sides = zip(
            st.columns(2, gap="small"), runs, traces, (step.before, step.after), strict=True
        )
        for name, (column, run, trace, number) in zip(("Before", "After"), sides, strict=True):
            with column:
                st.html(markup.tag("h4", name))
                if number is None:
                    elements.message("The run has no such step.")
                    continue
                events = trace.until(number)
                earlier = timeline.before(trace.steps[number], trace.steps)
                stage.compared(Scene(run, events, trace.steps[number], earlier, runs[0].gold))
        if step.before is not None:
            st.button(
                f"See step {step.before + 1} of the run",
                key="what-step",
                on_click=_see,
                args=(runs[0].id, step.before),
            )


def _see(run_id: str, step: int) -> None:
    set_change(run_id, None)
    position.go_to(step)
