"""Kills at random moments: nothing is lost, doubled or stuck, and the same command again succeeds.

`python -m tests.torture 50` kills each kind of work fifty times; test_torture.py does it in short.
A push to a cluster is killed in tests/cluster.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from gear_app.annotation.record import Label
from gear_app.core.errors import Unknown
from gear_app.documents.items import NewTriple
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate
from tests.small import QUESTION
from tests.workspaces import corpus_of, filled, workspace

QUESTIONS = [QUESTION, *(f"What was Person{n} known for?" for n in range(5))]
FORK = multiprocessing.get_context("fork")
# What a workspace holds, as rows in order: whatever a kill loses or doubles is in one of them.
CONTENTS = (
    "SELECT c.name, p.key, p.text FROM passages p JOIN collections c ON c.id = p.collection_id"
    " WHERE p.retired IS NULL",
    "SELECT s.name, p.key, t.subject, t.predicate, t.object FROM triples t JOIN triple_sets s ON"
    " s.id = t.set_id JOIN passages p ON p.id = t.passage_id WHERE t.retired IS NULL",
    "SELECT c.name, q.key, g.key FROM collections c JOIN questions q ON q.collection_id = c.id"
    " LEFT JOIN gold g ON g.question_id = q.id",
    "SELECT s.name, x.state, x.triples FROM extractions x JOIN triple_sets s ON s.id = x.set_id",
    "SELECT hex(text_hash) FROM embeddings",
    "SELECT e.method, e.question, e.part, r.state FROM evaluation_runs e JOIN tasks r ON r.number ="
    " e.run",
    "SELECT case_id, annotator FROM labels",
    "SELECT kind, undone FROM edits",
)


def import_(made: Workspace) -> None:
    made.imports.do(made.path.parent / "corpus.jsonl", "c")


def extract(made: Workspace) -> None:
    made.jobs.extract("c", "toy")


def encode(made: Workspace) -> None:
    made.jobs.encode("films", "curated")


def measure(made: Workspace) -> None:
    evaluate(made, "films", ["bm25", "hybrid"])


def delete(made: Workspace) -> None:
    made.store.collections.delete("c")


def correct(made: Workspace) -> None:
    for number in range(12):
        if not made.collections["films"].triples("curated", f"Pier {number}"):
            draft = NewTriple("lorn", f"Pier {number}", "lies in", "Lorn")
            made.collections["films"].curation().change([(None, draft)])


def annotate(made: Workspace) -> None:
    for run in made.runs.recent("films"):
        made.annotations.commit(run.id, "Ada", Label("seen", complete=True))


# Each kind of work with what it finds done before.
WORK: dict[str, tuple[Callable[[Workspace], None], Callable[[Workspace], object]]] = {
    "import": (import_, lambda made: None),
    "extraction": (extract, import_),
    "vectors": (encode, lambda made: None),
    "evaluation": (measure, lambda made: None),
    "deletion": (delete, import_),
    "correction": (correct, lambda made: None),
    "annotation": (
        annotate,
        lambda made: [made.ask(question, "films", "bm25") for question in QUESTIONS],
    ),
}


def contents(made: Workspace) -> list[list[str]]:
    """What a workspace holds. Raises AssertionError where its file is damaged or a task is stuck."""
    db = made.store.db
    assert db.values(str, "PRAGMA integrity_check") == ["ok"]
    assert db.rows("PRAGMA foreign_key_check") == []
    assert db.rows("SELECT * FROM tasks WHERE state = 'running'") == []
    return [sorted(json.dumps(row) for row in db.tuples(sql)) for sql in CONTENTS]


def _work(path: Path, work: Callable[[Workspace], None]) -> None:
    made = workspace(path)
    work(made)
    made.close()


def torture(kind: str, kills: int, folder: Path, seed: int = 0) -> int:
    """Kill this kind of work so many times, each in a copy of one workspace, and do it again; how
    many of the kills came before its end.
    """
    work, before = WORK[kind]
    base = folder / "base"
    base.mkdir()
    made = filled(base)
    corpus_of(base, 150)
    before(made)
    made.close()
    began = time.perf_counter()
    whole = shutil.copytree(base, folder / "whole")
    _work(whole, work)
    took_s, expected = time.perf_counter() - began, contents(workspace(whole))
    moments, hits = random.Random(seed), 0
    for number in range(kills):
        copy = shutil.copytree(base, folder / str(number))
        process = FORK.Process(target=_work, args=(copy, work))
        process.start()
        process.join(moments.uniform(0, took_s))
        process.kill()
        process.join()
        hits += process.exitcode != 0
        try:
            _work(copy, work)
        except Unknown:  # it was deleted
            assert kind == "deletion"
        assert contents(workspace(copy)) == expected, (kind, number, seed)
        shutil.rmtree(copy)
    return hits


if __name__ == "__main__":
    for name in WORK:
        with TemporaryDirectory() as place:
            count = int(sys.argv[1])
            print(f"{name}: {torture(name, count, Path(place))} of {count} kills in the middle")
