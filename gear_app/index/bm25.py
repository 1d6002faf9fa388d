"""BM25Okapi exactly as the rank-bm25 package defines it, precomputed into a sparse term × text
matrix.

k1 = 1.5, b = 0.75; a term in more than half of the texts has a negative idf there, and gets epsilon
= 0.25 times the average idf instead. A query costs one addition per posting instead of a loop over
all texts.

A word in exactly half of the texts has an idf of 0 there, and in a collection of a few texts the
average can be below 0, too: then every text with words of the query may score 0 or less. For such a
query there are Lucene's weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from gear_app.core.text import terms

K1, B, EPSILON = 1.5, 0.75, 0.25
Postings = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class Bm25Matrix:
    """Scores of texts by position, 0 to n - 1."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Tokenise and weigh the texts; no texts give no scores."""
        self._terms: dict[str, int] = {}
        rows, columns, counts = self._count(texts)
        order = np.argsort(rows, kind="stable")
        self._texts = columns[order].astype(np.int32)
        self._counts = counts[order].astype(np.int32)
        frequency = np.bincount(rows, minlength=len(self._terms))
        self._starts = np.concatenate([[0], np.cumsum(frequency)])
        self._weights = self._weighed(frequency)

    @property
    def size(self) -> int:
        """How many texts there are."""
        return len(self._lengths)

    def scores(self, query: str) -> NDArray[np.float64]:
        """(n,) scores of all texts; a word that occurs twice in the query counts twice, as in
        rank-bm25.
        """
        scores = np.zeros(self.size)
        for times, run in self._runs(query):
            scores[self._texts[run]] += times * self._weights[run]
        return scores

    def lucene_scores(self, query: str) -> NDArray[np.float64]:
        """(n,) as `scores`, with Lucene's idf: above 0 for each text with a word of the query."""
        scores = np.zeros(self.size)
        for times, run in self._runs(query):
            idf = np.full(run.stop - run.start, lucene_idf(self.size, run.stop - run.start))
            scores[self._texts[run]] += times * self._saturated(idf, run)
        return scores

    def _runs(self, query: str) -> Iterator[tuple[int, slice]]:
        """Count in the query, and postings, of each of its words that is in a text."""
        for word, times in Counter(terms(query)).items():
            if (term := self._terms.get(word)) is not None:
                yield times, slice(int(self._starts[term]), int(self._starts[term + 1]))

    def _weighed(self, frequency: NDArray[np.int64]) -> NDArray[np.float64]:
        mean = max(self._lengths.mean(), 1e-9) if self.size else 1.0
        self._norm = K1 * (1 - B + B * self._lengths / mean)
        return self._saturated(np.repeat(_idf(self.size, frequency), frequency))

    def _saturated(self, idf: NDArray[np.float64], run: slice = slice(None)) -> NDArray[np.float64]:
        """Part of each posting in its text's score, from its word's idf."""
        counts, norm = self._counts[run], self._norm[self._texts[run]]
        return np.asarray(idf * counts * (K1 + 1) / (counts + norm), np.float64)

    def _count(self, texts: Iterable[str]) -> Postings:
        """The number of each word of each text: term, text, count."""
        rows: list[int] = []
        columns: list[int] = []
        counts: list[int] = []
        lengths: list[int] = []
        for position, text in enumerate(texts):
            words = terms(text)
            lengths.append(len(words))
            for word, count in Counter(words).items():
                rows.append(self._terms.setdefault(word, len(self._terms)))
                columns.append(position)
                counts.append(count)
        self._lengths = np.array(lengths, np.int64)
        return np.array(rows, np.int64), np.array(columns, np.int64), np.array(counts, np.int64)


def okapi_idf(size: int, frequency: int) -> float:
    """A word's idf where it is in so many texts; negative in more than half of them."""
    return math.log(size - frequency + 0.5) - math.log(frequency + 0.5)


def lucene_idf(size: int, frequency: int) -> float:
    """A word's idf where it is in so many texts, as Lucene has it: always above 0."""
    return math.log(1 + (size - frequency + 0.5) / (frequency + 0.5))


def _idf(size: int, frequency: NDArray[np.int64]) -> NDArray[np.float64]:
    idf = np.array([okapi_idf(size, f) for f in frequency.tolist()])
    return np.where(idf < 0, _floor_idf(size, frequency), idf)


def _floor_idf(size: int, frequency: NDArray[np.integer]) -> float:
    """The idf of a word that is in more than half of `size` texts, where the words are in so many
    each: the same to the last digit in whatever order they come. 0.0 where there are no words.
    """
    different, words = np.unique(frequency, return_counts=True)
    idf = (n * okapi_idf(size, f) for f, n in zip(different.tolist(), words.tolist(), strict=True))
    return EPSILON * math.fsum(idf) / max(len(frequency), 1)
