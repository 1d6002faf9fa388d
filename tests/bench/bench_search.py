"""Search at 10 000 passages and 120 000 triples: BM25 against rank_bm25's own loop, dense,
neighbours.

Prints a table of medians and the ratio of both BM25 in one run. Vectors are random: their content
costs nothing here.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from rank_bm25 import BM25Okapi

from gear_app.embedders.local import HashingEmbedder
from gear_app.index.embedded import EmbeddedIndex
from gear_app.rows import Search
from gear_app.text import tokenise
from gear_app.types import Passage, Triple

PASSAGES, TRIPLES, WORDS, ENTITIES = 10_000, 120_000, 40_000, 30_000


def median_ms(function: Callable[[], object], times: int = 15) -> float:
    """The median of `times` calls, in milliseconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        function()
        taken.append((time.perf_counter() - start) * 1000)
    return statistics.median(taken)


def main() -> None:
    """Build the collection and print the table."""
    chance = random.Random(0)
    words = [f"w{int(chance.paretovariate(0.7)) % WORDS}" for _ in range(PASSAGES * 100)]
    passages = [
        Passage(i, str(i), "", " ".join(words[i * 100 : i * 100 + 100])) for i in range(PASSAGES)
    ]
    triples = [
        Triple(
            i,
            i % PASSAGES,
            f"e{chance.randrange(ENTITIES)}",
            "is near",
            f"e{chance.randrange(ENTITIES)}",
        )
        for i in range(TRIPLES)
    ]
    vectors = np.random.default_rng(0).standard_normal((TRIPLES, 384), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    more = [replace(triple, id=triple.id + TRIPLES) for triple in triples[:200]]
    start = time.perf_counter()
    index = EmbeddedIndex(passages, triples, vectors[:PASSAGES], vectors, HashingEmbedder(384))
    built_s = time.perf_counter() - start
    peer = BM25Okapi([tokenise(p.indexed) for p in passages])
    query = " ".join(chance.sample(words, 12))
    theirs = np.asarray(peer.get_scores(tokenise(query)))
    (ours,) = index.search([Search(query, 10, "bm25")]).rankings
    same = [hit.id for hit in ours.hits] == np.lexsort((np.arange(PASSAGES), -np.round(theirs, 6)))[
        :10
    ].tolist()
    rows = [
        ("BM25 over passages, rank_bm25", median_ms(lambda: peer.get_scores(tokenise(query)), 5)),
        ("BM25 over passages, ours", median_ms(lambda: index.search([Search(query, 10, "bm25")]))),
        ("dense over passages", median_ms(lambda: index.search([Search(query, 10, "dense")]))),
        (
            "dense over triples",
            median_ms(lambda: index.search([Search(query, 10, "dense", "triples")])),
        ),
        ("200 triples more", median_ms(lambda: index.grown(more, vectors[:200]))),
        ("neighbours of ten triples", median_ms(lambda: index.nearest(range(10), vectors[0], 100))),
    ]
    sys.stdout.write(f"{PASSAGES} passages, {TRIPLES} triples, index built in {built_s:.1f} s\n")
    for name, ms in rows:
        sys.stdout.write(f"{name:32} {ms:9.2f} ms\n")
    sys.stdout.write(
        f"BM25: {rows[0][1] / rows[1][1]:.0f} times faster, the same top ten: {same}\n"
    )


if __name__ == "__main__":
    main()
