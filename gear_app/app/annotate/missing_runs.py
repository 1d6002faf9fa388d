"""Judged runs that this workspace does not have: a button that creates them, and their progress."""

from __future__ import annotations

import streamlit as st

from gear_app.app.shared import elements
from gear_app.core.text import count
from gear_app.display.labels import method_name
from gear_app.store.rows import RunInfo
from gear_app.workspace.runs.annotations import MOST_RUNS, OWNER
from gear_app.workspace.workspace import Workspace

REFRESH_S = 1.0
ERROR = "annotate-make-error"


def missing_words(runs: int) -> str:
    """The number of judged runs that this workspace does not have."""
    return (
        f"{count(runs, 'judged run is', 'judged runs are')} not in this workspace, only the labels."
        " Create the runs to see what was judged: some seconds, without a language model."
    )


def show(workspace: Workspace, collection: str) -> None:
    """Draw a button that creates judged runs of another workspace, or their progress."""
    elements.message(st.session_state.pop(ERROR, ""), "bad")
    runs = _created(workspace, collection)
    if any(run.going for run in runs):
        st.fragment(_progress, run_every=REFRESH_S)(workspace, collection)
        return
    requests = workspace.annotations.requests(collection)
    if not requests or workspace.read_only:
        return
    if failed := [run for run in runs if run.state == "failed"]:
        words = f"“{failed[0].question}” by {method_name(failed[0].method)}: {failed[0].message}"
        elements.message(f"{count(len(failed), 'judged run')} failed. {words}", "bad")
    words = missing_words(len(requests))
    key = "annotate-make"
    elements.message_with_button(words, "info", "Create runs", key, _create, workspace, collection)


def _created(workspace: Workspace, collection: str) -> list[RunInfo]:
    recent = workspace.runs.recent(collection, MOST_RUNS)
    return [run for run in recent if run.owner == OWNER]


def _create(workspace: Workspace, collection: str) -> None:
    """Enqueue every missing run; a refused one keeps no other back."""
    for request in workspace.annotations.requests(collection):
        elements.attempt(ERROR, workspace.runs.enqueue, request)


def _progress(workspace: Workspace, collection: str) -> None:
    """Draw how many runs remain; the page is drawn again after the last."""
    going = [run.id for run in _created(workspace, collection) if run.going]
    if not going:
        st.rerun()
    words = f"Creating the judged runs: {len(going)} remaining."
    elements.message_with_button(words, "busy", "Stop", "annotate-stop", _stop, workspace, going)


def _stop(workspace: Workspace, run_ids: list[str]) -> None:
    for run_id in run_ids:
        workspace.runs.cancel(run_id)
