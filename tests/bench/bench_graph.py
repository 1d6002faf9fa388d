"""The graph of entities at 120 000 triples and 100 000 entities, the comparison of their names, and
a walk.

Prints a table of seconds, and the memory the comparison needs at its peak. Vectors are random
around centres, so that a name has a few that are near; a tenth of the names are dates.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from gear_app.config import HippoConfig
from gear_app.embedders.local import HashingEmbedder
from gear_app.events import Event, Walked
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.entities import EntityGraph, Names, first_written
from gear_app.reader.readers import ScriptedReader
from gear_app.retrievers.hipporag import HippoRAG
from gear_app.steps.pagerank import pagerank
from gear_app.types import Passage, Triple

PASSAGES, TRIPLES, ENTITIES, SIZE = 10_000, 120_000, 100_000, 384
AT_ONCE = 512  # names compared in a slice


def seconds(function: Callable[[], object], times: int = 1) -> float:
    """The median of `times` calls."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def triples() -> list[Triple]:
    """Every entity once, in a passage of twelve triples, and otherwise some far more often than
    others.
    """
    chance = random.Random(0)
    names = [
        f"{n % 28 + 1} May {1500 + n // 280}" if n % 10 == 0 else f"name {_word(n)}"
        for n in range(ENTITIES)
    ]
    often = [names[int(ENTITIES * chance.random() ** 4)] for _ in range(2 * TRIPLES - ENTITIES)]
    ends = [*names, *often]
    chance.shuffle(ends)
    return [
        Triple(i, i * PASSAGES // TRIPLES, ends[2 * i], "is near", ends[2 * i + 1])
        for i in range(TRIPLES)
    ]


def main() -> None:
    """Build everything and print the table."""
    facts = triples()
    names = first_written(name for triple in facts for name in (triple.subject, triple.object))
    random_ = np.random.default_rng(0)
    centres = random_.standard_normal((len(names) // 3, SIZE), np.float32)
    vectors = centres[random_.integers(0, len(centres), len(names))]
    vectors += 0.45 * random_.standard_normal((len(names), SIZE), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    surfaces = list(names.values())
    started = time.perf_counter()
    ready = Names(surfaces, vectors)
    prepared = time.perf_counter() - started
    slices = [
        seconds(lambda s=s: ready.pairs(s, min(s + AT_ONCE, len(names))))
        for s in range(0, len(names), AT_ONCE)
    ]
    tracemalloc.start()
    ready.pairs(len(names) - AT_ONCE, len(names))
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    pairs = ready.pairs(0, len(names) // 4)
    built = seconds(lambda: EntityGraph(facts, names, vectors, pairs), 3)
    graph = EntityGraph(facts, names, vectors, pairs)
    weights = (graph.facts + graph.synonymy).tocsr()
    seeds = np.zeros(len(names))
    seeds[:3] = 1.0
    say = sys.stdout.write
    say(f"{TRIPLES} triples, {len(names)} names, {weights.nnz // 2} edges\n")
    say(
        f"{'names compared, all of them':34} {prepared + sum(slices):9.2f} s, slowest slice"
        f" {max(slices):.2f} s,"
    )
    say(f" {peak:.0f} MB of its own\n")
    say(f"{'graph built':34} {built:9.2f} s\n")
    say(
        f"{'PageRank':34} {seconds(lambda: pagerank(weights, seeds, restart=0.5), 5) * 1000:9.1f}"
        " ms\n"
    )
    for line in questions(facts, graph):
        say(line)


def questions(facts: list[Triple], graph: EntityGraph) -> list[str]:
    """A whole question: linking, walk, scores and event; without the reader's part."""
    passages = [Passage(i, str(i), f"Title {i}", "") for i in range(PASSAGES)]
    none = np.zeros((PASSAGES, 1), np.float32)
    embedder = HashingEmbedder(SIZE)
    index = EmbeddedIndex(
        passages, facts, none, np.zeros((TRIPLES, 1), np.float32), embedder, lambda: graph
    )
    events: list[Event] = []
    asked = [(graph.names[n], f"unheard of {n}") for n in range(0, 9000, 1000)]
    reader = ScriptedReader(asked)
    started = time.perf_counter()
    method = HippoRAG(index, graph, reader, embedder, HippoConfig())
    prepared = time.perf_counter() - started
    taken = seconds(lambda: method.retrieve("?", 15, events.append), len(asked))
    nodes = max(len(event.nodes) for event in events if isinstance(event, Walked))
    return [
        f"{'HippoRAG, made ready':34} {prepared * 1000:9.1f} ms\n",
        f"{'HippoRAG, a question':34} {taken * 1000:9.1f} ms, up to {nodes} nodes in its event\n",
    ]


def _word(number: int) -> str:
    letters = "abcdefghij"
    return "".join(letters[int(digit)] for digit in str(number))


if __name__ == "__main__":
    main()
