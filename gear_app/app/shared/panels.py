"""Dialogs to pick a question or a run from a table, and to make a question set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from gear_app.app.shared import elements, session, visitors
from gear_app.core.text import count
from gear_app.core.types import Question
from gear_app.display import labels
from gear_app.evaluation.definition import Definition
from gear_app.evaluation.service import EvaluationService
from gear_app.store.rows import RunInfo
from gear_app.workspace.runs.request import EVALUATION
from gear_app.workspace.workspace import Workspace

LISTED = 200  # rows
RUNS_LISTED = 5_000
NO_QUESTIONS = "This collection has no questions yet. Type one of your own."
Rows = list[dict[str, Any]]


def question_rows(questions: Sequence[Question]) -> Rows:
    """A row for every question."""
    return [
        {
            "id": question.id,
            "question": question.question,
            "type": question.type or "",
            "hops": question.hops,
            "gold": len(question.supporting_keys),
            "answers": " / ".join(question.answers),
        }
        for question in questions
    ]


def run_rows(runs: Sequence[RunInfo]) -> Rows:
    """A row for every run."""
    return [
        {
            "id": run.id,
            "question": run.question,
            "method": labels.method_and_model(run),
            "state": labels.run_state(run),
            "asked": labels.readable_time(run.created),
        }
        for run in runs
    ]


def picker(rows: Rows, key: str) -> str | None:
    """A table with a search by words; the id of the selected row."""
    words = st.text_input(
        "Search", key=f"{key}-words", placeholder="Words", label_visibility="collapsed"
    )
    options = [
        row
        for row in rows
        if all(word in str(row.values()).casefold() for word in words.casefold().split())
    ]
    event: Any = st.dataframe(
        options[:LISTED],
        hide_index=True,
        column_config={"id": None},
        on_select="rerun",
        selection_mode="single-row",
        key=f"{key}-{words}",
    )
    st.caption(f"{min(len(options), LISTED):,} of {len(rows):,}")
    selected = event.selection.rows
    return str(options[selected[0]]["id"]) if selected and selected[0] < len(options) else None


def pick_question(workspace: Workspace, collection: str, *, key: str, into: str) -> None:
    """A button that opens the collection's questions; the picked one goes into the field `into`,
    which is drawn after this.
    """
    picked = st.session_state.pop(f"{key}-question", None)
    if picked:
        st.session_state[into] = picked
    if st.button("Questions", key=key, help="Pick one of the collection's own questions"):
        _question_panel(workspace, collection, key)


@st.dialog("Questions", width="large")
def _question_panel(workspace: Workspace, collection: str, key: str) -> None:
    questions = {
        question.id: question for question in workspace.collections[collection].questions()
    }
    if not questions:
        st.caption(NO_QUESTIONS)
        return
    picked = picker(question_rows(list(questions.values())), f"{key}-panel")
    if picked:
        st.session_state[f"{key}-question"] = questions[picked].question
        st.rerun()


def pick_run(
    *,
    key: str,
    about: str,
    empty: str,
    listed: Callable[[], Sequence[RunInfo]],
    chosen: Callable[[str], None],
) -> None:
    """A button that opens the `listed` runs, as `open_runs` does; `chosen` is given the id of the
    picked one. `empty` is shown where there are none.
    """
    opened = st.session_state.pop(f"{key}-open", False)
    if st.button("Runs", key=key, help=about) or opened:
        _run_panel(key, empty, listed, chosen)


def open_runs(key: str) -> None:
    """Open the panel of the button with this key."""
    st.session_state[f"{key}-open"] = True


@st.dialog("Runs", width="large")
def _run_panel(
    key: str,
    empty: str,
    listed: Callable[[], Sequence[RunInfo]],
    chosen: Callable[[str], None],
) -> None:
    runs = listed()
    single_runs = [run for run in runs if run.owner.partition(":")[0] != EVALUATION]
    if len(single_runs) < len(runs) and not st.toggle("Runs of evaluations, too", key=f"{key}-all"):
        runs = single_runs
    if not runs:
        elements.message(empty)
        return
    picked = picker(run_rows(runs), f"{key}-panel")
    if picked:
        chosen(picked)
        st.rerun()


WORDS = "Make a question set of"
HELP = (
    "An evaluation of these questions alone, which remembers what is found now. After a fix"
    " (other triples, other passages, a new version of a method) it makes the runs again and shows"
    " before and after."
)


def offer_question_set(
    workspace: Workspace,
    key: str,
    number: int,
    make: Callable[[], Definition],
) -> None:
    """A button that makes a set of so many and goes to it. `make` may raise GearError."""
    words = f"{WORDS} {'this' if number == 1 else 'these'} {count(number, 'question')}"
    disabled = not number or workspace.read_only
    if st.button(words, key=key, icon=":material/playlist_add:", help=HELP, disabled=disabled):
        with elements.refusals():
            _go(workspace, make())


def _go(workspace: Workspace, definition: Definition) -> None:
    """Keep the set and show it. Where a language model is asked nothing begins by itself: *Go on*
    tells first what it would take, and asks for a cap.
    """
    service = EvaluationService(workspace, visitors.rights())
    evaluation = service.create(definition, session.owner())
    if not definition.needs_model:
        service.start(evaluation)
    st.session_state["evaluation"] = evaluation
    for name in ("pick", "baseline", "highlight"):
        st.query_params.pop(name, None)
    st.switch_page(session.EVALUATE, query_params={"evaluation": evaluation})
