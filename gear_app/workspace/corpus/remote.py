"""The collections of a workspace that are in a cluster: their indexes, opened when they are first
used, and single passages for a screen. Their ids were given by another workspace; no two files give
the same (store.database.first_id).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress

from gear_app.core.errors import ModelFailed, NotReady, Unknown
from gear_app.core.types import Passage
from gear_app.index.opensearch import catalogue, schema
from gear_app.index.opensearch.catalogue import StoredIndex
from gear_app.index.opensearch.cluster import Cluster, address_of, connect
from gear_app.index.opensearch.index import OpenSearchIndex, StoredRows, with_ids, with_words
from gear_app.models.embedders.cache import CachedEmbedder
from gear_app.store import Store
from gear_app.store.collections import same_cluster
from gear_app.store.rows import CollectionRow, SetRow
from gear_app.workspace.models import Models


class RemoteIndices:
    """Connections to clusters by address, and the indexes that were opened there. Every call
    raises ClusterFailed, NotReady or BadInput with what is wrong with a cluster.
    """

    def __init__(self, store: Callable[[], Store], models: Models) -> None:
        self._store, self._models = store, models
        self._clusters: dict[str, Cluster] = {}
        self._open: dict[Hashable, OpenSearchIndex] = {}

    def cluster(self, addresses: str, *, anew: bool = False) -> Cluster:
        """A connection; `anew`: its version, plugin and login are asked for once more."""
        if anew or addresses not in self._clusters:
            self._clusters[addresses] = connect(address_of(addresses))
        return self._clusters[addresses]

    def index(
        self, collection: CollectionRow, set_: SetRow | None, embedder: CachedEmbedder
    ) -> OpenSearchIndex:
        """The index of a collection with a triple set, or with any.

        Raises NotReady where it is gone, or cannot be searched with this model.
        """
        name = set_.index_name if set_ else collection.index_name
        # Whoever may not ask an embedder's server has an index of their own.
        key = collection.cluster, name, embedder.fingerprint, type(embedder.inner)
        if key not in self._open:
            cluster = self.cluster(collection.cluster)
            self._open[key] = catalogue.open_index(cluster, name, embedder)
        return self._open[key]

    def passage(self, id_: int) -> Passage | None:
        """The passage with this id, of whichever collection; None where there is none. No model is
        loaded.
        """
        condition = with_ids([schema.document_id("passages", id_)])
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

    def status(self, addresses: str) -> list[StoredIndex]:
        """The indices of a cluster, half-loaded ones too."""
        return catalogue.stored(self.cluster(addresses))

    def opened(self, addresses: str) -> dict[str, str]:
        """Names in this workspace of the collections of a cluster that appear here, by the names of
        their indices there. The cluster is not asked.
        """
        address, collections = str(address_of(addresses)), self._store().collections
        return {
            index: row.name
            for row in collections.all()
            if same_cluster(row.cluster, address)
            for index in (row.index_name, *(set_.index_name for set_ in collections.sets(row.id)))
        }

    def drop(
        self, addresses: str, collection: str, triples: str | None = None, *, closed: bool = False
    ) -> list[StoredIndex]:
        """Delete the indices of a collection, with one triple set or all; `closed`: only those that
        are not open, as half-loaded and earlier ones. The deleted indices.
        """
        dropped = [
            index
            for index in self._indices(addresses, collection)
            if triples in (None, index.facts.triple_set) and not (closed and index.open)
        ]
        catalogue.drop(self.cluster(addresses), dropped)
        return dropped

    def adopt(
        self,
        addresses: str,
        collection: str | None = None,
        report: Callable[[str], None] = lambda note: None,
    ) -> list[str]:
        """Let the open collections of a cluster appear in this workspace, all or the one of this
        name, with their questions; the names they have here, in order. Nothing else of them is
        loaded.

        One that is called as a collection of this workspace is told apart by " (cluster)". Of all,
        one that has lost shards is left out: its questions could not be read. `report` receives a
        sentence for each that cannot be searched from here. Raises Unknown where the one is not
        there, and NotReady where it is not whole.
        """
        indices, names = self._indices(addresses, collection), set[str]()
        for index in sorted(indices, key=lambda index: (index.created, index.name)):
            if index.open and index.health != "red":
                with suppress(ModelFailed, NotReady, Unknown):  # there is no model to compare with
                    fingerprint = self._models.embedder.fingerprint
                    if problem := catalogue.mismatch(index.facts, fingerprint):
                        report(problem)
                names.add(self._place(index, addresses))
        if collection and not names:
            for index in indices:
                catalogue.check_complete(index)
            raise Unknown("open collection of the cluster", collection)
        return sorted(names)

    def _indices(self, addresses: str, collection: str | None) -> list[StoredIndex]:
        """The indices of a collection, or all. Raises Unknown where it has none."""
        indices = self.status(addresses)
        names = sorted({index.facts.collection for index in indices})
        if collection is not None and collection not in names:
            raise Unknown("collection of the cluster", collection, names or ["none yet"])
        return [index for index in indices if collection in (None, index.facts.collection)]

    def _place(self, index: StoredIndex, addresses: str) -> str:
        """Note that a collection is in a cluster, with a triple set, at a revision, and copy its
        questions but for those that are here, which may have been edited. Its name here.
        """
        facts, collections = index.facts, self._store().collections
        cluster, address = self.cluster(addresses), str(address_of(addresses))
        more = (f" (cluster {number})" for number in itertools.count(2))
        names = (facts.collection + end for end in itertools.chain(["", " (cluster)"], more))
        rows = ((name, collections.find(name)) for name in names)
        name, row = next(
            (name, row) for name, row in rows if row is None or same_cluster(row.cluster, address)
        )
        row = row or collections.create(name)
        revision = max(row.revision, facts.revision)
        collections.change(
            row.id,
            index_name=index.name,
            revision=revision,
            cluster=address,
            passages_there=facts.passages,
            passages_revision=revision,
            max_iterations=facts.max_iterations,
        )
        if facts.triple_set:
            collections.ensure_set(
                row.id,
                facts.triple_set,
                facts.maker,
                index_name=index.name,
                revision=revision,
                triples_there=facts.triples,
            )
        if row.index_name != index.name:  # the index before, or none
            existing = {question.id for question in self._store().questions.of(row.id)}
            questions = catalogue.questions(cluster, index)
            self._store().questions.save(row.id, [q for q in questions if q.id not in existing])
        return name

    def _stored(self, collection: CollectionRow) -> StoredRows:
        cluster = self.cluster(collection.cluster)
        return StoredRows(cluster, collection.index_name)
