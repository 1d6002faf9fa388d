"""The demo collection from nothing: extraction alone, to searchable, and the median of a question
per method.

Prints a table. Models are loaded before anything is timed.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from gear_app.embedders.local import MiniLM
from gear_app.extract.local import LocalExtractor
from gear_app.retrievers import METHODS
from gear_app.workspace import Workspace
from tests.demo import DEMO


def seconds(function: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def main() -> None:
    """Build, ask, print."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = Workspace(
            Path(folder) / "bench.db", embedder=MiniLM(), extractor=LocalExtractor()
        )
        workspace.models.embedder.embed(["ready"])
        workspace.import_path(DEMO, "demo")
        passages = workspace.collections.passages("demo", limit=1000)
        extractor = LocalExtractor()
        list(extractor.extract(passages[:1]))
        alone = seconds(lambda: list(extractor.extract(passages)))
        searchable = seconds(lambda: workspace.extract("demo"))
        sys.stdout.write(f"{len(passages)} passages\n")
        sys.stdout.write(f"extraction alone        {len(passages) / alone:8.1f} passages/s\n")
        sys.stdout.write(f"to searchable           {len(passages) / searchable:8.1f} passages/s\n")
        for method in METHODS:
            workspace.ask("warm up", "demo", method, triples="curated")
            taken = [
                workspace.ask(q.question, "demo", method, triples="curated").ms
                for q in workspace.collections.questions("demo")
            ]
            sys.stdout.write(
                f"{method:12} median      {statistics.median(taken):8.0f} ms, first time asked\n"
            )


if __name__ == "__main__":
    main()
