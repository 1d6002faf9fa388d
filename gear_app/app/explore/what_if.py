"""What if on Explore: a draft run with one thing changed, its ranking next to the run's, and one
step of both. The address has the change, as JSON, or `open`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from gear_app.app.explore import head, stage
from gear_app.app.shared import (
    address,
    components,
    elements,
    language_models,
    session,
    visitors,
)
from gear_app.core.errors import GearError
from gear_app.display import markup, settings
from gear_app.display import what_if as pictures
from gear_app.display.labels import run_time, step_label
from gear_app.display.telling import Scene
from gear_app.models.reader.edits import ReadingEdit
from gear_app.store.rows import RunInfo
from gear_app.trace import timeline
from gear_app.trace.difference import StepDifference, run_difference
from gear_app.trace.evidence import labelled, named_passages
from gear_app.trace.rankings import CUTS
from gear_app.trace.trace import RunTrace
from gear_app.workspace.runs.request import request_of
from gear_app.workspace.runs.rerun import NO_CHANGE, UNLINKED, RunChange
from gear_app.workspace.runs.rerun import K as RANKED
from gear_app.workspace.runs.service import Answer
from gear_app.workspace.workspace import Workspace

STYLE = session.UI / "what_if.css"
OPEN = "open"
WAIT_S = 1.2  # for the worker, before the page says that it waits
REFRESH_S = 0.4
K = CUTS[0]
FIRST = (settings.BASE, UNLINKED, "width", "gamma", "max_iterations", RANKED)  # in sight
DROPPED = (
    "A dropped proximal triple starts no search. Its fact may still be in a beam: another proximal"
    " triple can be linked to it, and beams that start elsewhere can come to it."
)


def change_of(run: RunInfo) -> RunChange | None:
    """The change of a run that the address has; None where what-if is closed."""
    text = address.named(address.CHANGE) if address.names(run.id) else ""
    if text in ("", OPEN):
        return NO_CHANGE if text else None
    try:
        change = RunChange.from_json(text)
        change.applied(request_of(run))
    except GearError as error:
        elements.message(str(error), "bad")
        return NO_CHANGE
    return change


def set_change(run_id: str, change: RunChange | None = NO_CHANGE) -> None:
    """Open what-if of a run with a change; None closes it."""
    text = "" if change is None else change.to_json() or OPEN
    address.write(**{"run": run_id, address.CHANGE: text})


def panel(workspace: Workspace, run: RunInfo, trace: RunTrace, change: RunChange) -> None:
    """Controls of a change and what it makes of the run, in the place of the step."""
    st.html(STYLE)
    if outdated := workspace.reruns.outdated(run):
        words = f"{outdated} Run it again, then ask what if."
        elements.message_with_button(
            words, "bad", "Run again", "what-again", head.again, workspace, run.id
        )
        _close(run)
        return
    _actions(workspace, run, change)
    draft = _draft(workspace, run, change) if change else None
    words = ", ".join(filter(None, [settings.change_words(run, change), *_moved(trace, change)]))
    after = _trace(workspace, draft) if draft else trace
    difference = run_difference(trace, after, run.gold, K)
    if draft:
        st.html(pictures.sentence(words, difference))
        time = f"{run_time(draft.ms, draft.loading_ms)}, no language model asked"
        st.html(markup.tag("p", time, class_="gear-note"))
    left, right = st.columns([1, 2], gap="small")
    with left.container(border=True, key="what-dials", gap="small"):
        _controls(run, trace, change)
    if change and not draft:
        return
    with right.container(border=True):
        title = f"What if: {words}" if words else "What if"
        components.aligned(pictures.chart(difference, title), None, f"what-picture-{run.id}")
    elements.folded_table("The chart as a table", lambda: pictures.rows(difference), "what")
    if draft:
        _steps((run, draft), (trace, after), difference.steps)


def _draft(workspace: Workspace, run: RunInfo, change: RunChange) -> Answer | None:
    """The run with the change; None while the worker makes it, and where that failed."""
    draft = None
    with elements.refusals():
        draft = workspace.reruns.enqueue_draft(run.id, change, visitors.rights(), WAIT_S)
        if draft is None:
            elements.message("The changed run is being made and appears here in a moment.", "busy")
            st.fragment(_look_again, run_every=REFRESH_S)(workspace, run.id, change)
    return draft


def _trace(workspace: Workspace, draft: Answer) -> RunTrace:
    labels = workspace.store.passages.labels(sorted(named_passages(draft.events)))
    return RunTrace(labelled(draft.events, labels))


def _look_again(workspace: Workspace, run_id: str, change: RunChange) -> None:
    try:
        ready = workspace.reruns.enqueue_draft(run_id, change, visitors.rights()) is not None
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
        if paper := settings.as_in_paper(run):
            st.button(
                "As in the paper",
                key="what-paper",
                on_click=set_change,
                args=(run.id, paper),
                disabled=change == paper,
                icon=":material/article:",
                help=settings.paper_words(run.method),
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
    with elements.refusals("ask_error"):
        request = replace(
            change.applied(request_of(run)),
            owner=session.owner(),
            model=language_models.spec_again(run.model, run.key_from) if run.model else None,
            budget=language_models.budget() if run.model else None,
            rights=visitors.rights(),
        )
        address.open_run(workspace.runs.enqueue(request), fresh=True)


def _controls(run: RunInfo, trace: RunTrace, change: RunChange) -> None:
    """A row of stops for every setting, and the facts of the reader to drop one of."""
    every = settings.dials(run, change)
    first = [dial for dial in every if dial.name.rpartition(".")[2] in FIRST] or every
    for dial in first:
        _dial(run, dial, change)
    if len(first) < len(every):
        with st.expander("More settings", key="what-more"):
            for dial in every:
                if dial not in first:
                    _dial(run, dial, change)
    if facts := settings.droppable_facts(trace):
        st.selectbox(
            "Drop a fact that the reader gave",
            list(facts),
            key="what-fact",
            index=None,
            format_func=facts.__getitem__,
            placeholder="Choose one",
            help=DROPPED,
            on_change=_drop,
            args=(run.id, change),
        )
    _passages(run, trace, change)


def _passages(run: RunInfo, trace: RunTrace, change: RunChange) -> None:
    """A choice among the ranked passages, to take one out or to put it first."""
    names = {passage.key: passage.name for passage in trace.final}
    key = st.selectbox(
        "Take a passage out, or put it first",
        list(names),
        key="what-passage",
        index=None,
        format_func=names.__getitem__,
        placeholder="Choose one",
        help="Taken out of the collection, or at the first rank of the first search",
    )
    changes = {
        "Take out": replace(change, absent=(*change.absent, str(key))),
        "Put first": replace(change, leader=str(key)),
    }
    with st.container(horizontal=True, gap="small"):
        for label, changed in changes.items():
            st.button(label, on_click=set_change, args=(run.id, changed), disabled=key is None)


def _moved(trace: RunTrace, change: RunChange) -> list[str]:
    """The passages that a change takes out or puts first, in words."""
    names = {passage.key: passage.name for passage in trace.final}
    words = [f"without the passage “{names.get(key, key)}”" for key in change.absent]
    return [*words, *(f"“{names.get(key, key)}” first" for key in [change.leader] if key)]


def _dial(run: RunInfo, dial: settings.Dial, change: RunChange) -> None:
    key = f"what-dial-{dial.name}"
    turned = change.base if dial.name == settings.BASE else change.settings.get(dial.name)
    st.session_state[key] = str(turned or dial.now)
    st.segmented_control(
        dial.label,
        list(dial.stops),
        key=key,
        format_func=dial.stops.__getitem__,
        help=dial.help,
        on_change=_turned,
        args=(run.id, dial, change, key),
        width="content",
    )


def _turned(run_id: str, dial: settings.Dial, change: RunChange, key: str) -> None:
    """A stop was chosen; one that is chosen again goes back to the run's."""
    value = st.session_state[key] or dial.now
    if dial.name == settings.BASE:
        set_change(run_id, replace(change, base="" if value == dial.now else value))
        return
    values = {name: v for name, v in change.settings.items() if name != dial.name}
    values |= {} if value == dial.now else {dial.name: value}
    set_change(run_id, replace(change, settings=values))


