"""The embedded index: one collection and one triple set as arrays in this process."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Sequence
from functools import cached_property

from gear_app.index.entities import EntityGraph
from gear_app.index.facts import Facts
from gear_app.index.searchable import Searchable
from gear_app.seams import Embedder, Scorer, Vectors
from gear_app.types import Passage, Ranking, Triple

MakeEntities = Callable[[], EntityGraph]


class EmbeddedIndex:
    """Exact BM25 and exact cosine over passages and triples, and the triples' neighbours.

    `passage_vectors` and `triple_vectors` are (n, d) float32 in the order of their sequences; they
    may be memory-mapped. `embedder` encodes queries. `entities` makes the graph of entities when it
    is first asked for.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        passage_vectors: Vectors,
        triple_vectors: Vectors,
        embedder: Embedder,
        entities: MakeEntities | None = None,
    ) -> None:
        """Build the term matrices and the graph; about two seconds for 10 000 passages and 120 000
        triples.
        """
        self._embedder = embedder
        self._passages = {passage.id: passage for passage in passages}
        self._passage_search = Searchable(
            [p.id for p in passages], [p.indexed for p in passages], passage_vectors
        )
        self._put(Facts.of(triples, triple_vectors), entities)

    def over(
        self, triples: Sequence[Triple], vectors: Vectors, entities: MakeEntities | None = None
    ) -> EmbeddedIndex:
        """An index of the same passages, which are not read again, and these triples."""
        return self._with(Facts.of(triples, vectors), entities)

    def grown(
        self, triples: Sequence[Triple], vectors: Vectors, entities: MakeEntities | None = None
    ) -> EmbeddedIndex:
        """An index with these triples as well; this one stays as it is.

        It costs copies of some arrays and no second look at the triples there were.
        """
        return self._with(self._facts.grown(triples, vectors), entities)

    @property
    def every_triple(self) -> Sequence[Triple]:
        """All of its triples."""
        return self._facts.triples

    def search_passages(
        self, query: str, k: int, by: Scorer, among: Collection[int] | None = None
    ) -> Ranking:
        """The top k passages, or the top k of those `among` (ids). BM25 gives only hits with a
        score above 0.
        """
        return self._search(self._passage_search, query, k, by, among)

    def search_triples(self, query: str, k: int, by: Scorer) -> Ranking:
        """The top k triples, likewise."""
        return self._search(self._facts.search, query, k, by)

    def passages(self, ids: Sequence[int]) -> list[Passage]:
        """The passages, in the order of `ids`."""
        return [self._passages[id_] for id_ in ids]

    def triples(self, ids: Sequence[int]) -> list[Triple]:
        """The triples, in the order of `ids`."""
        return [self._facts.triples[self._facts.search.position[id_]] for id_ in ids]

    def triples_of(self, passage_ids: Sequence[int]) -> list[int]:
        """Ids of the passages' triples: passages in the order given, triples by id."""
        return [
            triple for passage in passage_ids for triple in self._facts.of_passage.get(passage, ())
        ]

    def neighbours(self, triple_id: int) -> list[int]:
        """Ids of other triples whose head or tail is the head or tail of this one, by id."""
        found = self._facts.graph.neighbours(self._facts.search.position[triple_id])
        return sorted(self._facts.search.ids[found].tolist())

    def triple_vectors(self, ids: Sequence[int]) -> Vectors:
        """(n, d) stored vectors of the triples' texts."""
        return self._facts.search.vectors(ids)

    def entities(self) -> EntityGraph:
        """The graph of the triples' entities; made when it is first asked for."""
        return self._entities

    @cached_property
    def _entities(self) -> EntityGraph:
        return self._make_entities()

    def _with(self, facts: Facts, entities: MakeEntities | None) -> EmbeddedIndex:
        other = copy.copy(self)
        other.__dict__.pop("_entities", None)  # made of other triples
        other._put(facts, entities)
        return other

    def _put(self, facts: Facts, entities: MakeEntities | None) -> None:
        self._facts = facts
        self._make_entities = entities or (
            lambda: EntityGraph.of(facts.triples, self._embedder.embed)
        )

    def _search(
        self,
        where: Searchable,
        query: str,
        k: int,
        by: Scorer,
        among: Collection[int] | None = None,
    ) -> Ranking:
        if by == "bm25":
            return where.bm25(query, k, among)
        return where.dense(self._embedder.embed([query])[0], k, among)
