"""Chain and hybrid alone at 1 000 to 150 000 passages: medians, 95th percentiles, growth and ratio.

Passages are those of bench_cluster, with its vectors, so that as many passages hold a mention as in
a real collection of that size, which is what the work depends on. A question and its parts are
encoded by the real model as well, each time for the first time. Prints a table.

    python -m tests.bench.bench_chain 1000 10000 20000
"""

from __future__ import annotations

import gc
import os
import statistics
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from gear_app.embedders.local import MiniLM
from gear_app.retrievers.base import Hybrid
from gear_app.retrievers.chain import Chain
from gear_app.seams import Embedder, Retriever, Vectors
from tests.bench.bench_cluster import WordSums, collection, rows

SIZES = (1_000, 10_000, 20_000)
QUESTIONS, WARM = 40, 4


class Timed(WordSums):
    """Sums of words' vectors, for the time that a real model takes: so many `seconds` so far. It is
    asked from `begins` on.
    """

    def __init__(self, inner: Embedder) -> None:
        super().__init__()
        self._inner, self.begins, self.seconds = inner, False, 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        start = time.perf_counter()
        if self.begins:
            self._inner.embed(texts)
        self.seconds += time.perf_counter() - start
        return super().embed(texts)


class Measured(NamedTuple):
    """Seconds of questions: on the clock, the median and the 95th percentile; medians of what this
    process computed, and of what the model took of the clock.
    """

    median: float
    p95: float
    computed: float
    encoding: float


def measured(method: Retriever, questions: Sequence[str], embedder: Timed) -> Measured:
    """The times of all questions but the first few, which warm up."""
    rows = []
    for question in questions:
        before, clock, computed = embedder.seconds, time.perf_counter(), time.process_time()
        method.retrieve(question, 15, [].append)
        taken = time.perf_counter() - clock, time.process_time() - computed
        rows.append((*taken, embedder.seconds - before))
    clock_s, computed_s, encoding_s = (sorted(column) for column in zip(*rows[WARM:], strict=True))
    return Measured(
        statistics.median(clock_s),
        clock_s[int(0.95 * len(clock_s))],
        statistics.median(computed_s),
        statistics.median(encoding_s),
    )


def main() -> None:
    """Build a collection of every size and print its line."""
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    asked = [row["question"] for row in rows("questions")]
    questions = asked[:: max(1, len(asked) // (QUESTIONS + WARM))][: QUESTIONS + WARM]
    heads = ["passages", "hybrid", "p95", "chain", "p95", "computing", "of it encoding"]
    heads += ["chain / hybrid", "growth"]
    say(f"| {' | '.join(heads)} |\n|{' ---: |' * len(heads)}")
    first = 0.0
    for size in sizes:
        embedder = Timed(MiniLM())
        index = collection(size, 0, embedder)
        embedder.begins = True
        gc.collect()
        load = os.getloadavg()[0]
        hybrid = measured(Hybrid(index), questions, embedder)
        chain = measured(Chain(index, embedder), questions, embedder)
        first = first or chain.median
        cells = [f"{size:,}", *(f"{1000 * seconds:.0f} ms" for seconds in (*hybrid[:2], *chain))]
        cells += [f"{chain.median / hybrid.median:.1f}", f"{chain.median / first:.2f}"]
        say(f"| {' | '.join(cells)} |  (load {load:.1f})")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
