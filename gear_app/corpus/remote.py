"""The collections of a workspace that are in a cluster: their indexes, opened when they are first
used, and single passages for a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gear_app.seams import Embedder
from gear_app.store import Store
from gear_app.store.rows import CollectionRow, SetRow
from gear_app.types import Passage

if TYPE_CHECKING:
    from gear_app.opensearch.cluster import Cluster
    from gear_app.opensearch.index import OpenSearchIndex

# How far apart the ids of collections in clusters are; those of a workspace's own are below.
APART = 1 << 40


class RemoteIndices:
    """Connections to clusters by address, and the indexes that were opened there."""

    def __init__(self, store: Callable[[], Store], embedder: Callable[[], Embedder]) -> None:
        """`store` gives the calling thread's store; `embedder` encodes queries."""
        self._store, self._embedder = store, embedder
        self._clusters: dict[str, Cluster] = {}
        self._open: dict[tuple[str, str], OpenSearchIndex] = {}

    def cluster(self, addresses: str) -> Cluster:
        """A connection. Raises ClusterFailed, NotReady or BadInput with what is wrong."""
        from gear_app.opensearch.address import address_of
        from gear_app.opensearch.connection import connect

        if addresses not in self._clusters:
            self._clusters[addresses] = connect(address_of(addresses))
        return self._clusters[addresses]

    def reconnected(self, addresses: str) -> Cluster:
        """As `cluster`, asked for its version, plugin and login once more."""
        self._clusters.pop(addresses, None)
        return self.cluster(addresses)

    def index(self, collection: CollectionRow, set_: SetRow | None) -> OpenSearchIndex:
        """The index of a collection with a triple set, or with any; its ids are its own.

        Raises NotReady where it is gone, or cannot be searched with the model of this workspace.
        """
        from gear_app.opensearch import catalogue

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
        found = self._rows(collection, [id_ % APART])
        return found[0] if found else None

    def passages_with_keys(
        self, collection: CollectionRow, keys: Sequence[str]
    ) -> dict[str, Passage]:
        """The passages with these keys, by key."""
        from gear_app.opensearch.index import passage_ids

        if not keys:
            return {}
        cluster = self.cluster(collection.cluster)
        ids = passage_ids(cluster, collection.index_name, keys)
        return {passage.key: passage for passage in self._rows(collection, ids)}

    def passages_with(self, collection: CollectionRow, words: str, limit: int) -> list[Passage]:
        """Passages with a word for each of these that begins so, by id."""
        from gear_app.opensearch.index import ids_with_words

        cluster = self.cluster(collection.cluster)
        ids = ids_with_words(cluster, collection.index_name, words, limit)
        return self._rows(collection, ids) if ids else []

    def _rows(self, collection: CollectionRow, ids: Sequence[int]) -> list[Passage]:
        from gear_app.opensearch.id_offset import shifted
        from gear_app.opensearch.index import passages

        cluster = self.cluster(collection.cluster)
        found = passages(cluster, collection.index_name, ids)
        return [shifted(passage, collection.id * APART) for passage in found]
