"""A run that was made before, picked to stand beside the others on Compare."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.ui.shared import session
from gear_app.views import header, names
from gear_app.views.compare.entries import MOST
from gear_app.workspace import RunInfo, Workspace

RUNS_LISTED = 200


def runs(workspace: Workspace, collection: str, compared: Sequence[RunInfo]) -> None:
    """Put a run there is already beside the others; where nothing is compared yet, begin with
    any.
    """
    ids = {run.id for run in compared}
    with st.popover("Runs", help="Put a run there is already beside the others"):
        found = [run for run in workspace.runs(collection, limit=RUNS_LISTED) if run.id not in ids]
        if compared:
            found = [run for run in found if run.question == compared[0].question]
        if not found:
            st.caption(
                "There is no other run of this question yet."
                if compared
                else "Nothing has been asked yet."
            )
            return
        st.selectbox(
            "Add a run",
            found,
            index=None,
            format_func=_run_words,
            key="compare-earlier",
            placeholder="Search them",
            on_change=_add_run,
            width=640,
        )


def _run_words(run: RunInfo) -> str:
    made = f"{run.state}, {header.readable(run.created)}, {run.id[:8]}"
    return f"{names.made_by(run)}  ({run.question}, {made})"


def _add_run() -> None:
    earlier: RunInfo | None = st.session_state.get("compare-earlier")
    if not earlier:
        return
    compared = session.compared() or []
    if len(compared) >= MOST:
        st.session_state["compare-error"] = (
            f"{MOST} runs stand side by side already. Take one out first."
        )
        return
    session.compare([*compared, earlier.id])
