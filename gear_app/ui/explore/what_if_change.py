"""What is changed in a what-if: kept in the session and in the address.

The address has `what=` with the change as JSON, or `open`.
"""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.workspace import RunChange, RunInfo

ADDRESS, OPEN = "what", "open"


def settle(run: RunInfo) -> bool:
    """Whether what-if is open for this run; afterwards the address says so, and what is changed."""
    state, asked = st.session_state, st.query_params.get(ADDRESS, "")
    kept = state.get("what-if")
    written = state.get("written-what", "")
    there = st.query_params.get("run") == run.id
    if kept is None or kept["run"] != run.id:
        kept = {"run": run.id, "open": False, "change": RunChange(), "pins": []}
        if there and asked and asked != written:
            kept |= _addressed(run, asked)
        state["what-if"] = kept
    elif there and asked != written:  # the browser's back button, or a link to the same run
        kept |= _addressed(run, asked)
    _write(kept)
    return bool(kept["open"])


def _addressed(run: RunInfo, asked: str) -> dict[str, object]:
    if asked in ("", OPEN):
        return {"open": asked == OPEN, "change": RunChange()}
    try:
        change = RunChange.from_json(asked)
        change.check(run)
        return {"open": True, "change": change}
    except GearError as error:
        st.session_state["what-error"] = str(error)
        return {"open": True, "change": RunChange()}


def _write(kept: dict[str, object]) -> None:
    change = kept["change"]
    assert isinstance(change, RunChange)
    wanted = (change.to_json() or OPEN) if kept["open"] else ""
    st.session_state["written-what"] = wanted
    if wanted and st.query_params.get(ADDRESS) != wanted:
        st.query_params[ADDRESS] = wanted
    elif not wanted and ADDRESS in st.query_params:
        st.query_params.pop(ADDRESS)


def is_open() -> bool:
    """Whether it is open for the run that is shown."""
    return bool(st.session_state.get("what-if", {}).get("open"))


def turn(*, on: bool) -> None:
    """Open or close what-if for the run that is shown."""
    st.session_state.setdefault("what-if", {"run": ""})["open"] = on


def current_change() -> RunChange:
    """The change as it is set now, of the run that is shown."""
    found: RunChange = st.session_state["what-if"]["change"]
    return found


def set_change(change: RunChange) -> None:
    """Make this the change."""
    st.session_state["what-if"]["change"] = change
