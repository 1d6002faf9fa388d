"""Switches of Explore that are kept in the session and in the address: `all=1`, `present=1`.

The session holds them from one run to the next. The address turns them on for somebody who opens a
link, and follows the browser's back button.
"""

from __future__ import annotations

from typing import Literal

import streamlit as st

Name = Literal["all", "present"]


def settle(name: Name, run_id: str) -> bool:
    """Whether the switch is on; afterwards the address says so too.

    Called before the run is marked as shown, so that a run opened just now can be told from the one
    that the browser goes back in.
    """
    state = st.session_state
    written = state.get(f"written-{name}")
    asked = st.query_params.get(name) == "1"
    there = st.query_params.get("run") == run_id  # else the address lags behind
    changed = written is not None and asked != written
    # Without a step the address is that of a page that was just come back to, not of a step before.
    went_back = changed and state.get("shown_run") == run_id and "step" in st.query_params
    opened = state.get("shown_run") != run_id and asked
    if there and (name not in state or went_back or opened):
        state[name] = asked
    on = bool(state.get(name))
    state[f"written-{name}"] = on
    if on and not asked:
        st.query_params[name] = "1"
    elif asked and not on:
        st.query_params.pop(name)
    return on


def turn(name: Name, *, on: bool) -> None:
    """Turn a switch on or off; the address follows when it is settled."""
    st.session_state[name] = on
