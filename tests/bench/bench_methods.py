"""The methods in this process, on 10 000 passages and 120 000 triples: what the searches of the index
take, BM25 beside rank_bm25's own loop; what the graph of entities takes; and of every method the
processor's time for a question, its calls of the index an iteration, and what it spends its time on.

Passages and triples are those of bench_cluster, with its vectors, so that encoding costs nothing.
Every question is asked before it is timed. Prints tables.

    python -m tests.bench.bench_methods [PASSAGES:TRIPLES]
"""

from __future__ import annotations

import statistics
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from rank_bm25 import BM25Okapi

from gear_app.embedders.cache import CachedEmbedder, MemoryCache
from gear_app.events import Emit, Event
from gear_app.index.cache import RowCache
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.entities import EntityGraph, Names, first_written
from gear_app.reader.readers import LocalReader
from gear_app.retrievers import answer, build
from gear_app.rows import Search
from gear_app.seams import Embedder
from gear_app.steps.pagerank import pagerank
from gear_app.text import tokenise
from tests.bench.bench_cluster import METHODS, WordSums, collection, rows, table
from tests.index.counting import Counting

SIZE, QUESTIONS, K = "10000:120000", 12, 15
AT_ONCE = 512  # names that are compared in a slice


def cpu_ms(work: Callable[[], object], times: int = 5) -> float:
    """The median of what calls take of the processor, in milliseconds."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        work()
        taken.append(1000 * (time.process_time() - began))
    return statistics.median(taken)


def of_index(index: EmbeddedIndex, query: str) -> list[list[str]]:
    """A line for each kind of search, and for an index that grows."""
    peer = BM25Okapi([tokenise(passage.indexed) for passage in index.every_passage])
    scores = np.asarray(peer.get_scores(tokenise(query)))
    theirs = np.lexsort((np.arange(len(scores)), -np.round(scores, 6)))[:10] + 1
    bm25 = Search(query, 10, "bm25")
    same = list(index.search([bm25]).rankings[0].ids) == theirs.tolist()
    triples = list(index.every_triple[:200])
    more = [replace(triple, id=triple.id + len(index.every_triple)) for triple in triples]
    vectors = WordSums().embed([triple.text for triple in triples])
    ids = [triple.id for triple in triples[:10]]
    works: dict[str, Callable[[], object]] = {
        "BM25 over passages, rank_bm25": lambda: peer.get_scores(tokenise(query)),
        f"BM25 over passages, ours, the same top ten: {same}": lambda: index.search([bm25]),
        "dense over passages": lambda: index.search([Search(query, 10, "dense")]),
        "dense over triples": lambda: index.search([Search(query, 10, "dense", "triples")]),
        "neighbours of ten triples": lambda: index.nearest(ids, vectors[0], 100),
        "200 triples more": lambda: index.grown(more, vectors),
    }
    return [["index", name, f"{cpu_ms(work):,.1f} ms"] for name, work in works.items()]


def of_graph(index: EmbeddedIndex) -> list[list[str]]:
    """Lines for the comparison of all names, for the graph of entities, and for a walk on it."""
    triples = index.every_triple
    nodes = first_written(name for triple in triples for name in (triple.subject, triple.object))
    vectors = WordSums().embed(list(nodes.values()))
    names = Names(list(nodes.values()), vectors)
    starts = range(0, len(nodes), AT_ONCE)
    slices = [cpu_ms(lambda n=n: names.pairs(n, min(n + AT_ONCE, len(nodes))), 1) for n in starts]
    tracemalloc.start()
    names.pairs(starts[-1], len(nodes))
    peak_mb = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    pairs = names.pairs(0, len(nodes) // 4)
    graph = EntityGraph(triples, nodes, vectors, pairs)
    weights = (graph.facts + graph.synonymy).tocsr()
    seeds = np.zeros(len(nodes))
    seeds[:3] = 1.0
    built = cpu_ms(lambda: EntityGraph(triples, nodes, vectors, pairs), 3)
    walk = cpu_ms(lambda: pagerank(weights, seeds, restart=0.5))
    compared = f"{len(nodes):,} names compared, {max(slices):,.0f} ms and {peak_mb:,.0f} MB a slice"
    return [
        ["graph", compared, f"{sum(slices):,.0f} ms"],
        ["graph", f"made, {weights.nnz // 2:,} edges", f"{built:,.1f} ms"],
        ["graph", "PageRank", f"{walk:,.1f} ms"],
    ]


def of_method(
    name: str, index: EmbeddedIndex, embedder: Embedder, questions: Sequence[str]
) -> list[str]:
    """A method's line."""
    reader, spent = LocalReader(embedder), Counter[str]()
    taken, calls = [], []

    def ask(question: str, asked: Counting | EmbeddedIndex, sink: Emit) -> None:
        cached = RowCache(asked)
        answer(build(name, cached, reader, embedder), cached, question, K, sink)

    for question in questions:
        counting, events = Counting(index), list[Event]()
        ask(question, counting, events.append)
        calls.append(len(counting.calls) / max(1, *(event.iteration for event in events)))
        taken.append(cpu_ms(lambda q=question: ask(q, index, lambda event: None)))
        spent.update(time_before(lambda sink, q=question: ask(q, index, sink)))
    shares = [f"{kind} {100 * s / spent.total():.0f} %" for kind, s in spent.most_common(4)]
    median = f"{statistics.median(taken):,.1f} ms"
    return [name, median, f"{statistics.fmean(calls):.1f}", ", ".join(shares)]


def time_before(ask: Callable[[Emit], object]) -> Counter[str]:
    """The processor's seconds before the events of each kind, of a question that is asked."""
    spent, times = Counter[str](), [time.process_time()]

    def note(event: Event) -> None:
        times.append(time.process_time())
        spent[type(event).__name__] += times[-1] - times[-2]

    ask(note)
    return spent


def main() -> None:
    """Make the collection, and print what was measured."""
    passages, triples = map(int, (sys.argv[1:] or [SIZE])[0].split(":"))
    embedder = CachedEmbedder(WordSums(), MemoryCache())
    asked = [row["question"] for row in rows("questions")]
    questions = asked[:: max(1, len(asked) // QUESTIONS)][:QUESTIONS]
    index = collection(passages, triples, WordSums())
    table(["of", "work", "processor"], [*of_index(index, questions[0]), *of_graph(index)])
    lines = [of_method(name, index, embedder, questions) for name in (*METHODS, "hipporag")]
    table(["method", "a question", "calls an iteration", "time before"], lines)


if __name__ == "__main__":
    main()
