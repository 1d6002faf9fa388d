"""The collections of a workspace that are in a cluster: their indexes, opened when they are first
used, and single passages for a screen. Their ids were given by another workspace; no two files give
the same (store.database.first_id).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gear_app.core.protocols import Embedder
from gear_app.core.types import Passage
from gear_app.index.opensearch import catalogue, schema
from gear_app.index.opensearch.cluster import Cluster, address_of, connect
from gear_app.index.opensearch.index import OpenSearchIndex, StoredRows, with_ids, with_words
from gear_app.store import Store
from gear_app.store.rows import CollectionRow, SetRow


class RemoteIndices:
    """Connections to clusters by address, and the indexes that were opened there."""

    def __init__(self, store: Callable[[], Store], embedder: Callable[[], Embedder]) -> None:
        self._store, self._embedder = store, embedder
        self._clusters: dict[str, Cluster] = {}
        self._open: dict[tuple[str, str], OpenSearchIndex] = {}

    def cluster(self, addresses: str, *, anew: bool = False) -> Cluster:
        """A connection; `anew`: the cluster is asked for its version, plugin and login once more.
        Raises ClusterFailed, NotReady or BadInput with what is wrong.
        """
        if anew or addresses not in self._clusters:
            self._clusters[addresses] = connect(address_of(addresses))
        return self._clusters[addresses]

    def index(self, collection: CollectionRow, set_: SetRow | None) -> OpenSearchIndex:
        """The index of a collection with a triple set, or with any.

        Raises NotReady where it is gone, or cannot be searched with the model of this workspace.
        """
        name = set_.index_name if set_ else collection.index_name
        key = collection.cluster, name
        if key not in self._open:
            cluster = self.cluster(collection.cluster)
            self._open[key] = catalogue.open_index(cluster, name, self._embedder())
        return self._open[key]

    def passage(self, id_: int) -> Passage | None:
        """The passage with this id, of whichever collection; None where there is none. No model is
        loaded.
        """
        condition = with_ids([schema.passage_id(id_)])
        collections = (row for row in self._store().collections.all() if row.cluster)
        passages = (self._stored(row).passages(condition) for row in collections)
        return next((passage for passage, *_ in filter(None, passages)), None)

    def passages_with_keys(
        self, collection: CollectionRow, keys: Sequence[str]
    ) -> dict[str, Passage]:
        """The passages with these keys, by key."""
        condition = {"terms": {schema.KEY: list(keys)}}
        passages = self._stored(collection).passages(condition) if keys else []
        return {passage.key: passage for passage in passages}

    def passages_with(self, collection: CollectionRow, words: str, limit: int) -> list[Passage]:
        """Passages with a word for each of these that begins so, by id."""
        return self._stored(collection).passages(with_words(words), limit)

    def _stored(self, collection: CollectionRow) -> StoredRows:
        cluster = self.cluster(collection.cluster)
        return StoredRows(cluster, collection.index_name)
