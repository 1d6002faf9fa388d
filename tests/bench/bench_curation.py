"""What correcting a triple costs: the step itself, and what the next run waits for it.

python -m tests.bench.bench_curation [triples]     default 1,000 and 100,000
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gear_app.core.types import Passage, Triple
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.collections.curation import TripleDraft
from gear_app.workspace.workspace import Workspace

PER_PASSAGE = 10
SIZES = (1_000, 100_000)
COLLECTION, SET = "bench", "made"


def made(path: Path, size: int) -> Workspace:
    """A workspace with so many triples, and the vectors of all of them."""
    workspace = Workspace(path, embedder=HashingEmbedder())
    store = workspace.store
    row = store.collections.create(COLLECTION)
    set_ = store.collections.ensure_set(row.id, SET, "import")
    with store.transaction():
        revision = store.collections.raise_revision(row.id, passages=True, set_id=set_.id)
        passages = [
            Passage(0, f"p{n}", f"Person {n}", f"Person {n} lived in town {n % 977}.")
            for n in range(size // PER_PASSAGE)
        ]
        store.passages.add(row.id, passages, revision)
        triples = [
            Triple(0, id_, f"Person {id_}", f"relation {n}", f"Town {(id_ * 7 + n) % 977}")
            for id_ in store.passages.ids(row.id)
            for n in range(PER_PASSAGE)
        ]
        store.triples.put(row.id, set_.id, triples, revision)
    return workspace


def opened(workspace: Workspace) -> None:
    """What a run does first: the index of its collection as it is now."""
    row = workspace.store.collections.get(COLLECTION)
    set_ = workspace.store.collections.find_set(row.id, SET)
    workspace.corpora.get(row, set_, row.revision, lambda text: None)


def seconds(act: Callable[[], object]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def measure(size: int, folder: Path) -> None:
    """One size, a line for every step."""
    workspace = made(folder / f"{size}.db", size)
    told = [("all texts encoded, first index", 0.0, seconds(lambda: opened(workspace)))]
    (one,) = workspace.collections.triples(COLLECTION, SET, "Person 7 relation 3")
    first, second = (e.name for e in workspace.collections.entities(COLLECTION, SET, limit=2))
    steps: list[tuple[str, Callable[[], object]]] = [
        (
            "edit a triple",
            lambda: workspace.curation.edit(
                COLLECTION, one.id, TripleDraft("Person 7", "met", "Person 9")
            ),
        ),
        ("undo", lambda: workspace.curation.undo(COLLECTION)),
        ("merge two names", lambda: workspace.curation.merge(COLLECTION, [first], second)),
        ("undo", lambda: workspace.curation.undo(COLLECTION)),
    ]
    for name, act in steps:
        told.append((name, seconds(act), seconds(lambda: opened(workspace))))
    print(f"{size:,} triples")
    for name, step, index in told:
        print(f"  {name:32} step {step:7.3f} s, next index {index:7.3f} s")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        for wanted in [int(text) for text in sys.argv[1:]] or SIZES:
            measure(wanted, Path(temporary))
