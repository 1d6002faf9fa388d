"""Texts ranked by BM25Okapi, by the statistics of the rank-bm25 package and as a sparse word × text
matrix, or by cosine.

k1 = 1.5, b = 0.75; a word in more than half of the texts has a negative idf there, and gets epsilon
= 0.25 times the average idf instead. A query costs one addition per posting instead of a loop over
all texts.

A word in exactly half of the texts has an idf of 0 there, and in a collection of a few texts the
average can be below 0, too: then every text with words of the query may score 0 or less. For such a
query there is Lucene's idf, which is always above 0.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from rank_bm25 import BM25Okapi

from gear_app.core.protocols import Vectors
from gear_app.core.rows import StoredTriple
from gear_app.core.text import terms
from gear_app.core.threads import check_stop
from gear_app.core.types import Hit, Passage, Ranking
from gear_app.index.arrays import (
    Arrays,
    Places,
    matrix_arrays,
    positions,
    read_matrix,
    word_arrays,
)

K1, B = 1.5, 0.75


class _Postings:
    """The words of texts as numbers, in place of rank_bm25's dictionary a text."""

    def __init__(self) -> None:
        self.numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self.words, self.times, self.starts = array("i"), array("i"), array("q", [0])

    def append(self, frequencies: Mapping[str, int]) -> None:
        """Add a text by how often it has each of its words."""
        self.words.extend(self.numbers[word] for word in frequencies)
        self.times.extend(frequencies.values())
        self.starts.append(len(self.words))


class _Statistics(BM25Okapi):  # type: ignore[misc]
    def __init__(self, texts: Iterable[str]) -> None:
        with suppress(ZeroDivisionError):  # no text has a word: there is no average
            super().__init__(map(terms, texts), k1=K1, b=B)

    def _initialize(self, corpus: Iterable[Sequence[str]]) -> Any:  # noqa: ANN401
        self.doc_freqs = _Postings()
        return super()._initialize(corpus)


def bm25_arrays(texts: Iterable[str]) -> Arrays:
    """The arrays of a Bm25Matrix."""
    from scipy import sparse  # for the worker, not for the web process

    statistics = _Statistics(texts)
    postings, lengths = statistics.doc_freqs, np.array(statistics.doc_len, np.int64)
    shape, starts = (len(lengths), len(postings.numbers)), np.array(postings.starts)
    columns, times = np.asarray(postings.words), np.asarray(postings.times)  # not copied
    frequency = np.bincount(columns, minlength=shape[1])
    norm = K1 * (1 - B + B * lengths / (statistics.avgdl or 1))
    weights = times * (K1 + 1)
    weights /= times + np.repeat(norm, np.diff(starts))
    return {
        **word_arrays("words", postings.numbers),
        "idf": np.array(list(statistics.idf.values())),
        "lucene_idf": np.log(1 + (shape[0] - frequency + 0.5) / (frequency + 0.5)),
        **matrix_arrays("weights", sparse.csr_array((weights, columns, starts), shape).T.tocsr()),
    }


class Bm25Matrix:
    """Scores of texts by position, 0 to n - 1."""

    def __init__(self, arrays: Arrays) -> None:
        """`weights` (words, texts): what is multiplied by a word's idf, 0 where a text has it not;
        no texts give no scores.
        """
        self._idf, self._lucene_idf = arrays["idf"], arrays["lucene_idf"]
        self._weights, self._places = read_matrix(arrays, "weights"), Places(arrays, "words")

    def scores(self, query: str, *, lucene: bool = False) -> NDArray[np.float64]:
        """(n,) scores of all texts, with Lucene's idf or Okapi's; a word that occurs twice in the
        query counts twice, as in rank-bm25.
        """
        times = Counter(word for word in terms(query) if word in self._places)
        rows = [self._places[word] for word in times]
        idf = (self._lucene_idf if lucene else self._idf)[rows]
        scores = self._weights[rows].T @ (idf * np.array([*times.values()], np.float64))
        return np.asarray(scores, np.float64)


READ_AT_ONCE = 1_000
MOST_ROWS = 50_000  # that are remembered: about 60 MB
SCREENED = 1e-5  # more than a cosine in float32 can be wrong by
R = TypeVar("R", Passage, StoredTriple)
KeepArrays = Callable[
    [Callable[[], Arrays]], Arrays
]  # arrays that were made before, else those made now
Read = Callable[[Collection[int]], Mapping[int, R]]  # rows by id


