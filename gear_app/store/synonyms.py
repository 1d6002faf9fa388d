"""Names that mean the same, by collection, model and entity, and how far the names have been
compared.

Ids of entities ascend with time and a name is compared with those before it, so what is kept never
changes: runs made before more was imported find the same synonyms again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gear_app.store.database import Database
from gear_app.store.embeddings import ModelIds


class Synonym(NamedTuple):
    """Two entities by id and the cosine of their names; `later` > `earlier`."""

    later: int
    earlier: int
    cosine: float


class Synonyms:
    """A workspace's synonyms."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db
        self._models = ModelIds(db)

    def reached(self, collection_id: int, fingerprint: str) -> int:
        """The id of the last entity that was compared with those before it; 0 where none was."""
        found = self._db.value(
            "SELECT entity_id FROM compared WHERE collection_id = ? AND model_id = ?",
            [collection_id, self._models.of(fingerprint)],
        )
        return int(found or 0)

    def add(
        self, collection_id: int, fingerprint: str, synonyms: Iterable[Synonym], reached: int
    ) -> None:
        """Keep the synonyms of all entities from the last one `reached` up to this one.

        Where two processes compare the same names, what was kept first stays.
        """
        with self._db.transaction():
            key = collection_id, self._models.of(fingerprint)
            self._db.many(
                "INSERT OR IGNORE INTO synonyms (collection_id, model_id, later_id, earlier_id,"
                " cosine) VALUES (?, ?, ?, ?, ?)",
                ((*key, *synonym) for synonym in synonyms),
            )
            self._db.execute(
                "INSERT INTO compared (collection_id, model_id, entity_id) VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET entity_id = max(entity_id, excluded.entity_id)",
                [*key, reached],
            )

    def upto(
        self, collection_id: int, fingerprint: str, entity_id: int
    ) -> Iterator[tuple[int, int, float]]:
        """The synonyms among a collection's entities up to this one: later, earlier, cosine, in
        this order.
        """
        return self._db.tuples(
            "SELECT later_id, earlier_id, cosine FROM synonyms WHERE collection_id = ? AND model_id"
            " = ? AND later_id <= ? ORDER BY later_id, earlier_id",
            [collection_id, self._models.of(fingerprint), entity_id],
        )

    def count(self, collection_id: int, fingerprint: str) -> int:
        """How many pairs there are."""
        found = self._db.value(
            "SELECT count(*) FROM synonyms WHERE collection_id = ? AND model_id = ?",
            [collection_id, self._models.of(fingerprint)],
        )
        return int(found)
