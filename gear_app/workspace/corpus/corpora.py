"""What a run computes on: one collection and one triple set at one revision, as an index in this
process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Index, Vectors
from gear_app.core.rows import EntityNetwork, HubLimit
from gear_app.core.threads import check_stop, working
from gear_app.core.types import Passage
from gear_app.index.arrays import ArrayFolder, Arrays, Words, matrix_arrays, read_matrix
from gear_app.index.bm25 import KeepArrays, TextIndex
from gear_app.index.embedded import EmbeddedIndex, TripleIndex
from gear_app.index.entities import entity_network, graph_arrays
from gear_app.index.mentions import MentionIndex, mention_arrays, read_mentions
from gear_app.index.opensearch import catalogue
from gear_app.index.opensearch.catalogue import Load, Report, StorageOptions
from gear_app.index.opensearch.documents import count_documents, documents
from gear_app.index.opensearch.schema import IndexFacts
from gear_app.language.mentions import VERSION
from gear_app.models.embedders.cache import CachedEmbedder
from gear_app.store import Store
from gear_app.store.collections import check_here, question_hash
from gear_app.store.models import EncodedRows, Table
from gear_app.store.rows import CollectionRow, SetRow
from gear_app.workspace.connection import Connection
from gear_app.workspace.corpus.remote import RemoteIndices
from gear_app.workspace.corpus.vectors import (
    compare_names,
    digest_of,
    encode_missing,
    keep_mentions,
    name_vectors,
    show_step,
    stored_synonyms,
)
from gear_app.workspace.models import Models

KEPT = 4
NUMBER_BYTES = 4  # of a vector's number
TEXTS_AT_ONCE = 500  # that are looked up; parameters of a statement


@dataclass(frozen=True, slots=True)
class Corpus:
    """An index, and the hash of the texts in it: of its passages, and of its triples where it has
    a set of them.

    `record` tells where was searched, and how well, as far as the index knows.
    """

    index: Index
    hash: str
    record: Callable[[], Mapping[str, str]] = dict


class IndexState(NamedTuple):
    """The index of a collection with the triple set in use: the texts of each table. `bytes` are
    those of their vectors.
    """

    texts: Mapping[Table, tuple[int, int]]
    bytes: int

    @property
    def missing(self) -> int:
        """How many texts have no vector yet."""
        return sum(texts - encoded for texts, encoded in self.texts.values())


class Corpora:
    """The last few corpora that were used; opening one again costs nothing."""

    def __init__(self, connection: Connection, models: Models) -> None:
        self._store: Callable[[], Store] = lambda: connection.store
        self._models, self._connection = models, connection
        self._open: dict[Hashable, Corpus] = {}
        self.folder = ArrayFolder(connection.path.with_name(connection.path.name + ".cache"))
        self.remote = RemoteIndices(self._store, models)

    def get(
        self,
        collection: CollectionRow,
        set_: SetRow | None,
        revision: int,
        models: Models | None = None,
    ) -> Corpus:
        """The corpus at a revision, with other `models` than the workspace's if need be; texts
        without vectors are encoded first. What takes long is shown, also later, where a thread
        makes the arrays of the corpus.

        Of a corpus in a cluster nothing is loaded; each run has an index of its own, which keeps
        rows and counts its calls.
        """
        embedder = (models or self._models).embedder
        if collection.cluster:
            index = self.remote.index(collection, set_, embedder).for_run()
            return Corpus(index, index.facts.content, record=lambda: index.record)
        last = min(revision, collection.passages_revision)  # that changed something of it
        of_set = (set_.id, min(revision, set_.revision)) if set_ else None
        # Whoever may not ask an embedder's server has a corpus of their own.
        key = collection.id, last, of_set, embedder.fingerprint, type(embedder.inner)
        if key not in self._open:
            source = _Source(self, embedder, collection.id, set_.id if set_ else 0, revision)
            self._open[key] = source.corpus(triples=set_ is not None)
        self._open[key] = self._open.pop(key)  # the last to go
        while len(self._open) > KEPT:
            del self._open[next(iter(self._open))]
        return self._open[key]

    def state(self, collection: str) -> IndexState:
        """Texts and vectors of the index of a collection. Raises Unknown, and BadInput for one in a
        cluster.
        """
        store, row = self._store(), self._store().collections.get(collection)
        check_here(row)
        fingerprint = self._models.embedder.fingerprint
        owners: dict[Table, int] = {"passages": row.id, "sentences": row.id}
        owners["triples"] = row.active_set_id or 0
        texts = {
            table: store.embeddings.counts(EncodedRows(table, owner, row.revision, fingerprint))
            for table, owner in owners.items()
        }
        encoded = sum(encoded for _, encoded in texts.values())
        size = encoded * (store.embeddings.length(fingerprint) or 0) * NUMBER_BYTES
        return IndexState(texts, size)

    def rebuild(self, collection: str) -> None:
        """Let the worker make what is missing, and forget the arrays of all collections, which are
        made again from the vectors when somebody asks. Raises as `state`.
        """
        row = self._store().collections.get(collection)
        check_here(row)
        self.folder.clear()
        for set_id in {None, row.active_set_id}:
            self._store().tasks.ensure("vectors", row.id, set_id)

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
        row = self._store().collections.get(collection)
        check_here(row)
        sets, active = self._store().collections, row.active_set_id
        set_ = sets.get_set(row.id, triples) if triples else sets.find_set(row.id, active)
        cluster = self.remote.cluster(addresses)
        with working(show=self._connection.report):
            corpus = self.get(row, set_, row.revision)
        index, questions = corpus.index, self._store().questions.of(row.id)
        assert isinstance(index, EmbeddedIndex)  # it is here
        passages = len(index.passages)
        facts = IndexFacts(
            collection=row.name,
            revision=row.revision,
            triple_set=set_.name if set_ else "",
            content=corpus.hash,
            questions=hashlib.sha256(b"".join(map(question_hash, questions))).hexdigest()[:16],
            model=self._models.embedder.fingerprint,
            dimension=index.passages.vectors([]).shape[1],
            passages=passages,
            triples=len(index.triples),
            holders=HubLimit().holders(passages),
            maker=set_.maker if set_ else "",
            max_iterations=row.max_iterations,
            shards=storage.shards,
            hnsw=storage.hnsw,
        )
        return catalogue.push(
            cluster,
            facts,
            documents(index, questions, facts.holders),
            count_documents(index, questions),
            report,
            storage.replicas,
        )

    def prepare(self, collection_id: int, set_id: int | None) -> Iterator[str]:
        """Make all that a first question needs of a collection with a triple set, telling before
        each part what it is.
        """
        collections = self._store().collections
        row = collections.find(collection_id)
        if row is not None:
            index = self.get(row, collections.find_set(collection_id, set_id), row.revision).index
            assert isinstance(index, EmbeddedIndex)  # jobs are of collections that are here
            yield from index.prepare()


class _Texts(NamedTuple):
    """Ids of texts, the hash of all of them in order, and that of ids and texts."""

    ids: NDArray[np.int64]
    content: str
    name: str

    @classmethod
    def of(cls, rows: Iterator[tuple[int, bytes]]) -> Self:
        """From ids and hashes."""
        pairs = np.fromiter(rows, np.dtype([("id", np.int64), ("hash", "S16")]))
        ids, content = pairs["id"].copy(), digest_of([pairs["hash"].tobytes()])
        return cls(ids, content, digest_of([ids.tobytes(), content.encode()]))


class _Source:
    """What an index of one collection and one triple set at one revision is made of: rows, which
    are read from the file when they are shown, and arrays of all of them.
    """

    def __init__(
        self, corpora: Corpora, embedder: CachedEmbedder, collection: int, set_: int, revision: int
    ) -> None:
        self._store, self._folder = corpora._store, corpora.folder
        self._embedder, self._model = embedder, embedder.fingerprint
        self._collection, self._set = (collection, revision), (set_, revision)
        self._passages = _Texts.of(self._store().passages.hashes(*self._collection))
        self._triples = _Texts.of(self._store().triples.hashes(*self._set))

    def corpus(self, *, triples: bool) -> Corpus:
        """The corpus; texts without vectors are encoded first."""
        self._index = TextIndex[Passage](*self._texts("passages", self._passages))
        index = EmbeddedIndex(
            self._index,
            TripleIndex(*self._texts("triples", self._triples), self._graph),
            self._embedder,
            self._entities,
            self._mentions,
            self._folder.text,
        )
        contents = [self._passages.content, *([self._triples.content] if triples else [])]
        return Corpus(index, "-".join(contents))

    def _texts(
        self, table: Table, texts: _Texts
    ) -> tuple[NDArray[np.int64], Any, Vectors, KeepArrays]:
        """What a TextIndex needs."""
        vectors = self._vectors(table, texts.content, len(texts.ids))
        keep_words = partial(self._folder.get, f"words-{texts.content}")
        return texts.ids, partial(self._read, table), vectors, keep_words

    def _read(self, table: Table, ids: Collection[int]) -> Any:  # noqa: ANN401
        """Rows by id."""
        store = self._store()
        return store.passages.with_ids(ids) if table == "passages" else store.triples.stored(ids)

    def _vectors(self, table: Table, name: str, size: int) -> Vectors:
        owner = self._set if table == "triples" else self._collection
        rows = EncodedRows(table, *owner, self._model)

        def vectors() -> Iterator[Vectors]:
            self._encode(rows)
            return self._store().embeddings.of(rows)

        return self._folder.vectors(f"{table}-{self._named(name)}", size, vectors)

    def _named(self, name: str) -> str:
        """A name of arrays that are of the model, too."""
        return f"{name}-{digest_of([self._model.encode()], 4)}"

    def _encode(self, rows: EncodedRows) -> None:
        """Encode the texts of rows that have no vectors yet."""
        store = self._store()
        missing = sorted(store.embeddings.without(rows))
        for start in range(0, len(missing), TEXTS_AT_ONCE):
            ids = missing[start : start + TEXTS_AT_ONCE]
            if rows.table == "sentences":
                texts = store.mentions.texts(ids)
            else:
                texts = [row.indexed for row in self._read(rows.table, ids).values()]
            for _ in encode_missing(store, self._embedder.inner, texts):
                show_step(f"Encoding {len(missing) - start:,} texts that have no vectors yet.")
        check_stop()  # texts that are gone have no vectors

    def _graph(self) -> Arrays:
        return self._folder.get(f"graph-{self._triples.name}", self._make_graph)

    def _make_graph(self) -> Arrays:
        triples, entities = self._store().triples, self._store().entities.at(*self._set)
        ids = np.array([*entities], np.int64)
        rows: NDArray[np.int64] = np.fromiter(triples.places(*self._set), np.dtype((np.int64, 3)))
        ends = np.where(rows[:, 1:] < 0, -1, np.searchsorted(ids, rows[:, 1:]))
        graph = graph_arrays(entities.values(), ends, rows[:, 0])
        return {**graph, "entities": ids}

    def _entities(self) -> EntityNetwork:
        """The graph of entities, on the calling thread; names that were not compared yet are
        compared first.
        """
        store, folder, embedder = self._store(), self._folder, self._embedder.inner
        graph = self._graph()
        ids, (collection, _) = graph["entities"], self._collection

        def synonyms() -> Arrays:
            last = int(ids.max(initial=0))
            for _, sentence in compare_names(store, folder, embedder, collection, last):
                show_step(sentence)
            synonymy = stored_synonyms(store, collection, ids, self._model)
            return matrix_arrays("synonymy", synonymy)

        near = folder.get(f"synonyms-{self._named(self._triples.name)}", synonyms)
        read = partial(name_vectors, self._store, folder, embedder, Words(graph, "names"))
        return entity_network(graph, read_matrix(near, "synonymy"), read)

    def _mentions(self) -> MentionIndex:
        """Mentions of the passages, on the calling thread; passages that were not read yet are
        read, and sentences without vectors encoded, first.
        """
        store, ids = self._store(), self._passages.ids
        if store.db.read_only:
            return read_mentions(self._index, self._embedder.embed)

        def mentions() -> Arrays:
            collection = self._collection[0]
            _, left = store.mentions.counts(collection)
            while done := keep_mentions(store, collection):
                left = max(0, left - done)
                show_step(f"Finding what {left:,} passages name.")
            sentences = store.mentions.sentences(*self._collection)
            return mention_arrays(ids, sentences, store.mentions.places(*self._collection))

        name = f"{self._passages.name}-{VERSION}"
        arrays = self._folder.get(f"mentions-{name}", mentions)
        vectors = self._vectors("sentences", name, len(arrays["spans"]))
        return MentionIndex(arrays, ids, self._index.read, vectors)
