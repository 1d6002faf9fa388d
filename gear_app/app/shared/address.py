"""What the address names, so that a reload, a link and the back button come back to it. `run` is a
stored run by its id, `step` the step of it that Explore shows.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn

import streamlit as st

from gear_app.app.shared.session import EXPLORE

FOLLOWED = "followed"  # in the session: the run whose newest step is shown
CAUSE, CUT = (
    "why",
    "k",
)  # of Explore: what decided about a passage, by key, among the first how many
CARD, PASSAGE = "card", "passage"  # what is selected in a picture, in a ranking
CHANGE = "what"  # the change of a what-if
NOTHING_SELECTED = {CARD: "", PASSAGE: ""}
NO_RUN = {"run": "", "step": "", CAUSE: "", CUT: "", CHANGE: "", **NOTHING_SELECTED}


def named(name: str, allowed: Collection[str] = ()) -> str:
    """A parameter of the address; "" for none, and for one that is not among those `allowed`."""
    value = st.query_params.get(name, "")
    return value if not allowed or value in allowed else ""


def names(run_id: str) -> bool:
    """Whether the address names this run: its other parameters are about it."""
    return bool(named("run")) and run_id.startswith(named("run"))


def write(**values: str) -> None:
    """Write parameters down, as one entry of the browser's history; "" removes one."""
    if any(named(name) != value for name, value in values.items()):
        st.query_params.update({name: value or () for name, value in values.items()})


def hold(name: str, value: str) -> None:
    """Write one parameter down; "" removes it."""
    write(**{name: value})


def current_run() -> str | None:
    """The run of the address, else the last one of this session; "" where none is to be shown."""
    return named("run") or st.session_state.get("run")


def open_run(run_id: str, *, fresh: bool = False) -> None:
    """Show a run at the step it opens at; "" shows none.

    `fresh`: it was asked for just now and is followed to its last step, however soon it is over.
    """
    st.session_state.update({"run": run_id, FOLLOWED: run_id if fresh else None})
    write(**{**NO_RUN, "run": run_id})


def explore(
    run_id: str, step: int | None = None, passage: str = "", k: int | None = None
) -> NoReturn:
    """Go to a run's Explore view: at a step, at the one that decided about a passage, by key, being
    among the first k, or where it opens by itself.
    """
    st.session_state.update({"run": run_id, FOLLOWED: None})
    address = {"run": run_id} if step is None else {"run": run_id, "step": str(step)}
    if passage:
        address |= {CAUSE: passage, PASSAGE: passage}
        address |= {} if k is None else {CUT: str(k)}
    st.switch_page(EXPLORE, query_params=address)


def follow_run(run_id: str) -> NoReturn:
    """Go to Explore and follow a run that was asked for just now."""
    open_run(run_id, fresh=True)
    st.switch_page(EXPLORE, query_params={"run": run_id})
