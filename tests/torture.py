"""Kills at random moments: nothing is lost, doubled or stuck, and the same command again succeeds.

`python -m tests.torture 50` kills each kind of work fifty times, with names of kinds behind it only
these; test_torture.py and cluster/test_push.py do it in short. A push goes to the cluster of
GEAR_OPENSEARCH_URL, or to a node that is started here.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from gear_app.annotation.record import Label
from gear_app.core.errors import Unknown
from gear_app.documents.items import NewTriple
from gear_app.index.opensearch import catalogue
from gear_app.index.opensearch.catalogue import StorageOptions
from gear_app.index.opensearch.cluster import URL
from gear_app.workspace.workspace import Workspace
from tests.cluster import nodes
from tests.evaluating import evaluate
from tests.small import QUESTION
from tests.workspaces import corpus_of, filled, workspace

PUSH = "push"
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


def push(made: Workspace) -> None:
    with patch.object(catalogue, "AT_ONCE", 20):
        made.corpora.push("c", "toy", os.environ[URL], StorageOptions(), lambda *report: None)


def prepare(made: Workspace) -> None:
    import_(made)
    extract(made)
    made.jobs.encode("c", "toy")


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
    PUSH: (push, prepare),
}


def contents(made: Workspace) -> list[list[str]]:
    """What a workspace holds. Raises AssertionError where its file is damaged or a task is stuck."""
    db = made.store.db
    assert db.values(str, "PRAGMA integrity_check") == ["ok"]
    assert db.rows("PRAGMA foreign_key_check") == []
    assert db.rows("SELECT * FROM tasks WHERE state = 'running'") == []
    return [sorted(json.dumps(row) for row in db.tuples(sql)) for sql in CONTENTS]


def pushed(made: Workspace) -> list[list[str]]:
    """What is in the workspace and what a push left in the cluster, from which it is dropped."""
    remote, address = made.remote(), os.environ[URL]
    indices = [index for index in remote.status(address) if index.facts.collection == "c"]
    client, names = remote.cluster(address).client, ",".join(index.name for index in indices)
    hits = client.search(index=names, params={"size": 10_000})["hits"]["hits"]
    documents = sorted(json.dumps([hit["_id"], hit["_source"]]) for hit in hits)
    states = [json.dumps([one.name, one.complete, one.open, one.documents]) for one in indices]
    remote.drop(address, "c")
    return [*contents(made), states, documents]


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
    look = pushed if kind == PUSH else contents
    took_s, expected = time.perf_counter() - began, look(workspace(whole))
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
        assert look(workspace(copy)) == expected, (kind, number, seed)
        shutil.rmtree(copy)
    return hits


def main(kills: int, kinds: Iterable[str]) -> None:
    """Print how many kills of each kind of work came before its end."""
    for name in kinds:
        with TemporaryDirectory() as place, ExitStack() as stack:
            if name == PUSH and not os.environ.get(URL):
                try:
                    node = nodes.alone(Path(place) / "node")
                except nodes.Unavailable as error:
                    print(f"{name}: {error}")
                    continue
                stack.callback(node.kill)
                stack.enter_context(patch.dict(os.environ, {URL: node.url}))
            print(f"{name}: {torture(name, kills, Path(place))} of {kills} kills in the middle")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] or WORK)
