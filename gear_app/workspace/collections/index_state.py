"""What the indices of this workspace's own collections are made of: how much of it is there, how
large it is, and making it again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from gear_app.store.collections import check_here
from gear_app.store.embeddings import EncodedRows
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.corpus.vectors import CacheFolder
from gear_app.workspace.models import Models

NUMBER_BYTES = 4  # of a vector's number


@dataclass(frozen=True, slots=True)
class EncodedTexts:
    """So many texts, and how many of them have a vector of the model in use."""

    texts: int
    encoded: int


@dataclass(frozen=True, slots=True)
class IndexState:
    """The index of a collection with the triple set in use. `bytes` are those of its vectors;
    `encoding`: the worker makes what is missing.
    """

    collection: str
    triple_set: str
    passages: EncodedTexts
    sentences: EncodedTexts
    triples: EncodedTexts
    bytes: int
    encoding: bool

    @property
    def missing(self) -> int:
        """How many texts have no vector yet."""
        parts = (self.passages, self.sentences, self.triples)
        return sum(part.texts - part.encoded for part in parts)


class ArrayFiles(NamedTuple):
    """The arrays that are kept beside the workspace: how many files, and how large they are."""

    files: int
    bytes: int


class IndexService(Service):
    """The indices of a workspace's own collections."""

    def __init__(self, connection: Connection, models: Models) -> None:
        super().__init__(connection)
        self._models = models
        self._folder = CacheFolder(connection.path)

    def state(self, collection: str) -> IndexState:
        """The index of a collection. Raises Unknown, and BadInput for one that is in a cluster."""
        store, row = self._store, self._store.collections.get(collection)
        check_here(row)
        set_ = store.collections.set_by_id(row.id, row.active_set_id)
        passages = self._texts("passages", row.id, row.revision)
        sentences = self._texts("sentences", row.id, row.revision)
        triples = self._texts("triples", set_.id, row.revision) if set_ else EncodedTexts(0, 0)
        length = store.embeddings.length(self._models.embedder.fingerprint) or 0
        return IndexState(
            row.name,
            set_.name if set_ else "",
            passages,
            sentences,
            triples,
            (passages.encoded + sentences.encoded + triples.encoded) * length * NUMBER_BYTES,
            any(job.kind == "vectors" for job in store.tasks.unfinished(row.id)),
        )

    def arrays(self) -> ArrayFiles:
        """Array files of all collections together."""
        sizes = self._folder.sizes()
        return ArrayFiles(len(sizes), sum(sizes))

    def rebuild(self, collection: str) -> None:
        """Let the worker make what is missing, and forget the arrays of all collections, which are
        made again from the vectors when somebody asks. Raises as `state`.
        """
        row = self._store.collections.get(collection)
        check_here(row)
        self._folder.clear()
        for set_id in {None, row.active_set_id}:
            self._store.tasks.ensure("vectors", row.id, set_id)

    def _texts(
        self, table: Literal["passages", "sentences", "triples"], owner: int, revision: int
    ) -> EncodedTexts:
        rows = EncodedRows(table, owner, revision, self._models.embedder.fingerprint)
        return EncodedTexts(*self._store.embeddings.counts(rows))
