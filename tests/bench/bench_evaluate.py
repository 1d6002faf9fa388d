"""An evaluation of 10,002 runs, six methods on 1,667 questions: what loading it and comparing its
methods take, as the page and the command line do it. Prints a table.

python -m tests.bench.bench_evaluate
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gear_app.core.types import Question
from gear_app.evaluation import results
from gear_app.evaluation.definition import Definition
from gear_app.evaluation.frames import VERSION
from gear_app.evaluation.service import EvaluationService
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.evaluations import RunPlace
from gear_app.store.rows import RunInfo
from gear_app.workspace.workspace import Workspace
from tests.workspaces import filled

METHODS = ("bm25", "dense", "hybrid", "chain", "sync_ge", "gear")
QUESTIONS = 1_667
GOLD = ("harbour", "quill", "mira")


def main() -> None:
    """Fill a workspace with runs whose facts are kept, then time what opens them."""
    with tempfile.TemporaryDirectory() as folder:
        made = filled(Path(folder))
        id_ = fill(made)
        made.close()
        workspace = Workspace(Path(folder) / "workspace.db", embedder=HashingEmbedder())
        service = EvaluationService(workspace)
        for name in ("first", "again"):
            line(f"{name}: progress", lambda: service.progress(id_))
            line(f"{name}: load", lambda: service.load(id_))
            line(f"{name}: load and compare", lambda: results.load(workspace, id_))
            line(f"{name}: stamp", lambda: service.stamp(id_))


def fill(workspace: Workspace) -> str:
    """The id of an evaluation all of whose runs are there."""
    store, chance = workspace.store, random.Random(7)
    collection = store.collections.get("films")
    asked = [
        Question(f"n{n}", f"Question {n}?", supporting_keys=GOLD, hops=3) for n in range(QUESTIONS)
    ]
    store.questions.save(collection.id, asked)
    ids = tuple(one.id for one in asked)
    service = EvaluationService(workspace)
    id_ = service.create(Definition("films", METHODS, ids, triples="curated"))
    with store.transaction():
        for method in METHODS:
            links, facts = [], []
            for question in asked:
                new = RunInfo(
                    question=question.question,
                    method=method,
                    config={},
                    reader="local",
                    k=15,
                    collection=collection.name,
                    collection_id=collection.id,
                    gold=GOLD,
                )
                run = store.runs.create(new)
                store.tasks.claim(run.number, workspace.connection.process)
                run = store.runs.get(run.id)
                store.tasks.finish(run, "done", ms=42.0, iterations=2)
                ranks = {key: chance.choice([None, *range(1, 40)]) for key in GOLD}
                known = {"rounds": [ranks, ranks], "first": [f"key {n}" for n in range(20)]}
                known |= dict.fromkeys(("stopped", "failure", "itself"), "")
                known |= {"tokens": [], "scores": {}}
                links.append((RunPlace(method, question.id), run.id))
                facts.append((run.number, known))
            store.evaluations.link(id_, links)
            store.evaluations.keep_facts(VERSION, facts)
    return id_


def line(name: str, act: Callable[[], object]) -> None:
    """Do it, and print what it took of the processor."""
    began = time.process_time()
    act()
    sys.stdout.write(f"{name:30} {1000 * (time.process_time() - began):8.0f} ms\n")


if __name__ == "__main__":
    main()
