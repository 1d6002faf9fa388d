"""Runs of cases that were judged in another workspace: a button that makes them, and a progress bar
with a button that stops them.
"""

from __future__ import annotations

import streamlit as st

from gear_app.errors import GearError
from gear_app.runs.annotations import MOST_RUNS, OWNER
from gear_app.store.rows import RunInfo
from gear_app.text import count
from gear_app.ui.shared import elements
from gear_app.views.labels import as_sentence, method_name
from gear_app.workspace import Workspace

REFRESH_S = 1.0
ERROR = "annotate-make-error"
STARTED = "annotate-started"  # ids of the runs that this session started, by collection


def show(workspace: Workspace, collection: str) -> None:
    """Runs that are being made, or the button for those that are missing; nothing where every
    judged run is present.
    """
    elements.message(st.session_state.pop(ERROR, ""), "bad")
    if _going(workspace, collection):
        st.fragment(_progress, run_every=REFRESH_S)(workspace, collection)
        return
    started = st.session_state.setdefault(STARTED, {}).pop(collection, ())
    failed = [run for run in map(workspace.runs.get, started) if run.state == "failed"]
    elements.message(failed_words(failed), "bad")
    missing = len(workspace.annotations.requests(collection))
    if missing and not workspace.read_only:
        words, button = st.columns([4, 1], vertical_alignment="center")
        with words:
            elements.message(missing_words(missing))
        button.button(
            "Make these runs",
            key="annotate-make",
            on_click=_make,
            args=(workspace, collection),
            width="stretch",
        )


def _make(workspace: Workspace, collection: str) -> None:
    """Enqueue every missing run; the first refusal is shown and keeps no other run back."""
    started = list[str]()
    for request in workspace.annotations.requests(collection):
        try:
            started.append(workspace.runs.enqueue(request))
        except GearError as error:
            st.session_state.setdefault(ERROR, as_sentence(str(error)))
    st.session_state[STARTED] = {collection: started}


def _going(workspace: Workspace, collection: str) -> list[RunInfo]:
    return [
        run
        for run in workspace.runs.recent(collection, MOST_RUNS)
        if run.going and run.owner == OWNER
    ]


def _progress(workspace: Workspace, collection: str) -> None:
    """How many runs remain, and a button that stops them; the page is drawn again after the
    last.
    """
    try:
        going = _going(workspace, collection)
    except GearError:  # the collection was deleted
        going = []
    if not going:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        total = max(len(going), len(st.session_state.get(STARTED, {}).get(collection, ())))
        st.progress(1 - len(going) / total, text=making_words(len(going)))
        if not workspace.read_only:
            st.button("Stop", key="annotate-stop", on_click=_stop, args=(workspace, collection))


def _stop(workspace: Workspace, collection: str) -> None:
    for run in _going(workspace, collection):
        workspace.runs.cancel(run.id)


def missing_words(runs: int) -> str:
    """That labels of so many runs came without the runs."""
    return (
        f"Judgements of {count(runs, 'run')} came without the runs, as the demo's examples do. Make"
        " the runs to see what was judged; no language model is asked."
    )


def making_words(runs: int) -> str:
    """How many judged runs remain to be made."""
    return f"Making the judged runs: {count(runs, 'run')} left, some seconds in all."


def failed_words(failed: list[RunInfo]) -> str:
    """How many runs failed, and why the last one did; nothing for none."""
    if not failed:
        return ""
    return (
        f"{count(len(failed), 'judged run')} failed. “{failed[-1].question}” by"
        f" {method_name(failed[-1].method)}: {failed[-1].message}"
    )
