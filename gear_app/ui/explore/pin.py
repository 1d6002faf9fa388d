"""Pinning a run: its collection opens with it, here and on the start screen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from gear_app.errors import GearError
from gear_app.ui.shared import elements
from gear_app.workspace import RunInfo, Workspace

PIN = "Pin as this collection’s first run"
UNPIN = "This collection opens with this run. Unpin it"


@contextmanager
def beside(workspace: Workspace, run: RunInfo) -> Iterator[None]:
    """Draw a run's header on the left, and on the right a quiet button that pins it, or unpins it.

    No button for a run that is not done, or whose collection was deleted.
    """
    if run.state != "done" or run.collection_id is None:
        yield
    else:
        left, right = st.columns([14, 1], gap="small")
        right.button(
            "Unpin" if run.pinned else "Pin",
            icon=":material/keep_off:" if run.pinned else ":material/keep:",
            key="pin",
            help=UNPIN if run.pinned else PIN,
            type="tertiary",
            on_click=_turn,
            args=(workspace, run),
        )
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
