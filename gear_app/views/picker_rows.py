"""Questions and runs as the rows of a table to pick from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gear_app.text import normalise_entity
from gear_app.types import Question
from gear_app.views import labels

if TYPE_CHECKING:
    from gear_app.workspace import RunInfo

SHOWN = 200  # rows that are drawn at a time
EVALUATIONS = "evaluation runs, too"


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
