"""A method with settings of its own as one more column: its base, its configuration, its triples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from gear_app.config import choices, overridden, settings
from gear_app.errors import BadInput, GearError
from gear_app.retrievers import METHODS, bases, config_for, method_of
from gear_app.ui import session
from gear_app.views.compare_entries import MOST, USUAL_K, Entry, defaults, described
from gear_app.views.names import base_name, method_name
from gear_app.workspace import CollectionInfo

ACROSS = 3
DEFAULT_BASE = "hybrid"
# A closed popover's fields are not drawn in the browser, which would show and send back the first
KEPT: Literal["session"] = "session"


def add(collection: CollectionInfo) -> None:
    """The popover; what is added stands among the chosen methods afterwards."""
    state = st.session_state
    with st.popover("With settings", help="Add a method with another base or other settings", width="content"):
        columns = st.columns(ACROSS)
        state.setdefault("variant-method", "gear")
        columns[0].selectbox("Method", list(METHODS), format_func=method_name, key="variant-method", persist_state=KEPT)
        names = _names()
        for depth, above in enumerate(names[:-1], start=1):
            label = "Base" if depth == 1 else f"Base of {method_name(above)}"
            columns[depth].selectbox(
                label, bases(above), format_func=base_name, key=_base_key(names[:depth]), persist_state=KEPT
            )
        if METHODS[names[0]].triples:
            sets: list[str | None] = [None, *(found.name for found in collection.triple_sets)]
            st.selectbox(
                "Triples",
                sets,
                format_func=_set_words,
                key=f"variant-triples-{collection.name}",
                width=260,
                persist_state=KEPT,
            )
        _fields(_name(), collection)
        session.say(state.pop("variant-error", ""), "bad")
        st.button("Add to the comparison", key="variant-add", on_click=_add, args=(collection.name,))


def _names() -> list[str]:
    """The method that is chosen and the bases beneath it, each as chosen, at first hybrid."""
    names = [st.session_state["variant-method"]]
    while bases(names[-1]):
        names.append(st.session_state.setdefault(_base_key(names), DEFAULT_BASE))
    return names


def _name() -> str:
    """The same as one name; hybrid at the end goes without saying."""
    names = _names()
    return ":".join(names[:-1] if len(names) > 1 and names[-1] == DEFAULT_BASE else names)


def _base_key(names: Sequence[str]) -> str:
    return f"variant-base-{':'.join(names)}"


def _set_words(name: str | None) -> str:
    return name or "the active set"


def _fields(name: str, collection: CollectionInfo) -> None:
    """A field for every setting, empty for its default."""
    usual, fixed = defaults(name, collection.max_iterations), choices(config_for(name))
    columns = st.columns(ACROSS)
    for place, (setting, value) in enumerate([*usual.items(), ("k", USUAL_K)]):
        key = _key(name, setting)
        with columns[place % ACROSS]:
            if setting in fixed:
                st.selectbox(setting, fixed[setting], index=None, key=key, placeholder=str(value), persist_state=KEPT)
            else:
                st.text_input(setting, key=key, placeholder=str(value), help=_help(setting), persist_state=KEPT)


def _key(name: str, setting: str) -> str:
    return f"variant-{name}-{setting}"


def _help(setting: str) -> str | None:
    return "Passages of the first retrieval, for methods of one step" if setting == "k" else None


def _add(collection: str) -> None:
    state = st.session_state
    entries: list[Entry] = state["compare-entries"]
    try:
        entry = _entry(collection)
    except GearError as error:
        state["variant-error"] = str(error)
        return
    if entry in entries:
        state["variant-error"] = f"{described(entry)} is chosen already. Change a setting."
    elif len(entries) >= MOST:
        state["variant-error"] = f"{MOST} methods are chosen already. Take one out first."
    else:
        state["compare-entries"] = [*entries, entry]


def _entry(collection: str) -> Entry:
    """The entry as the fields stand, its settings checked and written as a run stores them. Raises BadInput."""
    state = st.session_state
    name = _name()
    written = {setting: str(state.get(_key(name, setting)) or "").strip() for setting in settings(config_for(name))}
    given = {setting: value for setting, value in written.items() if value}
    config = settings(overridden(config_for(name), given))
    k = str(state.get(_key(name, "k")) or "").strip() or str(USUAL_K)
    if not (k.isdecimal() and len(k) < 6):
        raise BadInput(f"k takes a whole number, not {k!r}")
    triples = state.get(f"variant-triples-{collection}") if method_of(name).triples else None
    return Entry(name, tuple((setting, str(config[setting])) for setting in given), triples, int(k))
