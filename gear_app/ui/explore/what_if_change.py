"""What is changed in a what-if: kept in the session and in the address; and the controls that
change it: settings at their stops, facts dropped or in other words.

The address has `what=` with the change as JSON, or `open`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from gear_app.errors import GearError
from gear_app.events import Event
from gear_app.reader.edits import ReadingEdit, edits_of
from gear_app.runs.what_if import RunChange
from gear_app.store.rows import RunInfo
from gear_app.ui.shared import elements
from gear_app.views import dials, markup
from gear_app.views.rankings import TERMS

ADDRESS, OPEN = "what", "open"
DROPPED = (
    "A dropped proximal triple starts no search any more. Its fact may still be in a beam: another"
    " proximal triple can be linked to it, and beams that start elsewhere can come to it."
)


def settle(run: RunInfo) -> bool:
    """Whether what-if is open for this run; afterwards the address says so, and what is changed."""
    state, asked = st.session_state, st.query_params.get(ADDRESS, "")
    kept = state.get("what-if")
    written = state.get("written-what", "")
    there = st.query_params.get("run") == run.id
    if kept is None or kept["run"] != run.id:
        kept = {"run": run.id, "open": False, "change": RunChange()}
        if there and asked and asked != written:
            kept |= _addressed(run, asked)
        state["what-if"] = kept
    elif there and asked != written:  # the browser's back button, or a link to the same run
        kept |= _addressed(run, asked)
    _write(kept)
    return bool(kept["open"])


def _addressed(run: RunInfo, asked: str) -> dict[str, object]:
    if asked in ("", OPEN):
        return {"open": asked == OPEN, "change": RunChange()}
    try:
        change = RunChange.from_json(asked)
        change.check(run)
        return {"open": True, "change": change}
    except GearError as error:
        st.session_state["what-error"] = str(error)
        return {"open": True, "change": RunChange()}


def _write(kept: dict[str, object]) -> None:
    change = kept["change"]
    assert isinstance(change, RunChange)
    wanted = (change.to_json() or OPEN) if kept["open"] else ""
    st.session_state["written-what"] = wanted
    if wanted and st.query_params.get(ADDRESS) != wanted:
        st.query_params[ADDRESS] = wanted
    elif not wanted and ADDRESS in st.query_params:
        st.query_params.pop(ADDRESS)


def is_open() -> bool:
    """Whether it is open for the run that is shown."""
    return bool(st.session_state.get("what-if", {}).get("open"))


def turn(*, on: bool) -> None:
    """Open or close what-if for the run that is shown."""
    st.session_state.setdefault("what-if", {"run": ""})["open"] = on


def current_change() -> RunChange:
    """The change as it is set now, of the run that is shown."""
    found: RunChange = st.session_state["what-if"]["change"]
    return found


def set_change(change: RunChange) -> None:
    """Make this the change."""
    st.session_state["what-if"]["change"] = change


def controls(run: RunInfo, events: Sequence[Event]) -> None:
    """A row of stops for every setting, a slider for every weight of chain, and what can be done to
    a fact that the reader gave.
    """
    change = current_change()
    with st.container(key="what-dials", gap="small"):
        for dial in dials.dials(run, change):
            key = f"what-dial-{dial.name}"
            turned = change.base if dial.name == dials.BASE else change.settings.get(dial.name)
            st.session_state[key] = str(turned or dial.now)
            st.segmented_control(
                dial.label,
                [stop.value for stop in dial.stops],
                key=key,
                format_func={stop.value: stop.label for stop in dial.stops}.__getitem__,
                help=dial.help,
                on_change=_turned,
                args=(dial, key),
                width="content",
            )
        for weight in dials.weights(run):
            _weight(weight, change)
    _facts(run, events)


def _weight(weight: dials.Weight, change: RunChange) -> None:
    key, now = f"what-weight-{weight.name}", float(change.settings.get(weight.name, weight.value))
    st.session_state[key] = now
    most = max(4 * weight.value, now, 2.0)
    st.slider(
        weight.term.capitalize(),
        0.0,
        most,
        step=0.05,
        key=key,
        help=TERMS[weight.term],
        on_change=_weighed,
        args=(weight, key),
    )


def _weighed(weight: dials.Weight, key: str) -> None:
    """A slider was let go; one at the run's own value changes nothing."""
    change, value = current_change(), round(float(st.session_state[key]), 4)
    settings = {name: v for name, v in change.settings.items() if name != weight.name}
    if value != weight.value:
        settings[weight.name] = value
    set_change(replace(change, settings=settings))


def _turned(dial: dials.Dial, key: str) -> None:
    """A stop was chosen; one that is chosen again goes back to the run's."""
    change, value = current_change(), st.session_state[key] or dial.now
    others = {name: v for name, v in change.settings.items() if name != dial.name}
    if dial.name == dials.BASE:
        set_change(replace(change, base="" if value == dial.now else value))
    else:
        own = {} if value == dial.now else {dial.name: value}
        set_change(replace(change, settings=others | own))


def _facts(run: RunInfo, events: Sequence[Event]) -> None:
    """Drop a fact, or say it in other words; and what a fact that is dropped still does."""
    facts, edits = dials.given_facts(events), current_change().edits
    if any(one.purpose == "sync" and not one.instead for one in (*edits_of(run.options), *edits)):
        elements.message(DROPPED)
    if facts:
        _choose(facts)
    for place, edit in enumerate(edits):
        told = " ".join(edit.instead) if edit.instead else "dropped"
        was = markup.tag("del", " ".join(edit.fact))
        line = [" ".join(edit.fact), " · taken"] if edit.takes else [was, f" · {told}"]
        left, right = st.columns([4, 1], vertical_alignment="center", gap="small")
        left.html(markup.tag("p", *line, class_="gear-change", dir="auto"))
        right.button("Undo", key=f"what-undo-{place}", on_click=_undo, args=(place,))


def _choose(facts: Sequence[dials.GivenFact]) -> None:
    labels = {place: fact.label for place, fact in enumerate(facts)}
    chosen = st.selectbox(
        "A fact that the reader gave",
        list(labels),
        key="what-fact",
        index=None,
        format_func=labels.__getitem__,
        placeholder="Drop it, or put it in other words",
    )
    if chosen is not None:
        _fact(facts[chosen])


def _fact(fact: dials.GivenFact) -> None:
    st.button("Drop it", key="what-drop", on_click=_edit, args=(fact, False))
    with st.form("what-words", border=False), st.container(horizontal=True, gap="small"):
        names = ("Subject", "Predicate", "Object")
        for name, value in zip(names, fact.words, strict=True):
            st.text_input(name, value=value, key=f"what-{name}-{fact.label}")
        st.form_submit_button("In these words", on_click=_edit, args=(fact, True))


def _edit(fact: dials.GivenFact, reworded: bool) -> None:
    change, instead = current_change(), None
    if reworded:
        subject, predicate, object_ = (
            str(st.session_state[f"what-{name}-{fact.label}"]).strip()
            for name in ("Subject", "Predicate", "Object")
        )
        if not subject or not object_:
            st.session_state["what-error"] = "A fact has a subject and an object. Type both."
            return
        instead = subject, predicate, object_
    others = tuple(
        edit for edit in change.edits if (edit.purpose, edit.fact) != (fact.purpose, fact.words)
    )
    if instead != fact.words:
        others += (ReadingEdit(fact.purpose, fact.words, instead),)
    st.session_state["what-fact"] = None
    set_change(replace(change, edits=others))


def _undo(place: int) -> None:
    change = current_change()
    set_change(replace(change, edits=change.edits[:place] + change.edits[place + 1 :]))
