"""Fields to choose from: method and base, reader."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from gear_app.app.shared import language_models, session
from gear_app.app.shared.language_models import READER
from gear_app.core import demonstration
from gear_app.core.errors import GearError
from gear_app.display.compare.entries import reads
from gear_app.display.labels import LLM, base_name, method_name, reader_name
from gear_app.methods import METHODS, bases, parse
from gear_app.methods.method import DEFAULT_BASE
from gear_app.workspace.collections.first_method import USUAL

DEEPEST = 3  # an iterative method over SyncGE over a base retriever


def seed_method(name: str | None) -> None:
    """Put a method's name into the pickers; an unknown one becomes the first choice."""
    try:
        method = parse(name)[0] if name else USUAL
    except GearError:
        name, method = None, USUAL
    beneath = (name or "").split(":")[1:]
    st.session_state["method"] = method
    for depth in range(1, DEEPEST):
        st.session_state[_base_key(depth)] = (
            beneath[depth - 1] if depth <= len(beneath) else DEFAULT_BASE
        )


def pick_method() -> str:
    """Draw the pickers; the name of what is chosen, `ircot:hipporag`."""
    st.selectbox(
        "Method",
        list(METHODS),
        key="method",
        format_func=lambda method: f"{method_name(method)} — {METHODS[method].summary}",
        # A name that is typed means that method: a summary may name others, and a name be part of
        # another's.
        filter_mode="prefix",
        label_visibility="collapsed",
        width=330,
        persist_state="session",
    )
    for depth, (options, _) in enumerate(_bases(), start=1):
        st.selectbox(
            "Retriever beneath " + ("the method" if depth == 1 else "that one"),
            options,
            key=_base_key(depth),
            format_func=lambda base: f"over {base_name(base)}",
            label_visibility="collapsed",
            width=140,
            persist_state="session",
        )
    return chosen_method()


def chosen_method() -> str:
    """The name of what is chosen; hybrid at the end goes without saying."""
    names = [st.session_state["method"], *(base for _, base in _bases())]
    return ":".join(names[:-1] if len(names) > 1 and names[-1] == DEFAULT_BASE else names)


def _bases() -> list[tuple[tuple[str, ...], str]]:
    """The options and the choice of each picker beneath the method.

    A choice that no longer fits becomes hybrid.
    """
    pickers: list[tuple[tuple[str, ...], str]] = []
    method = st.session_state["method"]
    while options := bases(method):
        key = _base_key(len(pickers) + 1)
        if st.session_state.get(key) not in options:
            st.session_state[key] = DEFAULT_BASE
        method = st.session_state[key]
        pickers.append((options, method))
    return pickers


def _base_key(depth: int) -> str:
    return "base" if depth == 1 else f"base-{depth}"


LOCAL = "local"


def pick_reader(method: str, *, answers: bool = False) -> None:
    """Who reads, where the method or an answer needs a reader; without a model the way to one."""
    if not (answers or reads(method)):
        return
    if language_models.chosen():
        reader_field(READER, width=150)
    else:
        way_to_settings()


def reader_field(
    key: str,
    *,
    label: Literal["visible", "collapsed"] = "collapsed",
    width: int | Literal["stretch"] = "stretch",
) -> None:
    """A choice between the local reader and the session's language model, where there is one."""
    spec = language_models.chosen()
    options = [LOCAL, LLM] if spec else [LOCAL]
    if st.session_state.get(key) not in options:
        st.session_state[key] = LOCAL
    st.selectbox(
        "Reader",
        options,
        key=key,
        format_func=lambda reader: reader_name(reader, spec.model if spec else ""),
        label_visibility=label,
        width=width,
        persist_state="session",
    )


def way_to_settings() -> None:
    """A short way to choose a language model, where none is chosen."""
    if language_models.chosen() is None and not demonstration.is_on():
        st.page_link(
            session.SETTINGS,
            label="Local reader: change…",
            icon=":material/settings:",
            help="The local reader reads. On Settings a language model can be chosen instead",
        )


def chosen_reader(method: str, *, answers: bool = False) -> str:
    """The name of the reader for a run of this method, or of one that `answers`."""
    model = (answers or reads(method)) and language_models.chosen()
    return str(st.session_state.get(READER, LOCAL)) if model else LOCAL
