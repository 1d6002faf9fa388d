"""What a build has to know of all passages before any of them can be loaded: how many triples each
has, BM25's statistics, who shares a mention, the names in order, and the hash of all texts.

Words and mentions are counted by their hashes: 12 bytes each, whatever there is of texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.cluster.extraction import KeptExtraction
from gear_app.cluster.facts import StoredRows, passage_hash, triple_hash
from gear_app.cluster.names import NameTable
from gear_app.corpus.vectors import texts_hash
from gear_app.index.bm25 import floor_idf
from gear_app.language.mentions import read
from gear_app.opensearch import words
from gear_app.opensearch.schema import TextStatistics
from gear_app.opensearch.words import WordHashes
from gear_app.store.entities import names_in
from gear_app.store.rows import text_hash
from gear_app.text import normalise_entity, terms
from gear_app.types import Passage

ADDED_AT_ONCE = 2_000_000  # words that wait to be added up
FAILURES_LISTED = 10_000


@dataclass(frozen=True, slots=True)
class FailedExtraction:
    """A passage that could not be extracted, and why."""

    passage: str
    title: str
    error: str


class FoundName(NamedTuple):
    """A name as normalised and as written; `end`: it is an end of a triple."""

    normal: str
    name: str
    end: bool


class TextCounts(NamedTuple):
    """Of some texts: how many there are, with a word, words together, texts by word; and their
    hashes in order.
    """

    size: int
    worded: int
    words: int
    frequency: WordHashes
    hashes: bytes


@dataclass(frozen=True, slots=True)
class BatchCounts:
    """Of some passages, in order. `stored_passages` and `stored_triples` are the hashes of what is
    stored of them and of their triples, behind each other (fingerprint). `holders` are passages by
    mention, `common` those by a mention that is written as an ordinary word; `names` in the order
    in which they appear, each once.
    """

    triples: NDArray[np.uint32]
    stored_passages: bytes
    stored_triples: bytes
    passage_texts: TextCounts
    triple_texts: TextCounts
    holders: WordHashes
    common: WordHashes
    names: tuple[FoundName, ...]
    failures: tuple[FailedExtraction, ...]


def count_passages(kept: Sequence[tuple[Passage, KeptExtraction]]) -> BatchCounts:
    """The counts of passages and of what came of them, in order."""
    triples = [one.triples(passage) for passage, one in kept]
    every = [triple for of_passage in triples for triple in of_passage]
    holders: Counter[str] = Counter()
    common: Counter[str] = Counter()
    for passage, _ in kept:
        found = read(passage.title, passage.text).mentions
        holders.update({mention.name for mention in found})
        common.update({mention.name for mention in found if mention.lower})
    return BatchCounts(
        np.array([len(of_passage) for of_passage in triples], np.uint32),
        b"".join(passage_hash(passage) for passage, _ in kept),
        b"".join(map(triple_hash, every)),
        _counted([passage.indexed for passage, _ in kept]),
        _counted([triple.text for triple in every]),
        words.counted(holders),
        words.counted(common),
        tuple(_names(one for _, one in kept)),
        tuple(
            FailedExtraction(passage.key, passage.title, one.error)
            for passage, one in kept
            if one.error
        ),
    )


class _Sum:
    """Counts that are added up when many wait for it."""

    def __init__(self) -> None:
        self._parts: list[WordHashes] = []
        self._waiting = self._most = 0

    def add(self, counts: WordHashes) -> None:
        self._parts.append(counts)
        self._waiting += len(counts.hashes)
        if self._waiting > self._most:
            total = self.total()
            self._waiting, self._most = 0, max(ADDED_AT_ONCE, len(total.hashes))

    def total(self) -> WordHashes:
        self._parts = [words.added(self._parts)]
        return self._parts[0]


@dataclass(slots=True)
class _TextTotals:
    size: int = 0
    worded: int = 0
    words: int = 0
    frequency: _Sum = field(default_factory=_Sum)
    hash: Any = field(default_factory=lambda: texts_hash([]))

    def add(self, counts: TextCounts) -> None:
        self.size += counts.size
        self.worded += counts.worded
        self.words += counts.words
        self.frequency.add(counts.frequency)
        self.hash.update(counts.hashes)

    def statistics(self) -> TextStatistics:
        floor = floor_idf(self.size, self.frequency.total().counts)
        return TextStatistics(self.size, self.worded, self.words, floor)


@dataclass(slots=True)
class CountTotals:
    """Adds up what was counted, in the order of the passages; the names go to a table."""

    names: NameTable
    failed: int = 0
    failures: list[FailedExtraction] = field(default_factory=list)
    _stored: StoredRows = field(default_factory=StoredRows)
    _triples: list[NDArray[np.uint32]] = field(default_factory=list)
    _passages: _TextTotals = field(default_factory=_TextTotals)
    _triple_texts: _TextTotals = field(default_factory=_TextTotals)
    _holders: _Sum = field(default_factory=_Sum)
    _common: _Sum = field(default_factory=_Sum)

    def add(self, counts: BatchCounts) -> None:
        """Add the next passages'."""
        self._triples.append(counts.triples)
        self._stored.add(counts.stored_passages, counts.stored_triples)
        self._passages.add(counts.passage_texts)
        self._triple_texts.add(counts.triple_texts)
        self._holders.add(counts.holders)
        self._common.add(counts.common)
        self.names.add(counts.names)
        self.failed += len(counts.failures)
        room = FAILURES_LISTED - len(self.failures)
        self.failures += counts.failures[:room]

    def counted(self) -> CorpusCounts:
        """Everything together."""
        numbers = np.concatenate([[0], *self._triples]).astype(np.int64)
        return CorpusCounts(
            first_triples=np.cumsum(numbers),
            passage_words=self._passages.frequency.total(),
            triple_words=self._triple_texts.frequency.total(),
            passages=self._passages.statistics(),
            triples=self._triple_texts.statistics(),
            content=f"{self._passages.hash.hexdigest()}-{self._triple_texts.hash.hexdigest()}",
            holders=self._holders.total(),
            common=self._common.total(),
            stored=self._stored,
        )


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """Of all passages and triples. `first_triples[n]` are the triples of the passages before the
    one with number n + 1; `content` is the hash of all texts, as that of a corpus in a workspace.
    """

    first_triples: NDArray[np.int64]
    passage_words: WordHashes
    triple_words: WordHashes
    passages: TextStatistics
    triples: TextStatistics
    content: str
    holders: WordHashes
    common: WordHashes
    stored: StoredRows


def _counted(texts: Sequence[str]) -> TextCounts:
    frequency: Counter[str] = Counter()
    lengths = []
    for text in texts:
        found = terms(text)
        lengths.append(len(found))
        frequency.update(set(found))
    worded = sum(length > 0 for length in lengths)
    hashes = b"".join(map(text_hash, texts))
    return TextCounts(len(texts), worded, sum(lengths), words.counted(frequency), hashes)


def _names(kept: Iterable[KeptExtraction]) -> list[FoundName]:
    found: dict[str, FoundName] = {}
    for one in kept:
        ends = {
            normalise_entity(side)
            for triple in one.extraction.triples
            for side in (triple.subject, triple.object)
        }
        for name in names_in(one.extraction):
            normal = normalise_entity(name)
            before = found.get(normal)
            end = normal in ends or (before is not None and before.end)
            found[normal] = FoundName(normal, before.name if before else name, end)
    found.pop("", None)
    return list(found.values())
