"""What a run computes on: one collection and one triple set at one revision, as an index in this
process.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from gear_app.core.errors import NotReady
from gear_app.core.protocols import Index, Vectors
from gear_app.core.rows import EntityNetwork, MentionNetwork
from gear_app.core.threads import check_stop, load_timer
from gear_app.core.types import Passage, Triple
from gear_app.language.mentions import VERSION
from gear_app.store import Store
from gear_app.store.collections import check_here
from gear_app.store.embeddings import EncodedRows, EncodedTexts, Table
from gear_app.store.entities import Entity
from gear_app.store.rows import CollectionRow, SetRow, text_hash
from gear_app.workspace.connection import Connection
from gear_app.workspace.corpus.remote import RemoteIndices
from gear_app.workspace.corpus.synonymy import Synonymy
from gear_app.workspace.corpus.vectors import (
    CacheFolder,
    digest_of,
    encode_in_slices,
    keep_mentions,
    show_step,
)
from gear_app.workspace.models import Models

if TYPE_CHECKING:
    from gear_app.index.embedded import EmbeddedIndex
    from gear_app.index.mentions import MentionIndex

KEPT = 4
NUMBER_BYTES = 4  # of a vector's number
TEXTS_AT_ONCE = 500  # that are looked up; parameters of a statement


@dataclass(frozen=True, slots=True)
class Corpus:
    """An index, and the hashes of the texts in it: of its passages, and of its triples where it has
    a set of them.

    `record` tells where was searched, and how well, as far as the index knows.
    """

    index: Index
    passages_hash: str
    triples_hash: str = ""
    record: Callable[[], Mapping[str, str]] = dict

    @property
    def hash(self) -> str:
        """Hash of all its texts."""
        return "-".join(filter(None, [self.passages_hash, self.triples_hash]))


class IndexState(NamedTuple):
    """The index of a collection with the triple set in use: the texts of each table. `bytes` are
    those of their vectors; `encoding`: the worker makes what is missing.
    """

    texts: Mapping[Table, EncodedTexts]
    bytes: int
    encoding: bool

    @property
    def missing(self) -> int:
        """How many texts have no vector yet."""
        return sum(part.texts - part.encoded for part in self.texts.values())


class _Key(NamedTuple):
    collection: int
    passages_revision: int
    set: int | None
    set_revision: int
    model: str


class Corpora:
    """The last few corpora that were used; opening one again costs nothing."""

    def __init__(self, connection: Connection, models: Models) -> None:
        self._store: Callable[[], Store] = lambda: connection.store
        self._models = models
        self._open: dict[_Key, Corpus] = {}
        self.folder = CacheFolder(connection.path)
        self.synonymy = Synonymy(self._store, self.folder)
        self.remote = RemoteIndices(self._store, lambda: models.embedder)

    def with_models(self, models: Models) -> Self:
        """Corpora with other models; open ones are shared."""
        other = copy.copy(self)
        other._models = models
        other.remote = RemoteIndices(self._store, lambda: models.embedder)
        return other

    def get(self, collection: CollectionRow, set_: SetRow | None, revision: int) -> Corpus:
        """The corpus at a revision; texts without vectors are encoded first. What takes long is
        shown, also later, where a thread makes the corpus's graph of entities.

        Of a corpus in a cluster nothing is loaded; calls of each run are counted by themselves.
        """
        if collection.cluster:
            index = self.remote.index(collection, set_).counted()
            return Corpus(index, index.facts.content, record=lambda: index.record)
        key = _Key(
            collection.id,
            min(revision, collection.passages_revision),
            set_.id if set_ else None,
            min(revision, set_.revision) if set_ else 0,
            self._models.embedder.fingerprint,
        )
        if key not in self._open:
            self._open[key] = self._make(key, revision)
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
        encoded = sum(part.encoded for part in texts.values())
        size = encoded * (store.embeddings.length(fingerprint) or 0) * NUMBER_BYTES
        jobs = store.tasks.jobs(row.id)
        return IndexState(texts, size, any(job.kind == "vectors" and job.going for job in jobs))

    def rebuild(self, collection: str) -> None:
        """Let the worker make what is missing, and forget the arrays of all collections, which are
        made again from the vectors when somebody asks. Raises as `state`.
        """
        row = self._store().collections.get(collection)
        check_here(row)
        self.folder.clear()
        for set_id in {None, row.active_set_id}:
            self._store().tasks.ensure("vectors", row.id, set_id)

    def embedded(self, corpus: Corpus) -> EmbeddedIndex:
        """The index of a corpus that is in this process. Raises NotReady for one in a cluster."""
        from gear_app.index.embedded import EmbeddedIndex

        if not isinstance(corpus.index, EmbeddedIndex):
            raise NotReady(
                "This needs the whole collection in memory, and it is in a cluster. Do it in the"
                " workspace that the collection was pushed from."
            )
        return corpus.index

    def _make(self, key: _Key, revision: int) -> Corpus:
        passages = self._passages(key, revision)
        if key.set is None:
            return passages
        store, set_ = self._store(), key.set
        triples, hashes = store.triples.at(set_, revision), store.triples.hashes(set_, revision)
        digest = digest_of(hashes)
        rows = EncodedRows("triples", set_, revision, key.model)
        vectors = self._vectors(rows, {t.id: t.text for t in triples}, digest)

        def entities() -> EntityNetwork:
            with load_timer():
                named = self._store().entities.at(set_, revision)
                return self._entities(key.collection, key.model, named, triples)

        index = self.embedded(passages).over(triples, vectors, entities)
        return Corpus(index, passages.passages_hash, digest)

    def _passages(self, key: _Key, revision: int) -> Corpus:
        """The passages of any open corpus will do, whatever its triples; a method that uses none
        sees none of them.
        """
        open_corpus = next(
            (self._open[k] for k in self._open if (k[:2], k.model) == (key[:2], key.model)), None
        )
        if open_corpus:
            return Corpus(open_corpus.index, open_corpus.passages_hash)
        store = self._store()
        passages = store.passages.at(key.collection, revision)
        digest = digest_of(store.passages.hashes(key.collection, revision))
        rows = EncodedRows("passages", key.collection, revision, key.model)
        vectors = self._vectors(rows, {p.id: p.indexed for p in passages}, digest)
        # scipy is for the worker, not for the web process.
        from gear_app.index.embedded import EmbeddedIndex

        def mentions() -> MentionIndex:
            with load_timer():
                return self._mentions(key, revision, passages)

        index = EmbeddedIndex(
            passages,
            [],
            vectors,
            vectors[:0],
            self._models.embedder,
            mentions=None if store.db.read_only else mentions,
            keep=self.folder.text,
        )
        return Corpus(index, digest)

    def _mentions(self, key: _Key, revision: int, passages: Sequence[Passage]) -> MentionIndex:
        """Mentions of the passages, made on the calling thread; passages that were not read yet are
        read, and sentences without vectors encoded, first.
        """
        from gear_app.index.mentions import MentionIndex, mention_arrays

        store = self._store()
        # Where a title ends matters here, which the digest of "title. text" does not tell.
        digest = digest_of([text_hash(p.title) + text_hash(p.text) for p in passages])
        left = store.mentions.counts(key.collection).pending
        while done := keep_mentions(store, key.collection):
            left = max(0, left - done)
            show_step(f"Finding what {left:,} passages name.")
        arrays = self.folder.named_arrays(
            f"mentions-{digest}-{VERSION}",
            lambda: mention_arrays(
                [passage.id for passage in passages],
                store.mentions.sentences(key.collection, revision),
                store.mentions.places(key.collection, revision),
            ),
        )
        rows = EncodedRows("sentences", key.collection, revision, key.model)
        missing = sorted(store.embeddings.without(rows))
        for start in range(0, len(missing), TEXTS_AT_ONCE):
            texts = store.mentions.texts(missing[start : start + TEXTS_AT_ONCE])
            self._encode(list(dict.fromkeys(texts)))
        name = f"sentences-{digest}-{VERSION}-{digest_of([key.model.encode()], 4)}"
        vectors = self.folder.vectors(name, len(arrays["spans"]), lambda: store.embeddings.of(rows))
        return MentionIndex(MentionNetwork(passages=passages, vectors=vectors, **arrays))

    def _entities(
        self, collection_id: int, model: str, named: Sequence[Entity], triples: Sequence[Triple]
    ) -> EntityNetwork:
        """The graph of entities, on the calling thread; names that were not compared yet are
        compared first.
        """
        from gear_app.index.entities import entity_network

        ids = [entity.id for entity in named]
        for left in self.synonymy.extend(
            collection_id, max(ids, default=0), self._models.embedder.inner
        ):
            show_step(left.sentence)
        return entity_network(
            triples,
            {entity.normal: entity.name for entity in named},
            lambda: self.synonymy.vectors(
                [entity.name for entity in named], self._models.embedder.inner
            ),
            self.synonymy.among(collection_id, ids, model),
        )

    def _vectors(self, rows: EncodedRows, texts: Mapping[int, str], digest: str) -> Vectors:
        embeddings = self._store().embeddings
        missing = list(dict.fromkeys(texts[id_] for id_ in sorted(embeddings.without(rows))))
        self._encode(missing)
        check_stop()  # texts that are gone have no vectors
        return self.folder.vectors(
            f"{rows.table}-{digest}-{digest_of([rows.fingerprint.encode()], 4)}",
            len(texts),
            lambda: embeddings.of(rows),
        )

    def _encode(self, missing: Sequence[str]) -> None:
        for left in encode_in_slices(self._store(), self._models.embedder.inner, missing):
            show_step(f"Encoding {left} texts that have no vectors yet.")
