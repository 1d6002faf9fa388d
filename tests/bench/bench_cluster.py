"""An index in this process against one and three OpenSearch nodes: loading, opening, and round
trips and milliseconds of a question by each method, at sizes that grow.

Passages and triples are those of a shared set (or of the demo), which come again with other words
in the place of most rare ones (with as many passages to a mention as in a real
collection of that size). Vectors are random ones of words added up, so that
encoding costs nothing here and texts with the same words are near. Synonyms are given: comparing
all names is the import's work, not a search's. Rankings are compared with those of this process.

    python tests/bench/bench_cluster.py 10000:120000 150000:500000 --nodes 3 --heap 1g
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # run as a file, like its neighbours

from gear_app.cluster.contents import CollectionContents  # noqa: E402
from gear_app.cluster.facts import CollectionOrigin  # noqa: E402
from gear_app.index.cache import RowCache  # noqa: E402
from gear_app.index.embedded import EmbeddedIndex  # noqa: E402
from gear_app.index.entities import EntityGraph, Pairs, first_written  # noqa: E402
from gear_app.index.mentions import MentionIndex, arrays_of  # noqa: E402
from gear_app.language.mentions import read  # noqa: E402
from gear_app.opensearch import catalogue, load  # noqa: E402
from gear_app.opensearch.address import address_of  # noqa: E402
from gear_app.opensearch.cluster import Cluster, connect  # noqa: E402
from gear_app.opensearch.index import OpenSearchIndex  # noqa: E402
from gear_app.opensearch.load import StorageOptions  # noqa: E402
from gear_app.reader.readers import LocalReader  # noqa: E402
from gear_app.retrievers import answer, build, config_for  # noqa: E402
from gear_app.rows import HubLimit, Search  # noqa: E402
from gear_app.seams import Index, Vectors  # noqa: E402
from gear_app.text import tokenise  # noqa: E402
from gear_app.types import Passage, Ranking, Triple  # noqa: E402
from tests.bench.growth import figure  # noqa: E402
from tests.cluster import nodes  # noqa: E402
from tests.cluster.worlds import with_ef  # noqa: E402

SIZES = ("1000:12000",)
METHODS = ("bm25", "dense", "hybrid", "chain", "sync_ge", "gear", "griever", "bdtr")
QUESTIONS, WARM, K = 5, 1, 15
EF = 500
WORDS, DIMENSIONS = 1 << 16, 384
AT_ONCE = 20_000  # texts that are encoded together
RARE = HubLimit().most  # passages that a linking mention may have
CHANGED = 0.8  # of the rare words, in every repetition
WORD = re.compile(r"[^\W\d_]{4,}")


class WordSums:
    """Texts as sums of their words' random vectors: (n, 384) float32, rows L2-normalised."""

    name, fingerprint = "word sums", "word-sums-384"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A text without words has the vector of the empty word."""
        parts = [self._some(texts[n : n + AT_ONCE]) for n in range(0, len(texts), AT_ONCE)]
        return np.concatenate([np.zeros((0, DIMENSIONS), np.float32), *parts])

    def _some(self, texts: Sequence[str]) -> Vectors:
        words = [tokenise(text) or [""] for text in texts]
        columns = [zlib.crc32(word.encode()) % WORDS for of in words for word in of]
        starts = np.cumsum([0, *map(len, words)])
        counts = sparse.csr_array(
            (np.ones(len(columns), np.float32), columns, starts), shape=(len(texts), WORDS)
        )
        vectors = counts @ _word_vectors()
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


@cache
def _word_vectors() -> Vectors:
    return np.random.default_rng(0).standard_normal((WORDS, DIMENSIONS), np.float32)


def unit_vectors(chance: np.random.Generator, count: int) -> Vectors:
    """(count, d) float32, rows L2-normalised."""
    vectors = chance.standard_normal((count, DIMENSIONS), np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def rows(name: str) -> list[dict[str, Any]]:
    """The rows of a file of MuSiQue's passages with GPT-3.5's triples, or of the demo."""
    shared = Path(os.environ.get("GEAR_SHARED_DATA", ROOT.parent / "shared" / "data"))
    files = sorted(shared.glob(f"musique_openie/{name}*"))
    files = files or sorted((ROOT / "data" / "demo").glob(f"{name}*"))
    text = files[0].read_bytes()
    text = gzip.decompress(text) if files[0].suffix == ".gz" else text
    return [json.loads(line) for line in text.decode().splitlines()]


def other_word(word: str, again: int) -> str:
    """Another word of the same length, so that places in a text stay right."""
    seed = zlib.crc32(f"{again} {word}".encode())
    if seed % 100 >= 100 * CHANGED:
        return word
    return word[:-3] + "".join(chr(ord("a") + (seed >> shift) % 26) for shift in (8, 14, 20))


class Repetition:
    """The texts of a set with most of their rare words made others, the same everywhere."""

    def __init__(self, rare: set[str], again: int) -> None:
        """`again` is 0 for the set itself."""
        self._again = again
        self._other = {word: other_word(word, again) for word in rare} if again else {}

    def text(self, text: str) -> str:
        """The text with its words."""
        if not self._again:
            return text
        return WORD.sub(lambda match: self._other.get(match[0], match[0]), text)

    def mention(self, name: str, holders: int) -> str:
        """What a mention that so many passages hold is called in it."""
        rare = self._again and holders <= RARE
        return f"{name} {self._again}" if rare and zlib.crc32(name.encode()) % 5 else name


def collection(passages: int, triples: int, embedder: WordSums) -> EmbeddedIndex:
    """So many passages and triples. A passage whose own triples are too few has some of those of
    the passages before it as well. Mentions are read once for each passage of the set.
    """
    base = [(row["id"], row["title"], row["text"]) for row in rows("corpus")]
    facts = defaultdict(list)
    for row in rows("triples"):
        facts[row["passage_id"]].append((row["subject"], row["predicate"], row["object"]))
    holders = Counter(word for _, *of in base for word in {*WORD.findall(" ".join(of))})
    rare = {word for word, number in holders.items() if number <= RARE}
    made: list[Passage] = []
    stated: list[Triple] = []
    for n in range(passages):
        again, place = divmod(n, len(base))
        if not place:
            words = Repetition(rare, again)
        key, title, text = base[place]
        made.append(Passage(n + 1, str(n), words.text(title), words.text(text)))
        pool = [*facts[key], *(fact for more in (1, 2) for fact in facts[base[place - more][0]])]
        wanted = triples * (n + 1) // passages - len(stated)
        for fact in pool[:wanted]:
            stated.append(Triple(len(stated) + 1, n + 1, *map(words.text, fact)))
    names = first_written(name for triple in stated for name in (triple.subject, triple.object))
    later = np.arange(9, len(names), 10)
    synonyms = Pairs(later, later - 1, np.full(len(later), 0.96))
    graph = EntityGraph(stated, names, lambda: embedder.embed(list(names.values())), synonyms)
    shared = mentions_of(made, [(title, text) for _, title, text in base])
    return EmbeddedIndex(
        made,
        stated,
        embedder.embed([passage.indexed for passage in made]),
        embedder.embed([triple.text for triple in stated]),
        embedder,
        lambda: graph,
        lambda: shared,
    )


def mentions_of(made: Sequence[Passage], base: Sequence[tuple[str, str]]) -> MentionIndex:
    """What the passages mention: each as that of the set which it repeats; sentences have random
    vectors.
    """
    found = [read(title, text) for title, text in base]
    held = Counter(name for one in found for name in {mention.name for mention in one.mentions})
    spans: list[tuple[int, int, int]] = []
    named: list[tuple[int, int, str, bool]] = []
    words = Repetition(set(), 0)
    for n, passage in enumerate(made):
        again, place = divmod(n, len(base))
        if not place:
            words = Repetition(set(), again)
        spans += [(passage.id, *span) for span in found[place].sentences]
        named += [
            (passage.id, one.sentence, words.mention(one.name, held[one.name]), one.lower)
            for one in found[place].mentions
        ]
    arrays = arrays_of([passage.id for passage in made], spans, named)
    return MentionIndex(made, arrays, unit_vectors(np.random.default_rng(1), len(spans)))


@dataclass(slots=True)
class MethodTimes:
    """What questions took with each method: medians of milliseconds and of round trips; the
    rankings; how many were proved.
    """

    ms: dict[str, float] = field(default_factory=dict)
    trips: dict[str, float] = field(default_factory=dict)
    found: dict[str, list[Ranking]] = field(default_factory=dict)
    proved: str = ""


def asked(index: Index, embedder: WordSums, questions: Sequence[str]) -> MethodTimes:
    """Every method on all questions; the first few warm up."""
    result, reader = MethodTimes(), LocalReader(embedder)
    proved = rankings = 0
    for method in METHODS:
        taken, trips, found = [], [], []
        for question in questions:
            one = index.counted() if isinstance(index, OpenSearchIndex) else index
            cached = RowCache(one)
            retriever = build(method, cached, reader, embedder, config_for(method))
            start = time.perf_counter()
            found.append(answer(retriever, cached, question, K, lambda event: None))
            taken.append(1000 * (time.perf_counter() - start))
            if isinstance(one, OpenSearchIndex):
                trips.append(one.trips)
                some = one.record["proved"].removesuffix(" rankings").split(" of ")
                proved, rankings = proved + int(some[0]), rankings + int(some[1])
        result.ms[method] = statistics.median(taken[WARM:])
        result.trips[method] = statistics.median(trips[WARM:] or [0])
        result.found[method] = found
    result.proved = f"{proved:,} of {rankings:,}"
    return result


class BatchRates:
    """Documents a second between reports of a load: what the load was doing in the median, however
    often the machine was taken from it.
    """

    def __init__(self) -> None:
        """Nothing was loaded."""
        self._done, self._at = 0, time.perf_counter()
        self._seconds: list[float] = []

    def __call__(self, what: str, done: int, total: int) -> None:
        """A step of a load."""
        now = time.perf_counter()
        if what == "loading" and done > self._done:
            self._seconds.append((now - self._at) / (done - self._done))
            if done // 50_000 > self._done // 50_000:
                note(f"  {done:,} of {total:,}, {self.median:,.0f} a second")
        elif what != "loading":
            note(f"  {what}")
        self._done, self._at = done, now

    @property
    def median(self) -> float:
        """Documents a second."""
        return 1 / statistics.median(self._seconds) if self._seconds else 0.0


OPEN = """
import resource, sys, time
from tests.bench.bench_cluster import WordSums
import opensearchpy
from gear_app.opensearch import catalogue
from gear_app.opensearch.address import address_of
from gear_app.opensearch.cluster import connect
from gear_app.rows import Search

