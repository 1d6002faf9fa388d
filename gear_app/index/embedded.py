"""The embedded index: one collection and one triple set as arrays in this process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gear_app.index.bm25 import Bm25Matrix
from gear_app.index.entities import EntityGraph
from gear_app.index.graph import TripleGraph
from gear_app.seams import Embedder, Scorer, Vectors
from gear_app.types import Passage, Ranking, Triple


class _Searchable:
    """Texts with ids, ranked by BM25 or by cosine."""

    def __init__(self, ids: Sequence[int], texts: Sequence[str], vectors: Vectors) -> None:
        self.ids = np.array(ids, np.int64)
        self.vectors = vectors
        self.position = {id_: position for position, id_ in enumerate(ids)}
        self._bm25 = Bm25Matrix(texts)

    def bm25(self, query: str, k: int, among: Collection[int] | None = None) -> Ranking:
        where = self._at(among)
        scores = self._bm25.scores(query)[where]
        return self._top(scores, min(k, int((scores > 0).sum())), self.ids[where])

    def dense(self, query: Vectors, k: int, among: Collection[int] | None = None) -> Ranking:
        where = self._at(among)
        return self._top(self.vectors[where] @ query if len(self.ids) else np.zeros(0), k, self.ids[where])

    def _at(self, among: Collection[int] | None) -> NDArray[np.int64] | slice:
        """The positions of these ids; None: all."""
        return slice(None) if among is None else np.array([self.position[id_] for id_ in sorted(among)], np.int64)

    def _top(self, scores: NDArray[np.floating], k: int, ids: NDArray[np.int64]) -> Ranking:
        """The best k, equal scores (after rounding to 1e-6) by smaller id."""
        k = min(k, len(scores))
        if k <= 0:
            return Ranking()
        rounded = np.round(scores.astype(np.float64), 6)
        lowest = np.partition(rounded, len(rounded) - k)[len(rounded) - k]
        among = np.flatnonzero(rounded >= lowest)
        return Ranking.of(zip(ids[among].tolist(), rounded[among].tolist(), strict=True)).top(k)


class EmbeddedIndex:
    """Exact BM25 and exact cosine over passages and triples, and the triples' neighbours.

    `passage_vectors` and `triple_vectors` are (n, d) float32 in the order of their sequences; they may be
    memory-mapped. `embedder` encodes queries. `entities` makes the graph of entities when it is first asked for.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        passage_vectors: Vectors,
        triple_vectors: Vectors,
        embedder: Embedder,
        entities: Callable[[], EntityGraph] | None = None,
    ) -> None:
        """Build the term matrices and the graph; about two seconds for 10 000 passages and 120 000 triples."""
        self._embedder = embedder
        self._make_entities = entities or (lambda: EntityGraph.of(triples, embedder.embed))
        self._passages = {passage.id: passage for passage in passages}
        self._triples = list(triples)
        self._passage_search = _Searchable([p.id for p in passages], [p.indexed for p in passages], passage_vectors)
        self._triple_search = _Searchable([t.id for t in triples], [t.text for t in triples], triple_vectors)
        self._graph = TripleGraph(self._triples)
        self._of_passage: dict[int, list[int]] = {}
        for triple in sorted(self._triples, key=lambda triple: triple.id):
            self._of_passage.setdefault(triple.passage_id, []).append(triple.id)

    def search_passages(self, query: str, k: int, by: Scorer, among: Collection[int] | None = None) -> Ranking:
        """The top k passages, or the top k of those `among` (ids). BM25 gives only hits with a score above 0."""
        return self._search(self._passage_search, query, k, by, among)

    def search_triples(self, query: str, k: int, by: Scorer) -> Ranking:
        """The top k triples, likewise."""
        return self._search(self._triple_search, query, k, by)

    def passages(self, ids: Sequence[int]) -> list[Passage]:
        """The passages, in the order of `ids`."""
        return [self._passages[id_] for id_ in ids]

    def triples(self, ids: Sequence[int]) -> list[Triple]:
        """The triples, in the order of `ids`."""
        return [self._triples[self._triple_search.position[id_]] for id_ in ids]

    def triples_of(self, passage_ids: Sequence[int]) -> list[int]:
        """Ids of the passages' triples: passages in the order given, triples by id."""
        return [triple for passage in passage_ids for triple in self._of_passage.get(passage, ())]

    def neighbours(self, triple_id: int) -> list[int]:
        """Ids of other triples whose head or tail is the head or tail of this one, by id."""
        found = self._graph.neighbours(self._triple_search.position[triple_id])
        return sorted(self._triple_search.ids[found].tolist())

    def triple_vectors(self, ids: Sequence[int]) -> Vectors:
        """(n, d) stored vectors of the triples' texts."""
        positions = [self._triple_search.position[id_] for id_ in ids]
        return np.asarray(self._triple_search.vectors[positions], np.float32)

    def entities(self) -> EntityGraph:
        """The graph of the triples' entities; made when it is first asked for."""
        return self._entities

    @cached_property
    def _entities(self) -> EntityGraph:
        return self._make_entities()

    def _search(
        self, where: _Searchable, query: str, k: int, by: Scorer, among: Collection[int] | None = None
    ) -> Ranking:
        if by == "bm25":
            return where.bm25(query, k, among)
        return where.dense(self._embedder.embed([query])[0], k, among)
