"""Which step of a run is shown: the one that the address names, from 0; without one the newest step
of a run that is followed, else the step that a run opens at.
"""

from __future__ import annotations

import streamlit as st

from gear_app.app.explore import why_not
from gear_app.app.shared import address
from gear_app.store.rows import RunInfo
from gear_app.trace import gold
from gear_app.trace.evidence import evidence_of
from gear_app.trace.trace import RunTrace
from gear_app.workspace.workspace import Workspace


def current(workspace: Workspace, run: RunInfo, trace: RunTrace, *, hidden: bool) -> int:
    """The step to show; `hidden`: later steps are not shown yet."""
    last = len(trace.steps) - 1
    named = st.query_params.get("step", "") if address.names(run.id) else ""
    if named.isdecimal() and len(named) < 6:
        return min(int(named), last)
    if not run.ended:
        st.session_state[address.FOLLOWED] = run.id
    if st.session_state.get(address.FOLLOWED) == run.id:
        return last
    if hidden:
        return 0
    decisive = why_not.lost_or_found_step(workspace, run)
    if decisive is None and (run.gold or not evidence_of(trace)):
        decisive = gold.opening_step(trace, run.gold)
    return last if decisive is None else decisive


def go_to(run_id: str, number: int) -> None:
    """Show this step from now on, with nothing selected in it."""
    st.session_state.pop(address.FOLLOWED, None)
    address.write(**address.NOTHING_SELECTED, run=run_id, step=str(number))


def controls(run_id: str, number: int, count: int) -> None:
    """Buttons to the step before and the next one; Left and Right do the same.

    The style sheet draws the buttons' names as arrows: screen readers read the names.
    """
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="controls"
    ):
        st.button(
            "Previous step",
            shortcut="Left",
            key="back",
            disabled=number == 0,
            on_click=go_to,
            args=(run_id, number - 1),
        )
        st.caption(f"{number + 1} of {count}", width="content")
        st.button(
            "Next step",
            shortcut="Right",
            key="on",
            disabled=number >= count - 1,
            on_click=go_to,
            args=(run_id, number + 1),
        )
