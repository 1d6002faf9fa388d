"""GRIEVER on 10 000 passages and 120 000 triples: the median of a question of two hops, and what
its steps take.

Triples, partial triples and names have stored vectors, as after the background job; the query's own
words cost what the real model takes to encode them, each question for the first time. Prints a
table.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Sequence
from functools import cache

import numpy as np

from gear_app.embedders.local import MiniLM
from gear_app.events import Event, Matched
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.entities import EntityGraph, Pairs, first_written
from gear_app.retrievers.griever import Griever
from gear_app.seams import Embedder, Vectors
from gear_app.text import tokenise
from gear_app.types import Passage, Triple

PASSAGES, TRIPLES, PEOPLE, QUESTIONS = 10_000, 120_000, 30_000, 40
PHRASES = {
    "was born in": "where {} was born",
    "lies on": "on which {} lies",
    "was written by": "of the man {} was written by",
    "worked for": "of the firm that {} worked for",
}
SYLLABLES = (
    "ka",
    "lo",
    "mir",
    "ven",
    "ta",
    "sel",
    "or",
    "bra",
    "din",
    "qui",
    "hal",
    "port",
    "ume",
    "zan",
)
NEVER_ASKED = 4  # questions that warm up


class Stored:
    """Vectors of words added up, and the model's time for what is not stored."""

    name, fingerprint = "stored", "stored"

    def __init__(self, inner: Embedder, stored: set[str]) -> None:
        """`stored` are the texts that have vectors."""
        self._inner, self._stored = inner, stored
        self.encoded, self.encoding_s = 0, 0.0

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Encode what is new, and take the words' vectors all the same."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._stored]
        if fresh:
            start = time.perf_counter()
            self._inner.embed(fresh)
            self.encoding_s += time.perf_counter() - start
            self.encoded += len(fresh)
            self._stored.update(fresh)
        return np.array([vector_of(text) for text in texts], np.float32).reshape(-1, 384)


@cache
def vector_of(text: str) -> Vectors:
    """The sum of its words' random vectors, normalised."""
    vector = np.sum([_WORDS[word] for word in tokenise(text) or [""]], axis=0)
    return np.asarray(vector / np.linalg.norm(vector), np.float32)


class _OfWords(defaultdict):  # type: ignore[type-arg]
    def __missing__(self, word: str) -> Vectors:
        seed = zlib.crc32(word.encode())
        self[word] = np.random.default_rng(seed).standard_normal(384, np.float32)
        return self[word]


_WORDS = _OfWords()


def names(chance: random.Random) -> list[str]:
    """Names of two words, some far more often used than others."""
    return [
        " ".join(
            "".join(chance.choices(SYLLABLES, k=chance.randint(2, 3))).capitalize()
            for _ in range(2)
        )
        for _ in range(PEOPLE)
    ]


def collection(chance: random.Random) -> tuple[list[Passage], list[Triple]]:
    """Passages of a hundred words, each with twelve triples about its title."""
    called = names(chance)
    often = [called[int(PEOPLE * chance.random() ** 1.5)] for _ in range(TRIPLES)]
    triples = [
        Triple(i, i // 12, called[i // 12], chance.choice(list(PHRASES)), other)
        for i, other in enumerate(often, start=0)
    ]
    filler = [f"w{int(chance.paretovariate(0.7)) % 40_000}" for _ in range(PASSAGES * 60)]
    said = defaultdict(list)
    for triple in triples:
        said[triple.passage_id].append(f"{triple.predicate} {triple.object}")
    passages = [
        Passage(
            i,
            str(i),
            called[i],
            f"{called[i]} {'. It '.join(said[i])}. " + " ".join(filler[i * 60 : i * 60 + 60]),
        )
        for i in range(PASSAGES)
    ]
    return passages, triples


def main() -> None:
    """Build the collection, ask, print the table."""
    chance = random.Random(0)
    passages, triples = collection(chance)
    nodes = first_written(name for t in triples for name in (t.subject, t.object))
    stored = {
        text
        for t in triples
        for text in (t.text, f"{t.subject} {t.predicate}", f"{t.predicate} {t.object}")
    }
    embedder = Stored(MiniLM(), stored | set(nodes.values()))
    later = np.arange(3, len(nodes), 3)
    synonyms = Pairs(later, later - 1, np.full(len(later), 0.96))
    of_passages = np.array(
        [vector_of(passage.title) for passage in passages]
    )  # what a passage is about
    of_names = np.array([vector_of(name) for name in nodes.values()])
    of_triples = np.zeros((TRIPLES, 384), np.float32)  # whole triples are not compared
    graph = EntityGraph(triples, nodes, of_names, synonyms)
    index = EmbeddedIndex(passages, triples, of_passages, of_triples, embedder, lambda: graph)
    method = Griever(index, embedder)
    questions = [
        f"Which river runs through the town {PHRASES[t.predicate].format(t.subject)}?"
        for t in chance.sample(triples, QUESTIONS + NEVER_ASKED)
    ]
    rows: dict[str, list[float]] = defaultdict(list)
    hops, encoded = [], []
    for n, question in enumerate(questions):
        spent, events = ask(method, embedder, question)
        if n < NEVER_ASKED:
            continue
        for name, ms in spent.items():
            rows[name].append(ms)
        hops.append(max(event.iteration for event in events))
        encoded.append(spent["texts encoded"])
    sys.stdout.write(
        f"{PASSAGES} passages, {TRIPLES} triples, {len(nodes)} entities; {QUESTIONS} questions,"
        f" {statistics.fmean(hops):.1f} hops, {statistics.median(encoded):.0f} texts encoded\n"
    )
    total = statistics.median(rows["a question"])
    for name, values in rows.items():
        if name != "texts encoded":
            median = statistics.median(values)
            sys.stdout.write(f"{name:28} {median:8.1f} ms  {100 * median / total:4.0f} %\n")


def ask(method: Griever, embedder: Stored, question: str) -> tuple[dict[str, float], list[Event]]:
    """Milliseconds of a question: all, encoding within it, and what passed before each kind of
    event.
    """
    events: list[Event] = []
    spent: dict[str, float] = {"a question": 0.0, "encoding the query's words": 0.0}
    clock = time.perf_counter()
    inside = embedder.encoding_s

    def sink(event: Event) -> None:
        nonlocal clock, inside
        name = {
            "Split": "splitting",
            "Retrieved": "retrieving",
            "Matched": "matching",
            "Fused": "fusing",
        }.get(type(event).__name__, "rewriting")
        now = time.perf_counter()
        spent[name] = spent.get(name, 0.0) + 1000 * (now - clock - (embedder.encoding_s - inside))
        clock, inside = now, embedder.encoding_s
        events.append(event)

    began, encoding, encoded = clock, embedder.encoding_s, embedder.encoded
    method.retrieve(question, 15, sink)
    spent["a question"] = 1000 * (time.perf_counter() - began)
    spent["encoding the query's words"] = 1000 * (embedder.encoding_s - encoding)
    spent["texts encoded"] = embedder.encoded - encoded
    assert any(isinstance(event, Matched) for event in events)
    return spent, events


if __name__ == "__main__":
    main()
