"""Collections and clusters: pushed there, listed, dropped, and opened in a workspace."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from itertools import chain, count

from gear_app.core.errors import ModelFailed, NotReady, Unknown
from gear_app.core.rows import HubLimit
from gear_app.core.threads import working
from gear_app.core.types import Question
from gear_app.index.opensearch import catalogue
from gear_app.index.opensearch.catalogue import Load, Report, StorageOptions, StoredIndex
from gear_app.index.opensearch.cluster import address_of
from gear_app.index.opensearch.documents import count_documents, documents
from gear_app.index.opensearch.schema import IndexFacts
from gear_app.store.collections import check_here, same_cluster
from gear_app.store.questions import question_hash
from gear_app.store.rows import CollectionRow
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.corpus.corpora import Corpora
from gear_app.workspace.models import Models

SUFFIX = " (cluster)"  # behind the name of one that is called as a collection of the workspace


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
        is missing there, and open it.
        """
        row = self._store.collections.get(collection)
        check_here(row)
        sets, active = self._store.collections, row.active_set_id
        set_ = sets.get_set(row.id, triples) if triples else sets.find_set(row.id, active)
        cluster = self._corpora.remote.cluster(addresses)
        with working(show=self.connection.report):
            corpus = self._corpora.get(row, set_, row.revision)
        index, questions = self._corpora.embedded(corpus), self._store.questions.of(row.id)
        passages = len(index.every_passage)
        facts = IndexFacts(
            collection=row.name,
            revision=row.revision,
            triple_set=set_.name if set_ else "",
            content=corpus.hash,
            questions=hashlib.sha256(b"".join(map(question_hash, questions))).hexdigest()[:16],
            model=self._models.embedder.fingerprint,
            dimension=index.passage_vectors([]).shape[1],
            passages=passages,
            triples=len(index.every_triple),
            holders=HubLimit().holders(passages),
            maker=set_.maker if set_ else "",
            max_iterations=row.max_iterations,
            shards=storage.shards,
            hnsw=storage.hnsw,
        )
        total = count_documents(index, questions)
        rows = documents(index, questions, facts.holders)
        return catalogue.push(cluster, facts, rows, total, report, storage.replicas)

    def version(self, addresses: str) -> str:
        """The version of a cluster, connected to anew."""
        return self._corpora.remote.cluster(addresses, anew=True).version

    def status(self, addresses: str) -> list[StoredIndex]:
        """The indices of a cluster, half-loaded ones too."""
        return catalogue.stored(self._corpora.remote.cluster(addresses))

    def opened(self, addresses: str) -> dict[str, str]:
        """The collections of a cluster that appear in this workspace: what they are called here, by
        the names of their indices there. The cluster is not asked.
        """
        address, collections = str(address_of(addresses)), self._store.collections
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
        indices = self.status(addresses)
        of_collection = [index for index in indices if index.facts.collection == collection]
        if not of_collection:
            names = sorted({index.facts.collection for index in indices})
            raise Unknown("collection of the cluster", collection, names or ["none yet"])
        dropped = [
            index
            for index in of_collection
            if triples in (None, index.facts.triple_set) and not (closed and index.open)
        ]
        catalogue.drop(self._corpora.remote.cluster(addresses), dropped)
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

        One that is called as a collection of this workspace is told apart by " (cluster)", and a
        number where that is taken. One that has lost shards is left out: its questions could not be
        read. `report` receives a sentence for each that cannot be searched from here.
        """
        cluster = self._corpora.remote.cluster(addresses)
        address = str(address_of(addresses))
        names: set[str] = set()  # of the collections here
        for index in sorted(
            catalogue.stored(cluster), key=lambda index: (index.created, index.name)
        ):
            facts, selected = index.facts, collection in (None, index.facts.collection)
            if not (selected and index.open and index.health != "red"):
                continue
            if problem := catalogue.mismatch(facts, self._model() or facts.model):
                report(problem)
            name = self._name(facts.collection, address)
            row = self._store.collections.find(name) or self._store.collections.create(name)
            self._place(row, index, address)
            if row.index_name != index.name:  # the index before, or none
                self._copy_questions(row, catalogue.questions(cluster, index))
            names.add(name)
        return sorted(names)

    def _place(self, row: CollectionRow, index: StoredIndex, address: str) -> None:
        """Note that a collection is in a cluster, with a triple set, at a revision."""
        facts, collections = index.facts, self._store.collections
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

    def _copy_questions(self, row: CollectionRow, questions: Iterable[Question]) -> None:
        """Save questions of a cluster that are not here; those that are may have been edited."""
        existing = {question.id for question in self._store.questions.of(row.id)}
        new = [question for question in questions if question.id not in existing]
        self._store.questions.save(row.id, new)

    def name_here(self, addresses: str, collection: str) -> str:
        """Name of a collection of a cluster in this workspace, where it appears now.

        Raises Unknown with those that are there, and NotReady where it is not whole.
        """
        adopted = self.adopt(addresses)
        name = self._name(collection, str(address_of(addresses)))
        if name not in adopted:
            for index in self.status(addresses):
                if index.facts.collection == collection:
                    catalogue.check_complete(index)
            raise Unknown("collection of the cluster", collection, adopted or ["none yet"])
        return name

    def _model(self) -> str:
        try:
            return self._models.embedder.fingerprint
        except (ModelFailed, NotReady, Unknown):
            return ""

    def _name(self, collection: str, addresses: str) -> str:
        numbered = (f"{collection} (cluster {number})" for number in count(2))
        for name in chain((collection, collection + SUFFIX), numbered):
            row = self._store.collections.find(name)
            if row is None or same_cluster(row.cluster, addresses):
                return name
        raise AssertionError  # there is always another number
