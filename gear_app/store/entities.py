"""Entities, the names on either side of a triple and those an extractor found, equal when
normalised alike; and synonyms, the pairs of them that mean the same to an embedding model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from gear_app.core.text import normalise_entity
from gear_app.store.database import LISTED, StoreTable
from gear_app.store.models import MODEL, number_model
from gear_app.store.rows import LIVE


class EntityCount(NamedTuple):
    """An entity as first written, and in how many passages of a set it is named."""

    name: str
    passages: int


class Entity(NamedTuple):
    """An entity as first written, and its name as normalised."""

    id: int
    name: str
    normal: str


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

    def search(self, set_id: int, words: str, limit: int) -> list[EntityCount]:
        """The entities of a set whose name contains the words, the most frequent first, then by
        name.
        """
        sides = " UNION ".join(
            f"SELECT {side} AS id, passage_id FROM triples WHERE set_id = :set AND retired IS NULL"
            for side in ("subject_id", "object_id")
        )
        return self._db.values(
            EntityCount,
            f"SELECT e.surface, count(*) AS n FROM ({sides}) JOIN entities e USING (id) WHERE"
            " (:words = '' OR instr(e.name, :words)) GROUP BY e.id ORDER BY n DESC, e.name LIMIT"
            " :limit",
            {"set": set_id, "words": normalise_entity(words), "limit": limit},
        )

    def upto(self, collection_id: int, entity_id: int) -> list[Entity]:
        """A collection's entities up to this one, by id."""
        return self._db.values(
            Entity,
            "SELECT id, surface, name FROM entities WHERE collection_id = ? AND id <= ? ORDER"
            " BY id",
            [collection_id, entity_id],
        )

    def at(self, set_id: int, revision: int) -> list[Entity]:
        """The entities that a set's triples name at a revision, by id."""
        live = f"FROM triples t WHERE t.set_id = :set AND {LIVE.format('t')}"
        return self._db.values(
            Entity,
            "SELECT id, surface, name FROM entities"
            f" WHERE id IN (SELECT subject_id {live} UNION SELECT object_id {live}) ORDER BY id",
            {"set": set_id, "revision": revision},
        )

    def counts(self, collection_id: int) -> tuple[int, int]:
        """The id of a collection's newest entity, 0 where it has none, and how many different ones
        it has in all its sets.
        """
        sql = "SELECT coalesce(max(id), 0), count(*) FROM entities WHERE collection_id = ?"
        ((last, number),) = self._db.tuples(sql, [collection_id])
        return last, number


class Synonym(NamedTuple):
    """Two entities by id and the cosine of their names; `later` > `earlier`."""

    later: int
    earlier: int
    cosine: float


class Synonyms(StoreTable):
    """A workspace's synonyms."""

    def reached(self, collection_id: int, fingerprint: str) -> int:
        """The id of the last entity that was compared with those before it; 0 where none was."""
        sql = f"SELECT entity_id FROM compared WHERE collection_id = ? AND model_id = {MODEL}"
        return self._db.value(sql, [collection_id, fingerprint]) or 0

    def add(
        self, collection_id: int, fingerprint: str, synonyms: Iterable[Synonym], reached: int
    ) -> None:
        """Keep the synonyms of all entities from the last one `reached` up to this one.

        Where two processes compare the same names, what was kept first stays.
        """
        with self._db.transaction():
            key = collection_id, number_model(self._db, fingerprint)
            self._db.add(
                "synonyms",
                "collection_id, model_id, later_id, earlier_id, cosine",
                ((*key, *synonym) for synonym in synonyms),
                "IGNORE",
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
            f" = {MODEL} AND later_id <= ? ORDER BY later_id, earlier_id",
            [collection_id, fingerprint, entity_id],
        )

    def count(self, collection_id: int, fingerprint: str) -> int:
        """How many pairs there are."""
        sql = f"SELECT count(*) FROM synonyms WHERE collection_id = ? AND model_id = {MODEL}"
        return int(self._db.value(sql, [collection_id, fingerprint]))
