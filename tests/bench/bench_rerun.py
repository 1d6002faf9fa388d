"""What-ifs on the demo collection with the bundled model: every stop of every setting on its
questions, how long each takes the first and the second time, and whether its events are exactly
those of a run made so.

`python tests/bench/bench_rerun.py [QUESTIONS] [METHOD …]`: of the first 3; all take half an hour.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from gear_app.display.dials import dials
from gear_app.models.embedders.local import MiniLM
from gear_app.store.rows import RunInfo
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests.demo import DEMO
from tests.variants import change_of

METHODS = ("chain", "sync_ge", "gear", "hipporag", "bdtr")


def changes(run: RunInfo) -> Iterator[RunChange]:
    """Every dial of a run turned to every stop."""
    for dial in dials(run):
        for stop in dial.stops:
            if stop.value != dial.now:
                yield change_of({dial.name: stop.value})


def timed(workspace: Workspace, run: str, change: RunChange) -> float:
    """Milliseconds until the variant is there."""
    began = time.perf_counter()
    workspace.reruns.rerun(run, change)
    return (time.perf_counter() - began) * 1000


def main(most: int, methods: tuple[str, ...]) -> None:
    """Ask, vary, compare, print."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(Path(folder) / "bench.db", embedder=MiniLM())
        workspace.import_path(DEMO, "demo")
        questions = workspace.collections.questions("demo")[:most]
        sys.stdout.write(
            "| method | variants | first, median | p95 | again, median | p95 | other events |\n"
        )
        sys.stdout.write("|---|---|---|---|---|---|---|\n")
        for method in methods:
            first, again, other = list[float](), list[float](), 0
            for question in questions:
                run = workspace.ask(question.question, "demo", method).run
                for change in changes(workspace.runs.get(run)):
                    first.append(timed(workspace, run, change))
                    again.append(timed(workspace, run, change))
                    made = workspace.runner.ask(workspace.reruns.request(run, change))
                    other += [*made.events] != workspace.reruns.rerun(run, change)
            cells = [
                f"{value:.0f} ms"
                for times in (first, again)
                for value in (statistics.median(times), statistics.quantiles(times, n=20)[-1])
            ]
            sys.stdout.write(f"| {method} | {len(first)} | {' | '.join(cells)} | {other} |" + "\n")
            sys.stdout.flush()
        workspace.close()


if __name__ == "__main__":
    count, *named = sys.argv[1:] or ["3"]
    main(int(count), tuple(named) or METHODS)
