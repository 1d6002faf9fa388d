"""Which step of a run is shown, and whether all of the run is, or one step on a hall's screen.

The slider, the arrow keys, the strip and the address all move the step.

A running run is followed: the newest step is shown until somebody steps back. Meanwhile the
address names no step. On the screen steps count from 1, in the address from 0.

Two switches, `all=1` and `present=1`, stand in the session from one run to the next. The address
turns them on for somebody who opens a link, and follows the browser's back button.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import streamlit as st

from gear_app.app.explore import why_not
from gear_app.app.shared import components, session
from gear_app.store.rows import RunInfo
from gear_app.trace import gold as golds
from gear_app.trace.events import Event
from gear_app.trace.evidence import evidence_of
from gear_app.trace.timeline import Step, opening_step
from gear_app.workspace.workspace import Workspace

LEFT_AT = "left_at"  # in the state: the step at which each run was shown last
SLIDER = "step-slider"  # in the state: the key of the slider that is shown
Switch = Literal["all", "present"]
MOVED = "step-moved"  # in the state: somebody moved the step, and it was not shown yet


def settle(
    workspace: Workspace,
    run: RunInfo,
    events: Sequence[Event],
    steps: Sequence[Step],
    *,
    live: bool,
    everything: bool,
) -> int:
    """The step to show; the address says it too."""
    decisive = None
    if everything and st.session_state.get("shown_run") != run.id:  # else nobody asks where to open
        decisive = why_not.deciding_step(workspace, run)
    if everything and decisive is None:
        decisive = golds.decisive_step(events, run.gold)
    start = opening_step(decisive, len(steps), live=live, everything=everything)
    if not run.gold and evidence_of(events):
        start = len(steps) - 1  # where what was found is shown
    number = _settle_step(run.id, len(steps), start, live=live)
    if not live:  # it was followed to its last step, and stays there
        st.session_state["follow"] = False
    _write_step()
    return number


def _settle_step(run_id: str, count: int, start: int, *, live: bool) -> int:
    """Decide the step to show; a finished run opens at `start` where its address names no step."""
    state = st.session_state
    addressed, moved = _addressed(run_id, count), state.pop(MOVED, False)
    if state.get("shown_run") != run_id:
        if state.get("shown_run"):  # the browser's back button: not opened anew, but come back to
            start = state.get(LEFT_AT, {}).get(run_id, start)
        state["shown_run"] = run_id
        state["follow"] = live and addressed is None
        state["position"] = addressed if addressed is not None else start
    # A move comes with the address as the browser has it, which may be of a step before the last.
    elif not moved and addressed is not None and addressed != state.get("written_step"):
        state["position"], state["follow"] = addressed, False  # the browser's back button
    if state.get("follow"):
        state["position"] = count - 1
    state["position"] = min(max(state["position"], 0), count - 1)
    if not state.get("follow"):
        state[LEFT_AT] = {**state.get(LEFT_AT, {}), run_id: state["position"]}
    return int(state["position"])


def _addressed(run_id: str, count: int) -> int | None:
    """The step that the address names, if it is this run's, no further than the last."""
    state = st.session_state
    # The address lags behind, or names the last collection's: its step is another run's.
    if st.query_params.get("run") != run_id or session.CHANGED in state:
        return None
    value = st.query_params.get("step", "")
    return min(int(value), count - 1) if value.isdecimal() and len(value) < 6 else None


def _write_step() -> None:
    """Put the step into the address, unless the run is followed: that would fill the history."""
    if st.session_state.get("follow"):
        return
    step = st.session_state["position"]
    st.session_state["written_step"] = step
    if st.query_params.get("step") != str(step):
        if "step" in st.query_params:
            components.leave_selection()
        st.query_params["step"] = str(step)


def wait_for_steps(run_id: str) -> None:
    """A run without steps yet will be followed, unless the address names a step."""
    if st.session_state.get("shown_run") != run_id and "step" not in st.query_params:
        st.session_state.update(shown_run=run_id, follow=True, position=0)


def go_to(number: int) -> None:
    """Show this step from now on."""
    st.session_state["position"] = number
    st.session_state["follow"] = False
    st.session_state[MOVED] = True


def controls(run_id: str, steps: Sequence[Step]) -> None:
    """Back, slider, on; Left and Right do the same.

    The style sheet draws the buttons' names as arrows: screen readers read the names.
    """
    state = st.session_state
    count, current = len(steps), int(state["position"])
    slider = f"step-{run_id}-{count}"
    state[SLIDER], state[slider] = slider, current + 1
    with st.container(
        horizontal=True, wrap=False, vertical_alignment="center", gap="small", key="controls"
    ):
        st.button(
            "Previous step",
            shortcut="Left",
            key="back",
            disabled=current == 0,
            on_click=go_to,
            args=(current - 1,),
        )
        st.slider(
            "Step",
            1,
            max(2, count),
            key=slider,
            label_visibility="collapsed",
            disabled=count < 2,
            on_change=_follow_slider,
            args=(slider,),
            format=f"%d of {count}",
        )
        st.button(
            "Next step",
            shortcut="Right",
            key="on",
            disabled=current >= count - 1,
            on_click=go_to,
            args=(current + 1,),
        )


def _follow_slider(slider: str) -> None:
    """The slider was moved, or a browser that lags behind sent that of another run or of fewer
    steps, which nobody moved.
    """
    state = st.session_state
    if slider != state.get(SLIDER):
        return
    number = int(state[slider]) - 1
    if number != state["position"]:
        go_to(number)


def settle_switch(name: Switch, run_id: str) -> bool:
    """Whether the switch is on; afterwards the address says so too.

    Called before the run is marked as shown, so that a run opened just now can be told from the one
    that the browser goes back in.
    """
    state = st.session_state
    written = state.get(f"written-{name}")
    asked = st.query_params.get(name) == "1"
    current = st.query_params.get("run") == run_id  # else the address lags behind
    changed = written is not None and asked != written
    # Without a step the address is that of a page that was just come back to, not of a step before.
    went_back = changed and state.get("shown_run") == run_id and "step" in st.query_params
    opened = state.get("shown_run") != run_id and asked
    if current and (name not in state or went_back or opened):
        state[name] = asked
    on = bool(state.get(name))
    state[f"written-{name}"] = on
    if on and not asked:
        st.query_params[name] = "1"
    elif asked and not on:
        st.query_params.pop(name)
    return on


def turn_switch(name: Switch, *, on: bool) -> None:
    """Turn a switch on or off; the address follows when it is settled."""
    st.session_state[name] = on
