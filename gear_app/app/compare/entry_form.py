"""A method with settings of its own as one more column: its base, configuration and triples."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.app.shared import elements, language_models, pickers
from gear_app.app.shared import method_settings as fields
from gear_app.core.errors import GearError
from gear_app.core.overrides import overridden, settings
from gear_app.display.compare.entries import MOST, USUAL_K, Entry, defaults, entry_words, reads
from gear_app.display.labels import base_name, method_name
from gear_app.display.settings import form, in_words
from gear_app.methods import METHODS, bases, config_for, uses_triples
from gear_app.methods.method import DEFAULT_BASE
from gear_app.store.rows import CollectionInfo

ACROSS = 3
READER = "variant-reader"


def add(collection: CollectionInfo) -> None:
    """The popover; what is added stands among the chosen methods afterwards."""
    state = st.session_state
    with st.popover(
        "With settings", help="Add a method with another base or other settings", width="content"
    ):
        columns = st.columns(ACROSS)
        state.setdefault("variant-method", "gear")
        columns[0].selectbox(
            "Method",
            list(METHODS),
            format_func=method_name,
            key="variant-method",
            persist_state="session",
        )
        names = _names()
        for depth, above in enumerate(names[:-1], start=1):
            label = "Base" if depth == 1 else f"Base of {method_name(above)}"
            columns[depth].selectbox(
                label,
                bases(above),
                format_func=base_name,
                key=_base_key(names[:depth]),
                persist_state="session",
            )
        _reader_passages_and_triples(collection)
        fields.paper_switch(_name(), lambda setting: _key(_name(), setting), collection)
        elements.message(state.pop("variant-error", ""), "bad")
        st.button("Add to the comparison", key="variant-add", on_click=_add, args=(collection,))
        with st.expander("All settings"):
            fields.fields(form(_name()), lambda setting: _key(_name(), setting), collection, ACROSS)


def _reader_passages_and_triples(collection: CollectionInfo) -> None:
    """The triple set, k and who reads, for methods that use them."""
    columns, name = iter(st.columns(ACROSS)), _name()
    if uses_triples(name, reader=True):
        sets: list[str | None] = [None, *(set_.name for set_ in collection.triple_sets)]
        next(columns).selectbox(
            "Triples",
            sets,
            format_func=lambda name: name or "the active set",
            key=_triples_key(collection),
            persist_state="session",
        )
    if fields.takes_k(form(name)):
        st.session_state.setdefault(_key(name, "k"), USUAL_K)
        next(columns).number_input(
            "k", 1, fields.MOST_K, key=_key(name, "k"), help=fields.K_HELP, persist_state="session"
        )
    if reads(name) and language_models.chosen():
        with next(columns):
            pickers.reader_field(READER, label="visible")


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


def _triples_key(collection: CollectionInfo) -> str:
    return f"variant-triples-{collection.name}"


def _key(name: str, setting: str) -> str:
    return f"variant-{name}-{setting}"


def _add(collection: CollectionInfo) -> None:
    state = st.session_state
    entries: list[Entry] = state["compare-entries"]
    try:
        entry = _entry(collection)
    except GearError as error:
        state["variant-error"] = in_words(str(error), _name())
        return
    if entry in entries:
        words = entry_words(entry, limit=collection.max_iterations)
        state["variant-error"] = f"{words} is chosen already. Change a setting."
    elif len(entries) >= MOST:
        state["variant-error"] = f"{MOST} methods are chosen already. Take one out first."
    else:
        state["compare-entries"] = [*entries, entry]


def _entry(collection: CollectionInfo) -> Entry:
    """The entry as the fields stand: its settings that are not the defaults. Raises BadInput."""
    state, name = st.session_state, _name()
    usual = defaults(name, collection.max_iterations)
    current = {setting.name: state.get(_key(name, setting.name)) for setting in form(name)}
    given = {
        setting: value
        for setting, value in current.items()
        if value not in (None, "", usual.get(setting))
    }
    config = given | settings(overridden(config_for(name), given))
    triples = state.get(_triples_key(collection)) if uses_triples(name, reader=True) else None
    k = int(state[_key(name, "k")]) if fields.takes_k(form(name)) else USUAL_K
    reader = str(state.get(READER, pickers.LOCAL)) if reads(name) else pickers.LOCAL
    return Entry(
        name, tuple((setting, str(config[setting])) for setting in given), triples, k, reader
    )
