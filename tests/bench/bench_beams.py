"""The graph methods on 10 000 passages and 120 000 triples: CPU time of a question, and how often an
iteration asks the index.

Every question is asked before it is timed, so that no text is encoded in between; vectors are hashed
words. Prints a table.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable

from gear_app.embedders.cache import CachedEmbedder, MemoryCache
from gear_app.embedders.local import HashingEmbedder
from gear_app.events import Event
from gear_app.index.cache import RowCache
from gear_app.index.embedded import EmbeddedIndex
from gear_app.reader.readers import LocalReader
from gear_app.retrievers import answer, build
from tests.bench.bench_griever import PHRASES, collection
from tests.index.counting import Counting

METHODS, QUESTIONS = ("hybrid", "naive_ge", "sync_ge", "gear", "ircot"), 12


def main() -> None:
    """Build the collection, ask, print the table."""
    chance = random.Random(0)
    passages, triples = collection(chance)
    embedder = CachedEmbedder(HashingEmbedder(384), MemoryCache())
    inner = HashingEmbedder(384)
    index = EmbeddedIndex(
        passages,
        triples,
        inner.embed([passage.indexed for passage in passages]),
        inner.embed([triple.text for triple in triples]),
        embedder,
    )
    questions = [
        f"Which river runs through the town {PHRASES[t.predicate].format(t.subject)}?"
        for t in chance.sample(triples, QUESTIONS)
    ]
    sys.stdout.write(f"{len(passages)} passages, {len(triples)} triples, {QUESTIONS} questions\n")
    for name in METHODS:
        taken, asked = [], []
        for question in questions:
            counting, events = Counting(index), list[Event]()
            rows = RowCache(counting)
            method = build(name, rows, LocalReader(embedder), embedder)
            answer(method, rows, question, 15, events.append)
            asked.append(len(counting.calls) / max(event.iteration for event in events))
            taken.append(cpu_ms(lambda q=question, n=name: _ask(n, index, embedder, q)))
        sys.stdout.write(
            f"{name:10} {statistics.median(taken):8.1f} ms  {statistics.fmean(asked):5.1f} calls an"
            " iteration\n"
        )


def cpu_ms(function: Callable[[], object], times: int = 3) -> float:
    """CPU milliseconds of a call, the mean of some."""
    start = time.process_time()
    for _ in range(times):
        function()
    return (time.process_time() - start) * 1000 / times


def _ask(name: str, index: EmbeddedIndex, embedder: CachedEmbedder, question: str) -> None:
    rows = RowCache(index)
    method = build(name, rows, LocalReader(embedder), embedder)
    answer(method, rows, question, 15, lambda event: None)


if __name__ == "__main__":
    main()
