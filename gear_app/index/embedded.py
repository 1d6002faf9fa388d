"""The embedded index: one collection and one triple set as arrays in this process.

What its calls promise is written at protocols.Index. The neighbours of a triple are other triples
with its head or tail entity (GEAR §4.2, `get_neighbours`).
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Embedder, Vectors, query_vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    Keep,
    MentionNetwork,
    MentionQuery,
    Over,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
    WholeCollection,
)
from gear_app.core.text import normalise_entity
from gear_app.core.types import Passage, Triple
from gear_app.index.entities import EntityGraph
from gear_app.index.mentions import MentionIndex, found_arrays, sentence_texts
from gear_app.index.text_index import TextIndex, WordRanking
from gear_app.language.mentions import read

MakeEntities = Callable[[], EntityGraph]
MakeMentions = Callable[[], MentionIndex]


class TripleGraph:
    """Triples by position, 0 to n - 1, joined where their normalised names are equal."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        """Names that normalise to nothing are not entities and join nothing."""
        self._ids: dict[str, int] = {}
        ends = [(self._id(t.subject), self._id(t.object)) for t in triples]
        self._ends = np.array(ends, np.int32).reshape(-1, 2)
        entities = self._ends.ravel()
        named = np.flatnonzero(entities >= 0)
        order = named[np.argsort(entities[named], kind="stable")]
        self._triples = (order // 2).astype(np.int32)
        counts = np.bincount(entities[named], minlength=len(self._ids))
        self._starts = np.concatenate([[0], np.cumsum(counts)])

    def neighbours(self, position: int) -> NDArray[np.int32]:
        """Positions of the other triples at either end of this one, ascending, each once."""
        around = np.unique(np.concatenate([self._at(entity) for entity in self._ends[position]]))
        return np.asarray(around[around != position], np.int32)

    def _at(self, entity: int) -> NDArray[np.int32]:
        return (
            self._triples[self._starts[entity] : self._starts[entity + 1]]
            if entity >= 0
            else self._triples[:0]
        )

    def _id(self, name: str) -> int:
        key = normalise_entity(name)
        return self._ids.setdefault(key, len(self._ids)) if key else -1


@dataclass(frozen=True, slots=True)
class TripleIndex:
    """Triples by position. `of_passage` has the ids of each passage's triples, ascending."""

    triples: Sequence[Triple]
    search: TextIndex
    graph: TripleGraph
    of_passage: Mapping[int, Sequence[int]]

    @classmethod
    def of(cls, triples: Sequence[Triple], vectors: Vectors) -> TripleIndex:
        """`vectors` are those of the triples' texts, (n, d) in order."""
        search = TextIndex([t.id for t in triples], [t.text for t in triples], vectors)
        of_passage: dict[int, list[int]] = {}
        for triple in triples:
            of_passage.setdefault(triple.passage_id, []).append(triple.id)
        by_passage = {id_: sorted(ids) for id_, ids in of_passage.items()}
        return cls(list(triples), search, TripleGraph(triples), by_passage)


