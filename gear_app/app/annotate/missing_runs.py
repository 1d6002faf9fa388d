"""Judged runs that this workspace does not have: a button that creates them, and their progress."""

from __future__ import annotations

import streamlit as st

from gear_app.app.shared import elements
from gear_app.core.errors import GearError
from gear_app.core.text import count
from gear_app.display.labels import method_name
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
    if _going(workspace, collection):
        st.fragment(_progress, run_every=REFRESH_S)(workspace, collection)
        return
    requests = workspace.annotations.requests(collection)
    if requests and not workspace.read_only:
        recent = workspace.runs.recent(collection, MOST_RUNS)
        failed = [run for run in recent if run.owner == OWNER and run.state == "failed"]
        for run in failed[:1]:
            words = f"“{run.question}” by {method_name(run.method)}: {run.message}"
            elements.message(f"{count(len(failed), 'judged run')} failed. {words}", "bad")
        elements.message_with_button(
            missing_words(len(requests)),
            "info",
            "Create runs",
            "annotate-make",
            _make,
            workspace,
            collection,
        )


def _make(workspace: Workspace, collection: str) -> None:
    """Enqueue every missing run; a refused one keeps no other back."""
    for request in workspace.annotations.requests(collection):
        with elements.refusals(ERROR):
            workspace.runs.enqueue(request)


def _going(workspace: Workspace, collection: str) -> list[str]:
    recent = workspace.runs.recent(collection, MOST_RUNS)
    return [run.id for run in recent if run.going and run.owner == OWNER]


def _progress(workspace: Workspace, collection: str) -> None:
    """Draw how many runs remain; the page is drawn again after the last."""
    try:
        going = _going(workspace, collection)
    except GearError:  # the collection was deleted
        going = []
    if not going:
        st.rerun()
    elements.message_with_button(
        f"Creating the judged runs: {len(going)} remaining.",
        "busy",
        "Stop",
        "annotate-stop",
        _stop,
        workspace,
        collection,
    )


def _stop(workspace: Workspace, collection: str) -> None:
    for run_id in _going(workspace, collection):
        workspace.runs.cancel(run_id)
