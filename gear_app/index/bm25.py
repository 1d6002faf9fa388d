"""Texts ranked by BM25Okapi, exactly as the rank-bm25 package defines it, as a sparse text × word
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
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from itertools import count

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Vectors
from gear_app.core.rows import Sparse
from gear_app.core.text import terms
from gear_app.core.threads import load_timer
from gear_app.core.types import Hit, Ranking


def matrix(
    places: NDArray[np.integer] | tuple[NDArray[np.integer], NDArray[np.integer]],
    shape: tuple[int, int],
    values: NDArray[np.float64] | None = None,
) -> Sparse:
    """(rows, columns): the sum of the values at each place, in CSR form; without values, whether
    it is among the places. `places` are (n,) rows and (n,) columns.
    """
    from scipy import sparse  # for the worker, not for the web process

    entries = np.ones(len(places[0]), np.bool_) if values is None else values
    return sparse.csr_array((entries, (places[0], places[1])), shape=shape)


K1, B, EPSILON = 1.5, 0.75, 0.25


class Bm25Matrix:
    """Scores of texts by position, 0 to n - 1."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Tokenise and weigh the texts; no texts give no scores."""
        self._columns: defaultdict[str, int] = defaultdict(count().__next__)
        columns, starts = array("i"), array("q", [0])
        for text in texts:
            columns.extend(self._columns[word] for word in terms(text))
            starts.append(len(columns))
        lengths = np.diff(starts)
        shape = len(lengths), len(self._columns)
        rows = np.repeat(np.arange(len(lengths)), lengths)
        counts = matrix((rows, np.array(columns)), shape, np.ones(len(rows))).tocsc()
        frequency = np.diff(counts.indptr)
        self._lucene_idf = np.log(1 + (shape[0] - frequency + 0.5) / (frequency + 0.5))
        idf = np.log(shape[0] - frequency + 0.5) - np.log(frequency + 0.5)
        self._idf = np.where(idf < 0, EPSILON * idf.sum() / max(len(idf), 1), idf)
        norm = K1 * (1 - B + B * lengths * max(len(lengths), 1) / max(lengths.sum(), 1))
        counts.data *= (K1 + 1) / (counts.data + norm[counts.indices])
        self._saturated = counts

    def scores(self, query: str, *, lucene: bool = False) -> NDArray[np.float64]:
        """(n,) scores of all texts, with Lucene's idf or Okapi's; a word that occurs twice in the
        query counts twice, as in rank-bm25.
        """
        times = Counter(word for word in terms(query) if word in self._columns)
        columns = [self._columns[word] for word in times]
        idf = (self._lucene_idf if lucene else self._idf)[columns]
        scores = self._saturated[:, columns] @ (idf * np.array([*times.values()], np.float64))
        return np.asarray(scores, np.float64)


SCREENED = 1e-5  # more than a cosine in float32 can be wrong by


class TextIndex:
    """Texts with ids, ranked by BM25 or by cosine."""

    def __init__(
        self, ids: Sequence[int], read_texts: Callable[[], Iterable[str]], vectors: Vectors
    ) -> None:
        """`vectors` are those of the texts, (n, d) float32 in order, rows L2-normalised; they may
        be memory-mapped. The texts are read when words are first searched.
        """
        self.ids = np.array(ids, np.int64)
        self.position = {id_: n for n, id_ in enumerate(ids)}
        self._read_texts, self._vectors = read_texts, vectors

    @cached_property
    def _bm25(self) -> Bm25Matrix:
        with load_timer():
            return Bm25Matrix(self._read_texts())

    def bm25(
        self, query: str, k: int, among: Collection[int] | None = None
    ) -> tuple[Ranking, bool]:
        """The top k with a score above 0; where no text has one, by Lucene's idf, and True."""
        scores = self._bm25.scores(query)
        lucene = not (scores > 0).any()
        if lucene:
            scores = self._bm25.scores(query, lucene=True)
        positions = self._positions(among)
        scores = scores[positions]
        ranking = top(scores, min(k, int((scores > 0).sum())), self.ids[positions])
        return ranking, lucene and bool(ranking.hits)

    def dense(self, query: Vectors, k: int, among: Collection[int] | None = None) -> Ranking:
        """The top k by cosine with (d,).

        All are screened in float32, and those that can be among the first are compared again in
        float64: so a score does not depend on what stands beside a vector in an array, nor on the
        machine, and another index that has the same vectors gives the same.
        """
        positions = self._positions(among)
        vectors = self._vectors if among is None else self._rows(positions)
        k = min(k, len(positions))
        if k <= 0:
            return Ranking()
        cosines = vectors @ query
        lowest = np.partition(cosines, len(cosines) - k)[len(cosines) - k]
        near = positions[cosines >= lowest - SCREENED]
        return top(exact_cosines(self._rows(near), query), k, self.ids[near])

    def vectors(self, ids: Sequence[int]) -> Vectors:
        """(k, d) of these ids, in order."""
        return self._rows(np.array([self.position[id_] for id_ in ids], np.int64))

    def _rows(self, positions: NDArray[np.int64]) -> Vectors:
        return np.asarray(self._vectors[positions], np.float32)

    def _positions(self, among: Collection[int] | None) -> NDArray[np.int64]:
        """The positions of these ids, in the order of the ids; all positions for None."""
        if among is None:
            return np.arange(len(self.ids))
        return np.array([self.position[id_] for id_ in sorted(among)], np.int64)


def exact_cosines(rows: Vectors, query: Vectors) -> NDArray[np.float64]:
    """(n,) of float32 rows, (n, d), with the query, (d,), in float64: the same whatever n is."""
    return np.asarray(rows.astype(np.float64) @ query.astype(np.float64), np.float64)


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
