"""Measuring in one call, as tests ask for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gear_app.evaluate import Evaluation, EvaluationService
from gear_app.evaluate.definition import QuestionChoice, ReaderChoice, define
from gear_app.workspace import Workspace
from tests.workspaces import pack, workspace

READING = ("reader", "model", "answer")


def small_with(folder: Path, *questions: Mapping[str, object]) -> Workspace:
    """A workspace with the small collection, called `small`, and more questions of it."""
    made, files = workspace(folder), pack(folder / "pack")
    with (files / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in questions)
    made.import_path(files, "small")
    return made


def evaluate(
    workspace: Workspace,
    collection: str,
    methods: Sequence[str],
    *,
    budget: int | None = None,
    again: int = 0,
    report: Callable[..., None] = lambda _: None,
    **given: Any,
) -> Evaluation:
    """Methods on a collection's questions, readers and questions by name."""
    reading = ReaderChoice(**{name: given.pop(name) for name in READING if name in given})
    chosen = QuestionChoice(limit=given.pop("limit", None))
    definition = define(workspace, collection, methods, chosen=chosen, reading=reading, **given)
    return EvaluationService(workspace).measure(definition, budget, again=again, report=report)
