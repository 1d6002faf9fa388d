"""Measured rows kept on disk for `make eval`, and what they depend on.

A row is used again while the versions of its method and of the method's parts, its settings, and
what the set holds are the same. A version is a number that a person raises with every change that
can change a ranking: beside each method in METHODS, in the local reader, and here for the measuring
itself. The embedding model says its own. What cannot change a ranking, a name, an import, a screen,
leaves every row valid. The extractor counts by the triples it made, which are in the content.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from gear_app.evaluate.benchmark import CASES, QuestionSet
from gear_app.evaluate.evaluation import Case, Evaluation, MeasuredSet, Row
from gear_app.evaluate.measure import evaluate, variant
from gear_app.overrides import settings
from gear_app.retrievers import versions
from gear_app.workspace import Workspace

Note = Callable[[str], None]


def measure_set(
    wanted: QuestionSet, folder: Path, note: Note, limit: int | None = None
) -> MeasuredSet:
    """Measure a set's methods on its questions (the first `limit`).

    Workspace and rows are kept in `folder`.
    """
    workspace = Workspace(folder / f"{wanted.name}.db")
    prepare(workspace, wanted, note)
    searched = {
        "content": of_content(workspace, wanted.name, wanted.triples),
        "questions": limit,
    }
    embedder = workspace.models.embedder.fingerprint
    rows: list[Row] = []
    for method in wanted.methods:
        key = of_method(method, embedder) | searched
        kept = (
            folder
            / f"{wanted.name}.{wanted.triples}.{method.replace(':', '-').replace(' ', '-')}.json"
        )
        found = load(kept, key)
        if not found:
            note(f"{wanted.name}, {wanted.triples}: {method}")
            found = evaluate(
                workspace, wanted.name, [method], triples=wanted.triples, limit=limit, twice=True
            ).rows
            store(kept, key, found)
        rows += found
    return _measured_set(workspace, wanted, Evaluation(wanted.name, wanted.methods, tuple(rows)))


def store(file: Path, key: RowKey, rows: tuple[Row, ...]) -> None:
    """Keep rows in a file, with a key that says what they depend on."""
    file.write_text(
        json.dumps({"key": key, "rows": [asdict(row) for row in rows]}), encoding="utf-8"
    )


def load(file: Path, key: RowKey) -> tuple[Row, ...]:
    """The rows kept under this key; none where there are none or they depend on something else."""
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if kept.get("key") != key:
        return ()
    by_k = ("found", "recall", "all_recall")
    return tuple(
        Row(**row | {name: {int(k): value for k, value in row[name].items()} for name in by_k})
        for row in kept["rows"]
    )


def prepare(workspace: Workspace, wanted: QuestionSet, note: Note) -> None:
    """Import, extract and encode what is missing: nothing of the collection is made while a
    question is timed. Without triples ("") only passages and their sentences are encoded.
    """
    if wanted.name not in [collection.name for collection in workspace.collections.all()]:
        note(f"{wanted.name}: importing")
        workspace.import_path(wanted.folder, wanted.name)
    if wanted.triples == "local":
        note(f"{wanted.name}: extracting with the local extractor")
        workspace.extract(wanted.name)
    note(f"{wanted.name}, {wanted.triples or 'no triples'}: encoding")
    workspace.jobs.encode(wanted.name, wanted.triples or None)


def _measured_set(workspace: Workspace, wanted: QuestionSet, evaluation: Evaluation) -> MeasuredSet:
    collection = workspace.collections.get(wanted.name)
    triples = next(s.triples for s in collection.triple_sets if s.name == wanted.triples)
    cases = _cases(workspace, wanted.name, evaluation) if wanted.name == CASES else ()
    return MeasuredSet(
        wanted.name,
        wanted.triples,
        collection.passages,
        triples,
        collection.max_iterations,
        evaluation,
        cases,
    )


def _cases(workspace: Workspace, collection: str, evaluation: Evaluation) -> tuple[Case, ...]:
    measured = {row.id for row in evaluation.rows}
    return tuple(
        Case(
            q.id,
            q.question,
            tuple(
                workspace.collections.passage_by_key(collection, key).title
                for key in q.supporting_keys
            ),
        )
        for q in workspace.collections.questions(collection)
        if q.id in measured
    )


# Of evaluation, measure and metrics; raise it when the same ranking gives another row.
MEASURING = 1

RowKey = dict[str, Any]  # as JSON holds it, so that a stored one equals a new one


def of_method(words: str, embedder: str) -> RowKey:
    """The versions and settings of a method as an evaluation names it.

    `embedder` is the embedding model's fingerprint. Raises BadInput or Unknown where there is no
    such method.
    """
    asked = variant(words)
    return {
        "method": words,
        "versions": versions(asked.method) | {"embedder": embedder, "measuring": MEASURING},
        "settings": settings(asked.config),
    }


def of_content(workspace: Workspace, collection: str, triples: str) -> str:
    """A hash of a collection's passages, triples of one set, and questions."""
    store = workspace.store
    row = store.collections.get(collection)
    set_ = store.collections.find_set(row.id, triples)
    texts = store.passages.hashes(row.id, row.revision)
    texts += store.triples.hashes(set_.id, row.revision) if set_ else []
    questions = repr((row.max_iterations, workspace.collections.questions(collection))).encode()
    return hashlib.sha256(b"".join(texts) + questions).hexdigest()[:16]