class TextIndex(Generic[R]):
    """Texts with ids, ranked by BM25 or by cosine."""

    def __init__(
        self,
        ids: NDArray[np.int64],
        read: Read[R],
        vectors: Vectors,
        keep: KeepArrays,
    ) -> None:
        """`ids` ascend. `read` gives the rows of some of them. `vectors` are those of the texts,
        (n, d) float32 in order, rows L2-normalised; they may be memory-mapped. `keep` is for the
        arrays of a Bm25Matrix, which are made when words are first searched.
        """
        self.ids, self._vectors = ids, vectors
        self._read: Read[R] = read
        self._cached: dict[int, R] = {}
        # The scores of words. Without a lock: a thread that needs them makes them.
        self.matrix = cache(
            lambda: Bm25Matrix(keep(lambda: bm25_arrays(row.indexed for row in self)))
        )

    def __iter__(self) -> Iterator[R]:
        for start in range(0, len(self.ids), READ_AT_ONCE):
            ids = self.ids[start : start + READ_AT_ONCE].tolist()
            rows = self._read(ids)
            yield from (rows[id_] for id_ in ids)

    def __len__(self) -> int:
        return len(self.ids)

    def read(self, ids: Collection[int]) -> dict[int, R]:
        """Rows by id. Raises KeyError where one is not there."""
        rows = self._cached
        missing = [id_ for id_ in ids if id_ not in rows]
        if len(rows) + len(missing) > MOST_ROWS:
            rows, missing = {}, list(ids)
            self._cached = rows  # a new one: another thread may read what the old one has
        if missing:
            rows.update(self._read(missing))
            check_stop()  # rows of a deleted collection are gone
        return {id_: rows[id_] for id_ in ids}

    def bm25(
        self, query: str, k: int, among: Collection[int] | None = None
    ) -> tuple[Ranking, bool]:
        """The top k with a score above 0; where no text has one, by Lucene's idf, and True."""
        scores = self.matrix().scores(query)
        lucene = not (scores > 0).any()
        if lucene:
            scores = self.matrix().scores(query, lucene=True)
        near = self._positions(among)
        scores = scores[near]
        ranking = top(scores, min(k, int((scores > 0).sum())), self.ids[near])
        return ranking, lucene and bool(ranking.hits)

    def dense(self, query: Vectors, k: int, among: Collection[int] | None = None) -> Ranking:
        """The top k by cosine with (d,).

        All are screened in float32, and those that can be among the first are compared again in
        float64: so a score does not depend on what stands beside a vector in an array, nor on the
        machine, and another index that has the same vectors gives the same.
        """
        k, near = min(k, len(self.ids)), self._positions(among)
        if k <= 0:
            return Ranking()
        if among is None:
            cosines = self._vectors @ query
            lowest = np.partition(cosines, len(cosines) - k)[len(cosines) - k]
            near = np.flatnonzero(cosines >= lowest - SCREENED)
        return top(exact_cosines(self._vectors[near], query), k, self.ids[near])

    def vectors(self, ids: Sequence[int] | NDArray[np.int64]) -> Vectors:
        """(k, d) of these ids, in order."""
        return np.asarray(self._vectors[positions(self.ids, ids)], np.float32)

    def _positions(self, among: Collection[int] | None) -> NDArray[np.int64]:
        """The positions of these ids, in the order of the ids; all positions for None."""
        return np.arange(len(self.ids)) if among is None else positions(self.ids, sorted(among))


def exact_cosines(rows: Vectors, query: Vectors) -> NDArray[np.float64]:
    """(n,) of float32 rows, (n, d), with the query, (d,), in float64: the same whatever n is."""
    # Not by BLAS, whose threads wait for each other longer than these few rows take.
    cosines = np.einsum("nd,d->n", rows.astype(np.float64), query.astype(np.float64))
    return np.asarray(cosines, np.float64)


def top(scores: NDArray[np.floating], k: int, ids: NDArray[np.int64]) -> Ranking:
    """The best k, equal scores (after rounding to 1e-6) by smaller id, as `Ranking.of` orders."""
    k = min(k, len(scores))
    if k <= 0:
        return Ranking()
    rounded = np.round(scores.astype(np.float64), 6)
    lowest = np.partition(rounded, len(rounded) - k)[len(rounded) - k]
    among = np.flatnonzero(rounded >= lowest)
    best = among[np.lexsort((ids[among], -rounded[among]))[:k]]
    return Ranking(tuple(map(Hit, ids[best].tolist(), rounded[best].tolist())))
