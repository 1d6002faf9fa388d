"""A method with settings of its own as one more column: its base, its configuration, its triples."""

from __future__ import annotations

import streamlit as st

from gear_app.config import choices, overridden, settings
from gear_app.errors import BadInput, GearError
from gear_app.retrievers import BASES, METHODS, config_for
from gear_app.ui import session
from gear_app.views.compare_entries import MOST, USUAL_K, Entry, defaults, described
from gear_app.views.header import method_name
from gear_app.workspace import CollectionInfo

ACROSS = 3


def add(collection: CollectionInfo) -> None:
    """The popover; what is added stands among the chosen methods afterwards."""
    state = st.session_state
    with st.popover("With settings", help="Add a method with another base or other settings", width="content"):
        left, middle, right = st.columns(ACROSS)
        state.setdefault("variant-method", "gear")
        method: str = left.selectbox("Method", list(METHODS), format_func=method_name, key="variant-method")
        if bases := _bases(method):
            middle.selectbox("Base", bases, format_func=method_name, key=f"variant-base-{method}")
        if METHODS[method].triples:
            sets: list[str | None] = [None, *(found.name for found in collection.triple_sets)]
            right.selectbox("Triples", sets, format_func=_set_words, key=f"variant-triples-{collection.name}")
        _fields(_name(method), collection)
        session.say(state.pop("variant-error", ""), "bad")
        st.button("Add to the comparison", key="variant-add", on_click=_add, args=(collection.name,))


def _name(method: str) -> str:
    """The method with the base that is chosen for it."""
    base = st.session_state.get(f"variant-base-{method}") or "hybrid"
    return f"{method}:{base}" if METHODS[method].over != "nothing" and base != "hybrid" else method


def _bases(method: str) -> list[str]:
    match METHODS[method].over:
        case "search":
            return sorted(BASES, key=lambda base: base != "hybrid")
        case "step":
            return sorted((name for name, found in METHODS.items() if found.single_step), key=lambda n: n != "hybrid")
        case _:
            return []


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
                st.selectbox(setting, fixed[setting], index=None, key=key, placeholder=str(value))
            else:
                st.text_input(setting, key=key, placeholder=str(value), help=_help(setting))


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
    method: str = state["variant-method"]
    name = _name(method)
    written = {setting: str(state.get(_key(name, setting)) or "").strip() for setting in settings(config_for(name))}
    given = {setting: value for setting, value in written.items() if value}
    config = settings(overridden(config_for(name), given))
    k = str(state.get(_key(name, "k")) or "").strip() or str(USUAL_K)
    if not (k.isdecimal() and len(k) < 6):
        raise BadInput(f"k takes a whole number, not {k!r}")
    triples = state.get(f"variant-triples-{collection}") if METHODS[method].triples else None
    return Entry(name, tuple((setting, str(config[setting])) for setting in given), triples, int(k))
