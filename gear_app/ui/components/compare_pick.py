"""What can be picked on Compare: a question of the collection, or a run that was made before."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from gear_app.types import Question
from gear_app.ui import session
from gear_app.views import header
from gear_app.views.collections import count
from gear_app.views.compare_entries import MOST
from gear_app.workspace import RunInfo, Workspace

RUNS_LISTED = 200


def questions(workspace: Workspace, collection: str) -> None:
    """Pick one of the collection's questions."""
    with st.popover("Questions", help="Pick one of the collection's own questions"):
        found = workspace.questions(collection)
        if not found:
            st.caption("This collection came without questions. Type one of your own in the field beside.")
            return
        st.selectbox(
            count(len(found), "question"), found, index=None, format_func=_question_words,
            key="compare-picked", placeholder="Search them", on_change=_pick, width=640,
        )  # fmt: skip


def _question_words(question: Question) -> str:
    kind = ", ".join(filter(None, [question.type or "", f"{question.hops} hops" if question.hops else ""]))
    return question.question + (f"  ({kind})" if kind else "")


def _pick() -> None:
    picked: Question | None = st.session_state.get("compare-picked")
    if picked:
        st.session_state["compare-question"] = picked.question


def runs(workspace: Workspace, collection: str, compared: Sequence[RunInfo]) -> None:
    """Put a run there is already beside the others; where nothing is compared yet, begin with any."""
    ids = {run.id for run in compared}
    with st.popover("Runs", help="Put a run there is already beside the others"):
        found = [run for run in workspace.runs(collection, limit=RUNS_LISTED) if run.id not in ids]
        if compared:
            found = [run for run in found if run.question == compared[0].question]
        if not found:
            st.caption("There is no other run of this question yet." if compared else "Nothing has been asked yet.")
            return
        st.selectbox(
            "Add a run", found, index=None, format_func=_run_words, key="compare-earlier",
            placeholder="Search them", on_change=_add_run, width=640,
        )  # fmt: skip


def _run_words(run: RunInfo) -> str:
    made = f"{run.state}, {header.readable(run.created)}, {run.id[:8]}"
    return f"{header.method_name(run.method)}  ({run.question}, {made})"


def _add_run() -> None:
    earlier: RunInfo | None = st.session_state.get("compare-earlier")
    if not earlier:
        return
    compared = session.compared() or []
    if len(compared) >= MOST:
        st.session_state["compare-error"] = f"{MOST} runs stand side by side already. Take one out first."
        return
    session.compare([*compared, earlier.id])
