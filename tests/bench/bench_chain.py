"""Chain and hybrid alone at 1 000 to 150 000 passages: medians, 95th percentiles, growth and ratio.

Passages and questions are those of the shared question sets, or of the demo where these are not
here. Beyond their number they come again with other words in the place of most rare ones, so that
as many passages hold a mention as in a real collection of that size, which is what the work depends
on. Vectors of passages and sentences are random; a question and its parts are encoded by the real
model, each time for the first time. Prints a table.

    python tests/bench/bench_chain.py 1000 10000 20000
"""

from __future__ import annotations

import gc
import gzip
import json
import os
import re
import statistics
import sys
import time
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gear_app.embedders.local import MiniLM
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.mentions import MentionIndex, arrays_of
from gear_app.language.mentions import read
from gear_app.retrievers.base import Hybrid
from gear_app.retrievers.chain import Chain
from gear_app.rows import HubLimit
from gear_app.seams import Embedder, Retriever, Vectors
from gear_app.types import Passage

ROOT = Path(__file__).parents[2]
SIZES = (1_000, 10_000, 20_000)
QUESTIONS, WARM = 40, 4
DIMENSIONS = 384
RARE = HubLimit().most  # passages that a linking mention may have
CHANGED = 0.8  # of the rare words, in every repetition
WORD = re.compile(r"[^\W\d_]{4,}")


class Timed:
    """Random vectors, for the time that the real model takes; `seconds` is what it took so far."""

    name, fingerprint = "timed", "timed"

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._chance = np.random.default_rng(1)
        self.seconds = 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        start = time.perf_counter()
        self._inner.embed(texts)
        self.seconds += time.perf_counter() - start
        return unit_vectors(self._chance, len(texts))


def unit_vectors(chance: np.random.Generator, count: int) -> Vectors:
    """(count, d) float32, rows L2-normalised."""
    vectors = chance.standard_normal((count, DIMENSIONS), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def rows(name: str) -> list[dict[str, Any]]:
    """All rows of the files of this name in the shared sets, or in the demo."""
    shared = Path(os.environ.get("GEAR_SHARED_DATA", ROOT.parent / "shared" / "data"))
    files = sorted(shared.glob(f"*/{name}*")) or [ROOT / "data" / "demo" / name]
    found: dict[str, dict[str, Any]] = {}
    for file in files:
        text = file.read_bytes()
        text = gzip.decompress(text) if file.suffix == ".gz" else text
        found |= {row["id"]: row for row in map(json.loads, text.decode().splitlines())}
    return list(found.values())


def passages(size: int) -> Iterator[Passage]:
    """So many passages, those of the sets first."""
    base = [(row["title"], row["text"]) for row in rows("corpus.jsonl")]
    holders = Counter(word for of in base for word in {*WORD.findall(" ".join(of))})
    rare = {word for word, count in holders.items() if count <= RARE}
    for n in range(size):
        again, place = divmod(n, len(base))
        title, text = base[place]
        yield Passage(n + 1, str(n + 1), varied(title, again, rare), varied(text, again, rare))


def varied(text: str, again: int, rare: set[str]) -> str:
    """The text with most of its rare words made others, the same everywhere in one repetition."""

    def other(match: re.Match[str]) -> str:
        word = match[0]
        seed = zlib.crc32(f"{again} {word}".encode())
        if word not in rare or seed % 100 >= 100 * CHANGED:
            return word
        return word + "".join(chr(ord("a") + (seed >> shift) % 26) for shift in (8, 14, 20))

    return WORD.sub(other, text) if again else text


def collection(size: int, embedder: Embedder) -> tuple[EmbeddedIndex, tuple[int, int]]:
    """The index of so many passages, and its numbers of sentences and of linking mentions."""
    chance = np.random.default_rng(0)
    every = list(passages(size))
    spans: list[tuple[int, int, int]] = []

    def mentions() -> Iterator[tuple[int, int, str, bool]]:
        for passage in every:
            found = read(passage.title, passage.text)
            spans.extend((passage.id, *span) for span in found.sentences)
            for mention in found.mentions:
                yield passage.id, mention.sentence, sys.intern(mention.name), mention.lower

    held = list(mentions())  # which fills spans as well
    arrays = arrays_of([passage.id for passage in every], spans, held)
    del held
    shared = MentionIndex(every, arrays, unit_vectors(chance, len(spans)))
    sentences, names = arrays.in_sentences.T
    held_by = np.unique(arrays.sentence_passages[sentences] * len(arrays.names) + names)
    holders = np.bincount(held_by % len(arrays.names), minlength=len(arrays.names))
    linking = int(((holders >= 2) & (holders <= HubLimit().of(size))).sum())
    index = EmbeddedIndex(
        every,
        [],
        unit_vectors(chance, size),
        np.zeros((0, DIMENSIONS), np.float32),
        embedder,
        mentions=lambda: shared,
    )
    return index, (len(spans), linking)


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
    asked = [row["question"] for row in rows("questions.jsonl")]
    questions = asked[:: max(1, len(asked) // (QUESTIONS + WARM))][: QUESTIONS + WARM]
    embedder = Timed(MiniLM())
    embedder.embed(questions[:1])
    heads = ["passages", "sentences", "linking mentions", "hybrid", "p95", "chain", "p95"]
    heads += ["computing", "of it encoding", "chain / hybrid", "growth"]
    say(f"| {' | '.join(heads)} |\n|{' ---: |' * len(heads)}")
    first = 0.0
    for size in sizes:
        index, counts = collection(size, embedder)
        gc.collect()
        load = os.getloadavg()[0]
        hybrid = measured(Hybrid(index), questions, embedder)
        chain = measured(Chain(index, embedder), questions, embedder)
        first = first or chain.median
        cells = [f"{size:,}", *(f"{count:,}" for count in counts)]
        times = (*hybrid[:2], *chain)
        cells += [f"{1000 * seconds:.0f} ms" for seconds in times]
        cells += [f"{chain.median / hybrid.median:.1f}", f"{chain.median / first:.2f}"]
        say(f"| {' | '.join(cells)} |  (load {load:.1f})")
        del index


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
