"""Vectors by model and text: float32 blobs, so that no text is encoded twice and a replay finds the
same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from gear_app.core.protocols import Vectors
from gear_app.store.database import Database, StoreTable
from gear_app.store.rows import TRIPLE_AT, text_hash

_DTYPE = np.dtype("<f4")


_PASSAGE_AT = "{0}.added <= :revision AND ({0}.retired IS NULL OR {0}.retired > :revision)"
# Of rows t with a text: the tables, the column of their owner, the condition that a row existed at
# a revision, and their order.
_SOURCES = {
    "passages": ("passages t", "t.collection_id", _PASSAGE_AT.format("t"), "t.id"),
    "sentences": (
        "passages p JOIN sentences t ON t.passage_id = p.id",
        "p.collection_id",
        _PASSAGE_AT.format("p"),
        "p.id, t.number",
    ),
    "triples": ("triples t", "t.set_id", TRIPLE_AT, "t.id"),
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


class ModelIds(StoreTable):
    """The numbers of models; an unknown one gets the next."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._known: dict[str, int] = {}

    def of(self, fingerprint: str) -> int:
        """The number of the model with this fingerprint; 0, which is no model's, where it is new
        and the file may not be written.
        """
        if fingerprint not in self._known:
            number = self._find(fingerprint)
            if number is None and self._db.read_only:
                return 0
            if number is None:
                self._db.insert("models", {"fingerprint": fingerprint}, "IGNORE")
                number = self._find(fingerprint)
            assert number is not None
            self._known[fingerprint] = number
        return self._known[fingerprint]

    def _find(self, fingerprint: str) -> int | None:
        return self._db.number("SELECT id FROM models WHERE fingerprint = ?", [fingerprint])


class Embeddings(StoreTable):
    """A workspace's vectors."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._models = ModelIds(db)

    def get_many(self, fingerprint: str, texts: Sequence[str]) -> dict[str, Vectors]:
        """(d,) vectors of those texts it has, by text."""
        by_hash = {text_hash(text): text for text in texts}
        rows = self._hashed("text_hash, vector", fingerprint, list(by_hash))
        return {by_hash[hash_]: np.frombuffer(vector, _DTYPE) for hash_, vector in rows}

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep these, where the file may be written; a text that is there already keeps its
        vector.
        """
        if not vectors or self._db.read_only:
            return
        with self._db.transaction():
            model = self._models.of(fingerprint)
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
        bytes_ = self._db.number(
            "SELECT length(vector) FROM embeddings WHERE model_id = ? LIMIT 1",
            [self._models.of(fingerprint)],
        )
        return None if bytes_ is None else bytes_ // _DTYPE.itemsize

    def missing(self, fingerprint: str, texts: Sequence[str]) -> list[str]:
        """Texts without a vector, each once, in order."""
        by_hash = {text_hash(text): text for text in texts}
        for (hash_,) in self._hashed("text_hash", fingerprint, list(by_hash)):
            by_hash.pop(hash_, None)
        return list(by_hash.values())

    def _hashed(
        self, columns: str, fingerprint: str, hashes: Sequence[bytes]
    ) -> Iterator[tuple[Any, ...]]:
        sql = f"SELECT {columns} FROM embeddings WHERE model_id = ? AND text_hash IN ({{}})"
        return self._db.grouped(sql, hashes, self._models.of(fingerprint))

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
        return self._db.tuples(
            f"SELECT {columns} FROM {tables} LEFT JOIN embeddings e ON e.model_id = :model AND"
            f" e.text_hash = t.text_hash WHERE {owner} = :owner AND {condition} AND {existed}"
            f" ORDER BY {order}",
            {
                "model": self._models.of(rows.fingerprint),
                "owner": rows.owner_id,
                "revision": rows.revision,
            },
        )
