"""Which step of a run is shown: the slider, the arrow keys, the strip and the address all move it.

A running run is followed: the newest step is shown until somebody steps back. Meanwhile the address
names no step. On the screen steps count from 1, in the address from 0.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.analysis.timeline import Step


def settle(run_id: str, count: int, start: int, *, live: bool) -> int:
    """Decide the step to show; a finished run opens at `start` where its address names no step."""
    state = st.session_state
    asked = _addressed(run_id, count)
    if state.get("shown_run") != run_id:
        state["shown_run"] = run_id
        state["follow"] = live and asked is None
        state["position"] = asked if asked is not None else start
    elif asked is not None and asked != state.get("written_step"):
        state["position"], state["follow"] = asked, False  # the browser's back button
    if state.get("follow"):
        state["position"] = count - 1
    state["position"] = min(max(state["position"], 0), count - 1)
    state["step"] = state["position"] + 1  # the slider's own state is gone after another page
    return int(state["position"])


def wait(run_id: str) -> None:
    """A run without steps yet will be followed, unless the address names a step."""
    if st.session_state.get("shown_run") != run_id and "step" not in st.query_params:
        st.session_state.update(shown_run=run_id, follow=True, position=0)


def rest() -> None:
    """The run is over: it was followed to its last step, and stays there."""
    st.session_state["follow"] = False


def write() -> None:
    """Put the step into the address, unless the run is followed: that would fill the history."""
    if st.session_state.get("follow"):
        return
    step = st.session_state["position"]
    st.session_state["written_step"] = step
    if st.query_params.get("step") != str(step):
        st.query_params["step"] = str(step)


def go(number: int) -> None:
    """Show this step from now on."""
    st.session_state["position"] = number
    st.session_state["follow"] = False


def controls(steps: Sequence[Step]) -> None:
    """Back, slider, on; Left and Right do the same."""
    count, current = len(steps), int(st.session_state["position"])
    back, slide, on = st.columns([1, 5, 1], vertical_alignment="center", gap="small")
    back.button(
        "",
        icon=":material/chevron_left:",
        shortcut="Left",
        key="back",
        help="Previous step",
        width="stretch",
        disabled=current == 0,
        on_click=go,
        args=(current - 1,),
    )
    with slide:
        st.slider(
            "Step",
            1,
            max(2, count),
            key="step",
            label_visibility="collapsed",
            disabled=count < 2,
            on_change=_moved,
            format=f"%d of {count}",
        )
    on.button(
        "",
        icon=":material/chevron_right:",
        shortcut="Right",
        key="on",
        help="Next step",
        width="stretch",
        disabled=current >= count - 1,
        on_click=go,
        args=(current + 1,),
    )


def _moved() -> None:
    """The slider was moved, or a browser that lags behind sent the one of fewer steps.

    In the second case the value is the one that is shown.
    """
    number = int(st.session_state["step"]) - 1
    if number != st.session_state["position"]:
        go(number)


def _addressed(run_id: str, count: int) -> int | None:
    """The step that the address names, if it is this run's, no further than the last."""
    if st.query_params.get("run") != run_id:  # the address lags behind: its step is another run's
        return None
    value = st.query_params.get("step", "")
    return min(int(value), count - 1) if value.isdigit() and len(value) < 6 else None
