"""A stored run as pages use it: its events, its gold, its collection, and running it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from gear_app.events import Event
from gear_app.llm.server import Spec
from gear_app.ui.shared import language_model, pickers, session
from gear_app.views.header import FINISHED
from gear_app.workspace import CollectionInfo, RunInfo, Workspace

CACHED_RUNS = 64


def events(workspace: Workspace, run: RunInfo) -> list[Event]:
    """All events of the run so far, in order."""
    if run.state in FINISHED:
        cached = _finished(str(workspace.path), run.id, run.state, _workspace=workspace)
        # A cancelled run may write its last ones late.
        return cached + workspace.runs.events(run.id, after=len(cached))
    live: dict[str, Any] = st.session_state.setdefault("live", {"run": run.id, "events": []})
    if live["run"] != run.id:
        live |= {"run": run.id, "events": []}
    live["events"] += workspace.runs.events(run.id, after=len(live["events"]))
    return list(live["events"])


@st.cache_resource(max_entries=CACHED_RUNS, show_spinner=False)
def _finished(path: str, run_id: str, state: str, *, _workspace: Workspace) -> list[Event]:
    return _workspace.runs.events(run_id)


def collection_gone(run: RunInfo, collections: Sequence[CollectionInfo]) -> bool:
    """Whether the run's collection was deleted, even if another has its name now."""
    return run.collection_id is None or run.collection not in {
        collection.name for collection in collections
    }


def mark_gold(workspace: Workspace, run: RunInfo, keys: Sequence[str]) -> None:
    """Mark the gold of the question, where its collection is there, and of the run.

    The question comes first: it refuses passages that are not there.
    """
    if not collection_gone(run, workspace.collections.all()):
        workspace.collections.set_gold(run.collection, run.question, keys)
    workspace.runs.mark_gold(run.id, keys)


def again(workspace: Workspace, run_id: str) -> str:
    """Put a run in the queue once more, with this visitor's key and budget; its id.

    Raises BadInput or NotReady.
    """
    run = workspace.runs.get(run_id)
    if run.model:
        spec: Spec | None = language_model.again(run.model, run.key_from)
    else:
        spec = pickers.reader_model(run.reader)
    return workspace.runs.again(run_id, session.owner(), spec, language_model.budget())
