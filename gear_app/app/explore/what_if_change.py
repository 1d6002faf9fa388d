"""The change of a what-if: its place in the session and the address, and its controls: settings at
their stops, and facts of the reader that are dropped.

The address has `what=` with the change as JSON, or `open`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from gear_app.app.shared import address, elements
from gear_app.core.errors import GearError
from gear_app.display import dials, markup
from gear_app.models.reader.edits import ReadingEdit, edits_of
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event
from gear_app.workspace.runs.request import request_of
from gear_app.workspace.runs.rerun import NO_CHANGE, RunChange

ADDRESS, OPEN = "what", "open"
STATE = "what-if"  # in the session: a run and the text of its change, "" where what-if is closed
ERROR = "what-error"
FIRST = (dials.BASE, dials.UNLINKED, "width", "gamma", "max_iterations", dials.K)  # in sight
DROPPED = (
    "A dropped proximal triple starts no search any more. Its fact may still be in a beam: another"
    " proximal triple can be linked to it, and beams that start elsewhere can come to it."
)


def settle(run: RunInfo) -> RunChange | None:
    """The change of a run, None where what-if is closed; afterwards the address says it too."""
    state = st.session_state
    present = st.query_params.get("run") == run.id  # else the address lags behind
    addressed = address.named(ADDRESS)
    # a link, or the browser's back button
    if present and addressed != state.get("written-what", ""):
        state[STATE] = run.id, addressed
    if state.get(STATE, ("", ""))[0] != run.id:
        state[STATE] = run.id, ""
    change, text = NO_CHANGE, state[STATE][1]
    if text not in ("", OPEN):
        try:
            change = RunChange.from_json(text)
            change.applied(request_of(run))
        except GearError as error:
            state[ERROR], change, text = str(error), NO_CHANGE, OPEN
            state[STATE] = run.id, OPEN
    state["written-what"] = text
    address.hold(ADDRESS, text)
    return change if text else None


def is_open() -> bool:
    """Whether what-if is open."""
    return bool(st.session_state.get(STATE, ("", ""))[1])


def set_change(run_id: str, change: RunChange | None = NO_CHANGE) -> None:
    """Open what-if of a run with a change; None closes it."""
    st.session_state[STATE] = run_id, "" if change is None else change.to_json() or OPEN


def controls(run: RunInfo, events: Sequence[Event], change: RunChange) -> None:
    """A row of stops for every setting, and the edits of the reader's facts."""
    with st.container(key="what-dials", gap="small"):
        every = dials.dials(run, change)
        first = [setting for setting in every if setting.name.rpartition(".")[2] in FIRST] or every
        for dial in first:
            _dial(run, dial, change)
        if len(first) < len(every):
            with st.expander("More settings", key="what-more"):
                for dial in every:
                    if dial not in first:
                        _dial(run, dial, change)
    _facts(run, events, change)


def _dial(run: RunInfo, dial: dials.Dial, change: RunChange) -> None:
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
        args=(run.id, dial, change, key),
        width="content",
    )


def _turned(run_id: str, dial: dials.Dial, change: RunChange, key: str) -> None:
    """A stop was chosen; one that is chosen again goes back to the run's."""
    value = st.session_state[key] or dial.now
    if dial.name == dials.BASE:
        set_change(run_id, replace(change, base="" if value == dial.now else value))
        return
    settings = {name: v for name, v in change.settings.items() if name != dial.name}
    settings |= {} if value == dial.now else {dial.name: value}
    set_change(run_id, replace(change, settings=settings))


def _facts(run: RunInfo, events: Sequence[Event], change: RunChange) -> None:
    """A fact of the reader to drop, and the edits made."""
    facts, edits = dials.given_facts(events), change.edits
    if any(edit.purpose == "sync" and not edit.taken for edit in (*edits_of(run.options), *edits)):
        elements.message(DROPPED)
    if facts:
        fact: dials.GivenFact | None = st.selectbox(
            "A fact that the reader gave",
            facts,
            key="what-fact",
            index=None,
            format_func=lambda fact: fact.label,
            placeholder="Choose one to drop",
        )
        if fact is not None:
            st.button("Drop it", key="what-drop", on_click=_drop, args=(run.id, fact, change))
    for place, edit in enumerate(edits):
        words = " ".join(edit.fact)
        line = [words, " · taken"] if edit.taken else [markup.tag("del", words), " · dropped"]
        left, right = st.columns([4, 1], vertical_alignment="center", gap="small")
        left.html(markup.tag("p", *line, class_="gear-change", dir="auto"))
        rest = replace(change, edits=edits[:place] + edits[place + 1 :])
        right.button("Undo", key=f"what-undo-{place}", on_click=set_change, args=(run.id, rest))


def _drop(run_id: str, fact: dials.GivenFact, change: RunChange) -> None:
    key = fact.purpose, fact.words
    edits = [edit for edit in change.edits if (edit.purpose, edit.fact) != key]
    st.session_state["what-fact"] = None
    set_change(run_id, replace(change, edits=(*edits, ReadingEdit(*key))))
