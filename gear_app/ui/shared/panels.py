"""Panels to pick a question or a run from: a button, and what it opens, a table to search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import streamlit as st

from gear_app.runs.request import EVALUATION
from gear_app.store.rows import RunInfo
from gear_app.text import normalise_entity
from gear_app.types import Question
from gear_app.ui.shared import components, elements
from gear_app.views import labels
from gear_app.workspace import Workspace

SHOWN = 200  # rows that are drawn at a time
EVALUATIONS = "evaluation runs, too"
RUNS_LISTED = 5_000
MOST_RECALLS = 4 * RUNS_LISTED  # kept for all sessions
NO_QUESTIONS = "This collection has no questions yet. Type one of your own in the field beside."

_picker = elements.component(
    "picker", html='<div class="picker"></div>', js="picker.js", css="picker.css"
)


def question_table(
    questions: Sequence[Question], recalls: Mapping[str, float] | None = None
) -> dict[str, Any]:
    """All questions; `recalls` of the last run by the question's normalised words, without them the
    answers.
    """
    rows: list[dict[str, Any]] = [
        {
            "id": one.id,
            "cells": [
                one.question,
                one.type or "",
                "" if one.hops is None else str(one.hops),
                str(len(one.supporting_keys)),
                " / ".join(one.answers)
                if recalls is None
                else _recall(recalls.get(normalise_entity(one.question))),
            ],
        }
        for one in questions
    ]
    columns: list[dict[str, Any]] = [
        {"name": "question", "kind": "words"},
        {"name": "type", "kind": "word", "filter": _differ(rows, 1)},
        {"name": "hops", "kind": "number", "filter": _differ(rows, 2)},
        {"name": "gold", "kind": "number"},
        {"name": "answers", "kind": "words"}
        if recalls is None
        else {"name": "last recall@5", "kind": "number"},
    ]
    return _table("Words of a question", columns, rows)


def run_table(
    runs: Sequence[RunInfo],
    recalls: Mapping[str, float | None],
    evaluation: str,
    collection: str | None = None,
) -> dict[str, Any]:
    """Runs, newest first; `recalls` by id. Those of an `evaluation`, by their owner, are hidden at
    first, and those of other collections than `collection`, where there are several.
    """
    rows: list[dict[str, Any]] = [
        {
            "id": run.id,
            "cells": [
                run.question,
                labels.method_and_model(run),
                run.collection,
                labels.run_state(run),
                labels.readable_time(run.created),
                _recall(recalls.get(run.id)),
                run.id[:8],
            ],
            "hidden": run.owner.partition(":")[0] == evaluation,
        }
        for run in runs
    ]
    columns: list[dict[str, Any]] = [
        {"name": "question", "kind": "words"},
        {"name": "method", "kind": "word", "filter": _differ(rows, 1)},
        {
            "name": "collection",
            "kind": "word",
            "filter": _differ(rows, 2),
            "wanted": collection or "",
        },
        {"name": "state", "kind": "word"},
        {"name": "asked", "kind": "word"},
        {"name": "recall@5", "kind": "number"},
        {"name": "run", "kind": "word"},
    ]
    return _table("Words of a question, a method or a run's id", columns, rows)


def latest_recalls(
    runs: Sequence[RunInfo], recalls: Mapping[str, float | None]
) -> dict[str, float]:
    """The recall of the newest run that has one, by a question's normalised words."""
    found: dict[str, float] = {}
    for run in reversed(runs):
        recall = recalls.get(run.id)
        if recall is not None:
            found[normalise_entity(run.question)] = recall
    return found


def _table(
    placeholder: str, columns: list[dict[str, Any]], rows: list[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "placeholder": placeholder,
        "columns": columns,
        "rows": rows,
        "shown": SHOWN,
        "hidden": EVALUATIONS,
    }


def _differ(rows: Sequence[Mapping[str, Any]], place: int) -> bool:
    """Whether a column has several values: else there is nothing to filter by."""
    return len({row["cells"][place] for row in rows}) > 1


def _recall(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def pick_question(workspace: Workspace, collection: str, *, key: str, into: str) -> None:
    """A button that opens a panel with the collection's questions; the picked one goes to the field
    `into`, which is to be drawn after this.
    """
    picked = st.session_state.pop(f"{key}-question", None)
    if picked:
        st.session_state[into] = picked
    if st.button("Questions", key=key, help="Pick one of the collection's own questions"):
        _question_panel(workspace, collection, key)


@st.dialog("Questions", width="large")
def _question_panel(workspace: Workspace, collection: str, key: str) -> None:
    questions = workspace.collections.questions(collection)
    if not questions:
        st.caption(NO_QUESTIONS)
        return
    runs = [run for run in workspace.runs.recent(collection, limit=RUNS_LISTED) if run.gold]
    latest = latest_recalls(runs, _recalls(workspace, runs))
    picked = picker(question_table(questions, latest), f"{key}-panel")
    words = {question.id: question.question for question in questions}
    if picked in words:
        st.session_state[f"{key}-question"] = words[picked]
        st.rerun()


def pick_run(
    workspace: Workspace,
    *,
    key: str,
    about: str,
    empty: str,
    collection: str | None,
    listed: Callable[[], Sequence[RunInfo]],
    chosen: Callable[[str], None],
) -> None:
    """A button that opens a panel with runs, as `open_runs` does when the page is drawn next;
    `chosen` is given the id of the one that is picked.

    `listed` gives the runs when the panel opens; `empty` stands there where there are none. Runs of
    other collections than `collection` are filtered out at first.
    """
    asked = st.session_state.pop(f"{key}-open", False)
    if st.button("Runs", key=key, help=about) or asked:
        _run_panel(workspace, key, empty, collection, listed, chosen)


def open_runs(key: str) -> None:
    """Open the panel of the button with this key."""
    st.session_state[f"{key}-open"] = True


@st.dialog("Runs", width="large")
def _run_panel(
    workspace: Workspace,
    key: str,
    empty: str,
    collection: str | None,
    listed: Callable[[], Sequence[RunInfo]],
    chosen: Callable[[str], None],
) -> None:
    runs = listed()
    if not runs:
        st.caption(empty)
        return
    table = run_table(runs, _recalls(workspace, runs), EVALUATION, collection)
    picked = picker(table, f"{key}-panel")
    if picked is not None:
        chosen(picked)
        st.rerun()


def _recalls(workspace: Workspace, runs: Sequence[RunInfo]) -> dict[str, float | None]:
    """Recall of runs by id; what a run with this gold once had is not computed again."""
    known = _known_recalls(str(workspace.path))
    if len(known) > MOST_RECALLS:
        _known_recalls.clear()  # what another session holds stays whole
        known = _known_recalls(str(workspace.path))
    for run in runs:
        if (run.id, run.gold, run.state) not in known:
            known[run.id, run.gold, run.state] = workspace.runs.recall(run)
    return {run.id: known[run.id, run.gold, run.state] for run in runs}


@st.cache_resource(show_spinner=False)
def _known_recalls(path: str) -> dict[tuple[str, tuple[str, ...], str], float | None]:
    return {}


def picker(table: Mapping[str, Any], key: str, chosen: str = "") -> str | None:
    """A searchable table; the id of the row that was picked just now. One that is `chosen` is
    marked.
    """
    result = _picker(
        data={**table, "chosen": chosen}, key=key, on_pick_change=components.keep_state
    )
    return None if result.pick is None else str(result.pick)
