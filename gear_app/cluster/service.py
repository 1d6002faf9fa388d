"""Collections and clusters: pushed there, listed, checked, dropped, and opened in a workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain, count

from gear_app.connection import Connection, Service
from gear_app.corpus.corpora import Corpora
from gear_app.errors import ModelFailed, NotReady, Unknown
from gear_app.models import Models
from gear_app.opensearch import catalogue, load
from gear_app.opensearch.address import address_of
from gear_app.opensearch.catalogue import Catalogue, ClusterState, StoredIndex, UnreadableIndex
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.load import CopyCheck, Load, Report, StorageOptions
from gear_app.store.collections import Placed, check_here, same_cluster
from gear_app.store.rows import CollectionRow, SetRow

BESIDE = " (cluster)"  # behind the name of one that is called as a collection of the workspace
Tell = Callable[[str], None]


class ClusterService(Service):
    """A workspace's dealings with clusters. Every call raises ClusterFailed, NotReady or BadInput
    with what is wrong with a cluster.
    """

    def __init__(self, connection: Connection, models: Models, corpora: Corpora) -> None:
        super().__init__(connection)
        self._models, self._corpora = models, corpora

    def push(
        self,
        collection: str,
        triples: str | None,
        addresses: str,
        storage: StorageOptions,
        report: Report,
    ) -> Load:
        """Load a collection with a triple set (None: the active one) into a cluster, or what of it
        is missing there; opened when every copy was checked.
        """
        # scipy is for whoever pushes, not for the web process.
        from gear_app.cluster.contents import CollectionContents
        from gear_app.cluster.facts import CollectionOrigin

        row = self._store.collections.get(collection)
        check_here(row)
        set_ = self._set(row, triples)
        cluster = self._corpora.remote.cluster(addresses)
        corpus = self._corpora.get(row, set_, row.revision, self.connection.report)
        origin = CollectionOrigin(
            collection=row.name,
            revision=row.revision,
            triples=set_.name if set_ else "",
            content=corpus.hash,
            model=self._models.embedder.fingerprint,
            maker=set_.maker if set_ else "",
            max_iterations=row.max_iterations,
        )
        index, questions = self._corpora.embedded(corpus), self._store.questions.of(row.id)
        contents = CollectionContents.of(index, origin, questions, storage)
        return load.push(cluster, contents, report, storage.replicas)

    def state(self, addresses: str) -> ClusterState:
        """How a cluster is, asked anew: as somebody who connects to it for the first time."""
        return catalogue.state(self._corpora.remote.reconnected(addresses))

    def status(self, addresses: str) -> Catalogue:
        """The indices of a cluster: half-loaded ones too, and those that are named as ours and
        cannot be read.
        """
        return catalogue.catalogue(self._corpora.remote.cluster(addresses))

    def verify(self, addresses: str, collection: str | None = None) -> list[CopyCheck]:
        """Every copy of every shard of the indices that are open, of one collection or of all."""
        cluster = self._corpora.remote.cluster(addresses)
        checks = []
        for one in self._chosen(addresses, collection):
            if one.open:
                checks += load.verify(cluster, one.name, one.facts)
        return checks

    def opened(self, addresses: str) -> dict[str, str]:
        """The collections of a cluster that appear in this workspace: what they are called here, by
        the names of their indices there. The cluster is not asked.
        """
        shown, collections = str(address_of(addresses)), self._store.collections
        return {
            index: row.name
            for row in collections.all()
            if same_cluster(row.cluster, shown)
            for index in (row.index_name, *(one.index_name for one in collections.sets(row.id)))
        }

    def drop(
        self, addresses: str, collection: str, triples: str | None = None, *, closed: bool = False
    ) -> list[StoredIndex | UnreadableIndex]:
        """Delete the indices of a collection, with one triple set or all; `closed`: only those that
        are not open, as half-loaded and earlier ones. Those that were deleted. With those of all
        triple sets go its indices that cannot be read.
        """
        cluster = self._corpora.remote.cluster(addresses)
        listed = catalogue.catalogue(cluster)
        there = [one for one in listed.stored if one.facts.collection == collection]
        unreadable = [one for one in listed.unreadable if triples is None and one.of(collection)]
        if not there and not unreadable:
            raise _unknown(collection, listed.stored)
        wanted = [one for one in there if triples in (None, one.facts.triples)]
        every: list[StoredIndex | UnreadableIndex] = [*wanted, *unreadable]
        gone = [one for one in every if not (closed and one.open)]
        catalogue.drop(cluster, gone)
        return gone

    def adopt(
        self, addresses: str, collection: str | None = None, tell: Tell = lambda note: None
    ) -> list[str]:
        """Let the open collections of a cluster appear in this workspace, all or the one of this
        name, with their questions; the names they have here, in order. Nothing else of them is
        loaded.

        One that is called as a collection of this workspace is told apart by " (cluster)", and a
        number where that is taken. One that has lost shards is left out: its questions could not be
        read. `tell` is told, a sentence each, of what cannot be read or searched from here; it is
        in no other's way.
        """
        cluster = self._corpora.remote.cluster(addresses)
        shown = str(address_of(addresses))
        listed = catalogue.catalogue(cluster)
        for unreadable in listed.unreadable:
            if unreadable.open and (collection is None or unreadable.of(collection)):
                tell(unreadable.why)
        newest: dict[str, StoredIndex] = {}  # by the collection's name here
        for one in sorted(listed.stored, key=lambda one: (one.made, one.name)):
            wanted = collection in (None, one.facts.collection)
            if not (wanted and one.open and one.health != "red"):
                continue
            why = catalogue.mismatch(one.facts, self._model() or one.facts.model)
            if why:
                tell(why)
            name = self._name(one.facts.collection, shown)
            placed = Placed(
                shown,
                one.name,
                one.facts.revision,
                one.facts.passages.size,
                one.facts.triples,
                one.facts.facts.size,
                one.facts.maker,
                one.facts.max_iterations,
            )
            self._store.collections.place(name, placed)
            newest[name] = one
        for name, one in newest.items():
            self._take_questions(cluster, name, one)
        return sorted(newest)

    def _take_questions(self, cluster: Cluster, name: str, one: StoredIndex) -> None:
        """Take a collection's questions from its newest index, where they are not those that were
        taken last. All its triple sets have the same ones, as far as they were pushed together.
        """
        row, which = self._store.collections.get(name), one.facts.questions or one.name
        if self._store.questions.taken(row.id) != which:
            self._store.questions.take(row.id, which, catalogue.questions(cluster, one))

    def name_here(self, addresses: str, collection: str) -> str:
        """What a collection of a cluster is called in this workspace, where it appears now.

        Raises Unknown with those that are there, and NotReady where it is not whole.
        """
        adopted = self.adopt(addresses)
        name = self._name(collection, str(address_of(addresses)))
        if name not in adopted:
            listed = self.status(addresses)
            for one in listed.stored:
                if one.facts.collection == collection:
                    catalogue.check_whole(one)
            for unreadable in listed.unreadable:
                if unreadable.open and unreadable.of(collection):
                    raise NotReady(unreadable.why)
            raise Unknown("collection of the cluster", collection, adopted or ["none yet"])
        return name

    def _model(self) -> str:
        """The fingerprint of the model of this workspace; "" where it cannot be told now."""
        try:
            return self._models.embedder.fingerprint
        except (ModelFailed, NotReady, Unknown):
            return ""

    def _name(self, collection: str, addresses: str) -> str:
        """The first of the names that it may have here which no other collection has."""
        numbered = (f"{collection} (cluster {number})" for number in count(2))
        for name in chain((collection, collection + BESIDE), numbered):
            row = self._store.collections.find(name)
            if row is None or same_cluster(row.cluster, addresses):
                return name
        raise AssertionError  # there is always another number

    def _set(self, row: CollectionRow, triples: str | None) -> SetRow | None:
        sets = self._store.collections.sets(row.id)
        if triples is None:
            return next((set_ for set_ in sets if set_.id == row.active_set_id), None)
        found = next((set_ for set_ in sets if set_.name == triples), None)
        if found is None:
            raise Unknown("triple set", triples, [set_.name for set_ in sets] or ["none yet"])
        return found

    def _chosen(self, addresses: str, collection: str | None) -> Sequence[StoredIndex]:
        there = self.status(addresses).stored
        chosen = [one for one in there if collection in (None, one.facts.collection)]
        if collection is not None and not chosen:
            raise _unknown(collection, there)
        return chosen


def _unknown(collection: str, there: Sequence[StoredIndex]) -> Unknown:
    names = sorted({one.facts.collection for one in there})
    return Unknown("collection of the cluster", collection, names or ["none yet"])
