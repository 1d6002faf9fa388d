"""`make eval` measures question sets in workspaces of their own, which stay: a run is made again
only when the versions of its method and of the method's parts, its settings, the embedding model,
or what the set holds changed (evaluate.service).

A version is a number that a person raises with every change that can change a ranking: beside each
method in METHODS, and in the local reader. What cannot change a ranking, a name, an import, a
screen, leaves every run valid. The extractor counts by the triples it made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gear_app.core.overrides import settings
from gear_app.evaluation.definition import Definition, QuestionChoice, define
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.frames import VERSION
from gear_app.evaluation.variants import variant
from gear_app.methods import versions
from gear_app.workspace.workspace import Workspace
from tests.bench.results.benchmark import QuestionSet
from tests.evaluating import measure

Note = Callable[[str], None]
AGAIN = 20  # of so many questions each run is made a second time, which is the timed one


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """An evaluation of a question set with one set of triples, and the ids of the questions whose
    runs' time counts.
    """

    name: str
    triple_set: str
    evaluation: Evaluation
    timed: frozenset[str]


def measure_set(
    wanted: QuestionSet, folder: Path, note: Note, limit: int | None = None
) -> MeasuredSet:
    """Measure a set's methods on its questions (the first `limit`).

    Its workspace is kept in `folder`.
    """
    workspace = Workspace(folder / f"{wanted.name}.db")
    prepare(workspace, wanted, note)
    note(f"{wanted.name}, {wanted.triples}: {', '.join(wanted.methods)}")
    draft = Definition(
        wanted.name,
        tuple(wanted.methods),
        triples=wanted.triples,
        choice=QuestionChoice(limit=limit),
    )
    definition = define(workspace, draft)
    # Runs at another depth first, so that no method pays for vectors of texts of another.
    first, depth = definition.questions[:AGAIN], max(definition.ks)
    measure(workspace, replace(definition, questions=first, ks=(depth + 1,)))
    evaluation = measure(workspace, definition)
    timed = frozenset(question.id for question in evaluation.questions[:AGAIN])
    return MeasuredSet(wanted.name, wanted.triples, evaluation, timed)


def prepare(workspace: Workspace, wanted: QuestionSet, note: Note) -> None:
    """Import, extract and encode what is missing: nothing of the collection is made while a
    question is timed. Without triples ("") only passages and their sentences are encoded.
    """
    there = [collection.name for collection in workspace.collections.all()]
    if wanted.name not in there or workspace.collections.get(wanted.name).unfinished_imports:
        note(f"{wanted.name}: importing")
        workspace.imports.do(wanted.folder, wanted.name)
    if wanted.triples == "local":
        note(f"{wanted.name}: extracting with the local extractor")
        workspace.jobs.extract(wanted.name)
    note(f"{wanted.name}, {wanted.triples or 'no triples'}: encoding")
    workspace.jobs.encode(wanted.name, wanted.triples or None)


def of_method(words: str, embedder: str) -> dict[str, Any]:
    """The versions and settings of a method as an evaluation names it: what its runs depend on,
    and the version of what is computed of them.

    `embedder` is the embedding model's fingerprint. Raises BadInput or Unknown where there is no
    such method.
    """
    asked = variant(words)
    return {
        "method": words,
        "versions": versions(asked.method) | {"embedder": embedder, "measuring": VERSION},
        "settings": settings(asked.config),
    }
