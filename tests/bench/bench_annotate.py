"""The page Annotate with 10 000 labels of 5 000 runs by two people: what its own work takes,
first and once what was read is kept. Prints a table.

python -m tests.bench.bench_annotate
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gear_app.annotation.agreement import FIELDS, agreement, disagreements, table
from gear_app.annotation.counts import counts
from gear_app.annotation.queue import Filters, queue, visible
from gear_app.annotation.record import EMPTY, Label, Record
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.runs.annotations import case_of
from gear_app.workspace.workspace import Workspace
from tests.app.conftest import write_pack
from tests.app.played import missing_runs

RUNS = 5_000
CATEGORIES = ("reader", "reasoner", "graph", "data-set", "base-retriever")


def main() -> None:
    """Fill a workspace, then tell what a drawing of the page takes of the processor."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        first = Workspace(path / "w.db", embedder=HashingEmbedder())
        first.import_path(write_pack(path / "pack"), "demo")
        missing_runs(first, RUNS)
        _judge(first)
        first.close()
        workspace = Workspace(path / "w.db", embedder=HashingEmbedder())
        for name in ("first", "again", "after a commit"):
            _line(f"{name}: queue", lambda: _queue(workspace))
            _line(f"{name}: agreement", lambda: _agreement(workspace))
            _line(f"{name}: charts", lambda: counts(workspace.annotations.labels("demo")))
            run = workspace.annotations.items("demo")[0].run
            _line(f"{name}: one commit", lambda run=run: _commit(workspace, run))


def _judge(workspace: Workspace) -> None:
    row, records = workspace.store.collections.get("demo"), list[Record]()
    for at, run in enumerate(workspace.runs.recent("demo", RUNS)):
        case = case_of(run)
        for who in range(2):
            category = CATEGORIES[(at + (who if at % 4 == 0 else 0)) % len(CATEGORIES)]
            label = Label(f"note {at}", category, "fail", "low", complete=True)
            records.append(Record(case, f"p{who}", "2026-01-01T00:00:00Z", label, run=run.id))
    workspace.annotations.save(row.id, records)


def _queue(workspace: Workspace) -> object:
    service = workspace.annotations
    items, labels = service.items("demo"), service.labels("demo")
    return queue(items, Filters(), "p0", labels)


def _agreement(workspace: Workspace) -> object:
    service = workspace.annotations
    labels = visible(service.labels("demo"), "p0")
    return [agreement(table(labels, field), field) for field in FIELDS], disagreements(labels)


def _commit(workspace: Workspace, run: str) -> object:
    service = workspace.annotations
    said = Label(note=str(time.time()))
    assert said != EMPTY
    return service.commit(run, "p0", said)


def _line(name: str, act: Callable[[], object]) -> None:
    began = time.process_time()
    act()
    sys.stdout.write(f"{name:40} {1000 * (time.process_time() - began):8.0f} ms\n")


if __name__ == "__main__":
    main()
