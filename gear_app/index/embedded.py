"""The embedded index: one collection and one triple set as arrays in this process.

What its calls promise is written at protocols.Index. The neighbours of a triple are other triples
with its head or tail entity (GEAR §4.2, `get_neighbours`).
"""

from __future__ import annotations

import copy
import functools
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import count

import numpy as np

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
    Sparse,
    StoredTriple,
    WholeCollection,
)
from gear_app.core.text import normalise_entity
from gear_app.core.threads import load_timer
from gear_app.core.types import Passage, Ranking, Triple
from gear_app.index.bm25 import TextIndex, matrix
from gear_app.index.entities import network_of, passages_of
from gear_app.index.mentions import MentionIndex, read_network


class TripleIndex(TextIndex):
    """Triples by position, 0 to n - 1, joined where their normalised names are equal. `of_passage`
    has the ids of each passage's triples, ascending.
    """

    def __init__(self, triples: Sequence[Triple], vectors: Vectors) -> None:
        """`vectors` are those of the triples' texts, (n, d) in order. Names that normalise to
        nothing are not entities and join nothing.
        """
        super().__init__([t.id for t in triples], lambda: (t.text for t in triples), vectors)
        self.triples = list(triples)
        self.of_passage: defaultdict[int, list[int]] = defaultdict(list)
        for triple in sorted(triples, key=lambda triple: triple.id):
            self.of_passage[triple.passage_id].append(triple.id)

    @functools.cached_property
    def _joins(self) -> tuple[Sparse, Sparse]:
        """(triples, entities): what each triple is about; and (entities, triples)."""
        numbers = defaultdict[str, int](count().__next__)
        number = functools.cache(lambda name: numbers[normalise_entity(name)])
        with load_timer():
            ends = [number(name) for t in self.triples for name in (t.subject, t.object)]
            named = np.array(ends, np.int64) != numbers[""]
            places = np.flatnonzero(named) // 2, np.array(ends, np.int64)[named]
            ends_of = matrix(places, (len(self.triples), len(numbers)))
            return ends_of, ends_of.T.tocsr()

    def neighbours(self, triple_id: int) -> list[int]:
        """Ids of the other triples at either end of this one, each once."""
        ends_of, triples_at = self._joins
        entities = ends_of[[self.position[triple_id]]].indices
        around = self.ids[np.unique(triples_at[entities].indices)]
        return [id_ for id_ in around.tolist() if id_ != triple_id]


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
        entities: Callable[[], EntityNetwork] | None = None,
        mentions: Callable[[], MentionIndex] | None = None,
        keep: Keep = lambda name, make: make(),
    ) -> None:
        """What words and links need is made when it is first asked for; about two seconds for
        10 000 passages and 120 000 triples.
        """
        self._embedder = embedder
        self._passages = {passage.id: passage for passage in passages}
        self._passage_search = TextIndex(
            [p.id for p in passages], lambda: (p.indexed for p in passages), passage_vectors
        )
        # One for all indexes of these passages.
        self.mentions = functools.cache(
            mentions or (lambda: MentionIndex(read_network(passages, embedder.embed)))
        )
        self._keep = keep
        self._add_triples(TripleIndex(triples, triple_vectors), entities)

    def over(
        self,
        triples: Sequence[Triple],
        vectors: Vectors,
        entities: Callable[[], EntityNetwork] | None = None,
    ) -> EmbeddedIndex:
        """An index of the same passages, which are not read again, and these triples."""
        other = copy.copy(self)
        other._add_triples(TripleIndex(triples, vectors), entities)
        return other

    def _add_triples(
        self, triples: TripleIndex, entities: Callable[[], EntityNetwork] | None
    ) -> None:
        self._triples = triples
        make = entities or (lambda: network_of(triples.triples, self._embedder.embed))
        # Without a lock, as the mentions: while it waits for a server nobody waits for it.
        self._entities = functools.cache(make)

    @property
    def every_passage(self) -> Sequence[Passage]:
        """All of its passages, by id."""
        return [self._passages[id_] for id_ in sorted(self._passages)]

    def passage_vectors(self, passage_ids: Sequence[int]) -> Vectors:
        """(n, d) stored vectors of the passages' titles and texts."""
        return self._passage_search.vectors(passage_ids)

    @property
    def every_triple(self) -> Sequence[Triple]:
        """All of its triples."""
        return self._triples.triples

    def search(self, searches: Sequence[Search]) -> SearchResults:
        """One ranking a search, and the rows of all hits."""
        encoded: dict[str, Vectors] = {}
        ranked = [self._ranking(search, encoded) for search in searches]
        hits: dict[Over, set[int]] = {"passages": set(), "triples": set()}
        for search, (ranking, _) in zip(searches, ranked, strict=True):
            hits[search.over].update(ranking.ids)
        return SearchResults(
            [ranking for ranking, _ in ranked],
            self.rows(hits["passages"], hits["triples"]),
            frozenset(place for place, (_, lucene) in enumerate(ranked) if lucene),
        )

    def _ranking(self, search: Search, encoded: dict[str, Vectors]) -> tuple[Ranking, bool]:
        """A ranking, and whether BM25 went by Lucene's idf.

        `encoded` are the vectors of queries that were needed so far. Each is encoded alone: in a
        batch, texts are padded to the longest, which moves the last digits of all of them.
        """
        texts = self._passage_search if search.over == "passages" else self._triples
        if search.by == "bm25":
            return texts.bm25(search.query, search.k, search.among)
        if search.query not in encoded:
            encoded[search.query] = query_vectors(self._embedder, [search.query])[0]
        return texts.dense(encoded[search.query], search.k, search.among), False

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        """Rows of these passages and triples, by id."""
        return Rows(
            {id_: self._passages[id_] for id_ in passage_ids},
            dict(zip(triple_ids, self._stored(triple_ids), strict=True)),
        )

    def names(self, passage_ids: Collection[int]) -> dict[int, PassageName]:
        """Names of these passages, by id."""
        passages = self._passages
        return {id_: PassageName(passages[id_].key, passages[id_].title) for id_ in passage_ids}

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        """All triples of these passages: passages in the order given, triples by id."""
        of_passage = self._triples.of_passage
        return self._stored(
            id_ for passage in dict.fromkeys(passage_ids) for id_ in of_passage.get(passage, ())
        )

    def _stored(self, ids: Iterable[int]) -> list[StoredTriple]:
        stored = []
        for triple in (self._triples.triples[self._triples.position[id_]] for id_ in ids):
            passage, span = self._passages[triple.passage_id], triple.span
            sentence = passage.text[span.start : span.end] if span else ""
            stored.append(StoredTriple(triple, PassageName(passage.key, passage.title), sentence))
        return stored

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        """The neighbours of each of these triples, of more than k those nearest to the query."""
        return [self._nearest(id_, query, k) for id_ in triple_ids]

    def _nearest(self, triple_id: int, query: Vectors, k: int) -> EncodedTriples:
        around = self._triples.neighbours(triple_id)
        ids = sorted(around if len(around) <= k else self._triples.dense(query, k, around).ids)
        return EncodedTriples(self._stored(ids), self.vectors(ids))

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        """(n, d) stored vectors of the triples' texts."""
        return self._triples.vectors(triple_ids)

    def joins(self, names: Collection[str], threshold: float | None) -> dict[str, EntityPassages]:
        """The passages that name each of these entities or a synonym of it."""
        return {name: passages_of(self._entities(), name, threshold) for name in names}

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        """Mentions that the passages of each query share with others."""
        return [self.mentions().shared(query, limit) for query in queries]

    def entities(self) -> EntityNetwork:
        """The graph of the triples' entities; made when it is first asked for."""
        return self._entities()

    def mention_network(self) -> MentionNetwork:
        """Network of its passages' mentions; made when it is first asked for."""
        return self.mentions().network

    def collection(self) -> WholeCollection:
        """Its passages with their vectors."""
        passages = self.every_passage
        vectors = self.passage_vectors([passage.id for passage in passages])
        return WholeCollection(passages, vectors, self._keep)
