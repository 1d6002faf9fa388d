"""How long a new collection takes until it is searchable, until `chain` can follow its mentions,
and until everything is there: passages a second, by the clock and by the processor.

    python tests/bench/bench_ingest.py 300 [FOLDER WITH corpus.jsonl.gz]

The passages are the first of MuSiQue's, or the demo's where the shared sets are not here. The model
is loaded before anything is timed. Prints a table.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from gear_app.methods.base import BaseQuery
from gear_app.methods.chain import Chain
from gear_app.models.embedders.local import MiniLM
from gear_app.workspace.workspace import Workspace
from tests.small import parts_over

ROOT = Path(__file__).parents[2]
NAME, QUESTION = "bench", "Where was the director of the film born?"


class IngestTime(NamedTuple):
    """A stage of the way in, and what it took by the clock and of the processor, in seconds."""

    what: str
    clock_s: float
    computing_s: float


def lines(folder: Path) -> Iterator[str]:
    """The passages of a folder, one a line."""
    packed = folder / "corpus.jsonl.gz"
    if packed.exists():
        with gzip.open(packed, "rt", encoding="utf-8") as file:
            yield from file
    else:
        yield from (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)


def timed(what: str, work: Callable[[], object]) -> IngestTime:
    """A stage that is done now; what its worker processes compute counts as well."""
    clock, before = time.perf_counter(), os.times()
    work()
    after = os.times()
    computing = sum(after[:4]) - sum(before[:4])
    return IngestTime(what, time.perf_counter() - clock, computing)


def stages(passages: list[str], folder: Path) -> Iterator[IngestTime]:
    """From a file to answers: import, vectors, links, and what comes in the background."""
    (folder / "corpus.jsonl").write_text("".join(passages), encoding="utf-8")
    workspace = Workspace(folder / "bench.db", embedder=MiniLM())
    embedder = workspace.models.embedder
    embedder.embed(["ready"])

    def ask() -> None:
        row = workspace.store.collections.get(NAME)
        corpus = workspace.corpora.get(row, None, row.revision)
        Chain(parts_over(corpus.index, embedder)).search([BaseQuery(QUESTION, 10)])

    yield timed("import, with mentions", lambda: workspace.imports.do(folder, NAME))
    yield timed("vectors of passages and sentences", lambda: workspace.jobs.encode(NAME, None))
    yield timed("index, and a first question to chain", ask)
    yield timed("triples (in the background)", lambda: workspace.jobs.extract(NAME))
    yield timed(
        "vectors of triples and names (in the background)",
        lambda: workspace.jobs.encode(NAME, "local"),
    )


def table(found: list[IngestTime], passages: int) -> str:
    """IngestTime by stage and in sums, as Markdown."""
    ready = [IngestTime("**ready for search and chain**", *_sums(found[:3]))]
    all_ = [IngestTime("**all**", *_sums(found))]
    head = "| stage | clock | computing | a second, clock | a second, computing |\n"
    head += "| --- | ---: | ---: | ---: | ---: |\n"
    rows = [
        f"| {what} | {clock:.1f} s | {computing:.1f} s | {passages / max(clock, 1e-9):.1f} |"
        f" {passages / max(computing, 1e-9):.1f} |\n"
        for what, clock, computing in [*found[:3], *ready, *found[3:], *all_]
    ]
    return head + "".join(rows)


def _sums(found: list[IngestTime]) -> tuple[float, float]:
    return sum(stage.clock_s for stage in found), sum(stage.computing_s for stage in found)


def main() -> None:
    """Measure the number of passages given, 300 by default."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    shared = Path(os.environ.get("GEAR_SHARED_DATA", ROOT.parent / "shared" / "data"))
    chosen = Path(sys.argv[2]) if len(sys.argv) > 2 else shared / "musique_migres"
    source = chosen if chosen.is_dir() else ROOT / "data" / "demo"
    passages = list(lines(source))[:size]
    words = sum(len(json.loads(line)["text"].split()) for line in passages)
    with tempfile.TemporaryDirectory() as folder:
        found = list(stages(passages, Path(folder)))
    load = os.getloadavg()[0]
    head = f"{len(passages)} passages of {source.name}, {words:,} words, load {load:.1f}"
    sys.stdout.write(f"{head}\n\n{table(found, len(passages))}")


if __name__ == "__main__":
    main()
