"""Forms that are empty again once what they held was taken, and not before.

Streamlit's own `clear_on_submit` empties the fields when the button is pressed: the second press of
a double click then sends nothing, and stops the script that was about to take what the first sent.
"""

from __future__ import annotations

import streamlit as st


def key_of(form: str, field: str) -> str:
    """The key of a field of a form, another one after each time that the form was taken."""
    return f"{field}-{st.session_state.get(_count(form), 0)}"


def taken(form: str) -> None:
    """What the form held is read: its fields are new, and so empty, when next drawn.

    To be called before it is worked on: a second press of the button begins the script anew at the
    next access to the session, and would find the form as it was.
    """
    st.session_state[_count(form)] = st.session_state.get(_count(form), 0) + 1


def given_back(form: str) -> None:
    """What was taken could not be kept: the fields are those of before, with what was in them."""
    st.session_state[_count(form)] -= 1


def _count(form: str) -> str:
    return f"{form}-taken"
