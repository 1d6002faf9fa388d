"""What a run computes on: one collection and one triple set at one revision, as an index in this process."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gear_app.seams import Index, Vectors
from gear_app.store import Store
from gear_app.store.embeddings import Rows
from gear_app.store.rows import CollectionRow, SetRow
from gear_app.types import Triple
from gear_app.workspace.arrays import Arrays
from gear_app.workspace.keeping import encode
from gear_app.workspace.models import ENCODED_AT_ONCE, Models
from gear_app.workspace.synonymy import Synonymy

if TYPE_CHECKING:
    from gear_app.index.entities import EntityGraph

KEPT = 4
Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Corpus:
    """An index, and the hash of the texts in it."""

    index: Index
    passages_hash: str
    hash: str


class _Key(NamedTuple):
    collection: int
    passages_revision: int
    set: int | None
    set_revision: int
    model: str


class _Listening(threading.local):
    """Who is told what the calling thread does."""

    def __init__(self) -> None:
        self.say: Say = lambda text: None


class Corpora:
    """The last few corpora that were used; opening one again costs nothing."""

    def __init__(self, store: Callable[[], Store], models: Models, path: Path) -> None:
        """Open nothing yet. `store` gives the calling thread's store; arrays lie beside `path`."""
        self._store = store
        self._models = models
        self._open: OrderedDict[_Key, Corpus] = OrderedDict()
        self._arrays = Arrays(path)
        self._listening = _Listening()
        self.synonymy = Synonymy(store, self._arrays)

    def get(self, collection: CollectionRow, set_: SetRow | None, revision: int, say: Say) -> Corpus:
        """The corpus at a revision; texts without vectors are encoded first, and `say` tells how many.

        `say` is also told of what this thread does later to make the corpus's graph of entities.
        """
        self._listening.say = say
        embedder = self._models.embedder
        key = _Key(
            collection.id,
            min(revision, collection.passages_revision),
            set_.id if set_ else None,
            min(revision, set_.revision) if set_ else 0,
            embedder.fingerprint,
        )
        if key not in self._open:
            self._open[key] = self._without_triples(key) or self._make(key, revision, say)
        self._open.move_to_end(key)
        while len(self._open) > KEPT:
            self._open.popitem(last=False)
        return self._open[key]

    def _without_triples(self, key: _Key) -> Corpus | None:
        """For a method that uses no triples, the passages of any open corpus will do."""
        same = [k for k in self._open if (k[:2], k.model) == (key[:2], key.model)] if key.set is None else []
        return None if not same else replace(self._open[same[0]], hash=self._open[same[0]].passages_hash)

    def _make(self, key: _Key, revision: int, say: Say) -> Corpus:
        store = self._store()
        passages = store.passages.at(key.collection, revision)
        triples = [] if key.set is None else store.triples.at(key.set, revision)
        hashes = [_digest(store.passages.hashes(key.collection, revision))]
        rows = Rows("passages", key.collection, revision, key.model)
        of_passages = self._vectors(rows, {p.id: p.indexed for p in passages}, hashes[0], say)
        of_triples: Vectors = of_passages[:0]
        if key.set is not None:
            hashes.append(_digest(store.triples.hashes(key.set, revision)))
            rows = Rows("triples", key.set, revision, key.model)
            of_triples = self._vectors(rows, {t.id: t.text for t in triples}, hashes[1], say)
        from gear_app.index.embedded import EmbeddedIndex  # scipy is for the worker, not for the web process

        embedder = self._models.embedder
        index = EmbeddedIndex(
            passages, triples, of_passages, of_triples, embedder, lambda: self._entities(key, revision, triples)
        )
        return Corpus(index, hashes[0], "-".join(hashes))

    def _entities(self, key: _Key, revision: int, triples: Sequence[Triple]) -> EntityGraph:
        """The graph of entities, on the calling thread; names that were not compared yet are compared first."""
        from gear_app.index.entities import EntityGraph

        named = [] if key.set is None else self._store().entities.at(key.set, revision)
        ids = [entity.id for entity in named]
        for left in self.synonymy.extend(key.collection, max(ids, default=0), self._models.inner):
            self._listening.say(left.sentence)
        return EntityGraph(
            triples,
            {entity.normal: entity.name for entity in named},
            self.synonymy.vectors([entity.name for entity in named], key.model),
            self.synonymy.among(key.collection, ids, key.model),
        )

    def _vectors(self, rows: Rows, texts: Mapping[int, str], digest: str, say: Say) -> Vectors:
        embeddings = self._store().embeddings
        missing = list(dict.fromkeys(texts[id_] for id_ in sorted(embeddings.without(rows))))
        for start in range(0, len(missing), ENCODED_AT_ONCE):
            say(f"Encoding {len(missing) - start} texts that have no vectors yet.")
            encode(self._store(), self._models.inner, missing[start : start + ENCODED_AT_ONCE])
        model = hashlib.blake2b(rows.fingerprint.encode(), digest_size=4).hexdigest()
        return self._arrays.get(f"{rows.table}-{digest}-{model}", len(texts), lambda: embeddings.of(rows))


def _digest(hashes: Sequence[bytes]) -> str:
    return hashlib.blake2b(b"".join(hashes), digest_size=8).hexdigest()
