"""What the address bar holds of a page, so that a reload, a link and the back button come back to
it: the address wins over what the session remembers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st


def named(name: str, known: Collection[str] = ()) -> str:
    """A parameter of the address; "" for none, and for one that is not among the known, if any."""
    value = st.query_params.get(name, "")
    return value if not known or value in known else ""


def hold(name: str, value: str, usual: str = "") -> None:
    """Write a parameter down; one that says what is usual is left out."""
    if value == usual:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value


def follow(key: str, name: str, usual: str = "") -> None:
    """Give a text field what the address says, before it is drawn.

    Its `on_change` should be `hold_field`, so that what is typed gets there.
    """
    said = st.query_params.get(name, usual)
    if st.session_state.get(key) != said:
        st.session_state[key] = said


def hold_field(key: str, name: str, usual: str = "") -> None:
    """Write down what a field says now."""
    hold(name, str(st.session_state.get(key) or ""), usual)


TAB = "tab"


def follow_tab(key: str, tabs: Mapping[str, str]) -> None:
    """Open the tab of an address that is new to this session, before the tabs are drawn.

    `tabs` are their labels, by what the address calls them; the first is the usual one. Their
    `on_change` should be `hold_tab`.
    """
    state = st.session_state
    usual = next(iter(tabs))
    asked = named(TAB, tabs) or usual
    if key not in state or asked != state.get(f"{key}-followed", usual):
        state[key] = tabs[asked]
    hold_tab(key, tabs)


def hold_tab(key: str, tabs: Mapping[str, str]) -> None:
    """Write down which tab is open."""
    usual = next(iter(tabs))
    label = st.session_state.get(key)
    tab = next((name for name, words in tabs.items() if words == label), usual)
    hold(TAB, tab, usual)
    st.session_state[f"{key}-followed"] = tab
