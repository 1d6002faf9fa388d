"""What the indices of this workspace's own collections are made of: how much of it is there, how
large it is, and making it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gear_app.store.collections import check_here
from gear_app.store.embeddings import EncodedRows, EncodedTexts, Table
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.corpus.vectors import CacheFolder
from gear_app.workspace.models import Models

NUMBER_BYTES = 4  # of a vector's number


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


class IndexService(Service):
    """The indices of a workspace's own collections."""

    def __init__(self, connection: Connection, models: Models) -> None:
        super().__init__(connection)
        self._models = models
        self.files = CacheFolder(connection.path)  # arrays of all collections

    def state(self, collection: str) -> IndexState:
        """The index of a collection. Raises Unknown, and BadInput for one that is in a cluster."""
        store, row = self._store, self._store.collections.get(collection)
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
        jobs = store.tasks.unfinished(row.id)
        return IndexState(texts, size, any(job.kind == "vectors" for job in jobs))

    def rebuild(self, collection: str) -> None:
        """Let the worker make what is missing, and forget the arrays of all collections, which are
        made again from the vectors when somebody asks. Raises as `state`.
        """
        row = self._store.collections.get(collection)
        check_here(row)
        self.files.clear()
        for set_id in {None, row.active_set_id}:
            self._store.tasks.ensure("vectors", row.id, set_id)
