"""What the address bar holds of a page, so that a reload, a link and the back button come back to
it: the address wins over what the session remembers. `run` is a stored run by its id, `step` where
in it Explore is (ui/explore/position.py).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

import streamlit as st

from gear_app.app.shared.session import CHANGED, EXPLORE


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


WHY, CUT = "why", "k"  # of Explore: what decided about a passage, by key, among the first how many


def current_run() -> str | None:
    """The run of the address, else the last one this session looked at."""
    run_id = None if CHANGED in st.session_state else st.query_params.get("run")
    return run_id or st.session_state.get("run")


def remember(run_id: str) -> None:
    """Keep the run that is shown in the session and in the address, for reloads and links."""
    st.session_state["run"] = run_id
    st.session_state.pop("asking_of", None)
    if st.query_params.get("run") != run_id:
        for name in (WHY, CUT, "passage", "card"):
            st.query_params.pop(name, None)
        st.query_params["run"] = run_id


def open_run(run_id: str, *, fresh: bool = False) -> None:
    """Show a run: its id goes into the session and the address, at no particular step.

    `fresh`: it was asked for just now and is followed to its last step, however soon it is over.
    """
    st.session_state["run"] = run_id
    for key in ("shown_run", "asking_of"):
        st.session_state.pop(key, None)
    if fresh:
        st.session_state.update(shown_run=run_id, follow=True, position=0)
    for name in ("step", WHY, CUT):
        st.query_params.pop(name, None)
    st.query_params["run"] = run_id


def explore(
    run_id: str, step: int | None = None, passage: str = "", k: int | None = None
) -> NoReturn:
    """Go to a run's Explore view: at a step, at the one that decided about a passage, by key, being
    among the first k, or where it opens by itself.
    """
    st.session_state["run"] = run_id
    for key in ("shown_run", "asking_of"):
        st.session_state.pop(key, None)
    address = {"run": run_id} if step is None else {"run": run_id, "step": str(step)}
    if passage:
        address |= {"all": "1", WHY: passage, "passage": passage}
        address |= {} if k is None else {CUT: str(k)}
    st.switch_page(EXPLORE, query_params=address)


def follow_run(run_id: str) -> NoReturn:
    """Go to Explore and follow a run that was asked for just now."""
    open_run(run_id, fresh=True)
    st.switch_page(EXPLORE, query_params={"run": run_id})
