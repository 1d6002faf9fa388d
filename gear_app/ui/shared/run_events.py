"""The events of a run for the screen: of a finished one kept for everybody, of a live one fetched
as they come.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from gear_app.events import Event
from gear_app.views.header import FINISHED
from gear_app.workspace import RunInfo, Workspace

KEPT_RUNS = 64


def events(workspace: Workspace, run: RunInfo) -> list[Event]:
    """All events of the run so far, in order."""
    if run.state in FINISHED:
        kept = _finished(str(workspace.path), run.id, run.state, _workspace=workspace)
        return kept + workspace.runs.events(
            run.id, after=len(kept)
        )  # a cancelled run may write its last ones late
    live: dict[str, Any] = st.session_state.setdefault("live", {"run": run.id, "events": []})
    if live["run"] != run.id:
        live |= {"run": run.id, "events": []}
    live["events"] += workspace.runs.events(run.id, after=len(live["events"]))
    return list(live["events"])


@st.cache_resource(max_entries=KEPT_RUNS, show_spinner=False)
def _finished(path: str, run_id: str, state: str, *, _workspace: Workspace) -> list[Event]:
    return _workspace.runs.events(run_id)