def _drop(run_id: str, change: RunChange) -> None:
    fact: ReadingEdit = st.session_state["what-fact"]
    st.session_state["what-fact"] = None
    edits = dict.fromkeys([*change.edits, fact])
    set_change(run_id, replace(change, edits=tuple(edits)))


def _steps(
    runs: tuple[RunInfo, RunInfo],
    traces: tuple[RunTrace, RunTrace],
    differences: Sequence[StepDifference],
) -> None:
    """One step of the run and of the draft, at first the first whose results differ."""
    with st.container(border=True):
        aside = "steps whose results differ" if differences else "every step has the same result"
        st.html(markup.title("The same step before and after", aside))
        if not differences:
            return
        moved = (at for at, step in enumerate(differences) if step.entered or step.left)
        chosen: int = st.pills(
            "Step",
            range(len(differences)),
            key=f"what-step-{runs[1].id}",
            default=next(moved, 0),
            required=True,
            format_func=lambda at: step_label(differences[at].step),
            label_visibility="collapsed",
        )
        step = differences[chosen]
        st.html(markup.tag("p", pictures.step_sentence(step), dir="auto"))
        numbers = step.before, step.after
        sides = zip(st.columns(2, gap="small"), runs, traces, numbers, strict=True)
        for name, (column, run, trace, number) in zip(("Before", "After"), sides, strict=True):
            with column:
                st.html(markup.tag("h4", name))
                if number is None:
                    elements.message("The run has no such step.")
                    continue
                earlier = timeline.before(trace.steps[number], trace.steps)
                scene = Scene(run, trace.until(number), trace.steps[number], earlier, runs[0].gold)
                stage.compared(scene)
        if step.before is not None:
            st.button(
                f"See step {step.before + 1} of the run",
                key="what-step",
                on_click=_see,
                args=(runs[0].id, step.before),
            )


def _see(run_id: str, step: int) -> None:
    set_change(run_id, None)
    stage.go_to(run_id, step)
