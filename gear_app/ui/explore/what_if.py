"""What if on Explore: settings at their stops, facts dropped or in other words, and what that makes
of the run. The worker makes the variant, as it makes runs; this page waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gear_app.analysis import timeline
from gear_app.analysis.difference import FirstDifference, run_difference
from gear_app.analysis.passage_labels import labelled, named_passages
from gear_app.analysis.rankings import CUTS
from gear_app.analysis.trace import RunTrace
from gear_app.errors import GearError
from gear_app.events import Event
from gear_app.runs.what_if import RunChange, RunVariant
from gear_app.step_views.view import Scene
from gear_app.store.rows import RunInfo
from gear_app.ui.explore import run_head, stage
from gear_app.ui.explore.what_if_change import controls, current_change, set_change, turn
from gear_app.ui.shared import (
    address,
    elements,
    language_models,
    method_settings,
    session,
    visitors,
)
from gear_app.views import dials, markup
from gear_app.views import what_if as pictures
from gear_app.views.settings import paper_words
from gear_app.workspace import Workspace

STYLE = session.UI / "what_if.css"
WAIT_S = 1.2  # for the worker, before the page says that it waits
LOOK_AGAIN_S = 0.4
K = CUTS[0]

_picture = elements.component(
    "what_if", html='<div class="what-if"></div>', js="what_if.js", css="what_if.css"
)


def panel(workspace: Workspace, run: RunInfo, events: Sequence[Event]) -> None:
    """The whole of it, in the place of the step."""
    st.html(STYLE)
    elements.message(st.session_state.pop("what-error", ""), "bad")
    change = current_change()
    words = dials.change_words(run, change)
    if outdated := workspace.what_if.outdated(run):
        elements.message(f"{outdated} Run it again, then ask what if.", "bad")
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Run again",
                key="what-again",
                on_click=run_head.again,
                args=(workspace, run.id),
                kwargs={"told": "what-error"},
            )
            _close()
        return
    bar = st.container()
    try:
        variant = _variant(workspace, run, events, change)
    except GearError as error:
        _actions(bar, workspace, run, change)
        elements.message(str(error), "bad")
        with st.container(border=True):
            controls(run, events)
        return
    _actions(bar, workspace, run, change)
    if variant is None:
        elements.message(
            "The variant is being made, and appears here as soon as it is there.", "busy"
        )
        st.fragment(_look_again, run_every=LOOK_AGAIN_S)(workspace, run.id, change)
        with st.container(border=True):
            controls(run, events)
        return
    _drawn(run, RunTrace.of(events), variant, words, change=change)


def _variant(
    workspace: Workspace, run: RunInfo, events: Sequence[Event], change: RunChange
) -> RunVariant | None:
    """The variant with passages told apart as in the run's events; without change, the run."""
    if not change:
        return RunVariant(run.id, change, tuple(events), 0.0)
    made = workspace.what_if.await_variant(run.id, change, WAIT_S, visitors.rights())
    if made is None:
        return None
    labels = workspace.collections.labels(sorted(named_passages(made.events)))
    return replace(made, events=tuple(labelled(made.events, labels)))


def _look_again(workspace: Workspace, run_id: str, change: RunChange) -> None:
    try:
        there = workspace.what_if.wanted(run_id, change, visitors.rights()) is not None
    except GearError:
        there = True  # it failed, and the page says why
    if there:
        st.rerun()


def _actions(bar: DeltaGenerator, workspace: Workspace, run: RunInfo, change: RunChange) -> None:
    """The buttons, on a bar above."""
    with bar.container(horizontal=True, vertical_alignment="center", gap="small", key="what-act"):
        st.html(markup.title("What if", "one thing changed, nothing stored"), width="stretch")
        st.button(
            "As it was run", key="what-reset", on_click=set_change, args=(RunChange(),),
            disabled=not change, icon=":material/undo:",
        )  # fmt: skip
        if paper := dials.as_in_paper(run):
            st.button(
                method_settings.PAPER,
                key="what-paper",
                on_click=set_change,
                args=(paper,),
                disabled=change == paper,
                icon=":material/article:",
                help=paper_words(run.method),
            )
        st.button(
            "Keep as a run",
            key="what-keep",
            on_click=_keep,
            args=(workspace, run, change),
            disabled=not change,
            icon=":material/save:",
            help="The question is asked with this change, on the collection as it is now, and"
            " stored. A language model is asked where the run has one.",
        )
        _close()


def _close() -> None:
    st.button("Close", key="what-close", on_click=turn, kwargs={"on": False})


def _keep(workspace: Workspace, run: RunInfo, change: RunChange) -> None:
    with elements.refusals("what-error"):
        request = workspace.what_if.request(run.id, change)
        model = language_models.spec_again(run.model, run.key_from) if run.model else None
        budget = language_models.budget() if run.model else None
        asked = replace(
            request,
            owner=session.owner(),
            model=model,
            budget=budget,
            rights=visitors.rights(),
        )
        address.open_run(workspace.runs.enqueue(asked), fresh=True)


def _drawn(
    run: RunInfo, events: RunTrace, variant: RunVariant, words: str, *, change: RunChange
) -> None:
    """What the change makes of the ranking, and the first step that differs, before and after."""
    difference = run_difference(events, variant.events, run.gold, K)
    if words:
        st.html(pictures.told(words, difference))
        facts = pictures.recall_rows(events.final, variant.ranking, run.gold)
        took = pictures.cost_words(variant.ms, variant.encoded)
        st.html(markup.tag("p", " · ".join([*(f"{n} {v}" for n, v in facts), took]),
                           class_="gear-note"))  # fmt: skip
    left, right = st.columns([1, 2], gap="small")
    with left.container(border=True):
        controls(run, events)
    with right.container(border=True):
        title = f"What if: {words}" if words else "What if"
        _picture(data=pictures.chart(difference, title), key=f"what-picture-{run.id}")
    elements.folded_table("The chart as a table", lambda: pictures.rows(difference), "what")
    if change:
        _steps(run, events, RunTrace.of(variant.events), difference.first)
    if beams := pictures.beams(difference):
        with st.container(border=True):
            st.html(markup.title("Beams", pictures.beams_title(difference)))
            st.html(beams)


def _steps(run: RunInfo, before: RunTrace, after: RunTrace, first: FirstDifference | None) -> None:
    """The first step that differs, of the run and of the variant."""
    if first is None:
        st.html(markup.title("First step that differs", "every step has the same result"))
        return
    where = f"iteration {first.iteration}, {first.verb}" if first.iteration else first.verb
    where += f", round {first.round}" if first.round else ""
    with st.container(border=True):
        st.html(markup.title("First step that differs", where))
        st.html(markup.tag("p", first.told, dir="auto"))
        sides = zip(
            st.columns(2, gap="small"),
            ("Before", "After"),
            (run, replace(run, id=f"{run.id}-variant")),
            (before, after),
            (first.before, first.after),
            strict=True,
        )
        for column, name, info, trace, number in sides:
            with column:
                st.html(markup.tag("h4", name))
                if number is None:
                    elements.message("The run has no such step.")
                else:
                    known = trace.until(number)
                    earlier = timeline.before(trace.steps[number], trace.steps)
                    stage.compared(Scene(info, known, trace.steps[number], earlier, run.gold))
        if first.before is not None:
            st.button(
                f"See step {first.before + 1} of the run",
                key="what-step",
                on_click=_see,
                args=(first.before,),
            )


def _see(step: int) -> None:
    turn(on=False)
    st.session_state["position"] = step
    st.session_state["follow"] = False
