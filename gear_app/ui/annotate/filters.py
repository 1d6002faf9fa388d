"""What is in the queue: the filters, in the address so that two people get the same queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from gear_app.analysis.lost import Cause
from gear_app.annotate.queue import Filters, QueueItem
from gear_app.evaluate.service import EvaluationService
from gear_app.text import normalise_entity
from gear_app.ui.shared import address, elements
from gear_app.views.labels import method_name
from gear_app.workspace import Workspace

MISSED = {"missed": True, "found": False, "all": None}
MISSED_WORDS = {
    "missed": "Missed gold in the first 5",
    "found": "Found all gold",
    "all": "All finished runs",
}
DEFAULTS = {"sample": 0, "seed": 7}
ANY = ""


def pick(workspace: Workspace, collection: str, items: Sequence[QueueItem]) -> Filters:
    """Draw the filters in a popover; what they come to."""
    sets = _sets(workspace, collection)
    methods = [ANY, *sorted({item.method for item in items})]
    types = [ANY, *sorted({item.type for item in items if item.type})]
    causes = [ANY, *(cause.value for cause in Cause if cause is not Cause.FOUND)]
    with st.popover("Filters", icon=":material/filter_list:"):
        missed = _one("Runs", "show", list(MISSED), MISSED_WORDS.__getitem__)
        method = _one("Method", "method", methods, lambda one: method_name(one) if one else "any")
        kind = _one("Question type", "type", types, lambda one: one or "any")
        chosen = _one("Question set", "set", [ANY, *sets], lambda one: sets.get(one, "any"))
        cause = _one("Suggested cause", "cause", causes, lambda one: one or "any")
        if cause:
            elements.message("You know the cause of these: records say that it was seen before.")
        left, right = st.columns(2)
        sample = left.number_input(
            "Random sample",
            0,
            100_000,
            key="annotate-sample",
            value=_number("sample"),
            persist_state="session",
            help="So many runs, drawn at random. 0: all of them",
        )
        seed = right.number_input(
            "Seed", 0, 10**6, key="annotate-seed", value=_number("seed"), persist_state="session"
        )
    for name, value in (("sample", sample), ("seed", seed)):
        address.hold(name, str(value), str(DEFAULTS[name]))
    return Filters(
        method,
        kind,
        cause,
        MISSED[missed],
        int(sample or 0),
        int(seed or 0),
        _questions(workspace, chosen),
    )


def _sets(workspace: Workspace, collection: str) -> dict[str, str]:
    """The question sets of a collection in words, by id, the newest first."""
    service = EvaluationService(workspace)
    ids = [row.id for row in workspace.store.evaluations.all() if row.collection == collection]
    choices = {id_: service.definition(id_).choice for id_ in ids}
    return {id_: choice.words for id_, choice in choices.items() if choice.ids}


def _questions(workspace: Workspace, set_: str) -> frozenset[str]:
    """The questions of a set, normalised; none where none is chosen."""
    if not set_:
        return frozenset()
    definition = EvaluationService(workspace).definition(set_)
    asked = workspace.collections.questions(definition.collection)
    ids = set(definition.questions)
    return frozenset(normalise_entity(one.question) for one in asked if one.id in ids)


def _one(label: str, name: str, options: list[str], words: Callable[[str], str]) -> str:
    key = f"annotate-{name}"
    if key not in st.session_state:
        asked = st.query_params.get(name, "")
        st.session_state[key] = asked if asked in options else options[0]
    elif st.session_state[key] not in options:
        st.session_state[key] = options[0]
    chosen: str = st.selectbox(label, options, key=key, format_func=words, persist_state="session")
    address.hold(name, chosen, options[0])
    return chosen


def _number(name: str) -> int:
    asked = st.query_params.get(name, "")
    return int(asked) if asked.isdecimal() and len(asked) < 6 else DEFAULTS[name]
