"""Texts with ids, ranked by BM25 or by cosine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Vectors
from gear_app.core.thread_context import load_timer
from gear_app.core.types import Hit, Ranking
from gear_app.index.bm25 import Bm25Matrix

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