class EmbeddedIndex:
    """Exact BM25 and exact cosine over passages and triples, and the triples' neighbours.

    `passage_vectors` and `triple_vectors` are (n, d) float32 in the order of their sequences; they
    may be memory-mapped. `embedder` encodes queries. `entities` makes the graph of entities when it
    is first asked for, and `mentions` what passages share; `keep` outlives it.
    """

    links = True

    def __init__(
        self,
        passages: Sequence[Passage],
        triples: Sequence[Triple],
        passage_vectors: Vectors,
        triple_vectors: Vectors,
        embedder: Embedder,
        entities: MakeEntities | None = None,
        mentions: MakeMentions | None = None,
        keep: Keep | None = None,
    ) -> None:
        """Build the term matrices and the graph; about two seconds for 10 000 passages and 120 000
        triples.
        """
        self._embedder = embedder
        self._passages = {passage.id: passage for passage in passages}
        self._passage_search = TextIndex(
            [p.id for p in passages], [p.indexed for p in passages], passage_vectors
        )
        make_mentions = mentions or functools.partial(_mentions, passages, embedder)
        self._mentions = functools.cache(make_mentions)  # one for all indexes of these passages
        self._made: dict[str, str] = {}
        self._keep = keep or self._keep_here
        self._put(TripleIndex.of(triples, triple_vectors), entities)

    def over(
        self, triples: Sequence[Triple], vectors: Vectors, entities: MakeEntities | None = None
    ) -> EmbeddedIndex:
        """An index of the same passages, which are not read again, and these triples."""
        other = copy.copy(self)
        other._put(TripleIndex.of(triples, vectors), entities)
        return other

    @property
    def every_passage(self) -> Sequence[Passage]:
        """All of its passages."""
        return list(self._passages.values())

    @property
    def every_triple(self) -> Sequence[Triple]:
        """All of its triples."""
        return self._triples.triples

    @property
    def mentions(self) -> MentionIndex:
        """Mentions of its passages; made when they are first asked for."""
        return self._mentions()

    def passage_vectors(self, passage_ids: Sequence[int]) -> Vectors:
        """(n, d) stored vectors of the passages' titles and texts."""
        return self._passage_search.vectors(passage_ids)

    def search(self, searches: Sequence[Search]) -> SearchResults:
        """One ranking a search, and the rows of all hits."""
        encoded: dict[str, Vectors] = {}
        ranked = [self._ranking(search, encoded) for search in searches]
        rankings = [ranking.ranking for ranking in ranked]
        lucene = frozenset(place for place, ranking in enumerate(ranked) if ranking.lucene)
        hits: dict[Over, set[int]] = {"passages": set(), "triples": set()}
        for search, ranking in zip(searches, rankings, strict=True):
            hits[search.over].update(ranking.ids)
        return SearchResults(rankings, self.rows(hits["passages"], hits["triples"]), lucene)

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        """Rows of these passages and triples, by id."""
        return Rows(
            self.names(passage_ids), dict(zip(triple_ids, self._stored(triple_ids), strict=True))
        )

    def names(self, passage_ids: Collection[int]) -> dict[int, Passage]:
        """Passages of these ids, by id."""
        return {id_: self._passages[id_] for id_ in passage_ids}

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        """All triples of these passages: passages in the order given, triples by id."""
        of_passage = self._triples.of_passage
        return self._stored(
            [id_ for passage in dict.fromkeys(passage_ids) for id_ in of_passage.get(passage, ())]
        )

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        """The neighbours of each of these triples, of more than k those nearest to the query."""
        return [self._encoded(self._nearest(id_, query, k)) for id_ in triple_ids]

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        """(n, d) stored vectors of the triples' texts."""
        return self._triples.search.vectors(triple_ids)

    def joins(self, names: Collection[str], threshold: float | None) -> dict[str, EntityPassages]:
        """The passages that name each of these entities or a synonym of it."""
        return {name: self._entities().passages_of(name, threshold) for name in names}

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        """Mentions that the passages of each query share with others."""
        return [self._mentions().shared(query, limit) for query in queries]

    def entities(self) -> EntityGraph:
        """The graph of the triples' entities; made when it is first asked for."""
        return self._entities()

    def mention_network(self) -> MentionNetwork:
        """Network of its passages' mentions."""
        return self._mentions().network

    def whole(self) -> WholeCollection:
        """Its passages with their vectors."""
        passages = [self._passages[id_] for id_ in sorted(self._passages)]
        vectors = self.passage_vectors([passage.id for passage in passages])
        return WholeCollection(passages, vectors, self._keep)

    def _keep_here(self, name: str, make: Callable[[], str]) -> str:
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    def _put(self, triples: TripleIndex, entities: MakeEntities | None) -> None:
        self._triples = triples
        make = entities or (lambda: EntityGraph.of(triples.triples, self._embedder.embed))
        # Without a lock, as the mentions: while it waits for a server nobody waits for it.
        self._entities = functools.cache(make)

    def _ranking(self, search: Search, encoded: dict[str, Vectors]) -> WordRanking:
        """`encoded` are the vectors of queries that were needed so far. Each is encoded alone: in a
        batch, texts are padded to the longest, which moves the last digits of all of them.
        """
        texts = self._passage_search if search.over == "passages" else self._triples.search
        if search.by == "bm25":
            return texts.bm25(search.query, search.k, search.among)
        if search.query not in encoded:
            encoded[search.query] = query_vectors(self._embedder, [search.query])[0]
        return WordRanking(texts.dense(encoded[search.query], search.k, search.among))

    def _nearest(self, triple_id: int, query: Vectors, k: int) -> list[int]:
        search = self._triples.search
        around = self._triples.graph.neighbours(search.position[triple_id])
        ids: list[int] = search.ids[around].tolist()
        return sorted(ids if len(ids) <= k else search.dense(query, k, ids).ids)

    def _encoded(self, ids: Sequence[int]) -> EncodedTriples:
        return EncodedTriples(self._stored(ids), self.vectors(ids))

    def _stored(self, ids: Iterable[int]) -> list[StoredTriple]:
        positions, passages = self._triples.search.position, self._passages
        stored = []
        for triple in (self._triples.triples[positions[id_]] for id_ in ids):
            passage, span = passages[triple.passage_id], triple.span
            sentence = passage.text[span.start : span.end] if span else ""
            stored.append(StoredTriple(triple, passage, sentence))
        return stored


def _mentions(passages: Sequence[Passage], embedder: Embedder) -> MentionIndex:
    """The mentions of these passages, found and encoded now."""
    ordered = sorted(passages, key=lambda passage: passage.id)
    mentions = [read(passage.title, passage.text) for passage in ordered]
    texts = sentence_texts(ordered, mentions)
    return MentionIndex(ordered, found_arrays(ordered, mentions), embedder.embed(texts))
