"""Measuring in one call, as tests ask for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gear_app.evaluation.definition import Definition, QuestionChoice, define
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.service import EvaluationService
from gear_app.models.server import Spec
from gear_app.workspace.runs.request import ALL_RIGHTS
from gear_app.workspace.workspace import Workspace
from tests.workspaces import pack, workspace


def small_with(folder: Path, *questions: Mapping[str, object]) -> Workspace:
    """A workspace with the small collection, called `small`, and more questions of it."""
    made, files = workspace(folder), pack(folder / "pack")
    with (files / "questions.jsonl").open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in questions)
    made.imports.do(files, "small")
    return made


def evaluate(
    workspace: Workspace,
    collection: str,
    methods: Sequence[str],
    *,
    budget: int | None = None,
    limit: int | None = None,
    model: Spec | None = None,
    report: Callable[..., None] | None = None,
    **given: Any,
) -> Evaluation:
    """Methods on a collection's questions, with fields of a definition by name."""
    choice = QuestionChoice(limit=limit)
    draft = Definition(collection, tuple(methods), choice=choice, **given)
    return measure(workspace, define(workspace, draft, model), budget, report=report)


def measure(
    workspace: Workspace,
    definition: Definition,
    budget: int | None = None,
    *,
    report: Callable[..., None] | None = None,
) -> Evaluation:
    """Create, start, work off and load an evaluation, with all rights, under the estimate's cap."""
    service = EvaluationService(workspace, ALL_RIGHTS)
    id_, estimate = service.create(definition), service.estimate(definition)
    if (
        budget is None
        and estimate is not None
        and workspace.store.evaluations.get(id_).budget is None
    ):
        budget = estimate.cap
    service.start(id_, budget)
    service.work(id_, report)
    return service.load(id_)
