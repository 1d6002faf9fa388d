"""The collections of a workspace that are in a cluster: their indexes, opened when they are first
used, and single passages for a screen.

A workspace gives its own passages ids from 1. Those of a collection in a cluster were given by
another workspace and would be taken for them: they are moved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from gear_app.core.protocols import Embedder, Index, Vectors
from gear_app.core.rows import (
    EncodedTriples,
    EntityPassages,
    HubLimit,
    MentionQuery,
    Named,
    Rows,
    Search,
    SearchResults,
    SharedMentions,
    StoredTriple,
)
from gear_app.core.types import Hit, Passage, Ranking
from gear_app.index.opensearch import catalogue
from gear_app.index.opensearch.address import address_of
from gear_app.index.opensearch.cluster import Cluster, connect
from gear_app.index.opensearch.index import OpenSearchIndex, ids_with_words, passage_ids, passages
from gear_app.index.wrapper import IndexWrapper
from gear_app.store import Store
from gear_app.store.rows import CollectionRow, SetRow

# How far apart the ids of collections in clusters are; those of a workspace's own are below.
APART = 1 << 40


class RemoteIndices:
    """Connections to clusters by address, and the indexes that were opened there."""

    def __init__(self, store: Callable[[], Store], embedder: Callable[[], Embedder]) -> None:
        self._store, self._embedder = store, embedder
        self._clusters: dict[str, Cluster] = {}
        self._open: dict[tuple[str, str], OpenSearchIndex] = {}

    def cluster(self, addresses: str) -> Cluster:
        """A connection. Raises ClusterFailed, NotReady or BadInput with what is wrong."""
        if addresses not in self._clusters:
            self._clusters[addresses] = connect(address_of(addresses))
        return self._clusters[addresses]

    def reconnected(self, addresses: str) -> Cluster:
        """Cluster asked for its version, plugin and login once more."""
        self._clusters.pop(addresses, None)
        return self.cluster(addresses)

    def index(self, collection: CollectionRow, set_: SetRow | None) -> OpenSearchIndex:
        """The index of a collection with a triple set, or with any; its ids are its own.

        Raises NotReady where it is gone, or cannot be searched with the model of this workspace.
        """
        name = set_.index_name if set_ else collection.index_name
        key = collection.cluster, name
        if key not in self._open:
            cluster = self.cluster(collection.cluster)
            self._open[key] = catalogue.open_index(cluster, name, self._embedder())
        return self._open[key]

    def passage(self, id_: int) -> Passage | None:
        """The passage with this id, which says what collection it is of; None where there is none.
        No model is loaded.
        """
        collection = self._store().collections.by_id(id_ // APART) if id_ >= APART else None
        if collection is None or not collection.cluster:
            return None
        rows = self._rows(collection, [id_ % APART])
        return rows[0] if rows else None

    def passages_with_keys(
        self, collection: CollectionRow, keys: Sequence[str]
    ) -> dict[str, Passage]:
        """The passages with these keys, by key."""
        if not keys:
            return {}
        cluster = self.cluster(collection.cluster)
        ids = passage_ids(cluster, collection.index_name, keys)
        return {passage.key: passage for passage in self._rows(collection, ids)}

    def passages_with(self, collection: CollectionRow, words: str, limit: int) -> list[Passage]:
        """Passages with a word for each of these that begins so, by id."""
        cluster = self.cluster(collection.cluster)
        ids = ids_with_words(cluster, collection.index_name, words, limit)
        return self._rows(collection, ids) if ids else []

    def _rows(self, collection: CollectionRow, ids: Sequence[int]) -> list[Passage]:
        cluster = self.cluster(collection.cluster)
        rows = passages(cluster, collection.index_name, ids)
        return [shifted(passage, collection.id * APART) for passage in rows]


class ShiftedIndex(IndexWrapper):
    """An index whose calls (protocols.Index) have ids that are `by` greater outside, those of its
    entities' graph excepted.
    """

    def __init__(self, index: Index, by: int) -> None:
        super().__init__(index)
        self._by = by

    def search(self, searches: Sequence[Search]) -> SearchResults:
        inner_searches = [
            search._replace(among=None if search.among is None else self._inside(search.among))
            for search in searches
        ]
        results = self._index.search(inner_searches)
        rankings = [
            Ranking(tuple(Hit(id_ + self._by, score) for id_, score in ranking.hits))
            for ranking in results.rankings
        ]
        return results._replace(rankings=rankings, rows=self._rows(results.rows))

    def rows(self, passage_ids: Collection[int], triple_ids: Collection[int]) -> Rows:
        return self._rows(self._index.rows(self._inside(passage_ids), self._inside(triple_ids)))

    def names(self, passage_ids: Collection[int]) -> Mapping[int, Named]:
        names = self._index.names(self._inside(passage_ids))
        return {id_ + self._by: name for id_, name in names.items()}

    def triples_of(self, passage_ids: Sequence[int]) -> list[StoredTriple]:
        return list(map(self._triple, self._index.triples_of(self._inside(passage_ids))))

    def nearest(self, triple_ids: Sequence[int], query: Vectors, k: int) -> list[EncodedTriples]:
        encoded = self._index.nearest(self._inside(triple_ids), query, k)
        return [near._replace(rows=list(map(self._triple, near.rows))) for near in encoded]

    def vectors(self, triple_ids: Sequence[int]) -> Vectors:
        return self._index.vectors(self._inside(triple_ids))

    def joins(self, names: Collection[str], threshold: float | None) -> dict[str, EntityPassages]:
        return {
            name: entity._replace(passages=frozenset(id_ + self._by for id_ in entity.passages))
            for name, entity in self._index.joins(names, threshold).items()
        }

    def shared_mentions(
        self, queries: Sequence[MentionQuery], limit: HubLimit
    ) -> list[SharedMentions]:
        inner_queries = [
            query._replace(passage_ids=self._inside(query.passage_ids)) for query in queries
        ]
        return [
            replace(shared, passages=list(map(self._passage, shared.passages)))
            for shared in self._index.shared_mentions(inner_queries, limit)
        ]

    def _inside(self, ids: Iterable[int]) -> list[int]:
        return [id_ - self._by for id_ in ids]

    def _rows(self, rows: Rows) -> Rows:
        passages = map(self._passage, rows.passages.values())
        triples = map(self._triple, rows.triples.values())
        return Rows(
            {passage.id: passage for passage in passages},
            {row.triple.id: row for row in triples},
        )

    def _passage(self, passage: Passage) -> Passage:
        return shifted(passage, self._by)

    def _triple(self, row: StoredTriple) -> StoredTriple:
        moved = replace(
            row.triple, id=row.triple.id + self._by, passage_id=row.triple.passage_id + self._by
        )
        return row._replace(triple=moved)


def shifted(passage: Passage, by: int) -> Passage:
    """The passage with its ids moved, that of its document too: which passages share one matters to
    links between them.
    """
    document = passage.document_id
    return replace(
        passage, id=passage.id + by, document_id=None if document is None else document + by
    )
