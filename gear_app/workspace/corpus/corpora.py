"""What a run computes on: one collection and one triple set at one revision, as an index in this
process.
"""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from gear_app.core.errors import NotReady
from gear_app.core.protocols import Index, Vectors
from gear_app.core.rows import EntityNetwork, MentionNetwork
from gear_app.core.thread_context import check_stop, load_timer
from gear_app.core.types import Passage, Triple
from gear_app.language.mentions import VERSION
from gear_app.store import Store
from gear_app.store.embeddings import EncodedRows
from gear_app.store.entities import Entity
from gear_app.store.rows import CollectionRow, SetRow, text_hash
from gear_app.workspace.corpus.remote import RemoteIndices
from gear_app.workspace.corpus.synonymy import Synonymy
from gear_app.workspace.corpus.vectors import (
    Arrays,
    CacheFolder,
    encode_in_slices,
    short,
    texts_hash,
)
from gear_app.workspace.models import Models

if TYPE_CHECKING:
    from gear_app.index.embedded import EmbeddedIndex
    from gear_app.index.mentions import MentionIndex

KEPT = 4
TEXTS_AT_ONCE = 500  # that are looked up; parameters of a statement
Report = Callable[[str], None]


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


class _Key(NamedTuple):
    collection: int
    passages_revision: int
    set: int | None
    set_revision: int
    model: str


class _ThreadListener(threading.local):
    """Listener to the work of the calling thread."""

    def __init__(self) -> None:
        self.report: Report = lambda text: None


class Corpora:
    """The last few corpora that were used; opening one again costs nothing."""

    def __init__(self, store: Callable[[], Store], models: Models, path: Path) -> None:
        self._store = store
        self._models = models
        self._open: OrderedDict[_Key, Corpus] = OrderedDict()
        self._folder = CacheFolder(path)
        self._arrays = Arrays(self._folder)
        self._listener = _ThreadListener()
        self.synonymy = Synonymy(store, self._arrays)
        self.remote = RemoteIndices(store, lambda: models.embedder)

    def with_models(self, models: Models) -> Self:
        """Corpora with other models; open ones are shared."""
        other = copy.copy(self)
        other._models = models
        other.remote = RemoteIndices(self._store, lambda: models.embedder)
        return other

    def get(
        self, collection: CollectionRow, set_: SetRow | None, revision: int, report: Report
    ) -> Corpus:
        """The corpus at a revision; texts without vectors are encoded first, and `report` tells how
        many.

        `report` is also told of what this thread does later to make the corpus's graph of entities.
        """
        self._listener.report = report
        if collection.cluster:
            return self._in_cluster(collection, set_)
        embedder = self._models.embedder
        key = _Key(
            collection.id,
            min(revision, collection.passages_revision),
            set_.id if set_ else None,
            min(revision, set_.revision) if set_ else 0,
            embedder.fingerprint,
        )
        if key not in self._open:
            self._open[key] = self._make(key, revision, report)
        return self._touch(key)

    def _in_cluster(self, collection: CollectionRow, set_: SetRow | None) -> Corpus:
        """Corpus in a cluster; nothing of it is loaded. Calls of each run are counted by
        themselves.
        """
        index = self.remote.index(collection, set_).counted()
        return Corpus(index, index.facts.content, record=lambda: index.record)

    def embedded(self, corpus: Corpus) -> EmbeddedIndex:
        """The index of a corpus that is in this process. Raises NotReady for one in a cluster."""
        from gear_app.index.embedded import EmbeddedIndex

        if not isinstance(corpus.index, EmbeddedIndex):
            raise NotReady(
                "This needs the whole collection in memory, and it is in a cluster. Do it in the"
                " workspace that the collection was pushed from."
            )
        return corpus.index

    def _touch(self, key: _Key) -> Corpus:
        self._open.move_to_end(key)
        while len(self._open) > KEPT:
            self._open.popitem(last=False)
        return self._open[key]

    def _make(self, key: _Key, revision: int, report: Report) -> Corpus:
        passages = self._passages(key, revision, report)
        if key.set is None:
            return passages
        store, set_ = self._store(), key.set
        triples, hashes = store.triples.at(set_, revision), store.triples.hashes(set_, revision)
        digest = texts_hash(hashes).hexdigest()
        rows = EncodedRows("triples", set_, revision, key.model)
        vectors = self._vectors(rows, {t.id: t.text for t in triples}, digest, report)

        def entities() -> EntityNetwork:
            with load_timer():
                named = self._store().entities.at(set_, revision)
                return self._entities(key.collection, key.model, named, triples)

        index = self.embedded(passages).over(triples, vectors, entities)
        return Corpus(index, passages.passages_hash, digest)

    def _passages(self, key: _Key, revision: int, report: Report) -> Corpus:
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
        digest = texts_hash(store.passages.hashes(key.collection, revision)).hexdigest()
        rows = EncodedRows("passages", key.collection, revision, key.model)
        vectors = self._vectors(rows, {p.id: p.indexed for p in passages}, digest, report)
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
            keep=lambda name, make: self._store().derived.keep(key.collection, name, make),
        )
        return Corpus(index, digest)

    def _mentions(self, key: _Key, revision: int, passages: Sequence[Passage]) -> MentionIndex:
        """What the passages name, on the calling thread; passages that were not read yet are read,
        and sentences without vectors encoded, first.
        """
        from gear_app.index.mentions import MentionIndex
        from gear_app.workspace.corpus.mention_arrays import mention_arrays

        store, report = self._store(), self._listener.report
        # Where a title ends matters here, which the digest of "title. text" does not tell.
        digest = texts_hash([text_hash(p.title) + text_hash(p.text) for p in passages]).hexdigest()
        arrays = mention_arrays(
            store, self._folder, key.collection, revision, passages, digest, report
        )
        rows = EncodedRows("sentences", key.collection, revision, key.model)
        missing = sorted(store.embeddings.without(rows))
        for start in range(0, len(missing), TEXTS_AT_ONCE):
            texts = store.mentions.texts(missing[start : start + TEXTS_AT_ONCE])
            self._encode(list(dict.fromkeys(texts)), report)
        name = f"sentences-{digest}-{VERSION}-{short(key.model)}"
        vectors = self._arrays.get(name, len(arrays["spans"]), lambda: store.embeddings.of(rows))
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
            collection_id, max(ids, default=0), self._models.uncached_embedder
        ):
            self._listener.report(left.sentence)
        return entity_network(
            triples,
            {entity.normal: entity.name for entity in named},
            lambda: self.synonymy.vectors(
                [entity.name for entity in named], self._models.uncached_embedder
            ),
            self.synonymy.among(collection_id, ids, model),
        )

    def _vectors(
        self, rows: EncodedRows, texts: Mapping[int, str], digest: str, report: Report
    ) -> Vectors:
        embeddings = self._store().embeddings
        missing = list(dict.fromkeys(texts[id_] for id_ in sorted(embeddings.without(rows))))
        self._encode(missing, report)
        check_stop()  # texts that are gone have no vectors
        return self._arrays.get(
            f"{rows.table}-{digest}-{short(rows.fingerprint)}",
            len(texts),
            lambda: embeddings.of(rows),
        )

    def _encode(self, missing: Sequence[str], report: Report) -> None:
        for left in encode_in_slices(self._store(), self._models.uncached_embedder, missing):
            report(f"Encoding {left} texts that have no vectors yet.")
