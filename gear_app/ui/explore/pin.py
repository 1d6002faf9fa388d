"""Beside a run's header: pinning it, so that its collection opens with it, here and on the start
screen; and handing it on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from gear_app.errors import GearError
from gear_app.ui.shared import elements, share
from gear_app.views.header import FINISHED
from gear_app.workspace import RunInfo, Workspace

PIN = "Pin as this collection’s first run"
UNPIN = "This collection opens with this run. Unpin it"


@contextmanager
def beside(workspace: Workspace, run: RunInfo) -> Iterator[None]:
    """Draw a run's header on the left, and on the right quiet buttons that pin it, or unpin it, and
    that hand it on.

    No button for a run that goes on; none that pins for one that is not done, or whose collection
    was deleted.
    """
    if run.state not in FINISHED:
        yield
    else:
        left, right = st.columns([12, 1], gap="small")
        with right, st.container(gap=None, key="run-buttons"):
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
            share.of_runs(workspace, [run], quiet=True)
        with left:
            yield
    elements.message(st.session_state.pop("pin_error", ""), "bad")


def _turn(workspace: Workspace, run: RunInfo) -> None:
    try:
        if run.pinned:
            workspace.runs.unpin(run.id)
        else:
            workspace.runs.pin(run.id)
    except GearError as error:
        st.session_state["pin_error"] = str(error)
