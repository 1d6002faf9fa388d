"""BM25 by a server that is told the weights: its ranking is cut by bounds and counted again here.

The server's own idf is Lucene's. Each word is boosted so that it becomes that of BM25Okapi, for
which one has to know how many texts hold the word: numbers that were counted at the load and take
12 bytes a word here.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.index.bm25 import K1, B, lucene_idf, okapi_idf
from gear_app.opensearch.schema import TextStatistics
from gear_app.text import terms

AT_ONCE = 50_000  # words of a document: 0.8 MB
ROUNDED = 1e-5  # relative: more than the server's float32 can be below the true score
Chunk = dict[str, Any]


class WordCounts:
    """In how many texts a word is, by the word's hash of 64 bits."""

    def __init__(self, hashes: NDArray[np.uint64], counts: NDArray[np.uint32]) -> None:
        self._hashes, self._counts = hashes, counts

    def __call__(self, word: str) -> int:
        """0 where no text has it."""
        hashed = np.uint64(hash_of(word))
        place = int(np.searchsorted(self._hashes, hashed))
        there = place < len(self._hashes) and self._hashes[place] == hashed
        return int(self._counts[place]) if there else 0

    @classmethod
    def of(cls, chunks: Sequence[Chunk]) -> WordCounts:
        """Together again, in the order of `chunks`."""
        parts = [
            (_array(chunk["hashes"], "<u8"), _array(chunk["counts"], "<u4")) for chunk in chunks
        ]
        if not parts:
            return cls(np.zeros(0, np.uint64), np.zeros(0, np.uint32))
        hashes, counts = (np.concatenate(column) for column in zip(*parts, strict=True))
        return cls(hashes, counts)


class WordHashes(NamedTuple):
    """In how many texts each word is: the words' hashes, ascending, each once, and the counts."""

    hashes: NDArray[np.uint64]
    counts: NDArray[np.uint32]


def counted(frequency: Mapping[str, int]) -> WordHashes:
    """The counts by hash. Raises ValueError where two words have one hash, which a change of the
    hash would mend.
    """
    hashes = np.array([hash_of(word) for word in frequency], np.uint64)
    counts = np.array(list(frequency.values()), np.uint32)
    order = np.argsort(hashes)
    if len(np.unique(hashes)) != len(hashes):
        raise ValueError("two words of this collection have the same hash")
    return WordHashes(hashes[order], counts[order])


def chunks(words: WordHashes) -> Iterator[Chunk]:
    """The counts as rows of documents."""
    for start in range(0, len(words.hashes), AT_ONCE):
        hashes, counts = (column[start : start + AT_ONCE] for column in words)
        yield {
            "hashes": base64.b64encode(hashes.astype("<u8").tobytes()).decode(),
            "counts": base64.b64encode(counts.astype("<u4").tobytes()).decode(),
        }


class WeightedWord(NamedTuple):
    """A word of a query: how often it is there, its idf, and the boost that makes the server's idf
    this one; 0.0 where it counts for nothing or against a text.
    """

    word: str
    times: int
    idf: float
    boost: float


class Bm25Query:
    """A query's words with their weights, and the scores of texts (index.bm25)."""

    def __init__(
        self,
        query: str,
        statistics: TextStatistics,
        frequency: Callable[[str], int],
        *,
        lucene: bool = False,
    ) -> None:
        """`frequency` says in how many texts a word is; `lucene`: by Lucene's idf."""
        self._statistics, self.lucene = statistics, lucene
        self.words = tuple(self._weighted(Counter(terms(query)), frequency))

    @property
    def ranks(self) -> bool | None:
        """Whether a text scores above 0; None where words weigh for and against texts, so that
        only the texts can say.
        """
        weights = [word.idf for word in self.words]
        if min(weights, default=0.0) < 0 < max(weights, default=0.0):
            return None
        return max(weights, default=0.0) > 0

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """(n,) to the digit those of Bm25Matrix."""
        words = [terms(text) for text in texts]
        counts = [Counter(of_text) for of_text in words]
        lengths = np.array([len(of_text) for of_text in words], np.int64)
        mean = max(self._statistics.words / max(self._statistics.size, 1), 1e-9)
        norm = K1 * (1 - B + B * lengths / mean)
        scores = np.zeros(len(texts))
        for word, times, idf, _ in self.words:
            count = np.array([of_text[word] for of_text in counts], np.int64)
            scores += times * (idf * count * (K1 + 1) / (count + norm))
        return scores

    def _weighted(
        self, asked: Counter[str], frequency: Callable[[str], int]
    ) -> Iterator[WeightedWord]:
        size, worded = self._statistics.size, self._statistics.worded
        for word, times in asked.items():
            texts = frequency(word)
            if texts:
                idf = lucene_idf(size, texts) if self.lucene else okapi_idf(size, texts)
                idf = self._statistics.floor if idf < 0 else idf
                server = math.log(1 + (worded - texts + 0.5) / (texts + 0.5))
                yield WeightedWord(word, times, idf, max(0.0, times * idf / server))


def hash_of(word: str) -> int:
    """64 bits of a word."""
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _array(text: str, dtype: str) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(text), dtype)