def held():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() / 1e6

embedder = WordSums()
embedder.embed(["warm"])
before, start = held(), time.perf_counter()
index = catalogue.open_index(connect(address_of(sys.argv[1])), sys.argv[2], embedder)
opened, then = time.perf_counter() - start, held()
index.search([Search(sys.argv[3], 15, "bm25"), Search(sys.argv[3], 15, "dense")])
print(opened, then - before, time.perf_counter() - start, held() - before)
"""


def opening(url: str, index: str, question: str) -> list[float]:
    """Of a process of its own: seconds and MB of opening an index, and the same with the first
    search, which reads how many texts hold each word.
    """
    command = [sys.executable, "-c", OPEN, url, index, question]
    told = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    return [float(number) for number in told.stdout.split()]


def graph_recall(
    cluster: Cluster, index: OpenSearchIndex, here: EmbeddedIndex, questions: Sequence[str]
) -> tuple[float, float, float]:
    """Of the ten nearest triples, the share that HNSW found; milliseconds so, and compared with
    all.
    """
    graph = OpenSearchIndex(with_ef(cluster, EF), index.name, index.facts, WordSums())
    taken: dict[str, list[float]] = {"graph": [], "exact": []}
    both = 0
    for question in questions:
        search = [Search(question, 10, "dense", "triples")]
        want = {*here.search(search).rankings[0].ids}
        for name, one in (("graph", graph), ("exact", index)):
            start = time.perf_counter()
            ids = one.search(search).rankings[0].ids
            taken[name].append(1000 * (time.perf_counter() - start))
            both += len(want & {*ids}) if name == "graph" else 0
    shares = [statistics.median(taken[name]) for name in ("graph", "exact")]
    return both / (10 * len(questions)), shares[0], shares[1]


def remote(
    here: EmbeddedIndex, number: int, options: argparse.Namespace, questions: Sequence[str]
) -> tuple[MethodTimes, list[str]]:
    """The same collection in so many nodes: what questions took, and the cells about the index."""
    folder = Path(tempfile.mkdtemp(dir=options.folder))
    started = (
        [nodes.alone(folder, heap=options.heap)]
        if number == 1
        else nodes.together(folder, number, heap=options.heap)
    )
    try:
        address = ",".join(node.url for node in started)
        cluster, rates = connect(address_of(address, {})), BatchRates()
        size = f"{len(here.every_passage)} {len(here.every_triple)}"
        origin = CollectionOrigin(f"bench {size}", 1, "made", size, WordSums.fingerprint)
        storage = StorageOptions(number, hnsw=options.hnsw)
        contents = CollectionContents.of(here, origin, storage=storage)
        facts = contents.facts
        load.push(cluster, contents, rates)
        stored = {one.name: one for one in catalogue.stored(cluster)}[facts.index]
        opened = opening(address, facts.index, questions[0])
        index = catalogue.open_index(cluster, facts.index, WordSums())
        result = asked(index, WordSums(), questions)
        cells = [f"{stored.documents:,}", f"{rates.median:,.0f}"]
        cells += [f"{stored.bytes / stored.documents:,.0f}"]
        cells += [
            f"{opened[0]:.2f} s, {opened[1]:.0f} MB",
            f"{opened[2]:.2f} s, {opened[3]:.0f} MB",
        ]
        if options.hnsw:
            share, graph_ms, exact_ms = graph_recall(cluster, index, here, questions)
            note(f"  HNSW, ef {EF}: {share:.3f} of ten, {graph_ms:.0f} ms, exact {exact_ms:.0f} ms")
        return result, cells
    finally:
        for node in started:
            node.kill()


def main() -> None:
    """Make each collection, ask it here and in clusters, and print two tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("sizes", nargs="*", default=SIZES, help="PASSAGES:TRIPLES")
    parser.add_argument("--nodes", nargs="*", type=int, default=[1, 3])
    parser.add_argument("--heap", default=nodes.HEAP)
    parser.add_argument("--hnsw", action="store_true")
    parser.add_argument("--svg", type=Path, help="where to draw how times grow")
    parser.add_argument("--folder", default=None, help="where nodes keep their data")
    options = parser.parse_args()
    questions = [row["question"] for row in rows("questions")]
    questions = questions[:: max(1, len(questions) // (QUESTIONS + WARM))][: QUESTIONS + WARM]
    embedder = WordSums()
    lines, stored = [], []
    grown: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for size in options.sizes:
        passages, triples = map(int, size.split(":"))
        start = time.perf_counter()
        here = collection(passages, triples, embedder)
        label = f"{len(here.every_passage):,} / {len(here.every_triple):,}"
        note(f"{label} made in {time.perf_counter() - start:.0f} s")
        before = asked(here, embedder, questions)
        _grow(grown, "this process", len(here.every_triple), before)
        lines.append([label, "this process", *(f"{before.ms[name]:,.0f} ms" for name in METHODS)])
        for number in options.nodes:
            result, cells = remote(here, number, options, questions)
            where = f"{number} node{'s' if number > 1 else ''}"
            _grow(grown, where, len(here.every_triple), result)
            times = [f"{result.ms[name]:,.0f} ms, {result.trips[name]:.0f}" for name in METHODS]
            lines.append([label, where, *times])
            same = sum(
                one == other
                for name in METHODS
                for one, other in zip(before.found[name], result.found[name], strict=True)
            )
            of = len(METHODS) * len(questions)
            stored.append([label, where, *cells, f"{same} of {of}", result.proved])
            note(f"| {' | '.join(lines[-1])} |")
            note(f"| {' | '.join(stored[-1])} |")
        del here
        gc.collect()
    heads = ["documents", "loaded a second", "bytes a document", "opened", "and first search"]
    table(["passages / triples", "where", *heads, "rankings as here", "proved"], stored)
    table(["passages / triples", "where", *METHODS], lines)
    if options.svg:
        drawn = {
            name: (points, DASHES.get(name.split(", ")[1], "")) for name, points in grown.items()
        }
        options.svg.write_text(figure(drawn, "triples", "milliseconds a question"), "utf-8")


DRAWN = ("hybrid", "chain", "sync_ge", "gear")
DASHES = {"this process": "2 4", "1 node": "9 4"}


def _grow(
    grown: dict[str, list[tuple[float, float]]], where: str, triples: int, result: MethodTimes
) -> None:
    """Add what questions took at this size."""
    for name in DRAWN:
        grown[f"{name}, {where}"].append((triples, result.ms[name]))


def table(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> None:
    """In Markdown, on standard output."""
    out = [heads, ["---", "---", *("---:" for _ in heads[2:])], *lines]
    sys.stdout.write("".join(f"| {' | '.join(line)} |\n" for line in out) + "\n")


def note(line: str) -> None:
    """On standard error, with the machine's load: it is rarely idle."""
    sys.stderr.write(f"{line} (load {os.getloadavg()[0]:.1f})\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
