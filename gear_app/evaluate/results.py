"""Measure a question set for `make eval`: import and extract what is missing, ask, and keep the
rows.

Resumable: the rows of every method on every set are kept beside the workspace, and used again while
the method's version and those of its parts, its settings, and what the set holds are the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from gear_app.evaluate import identity
from gear_app.evaluate.evaluation import Evaluation, Row
from gear_app.evaluate.experiment import evaluate
from gear_app.evaluate.identity import Identity
from gear_app.evaluate.plan import CASES, Set
from gear_app.evaluate.tables import Case, Measured
from gear_app.workspace import Workspace

Say = Callable[[str], None]


def measure(wanted: Set, folder: Path, say: Say, limit: int | None = None) -> Measured:
    """Measure a set's methods on its questions (the first `limit`); workspace and rows are kept in
    `folder`.
    """
    workspace = Workspace(folder / f"{wanted.name}.db")
    _prepare(workspace, wanted, say)
    searched = {
        "content": identity.of_content(workspace, wanted.name, wanted.triples),
        "questions": limit,
    }
    embedder = workspace.models.embedder.fingerprint
    rows: list[Row] = []
    for method in wanted.methods:
        key = identity.of_method(method, embedder) | searched
        kept = (
            folder
            / f"{wanted.name}.{wanted.triples}.{method.replace(':', '-').replace(' ', '-')}.json"
        )
        found = load(kept, key)
        if not found:
            say(f"{wanted.name}, {wanted.triples}: {method}")
            found = evaluate(
                workspace, wanted.name, [method], triples=wanted.triples, limit=limit, twice=True
            ).rows
            store(kept, key, found)
        rows += found
    return _described(workspace, wanted, Evaluation(wanted.name, wanted.methods, tuple(rows)))


def store(file: Path, key: Identity, rows: tuple[Row, ...]) -> None:
    """Keep rows in a file, with a key that says what they depend on."""
    file.write_text(
        json.dumps({"key": key, "rows": [asdict(row) for row in rows]}), encoding="utf-8"
    )


def load(file: Path, key: Identity) -> tuple[Row, ...]:
    """The rows kept under this key; none where there are none or they depend on something else."""
    kept = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    if kept.get("key") != key:
        return ()
    by_k = ("found", "recall", "all_recall")
    return tuple(
        Row(**row | {name: {int(k): value for k, value in row[name].items()} for name in by_k})
        for row in kept["rows"]
    )


def _prepare(workspace: Workspace, wanted: Set, say: Say) -> None:
    """Import, extract and encode what is missing: nothing of the collection is made while a
    question is timed.
    """
    if wanted.name not in [collection.name for collection in workspace.collections.all()]:
        say(f"{wanted.name}: importing")
        workspace.import_path(wanted.folder, wanted.name)
    if wanted.triples == "local":
        say(f"{wanted.name}: extracting with the local extractor")
        workspace.extract(wanted.name)
    say(f"{wanted.name}, {wanted.triples}: encoding")
    workspace.jobs.encode(wanted.name, wanted.triples)


def _described(workspace: Workspace, wanted: Set, evaluation: Evaluation) -> Measured:
    collection = workspace.collections.get(wanted.name)
    triples = next(s.triples for s in collection.triple_sets if s.name == wanted.triples)
    cases = _cases(workspace, wanted.name, evaluation) if wanted.name == CASES else ()
    return Measured(
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
