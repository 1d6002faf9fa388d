"""What can be done with the run that is shown: hand it on, and pin it, so that its collection opens
with it, here and on the start screen.
"""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.ui.shared import share
from gear_app.workspace import RunInfo, Workspace

PIN = "Pin as this collection’s first run"
UNPIN = "This collection opens with this run. Unpin it"


def buttons(workspace: Workspace, run: RunInfo) -> None:
    """Draw quiet buttons that hand a run on and pin it, or unpin it.

    None for a run that goes on; none that pins for one that is not done, or whose collection was
    deleted.
    """
    if not run.ended:
        return
    with st.container(
        horizontal=True, horizontal_alignment="right", gap="small", key="run-buttons"
    ):
        share.of_runs(workspace, [run], quiet=True)
        if run.state == "done" and run.collection_id is not None:
            st.button(
                "Unpin" if run.pinned else "Pin",
                icon=":material/keep_off:" if run.pinned else ":material/keep:",
                key="pin",
                help=UNPIN if run.pinned else PIN,
                type="tertiary",
                on_click=_turn,
                args=(workspace, run),
            )


def _turn(workspace: Workspace, run: RunInfo) -> None:
    try:
        if run.pinned:
            workspace.runs.unpin(run.id)
        else:
            workspace.runs.pin(run.id)
    except GearError as error:
        st.session_state["ask_error"] = str(error)
