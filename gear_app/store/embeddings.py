"""Vectors by model and text: float32 blobs, so that no text is encoded twice and a replay finds the
same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from gear_app.core.protocols import Vectors
from gear_app.store.database import HASHES, Database, StoreTable
from gear_app.store.rows import LIVE, text_hash

_DTYPE = np.dtype("<f4")
MODEL = "(SELECT id FROM models WHERE fingerprint = ?)"  # the number of a model
# Of rows t with a text: the tables, the column of their owner, the condition that a row existed at
# a revision, and their order.
_SOURCES = {
    "passages": ("passages t", "t.collection_id", LIVE.format("t"), "t.id"),
    "sentences": (
        "passages p JOIN sentences t ON t.passage_id = p.id",
        "p.collection_id",
        LIVE.format("p"),
        "p.id, t.number",
    ),
    "triples": ("triples t", "t.set_id", LIVE.format("t"), "t.id"),
}
Table = Literal["passages", "sentences", "triples"]


class EncodedTexts(NamedTuple):
    """So many texts, and how many of them have a vector of a model."""

    texts: int
    encoded: int


class EncodedRows(NamedTuple):
    """Rows that have a text: a collection's passages or their sentences, or a set's triples, at a
    revision, for one model.
    """

    table: Table
    owner_id: int
    revision: int
    fingerprint: str


def number_model(db: Database, fingerprint: str) -> int:
    """The number of the model with this fingerprint; a new one gets the next."""
    db.insert("models", {"fingerprint": fingerprint}, "IGNORE")
    return int(db.value(MODEL.strip("()"), [fingerprint]))


class Embeddings(StoreTable):
    """A workspace's vectors."""

    def get_many(self, fingerprint: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """(d,) vectors of those texts it has, by text."""
        by_hash = {text_hash(text): text for text in texts}
        rows = self._hashed("text_hash, vector", fingerprint, [*by_hash])
        return {by_hash[hash_]: np.frombuffer(vector, _DTYPE) for hash_, vector in rows}

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep these, where the file may be written; a text that is there already keeps its
        vector.
        """
        if not vectors or self._db.read_only:
            return
        with self._db.transaction():
            model = number_model(self._db, fingerprint)
            self._db.add(
                "embeddings",
                "model_id, text_hash, vector",
                [
                    (model, text_hash(text), np.asarray(vector, _DTYPE).tobytes())
                    for text, vector in vectors.items()
                ],
                "IGNORE",
            )

    def length(self, fingerprint: str) -> int | None:
        """How many numbers a vector of this model has; None where it has none yet."""
        sql = f"SELECT length(vector) FROM embeddings WHERE model_id = {MODEL} LIMIT 1"
        sizes = self._db.values(int, sql, [fingerprint])
        return sizes[0] // _DTYPE.itemsize if sizes else None

    def missing(self, fingerprint: str, texts: Sequence[str]) -> list[str]:
        """Texts without a vector, each once, in order."""
        by_hash = {text_hash(text): text for text in texts}
        for (hash_,) in self._hashed("text_hash", fingerprint, [*by_hash]):
            by_hash.pop(hash_, None)
        return list(by_hash.values())

    def _hashed(
        self, columns: str, fingerprint: str, hashes: Sequence[bytes]
    ) -> Iterator[tuple[Any, ...]]:
        sql = f"SELECT {columns} FROM embeddings WHERE model_id = {MODEL} AND text_hash IN {HASHES}"
        return self._db.tuples(sql, [fingerprint, [*hashes]])

    def of(self, rows: EncodedRows) -> Iterator[Vectors]:
        """The vectors of these rows, by id. Call it when none is without."""
        for (vector,) in self._join("e.vector", rows, "e.text_hash IS NOT NULL"):
            yield np.frombuffer(vector, _DTYPE)

    def without(self, rows: EncodedRows) -> set[int]:
        """The ids of those rows whose text has no vector yet."""
        return {id_ for (id_,) in self._join("t.id", rows, "e.text_hash IS NULL")}

    def counts(self, rows: EncodedRows) -> EncodedTexts:
        """How many of these rows there are, and how many have a vector."""
        return EncodedTexts(*next(self._join("count(*), count(e.text_hash)", rows, "true")))

    def _join(self, columns: str, rows: EncodedRows, condition: str) -> Iterator[tuple[Any, ...]]:
        tables, owner, existed, order = _SOURCES[rows.table]
        model = MODEL.replace("?", ":model")
        return self._db.tuples(
            f"SELECT {columns} FROM {tables} LEFT JOIN embeddings e ON e.model_id = {model} AND"
            f" e.text_hash = t.text_hash WHERE {owner} = :owner AND {condition} AND {existed}"
            f" ORDER BY {order}",
            {"model": rows.fingerprint, "owner": rows.owner_id, "revision": rows.revision},
        )
