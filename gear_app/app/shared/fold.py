"""The bar with which a page is asked: once something is shown it folds away, so that what one looks
at begins on top; a button of the page unfolds it.
"""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator


def bar(page: str, *, in_use: bool) -> DeltaGenerator:
    """Container of the page's bar: all of it, out of sight while it is `in_use` and folded."""
    folded = in_use and not st.session_state.get(_key(page))
    return st.container(key=f"{page}-bar-folded" if folded else f"{page}-bar")


def button(page: str, label: str) -> None:
    """The button that unfolds the page's bar, and folds it again."""
    unfolded = bool(st.session_state.get(_key(page)))
    if st.button(
        "Fold" if unfolded else label,
        key=f"{page}-fold",
        type="tertiary",
        icon=":material/expand_less:" if unfolded else ":material/edit:",
        on_click=turn,
        args=(page,),
        kwargs={"on": not unfolded},
    ):
        st.rerun()  # of the whole page: the bar is no part of what is drawn again as a run goes on


def turn(page: str, *, on: bool) -> None:
    """Unfold the page's bar, or fold it."""
    st.session_state[_key(page)] = on


def _key(page: str) -> str:
    return f"{page}-unfolded"
