"""Fields and popovers to choose from: method and base, reader, question, and earlier run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import streamlit as st

from gear_app.errors import GearError
from gear_app.retrievers import METHODS, bases, parse
from gear_app.text import count
from gear_app.types import Question
from gear_app.ui.shared import language_models, session
from gear_app.ui.shared.language_models import READER
from gear_app.views.compare.entries import reads
from gear_app.views.labels import LLM, base_name, method_name, reader_name
from gear_app.workspace import RunInfo, Workspace

FIRST_METHOD, DEFAULT_BASE = "gear", "hybrid"
DEEPEST = 3  # an iterative method over SyncGE over a base retriever


def seed_method(name: str | None) -> None:
    """Put a method's name into the pickers; an unknown one becomes the first choice."""
    try:
        method = parse(name)[0] if name else FIRST_METHOD
    except GearError:
        name, method = None, FIRST_METHOD
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
        format_func=_method_words,
        # A name that is typed means that method: a summary may name others, and a name be part of
        # another's.
        filter_mode="prefix",
        label_visibility="collapsed",
        width=440,
        persist_state="session",
    )
    for depth, (options, _) in enumerate(_bases(), start=1):
        st.selectbox(
            f"Base {depth}",
            options,
            key=_base_key(depth),
            format_func=_base_words,
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


def _method_words(method: str) -> str:
    return f"{method_name(method)} — {METHODS[method].summary}"


def _base_words(base: str) -> str:
    return f"over {base_name(base)}"


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
    if language_models.chosen() is None:
        st.page_link(
            session.SETTINGS,
            label="Local reader",
            icon=":material/swap_horiz:",
            help="It reads. Choose a language model to read instead",
        )


def chosen_reader(method: str, *, answers: bool = False) -> str:
    """The name of the reader for a run of this method, or of one that `answers`."""
    asked = (answers or reads(method)) and language_models.chosen()
    return str(st.session_state.get(READER, LOCAL)) if asked else LOCAL


def pick_question(workspace: Workspace, collection: str, *, key: str, into: str) -> None:
    """A popover with the collection's questions; the picked one goes to the field `into`."""
    with st.popover("Questions", help="Pick one of the collection's own questions"):
        questions = workspace.collections.questions(collection)
        if not questions:
            st.caption(
                "This collection came without questions. Type one of your own in the field beside."
            )
            return
        st.selectbox(
            count(len(questions), "question"),
            questions,
            index=None,
            format_func=_question_words,
            key=key,
            placeholder="Search them",
            on_change=_picked,
            args=(key, into),
            width=640,
        )


def _question_words(question: Question) -> str:
    kind = ", ".join(
        filter(None, [question.type or "", f"{question.hops} hops" if question.hops else ""])
    )
    return question.question + (f"  ({kind})" if kind else "")


def _picked(key: str, into: str) -> None:
    picked: Question | None = st.session_state.get(key)
    if picked:
        st.session_state[into] = picked.question


def pick_run(
    runs: Sequence[RunInfo],
    *,
    label: str,
    about: str,
    empty: str,
    words: Callable[[RunInfo], str],
    key: str,
    on_change: Callable[[], None],
) -> None:
    """A popover with runs; the one that is picked is in the session under `key` at `on_change`.

    `empty` stands there where there are no runs; `words` are what a run is found by.
    """
    with st.popover("Runs", help=about):
        if not runs:
            st.caption(empty)
            return
        st.selectbox(
            label,
            runs,
            index=None,
            format_func=words,
            key=key,
            placeholder="Search them",
            on_change=on_change,
            width=640,
        )
