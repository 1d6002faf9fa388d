"""The embedded index: one collection and one triple set as arrays in this process.

What its calls promise is written at protocols.Index. The neighbours of a triple are other triples
with its head or tail entity (GEAR §4.2, `get_neighbours`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Embedder, Vectors, query_vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityNetwork,
    EntityPassages,
    HubLimit,
    Keep,
    MentionNetwork,
    MentionQuery,
    Over,
    PassageName,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
    WholeCollection,
)
from gear_app.core.types import Passage, Ranking
from gear_app.index.arrays import Arrays, entries, positions
from gear_app.index.bm25 import KeepArrays, Read, TextIndex
from gear_app.index.entities import passages_of
from gear_app.index.mentions import MentionIndex


class TripleIndex(TextIndex[StoredTriple]):
    """Triples, joined where their normalised names are equal. `read_graph` gives their graph
    (entities.graph_arrays) when links are first asked for.
    """

    def __init__(
        self,
        ids: NDArray[np.int64],
        read: Read[StoredTriple],
        vectors: Vectors,
        keep_words: KeepArrays,
        read_graph: Callable[[], Arrays],
    ) -> None:
        super().__init__(ids, read, vectors, keep_words)
        self.graph = functools.cache(read_graph)

    def nearest(self, triple_id: int, query: Vectors, k: int) -> list[int]:
        """Ids, ascending, of the other triples at either end of this one: of more than k those
        nearest to the query. Names that normalise to nothing join nothing.
        """
        (position,), graph = positions(self.ids, [triple_id]), self.graph()
        around = np.unique(entries(graph["of_nodes"], graph["ends"][position])[1])
        ids: list[int] = self.ids[around[around != position]].tolist()
        return ids if len(ids) <= k else sorted(self.dense(query, k, ids).ids)

    def of_passages(self, passage_ids: Sequence[int]) -> list[int]:
        """Ids of the triples of these passages, in their order, a passage's ascending."""
        return list(self.ids[entries(self.graph()["of_passages"], passage_ids)[1]].tolist())


class EmbeddedIndex:
    """Exact BM25 and exact cosine over passages and triples, and the triples' neighbours.

    `embedder` encodes queries. `entities` gives the graph of entities when it is first asked for,
    and `mentions` what passages share; `keep` outlives it.
    """

    links = True

    def __init__(
        self,
        passages: TextIndex[Passage],
        triples: TripleIndex,
        embedder: Embedder,
        entities: Callable[[], EntityNetwork],
        mentions: Callable[[], MentionIndex],
        keep: Keep,
    ) -> None:
        self.passages, self.triples = passages, triples
        self._embedder, self._keep, self.vectors = embedder, keep, triples.vectors
        # Without a lock: while it waits for a server nobody waits for it.
        self.entities, self.mentions = functools.cache(entities), functools.cache(mentions)

    def prepare(self) -> Iterator[str]:
        """Make all that a first question needs, telling before each part what it is."""
        parts: dict[str, Callable[[], object]] = {
            "Counting the words of the passages": self.passages.matrix,
            "Counting the words of the triples": self.triples.matrix,
            "Joining triples by their entities": self.entities,
            "Joining passages by what they name": self.mentions,
        }
        for sentence, make in parts.items():
            yield sentence
            make()

    def search(self, searches: Sequence[Search]) -> SearchResults:
        ranked = [self._ranking(search) for search in searches]
        hits: dict[Over, set[int]] = {"passages": set(), "triples": set()}
        for search, (ranking, _) in zip(searches, ranked, strict=True):
            hits[search.over].update(ranking.ids)
        return SearchResults(
            [ranking for ranking, _ in ranked],
            self.rows(hits["passages"], hits["triples"]),
            frozenset(place for place, (_, lucene) in enumerate(ranked) if lucene),
        )

    def _ranking(self, search: Search) -> tuple[Ranking, bool]:
        """A ranking, and whether BM25 went by Lucene's idf."""
        texts = self.passages if search.over == "passages" else self.triples
        if search.by == "bm25":
            return texts.bm25(search.query, search.k, search.among)
        # Each alone: in a batch, texts are padded to the longest, which moves the last digits.
        (query,) = query_vectors(self._embedder, [search.query])
        return texts.dense(query, search.k, search.among), False

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        return Rows(self.passages.read(passage_ids), self.triples.read(triple_ids))

    def names(self, passage_ids: Collection[int]) -> dict[int, PassageName]:
        passages = self.passages.read(passage_ids)
        return {id_: PassageName(p.key, p.title) for id_, p in passages.items()}

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        ids = self.triples.of_passages(list(dict.fromkeys(passage_ids)))
        triples = self.triples.read(ids)
        return [triples[id_] for id_ in ids]

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        around = [self.triples.nearest(id_, query, k) for id_ in triple_ids]
        triples = self.triples.read({id_ for ids in around for id_ in ids})
        return [EncodedTriples([triples[id_] for id_ in ids], self.vectors(ids)) for ids in around]

    def joins(self, names: Collection[str], threshold: float | None) -> dict[str, EntityPassages]:
        return {name: passages_of(self.entities(), name, threshold) for name in names}

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        return [self.mentions().shared(query, limit) for query in queries]

    def mention_network(self) -> MentionNetwork:
        return self.mentions().network

    def collection(self) -> WholeCollection:
        passages = list(self.passages)
        return WholeCollection(passages, self.passages.vectors(self.passages.ids), self._keep)
