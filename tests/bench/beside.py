"""Our BM25, dense search and entity walk beside other libraries on the same data, in one run; and how
far a cluster's BM25 agrees with ours.

    python tests/bench/beside.py --packages FOLDER --out docs/results/beside.csv
    python tests/bench/beside.py --overlap FOLDER [FOLDER …] --out docs/results/overlap.csv

FOLDER of --packages is the site-packages of an environment with bm25s and faiss-cpu; a library that
is not there has no row. Texts are generated (opening.py), vectors and graphs are random. A row has
the median CPU-milliseconds of a query, on one thread where the library lets one choose; `times_ours`
below 1 means that the other is faster. `same_first_10` is the share of our first ten that it has.

FOLDERs of --overlap hold corpus.jsonl, or that file with gzip, and questions.jsonl. A node of OpenSearch is started for it.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from gear_app.core.rows import Search  # noqa: E402
from gear_app.core.text import terms  # noqa: E402
from gear_app.core.types import Passage  # noqa: E402
from gear_app.index.arrays import matrix  # noqa: E402
from gear_app.index.bm25 import Bm25Matrix, TextIndex, bm25_arrays, top  # noqa: E402
from gear_app.methods.hipporag import pagerank  # noqa: E402
from tests.bench.opening import Text  # noqa: E402

QUERIES, FIRST = 20, 10
SLOW = 20_000  # more texts take rank-bm25 seconds a query
Row = dict[str, object]
Answer = Callable[[Any], Sequence[int] | None]


def median_ms(answer: Answer, queries: Sequence[Any]) -> float:
    """CPU-milliseconds of a query: the median of the least of three."""
    answer(queries[0])
    least = []
    for query in queries:
        times = []
        for _ in range(3):
            began = time.process_time()
            answer(query)
            times.append(time.process_time() - began)
        least.append(min(times))
    return statistics.median(least) * 1000


def rows(
    what: str, size: int, ours: Answer, others: dict[str, Answer], queries: Any
) -> Iterator[Row]:
    """A row for ours and one for each other library."""
    own, first = median_ms(ours, queries), [ours(query) for query in queries]
    row: Row = {"what": what, "size": size}
    yield row | {
        "library": "gear_app",
        "ms": round(own, 2),
        "times_ours": 1.0,
        "same_first_10": 1.0,
    }
    for name, answer in others.items():
        took = median_ms(answer, queries)
        same = [
            len({*mine} & {*found}) / max(1, len(mine))
            for mine, found in zip(first, map(answer, queries), strict=True)
            if mine is not None and found is not None
        ]
        share = round(statistics.mean(same), 3) if same else ""
        ratio = round(took / own, 2)
        yield row | {
            "library": name,
            "ms": round(took, 2),
            "times_ours": ratio,
            "same_first_10": share,
        }


def words(size: int) -> Iterator[Row]:
    """BM25 over generated texts."""
    text = Text.of(5_000)
    texts = [text.sentence(*text.chosen.sample(text.names, 3)) * 3 for _ in range(size)]
    queries = [f"where was {text.some(5)} {text.chosen.choice(text.names)}" for _ in range(QUERIES)]
    index, ids = Bm25Matrix(bm25_arrays(texts)), np.arange(size)
    others: dict[str, Answer] = {}
    if bm25s := _library("bm25s"):
        peer = bm25s.BM25(k1=1.5, b=0.75, method="atire")
        numbers: dict[str, int] = {}
        tokens = [[numbers.setdefault(word, len(numbers)) for word in terms(t)] for t in texts]
        peer.index((tokens, numbers), show_progress=False)

        def by_bm25s(query: str) -> Sequence[int]:
            known = [numbers[word] for word in terms(query) if word in numbers]
            scores = peer.get_scores(known)
            return top(scores, FIRST, ids).ids

        others["bm25s"] = by_bm25s
    if size <= SLOW:
        from rank_bm25 import BM25Okapi

        okapi = BM25Okapi([terms(t) for t in texts])
        others["rank-bm25"] = lambda query: top(okapi.get_scores(terms(query)), FIRST, ids).ids
    ours = lambda query: top(index.scores(query), FIRST, ids).ids  # noqa: E731
    yield from rows("bm25", size, ours, others, queries)


def vectors(size: int, dimension: int = 384) -> Iterator[Row]:
    """Exact cosine."""
    chance = np.random.default_rng(2)
    array = chance.standard_normal((size, dimension)).astype(np.float32)
    array /= np.linalg.norm(array, axis=1, keepdims=True)
    queries = list(array[chance.integers(0, size, QUERIES)] + 0.02)
    index = TextIndex[Passage](np.arange(size), lambda ids: {}, array, lambda make: make())

    def by_numpy(query: Any) -> Sequence[int]:
        return np.argpartition(array @ query, -FIRST)[-FIRST:].tolist()

    others: dict[str, Answer] = {"numpy": by_numpy}
    if faiss := _library("faiss"):
        faiss.omp_set_num_threads(1)
        flat = faiss.IndexFlatIP(dimension)
        flat.add(array)
        others["faiss flat"] = lambda query: flat.search(query[None], FIRST)[1][0].tolist()
    yield from rows("dense", size, lambda query: index.dense(query, FIRST).ids, others, queries)


def walks(nodes: int) -> Iterator[Row]:
    """Personalized PageRank from three nodes, on a random graph with four edges a node."""
    chance = np.random.default_rng(4)
    ends = chance.integers(0, nodes, (4 * nodes, 2))
    ends = ends[ends[:, 0] != ends[:, 1]]
    both = np.concatenate([ends, ends[:, ::-1]])
    weights = matrix(*both.T, np.ones(len(both)), (nodes, nodes))
    queries = [chance.choice(nodes, 3, replace=False) for _ in range(QUERIES)]

    def seeds(query: Any) -> Any:
        start = np.zeros(nodes)
        start[query] = 1 / 3
        return start

    def ours(query: Any) -> Sequence[int]:
        walk = pagerank(weights, seeds(query), restart=0.5)
        return np.argsort(-walk.probabilities)[:FIRST].tolist()

    others: dict[str, Answer] = {}
    if igraph := _library("igraph"):
        graph = igraph.Graph(nodes, ends.tolist())

        def by_igraph(query: Any) -> Sequence[int]:
            found = graph.personalized_pagerank(damping=0.5, reset=seeds(query), directed=False)
            return np.argsort(-np.array(found))[:FIRST].tolist()

        others["igraph prpack"] = by_igraph
    yield from rows("walk", nodes, ours, others, queries)


def _library(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError:
        return None


def overlap(folders: Sequence[Path]) -> Iterator[Row]:
    """The share of the laptop's first ten by BM25 that a cluster's BM25 has."""
    from gear_app.index.opensearch.cluster import address_of, connect
    from tests.cluster import nodes
    from tests.cluster.worlds import EMBEDDER, pushed
    from tests.small import index_over

    with tempfile.TemporaryDirectory() as folder:
        node = nodes.alone(Path(folder))
        try:
            cluster = connect(address_of(node.url))
            for number, source in enumerate(folders):
                passages, questions = _passages(source), _questions(source)
                here = index_over(passages, [], EMBEDDER)
                there = pushed(cluster, here, f"overlap {number}")
                searches = [Search(question, FIRST, "bm25") for question in questions]
                ours, theirs = here.search(searches).rankings, there.search(searches).rankings
                pairs = [({*a.ids}, {*b.ids}) for a, b in zip(ours, theirs, strict=True) if a.ids]
                same = statistics.mean(len(mine & other) / len(mine) for mine, other in pairs)
                first = statistics.mean(
                    a.ids[0] == b.ids[0]
                    for a, b in zip(ours, theirs, strict=True)
                    if a.ids and b.ids
                )
                yield {
                    "set": source.name,
                    "passages": len(passages),
                    "questions": len(questions),
                    "same_first_10": round(same, 3),
                    "same_first": round(first, 3),
                }
        finally:
            node.kill()


def _passages(folder: Path) -> list[Passage]:
    file = folder / "corpus.jsonl"
    packed = file.with_suffix(".jsonl.gz")
    text = gzip.decompress(packed.read_bytes()) if packed.exists() else file.read_bytes()
    found = [json.loads(line) for line in text.decode().splitlines()]
    return [
        Passage(n, str(row["id"]), row.get("title", ""), row["text"])
        for n, row in enumerate(found, start=1)
    ]


def _questions(folder: Path) -> list[str]:
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["question"] for line in lines]


def main() -> None:
    """Measure and write a table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--packages", type=Path)
    parser.add_argument("--overlap", type=Path, nargs="+")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20_000, 150_000])
    parser.add_argument("--out", type=Path)
    called = parser.parse_args()
    if called.packages:
        sys.path.append(str(called.packages))
    if called.overlap:
        found = list(overlap(called.overlap))
    else:
        parts = (part(size) for part in (words, vectors, walks) for size in called.sizes)
        found = [row for part in parts for row in part]
    table = called.out.open("w", newline="") if called.out else sys.stdout
    writer = csv.DictWriter(table, found[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)


if __name__ == "__main__":
    main()
