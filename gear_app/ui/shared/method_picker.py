"""Which method is asked, and what it is over: one picker for the method, one for each base beneath
it.
"""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.retrievers import METHODS, bases, parse
from gear_app.views.names import base_name, method_name

FIRST, DEFAULT_BASE = "gear", "hybrid"
DEEPEST = 3  # an iterative method over SyncGE over a base retriever


def seed(name: str | None) -> None:
    """Put a method's name into the pickers; one that is not known any more becomes the first
    choice.
    """
    try:
        method = parse(name)[0] if name else FIRST
    except GearError:
        name, method = None, FIRST
    beneath = (name or "").split(":")[1:]
    st.session_state["method"] = method
    for depth in range(1, DEEPEST):
        st.session_state[_key(depth)] = (
            beneath[depth - 1] if depth <= len(beneath) else DEFAULT_BASE
        )


def pick() -> str:
    """Draw the pickers; the name of what is chosen, `ircot:hipporag`."""
    st.selectbox(
        "Method",
        list(METHODS),
        key="method",
        format_func=_described,
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
            key=_key(depth),
            format_func=_over,
            label_visibility="collapsed",
            width=140,
            persist_state="session",
        )
    return chosen()


def chosen() -> str:
    """The name of what is chosen; hybrid at the end goes without saying."""
    names = [st.session_state["method"], *(base for _, base in _bases())]
    return ":".join(names[:-1] if len(names) > 1 and names[-1] == DEFAULT_BASE else names)


def _bases() -> list[tuple[tuple[str, ...], str]]:
    """For each picker beneath the method its options and what is chosen; one that no longer fits
    becomes hybrid.
    """
    found: list[tuple[tuple[str, ...], str]] = []
    method = st.session_state["method"]
    while options := bases(method):
        key = _key(len(found) + 1)
        if st.session_state.get(key) not in options:
            st.session_state[key] = DEFAULT_BASE
        method = st.session_state[key]
        found.append((options, method))
    return found


def _key(depth: int) -> str:
    return "base" if depth == 1 else f"base-{depth}"


def _described(method: str) -> str:
    return f"{method_name(method)} — {METHODS[method].summary}"


def _over(base: str) -> str:
    return f"over {base_name(base)}"
