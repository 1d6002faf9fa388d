"""Entities, the names on either side of a triple and those an extractor found, equal when
normalised alike; and synonyms, the pairs of them that mean the same to an embedding model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from gear_app.core.rows import PAIRS, Pairs
from gear_app.core.text import normalise_entity
from gear_app.store.database import LISTED, StoreTable
from gear_app.store.rows import LIVE


class Entities(StoreTable):
    """A workspace's entities. Names that normalise to nothing are none."""

    def add(self, collection_id: int, names: Iterable[str]) -> dict[str, int]:
        """Store names as they are first written; their ids by normalised name."""
        surfaces: dict[str, str] = {}
        for name in names:
            surfaces.setdefault(normalise_entity(name), name)
        surfaces.pop("", None)
        rows = [(collection_id, normal, surface) for normal, surface in surfaces.items()]
        self._db.add("entities", "collection_id, name, surface", rows, "IGNORE")
        sql = f"SELECT name, id FROM entities WHERE collection_id = ? AND name IN {LISTED}"
        return dict(self._db.tuples(sql, [collection_id, [*surfaces]]))

    def find(self, collection_id: int, name: str) -> int | None:
        """The id of the entity of this name, however it is written."""
        sql = "SELECT id FROM entities WHERE collection_id = ? AND name = ?"
        return next(iter(self._db.values(int, sql, [collection_id, normalise_entity(name)])), None)

    def names(self, ids: Sequence[int]) -> dict[int, str]:
        """The names as first written, by id."""
        sql = f"SELECT id, surface FROM entities WHERE id IN {LISTED}"
        return dict(self._db.tuples(sql, [[*ids]]))

    def search(self, set_id: int, words: str, limit: int) -> dict[str, int]:
        """The entities of a set whose name contains the words, as first written, with the number of
        passages that name them, the most frequent first, then by name.
        """
        sides = " UNION ".join(
            f"SELECT {side} AS id, passage_id FROM triples WHERE set_id = :set AND retired IS NULL"
            for side in ("subject_id", "object_id")
        )
        rows = self._db.tuples(
            f"SELECT e.surface, count(*) AS n FROM ({sides}) JOIN entities e USING (id) WHERE"
            " (:words = '' OR instr(e.name, :words)) GROUP BY e.id ORDER BY n DESC, e.name LIMIT"
            " :limit",
            {"set": set_id, "words": normalise_entity(words), "limit": limit},
        )
        return dict(rows)

    def upto(self, collection_id: int, entity_id: int) -> dict[int, str]:
        """Names, as first written, of a collection's entities up to this one, by id, in order."""
        sql = "SELECT id, surface FROM entities WHERE collection_id = ? AND id <= ? ORDER BY id"
        return dict(self._db.tuples(sql, [collection_id, entity_id]))

    def at(self, set_id: int, revision: int) -> dict[int, str]:
        """Names, as first written, of the entities of a set's triples at a revision, by id, in
        order.
        """
        live = f"FROM triples t WHERE t.set_id = :set AND {LIVE.format('t')}"
        rows = self._db.tuples(
            "SELECT id, surface FROM entities"
            f" WHERE id IN (SELECT subject_id {live} UNION SELECT object_id {live}) ORDER BY id",
            {"set": set_id, "revision": revision},
        )
        return dict(rows)

    def counts(self, collection_id: int) -> tuple[int, int]:
        """The id of a collection's newest entity, 0 where it has none, and how many different ones
        it has in all its sets.
        """
        sql = "SELECT coalesce(max(id), 0), count(*) FROM entities WHERE collection_id = ?"
        ((last, number),) = self._db.tuples(sql, [collection_id])
        return last, number


class Synonyms(StoreTable):
    """A workspace's synonyms, by collection and model: of each entity with those before it."""

    def reached(self, collection_id: int, fingerprint: str) -> int:
        """The id of the last entity that was compared with those before it; 0 where none was."""
        sql = "SELECT max(entity_id) FROM synonyms WHERE collection_id = ? AND fingerprint = ?"
        return self._db.value(sql, [collection_id, fingerprint]) or 0

    def add(
        self, collection_id: int, fingerprint: str, after: int, upto: int, pairs: bytes
    ) -> None:
        """Keep the synonyms of the entities after one, up to another; nothing where another process
        was quicker.
        """
        self._db.execute(
            "INSERT INTO synonyms (collection_id, fingerprint, entity_id, pairs) SELECT ?, ?, ?, ?"
            " WHERE coalesce((SELECT max(entity_id) FROM synonyms WHERE collection_id = ? AND"
            " fingerprint = ?), 0) = ?",
            [collection_id, fingerprint, upto, pairs, collection_id, fingerprint, after],
        )

    def pairs(self, collection_id: int, fingerprint: str) -> Pairs:
        """The synonyms of a collection, by the entities' ids."""
        sql = (
            "SELECT pairs FROM synonyms WHERE collection_id = ? AND fingerprint = ? ORDER BY"
            " entity_id"
        )
        parts = self._db.values(bytes, sql, [collection_id, fingerprint])
        return np.frombuffer(b"".join(parts), PAIRS)
