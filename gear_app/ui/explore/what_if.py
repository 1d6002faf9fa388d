"""What if on Explore: settings at their stops, facts dropped or in other words, and what that makes
of the run. The worker makes the variant, as it makes runs; this page waits for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from gear_app.analysis.difference import FirstDifference, run_difference
from gear_app.analysis.passage_labels import labelled, named_passages
from gear_app.analysis.rankings import CUTS
from gear_app.analysis.trace import RunTrace
from gear_app.errors import GearError
from gear_app.events import Event
from gear_app.runs.what_if import RunChange, RunVariant
from gear_app.store.rows import RunInfo
from gear_app.ui.explore import run_head
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
PINNED_AT_MOST = 3
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
        _actions(bar, workspace, run, change, failed=True)
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
    _drawn(workspace, run, events, variant, words)


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


def _actions(
    bar: DeltaGenerator,
    workspace: Workspace,
    run: RunInfo,
    change: RunChange,
    *,
    failed: bool = False,
) -> None:
    """The buttons, on a bar above; a variant that `failed` cannot be pinned."""
    pins = st.session_state["what-if"]["pins"]
    full = change in pins or len(pins) >= PINNED_AT_MOST
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
            "Pin this variant",
            key="what-pin",
            on_click=_pin,
            disabled=not change or failed or full,
            icon=":material/push_pin:",
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


def _pin() -> None:
    st.session_state["what-if"]["pins"].append(current_change())


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
    workspace: Workspace,
    run: RunInfo,
    events: Sequence[Event],
    variant: RunVariant,
    words: str,
) -> None:
    difference = run_difference(events, variant.events, run.gold, K)
    if words:
        st.html(pictures.told(words, difference))
        facts = pictures.recall_rows(RunTrace.of(events).final, variant.ranking, run.gold)
        took = pictures.cost_words(variant.ms, variant.encoded)
        st.html(markup.tag("p", " · ".join([*(f"{n} {v}" for n, v in facts), took]),
                           class_="gear-note"))  # fmt: skip
    weights = _weights(run)
    live = bool(weights) and run.method == pictures.LIVE
    data = pictures.chart(
        difference,
        RunTrace.of(events).final,
        variant.events,
        run.gold,
        f"What if: {words}" if words else "What if",
        weights,
        live=live,
    )
    if weights:
        with st.container(border=True):
            _chart(data, run)
        with st.container(border=True):
            controls(run, events)
    else:
        left, right = st.columns([1, 2], gap="small")
        with left.container(border=True):
            controls(run, events)
        with right.container(border=True):
            _chart(data, run)
        with right.container(border=True):
            _first(difference.first, changed=bool(words))
    elements.folded_table("The chart as a table", lambda: pictures.rows(difference), "what")
    beams = pictures.beams(difference)
    beside, pinned = st.columns([1.15, 1], gap="small") if weights or beams else (None, st)
    if beside:
        with beside.container(border=True):
            if beams:
                st.html(markup.title("Beams", pictures.beams_title(difference)))
                st.html(beams)
            else:
                _first(difference.first, changed=bool(words))
    with pinned.container(border=True):
        _pinned(workspace, run, events)


def _weights(run: RunInfo) -> list[tuple[dials.Weight, float]]:
    turned = current_change().settings
    return [(one, float(turned.get(one.name, one.value))) for one in dials.weights(run)]


def _chart(data: dict[str, object], run: RunInfo) -> None:
    key = f"what-picture-{run.id}"
    _picture(data=data, key=key, on_weights_change=lambda: _weigh(run, key))


def _weigh(run: RunInfo, key: str) -> None:
    """The sliders were let go."""
    sent = st.session_state[key].get("weights")
    if not sent:
        return
    own = {weight.name: weight.value for weight in dials.weights(run)}
    others = {name: v for name, v in current_change().settings.items() if name not in own}
    turned = {
        name: float(sent[name])
        for name, value in own.items()
        if name in sent and abs(float(sent[name]) - value) > 1e-9
    }
    set_change(replace(current_change(), settings={**others, **turned}))


def _first(first: FirstDifference | None, *, changed: bool) -> None:
    if first is None:
        told = "every step hands on the same" if changed else "turn something to see"
        st.html(markup.title("First step that differs", told))
        return
    where = f"iteration {first.iteration}, {first.verb}" if first.iteration else first.verb
    where += f", round {first.round}" if first.round else ""
    st.html(markup.title("First step that differs", where))
    st.html(markup.tag("p", first.told, dir="auto"))
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


def _pinned(workspace: Workspace, run: RunInfo, events: Sequence[Event]) -> None:
    pins: list[RunChange] = st.session_state["what-if"]["pins"]
    st.html(markup.title("Pinned variants", f"up to {PINNED_AT_MOST}, each can be kept as a run"))
    found = [_pinned_variant(workspace, run, pin) for pin in pins]
    titles = elements.passage_titles(workspace, run.collection, run.gold)
    gold = {key: titles.get(key, key) for key in run.gold}
    st.html(
        markup.tag(
            "div", pictures.pins(RunTrace.of(events).final, found, gold, K), class_="gear-scroll"
        )
    )
    for place, pin in enumerate(pins):
        words = dials.change_words(run, pin)
        left, show, drop = st.columns([4, 1, 1], vertical_alignment="center", gap="small")
        left.html(markup.tag("p", words, class_="gear-note", dir="auto"))
        show.button("Show", key=f"what-show-{place}", on_click=set_change, args=(pin,))
        drop.button("Unpin", key=f"what-unpin-{place}", on_click=pins.remove, args=(pin,))


def _pinned_variant(workspace: Workspace, run: RunInfo, pin: RunChange) -> pictures.PinnedVariant:
    words = dials.change_words(run, pin)
    try:
        made = workspace.what_if.wanted(run.id, pin, visitors.rights())
    except GearError as error:
        return pictures.PinnedVariant(words, None, str(error))
    return pictures.PinnedVariant(words, made.ranking if made else None)
