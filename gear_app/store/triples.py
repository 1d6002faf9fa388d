"""Triples: added and retired, never changed; one that was retired may come back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gear_app.core.text import normalise_entity
from gear_app.core.types import Span, Triple
from gear_app.store.database import LISTED, Database, Parameters, StoreTable, contains, listed
from gear_app.store.entities import Entities
from gear_app.store.rows import ADDED_TRIPLE, GONE_TRIPLE, RETURNED_TRIPLE, TRIPLE_AT, text_hash

_TRIPLE = (
    "t.id, t.passage_id, t.subject, t.predicate, t.object, t.span_start, t.span_end, t.closest"
)


class TriplesSince(NamedTuple):
    """How a set differs from what it was: triples that are no longer there, and those that are
    new.
    """

    removed: list[Triple]
    new: list[Triple]


class Triples(StoreTable):
    """A workspace's triples. Those of a set are the present ones, by id, unless it says more."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._entities = Entities(db)

    def add(
        self,
        collection_id: int,
        set_id: int,
        triples: Sequence[Triple],
        revision: int,
        names: Iterable[str] = (),
    ) -> list[int]:
        """Store triples at a revision, inside a transaction, and names of entities, which come
        first; the ids of all triples of the revision, in order. The ids that they have are not
        looked at.
        """
        sides = (side for t in triples for side in (t.subject, t.object))
        entities = self._entities.add(collection_id, [*names, *sides])
        self._db.add(
            "triples",
            "set_id, passage_id, subject, predicate, object, subject_id, object_id, span_start,"
            " span_end, closest, text_hash, added",
            [
                (
                    set_id,
                    t.passage_id,
                    *t.words,
                    entities.get(normalise_entity(t.subject)),
                    entities.get(normalise_entity(t.object)),
                    *(t.span or (None, None)),
                    int(t.closest),
                    text_hash(t.text),
                    revision,
                )
                for t in triples
            ],
        )
        sql = "SELECT id FROM triples WHERE set_id = ? AND added = ? ORDER BY id"
        return self._db.column(sql, [set_id, revision])

    def retire(self, ids: Iterable[int], revision: int) -> None:
        """Take away at a revision those of these triples that are there."""
        sql = f"UPDATE triples SET retired = ? WHERE id IN {LISTED} AND retired IS NULL"
        self._db.execute(sql, [revision, listed(ids)])

    def restore(self, ids: Iterable[int], revision: int) -> None:
        """Bring back at a revision triples that were taken away at an earlier one, but for those
        whose passage is gone.
        """
        id_list = listed(ids)
        condition = (
            f"id IN {LISTED} AND passage_id IN (SELECT id FROM passages WHERE retired IS NULL)"
        )
        self._db.execute(
            "INSERT INTO absences (triple_id, since, until) SELECT id, retired, ? FROM triples"
            f" WHERE {condition}",
            [revision, id_list],
        )
        self._db.execute(f"UPDATE triples SET retired = NULL WHERE {condition}", [id_list])

    def with_ids(self, set_id: int, ids: Iterable[int], *, now: bool = True) -> list[Triple]:
        """The triples with these ids; those that are there `now`, or all that ever were."""
        live = " AND t.retired IS NULL" if now else ""
        return self._select(f"t.set_id = ?{live} AND t.id IN {LISTED}", [set_id, listed(ids)])

    def naming(self, set_id: int, entity_id: int) -> list[Triple]:
        """The triples that have an entity on either side."""
        sides = " UNION ".join(
            f"SELECT id FROM triples WHERE {side} = :entity AND set_id = :set"
            for side in ("subject_id", "object_id")
        )
        values = {"entity": entity_id, "set": set_id}
        return self._select(f"t.retired IS NULL AND t.id IN ({sides})", values)

    def since(self, set_id: int, revision: int) -> TriplesSince:
        """How a set differs from what it was at a revision."""
        values = {"set": set_id, "revision": revision}
        added, returned, deleted = (
            self._select(condition.format(set=":set", revision=":revision"), values)
            for condition in (ADDED_TRIPLE, RETURNED_TRIPLE, GONE_TRIPLE)
        )
        return TriplesSince(deleted, sorted(added + returned, key=_by_id))

    def numbers(self, set_id: int, passage_ids: Iterable[int]) -> dict[int, int]:
        """How many triples each of these passages has."""
        sql = (
            "SELECT value, (SELECT count(*) FROM triples WHERE passage_id = value AND set_id = ?"
            " AND retired IS NULL) FROM json_each(?)"
        )
        return dict(self._db.tuples(sql, [set_id, listed(passage_ids)]))

    def numbers_of(self, set_id: int, keys: Sequence[str]) -> dict[str, float]:
        """How many triples of a set each passage of these keys has; of a document that was cut the
        mean of its parts. Without keys that no passage has.
        """
        rows = self._db.tuples(
            "SELECT k.value, avg((SELECT count(*) FROM triples t WHERE t.passage_id = p.id AND"
            " t.set_id = ? AND t.retired IS NULL)) FROM triple_sets s, json_each(?) k JOIN passages"
            " p ON p.collection_id = s.collection_id AND p.retired IS NULL AND (p.key = k.value OR"
            " (p.key > k.value || '#' AND p.key < k.value || '$')) WHERE s.id = ? GROUP BY k.value",
            [set_id, json.dumps(list(keys)), set_id],
        )
        return dict(rows)

    def at(self, set_id: int, revision: int) -> list[Triple]:
        """A set's triples at a revision."""
        values = {"set": set_id, "revision": revision}
        return self._select(f"t.set_id = :set AND {TRIPLE_AT}", values)

    def hashes(self, set_id: int, revision: int) -> list[bytes]:
        """The text hashes of a set's triples at a revision, by id."""
        return self._db.column(
            f"SELECT t.text_hash FROM triples t WHERE t.set_id = :set AND {TRIPLE_AT} ORDER BY"
            " t.id",
            {"set": set_id, "revision": revision},
        )

    def of_passages(
        self, set_id: int, passage_ids: Iterable[int], revision: int | None = None
    ) -> list[Triple]:
        """The triples of these passages now, or at a revision."""
        live = "t.retired IS NULL" if revision is None else TRIPLE_AT
        return self._select(
            f"t.set_id = :set AND {live} AND t.passage_id IN {LISTED.replace('?', ':passages')}",
            {"set": set_id, "revision": revision, "passages": listed(passage_ids)},
        )

    def count(self, set_id: int) -> int:
        """How many there are."""
        sql = "SELECT count(*) FROM triples WHERE set_id = ? AND retired IS NULL"
        return self._db.count(sql, [set_id])

    def search(self, set_id: int, words: str, limit: int) -> list[Triple]:
        """Triples whose words contain these, by passage, so that one that was corrected stays with
        the others of its passage; then by id.
        """
        text = "t.subject || ' ' || t.predicate || ' ' || t.object"
        present = contains(text, "words", words)
        return self._db.values(
            _triple,
            f"SELECT {_TRIPLE} FROM triples t WHERE t.set_id = :set AND t.retired IS NULL AND"
            f" (:words = '' OR {present}) ORDER BY t.passage_id, t.id LIMIT :limit",
            {"set": set_id, "words": words, "limit": limit},
        )

    def after(self, set_id: int, triple_id: int, limit: int) -> list[Triple]:
        """The next triples whose id is greater."""
        condition = "t.set_id = ? AND t.id > ? AND t.retired IS NULL ORDER BY t.id LIMIT ?"
        return self._select(condition, [set_id, triple_id, limit])

    def ends(self, set_id: int, entity_ids: Iterable[int]) -> set[tuple[int, int]]:
        """The (subject, object) entity ids of triples that have one of these entities on either
        side.
        """
        ends = " UNION ".join(
            f"SELECT subject_id, object_id FROM triples WHERE {side} IN {LISTED} AND set_id = ? AND"
            " retired IS NULL AND subject_id IS NOT NULL AND object_id IS NOT NULL"
            for side in ("subject_id", "object_id")
        )
        return set(self._db.tuples(ends, [listed(entity_ids), set_id] * 2))

    def between(self, set_id: int, entity_ids: Iterable[int]) -> list[tuple[int, int, Triple]]:
        """The triples whose two sides are both among these entities, with the sides' ids, by triple
        id.
        """
        ids = listed(entity_ids)
        rows = self._db.tuples(
            f"SELECT t.subject_id, t.object_id, {_TRIPLE} FROM triples t WHERE t.subject_id IN"
            f" {LISTED} AND t.set_id = ? AND t.retired IS NULL AND +t.object_id IN {LISTED}",
            [ids, set_id, ids],
        )
        triples = [(subject, object_, _triple(*row)) for subject, object_, *row in rows]
        return sorted(triples, key=lambda item: item[2].id)

    def _select(self, condition: str, parameters: Parameters) -> list[Triple]:
        """The triples t for which a condition holds, by id. Not sorted by SQLite, which would read
        all of a set in that order.
        """
        sql = f"SELECT {_TRIPLE} FROM triples t WHERE {condition}"
        return sorted(self._db.values(_triple, sql, parameters), key=_by_id)


def _triple(id_: int, passage_id: int, *values: Any) -> Triple:  # noqa: ANN401
    subject, predicate, object_, start, end, closest = values
    span = None if start is None else Span(start, end)
    return Triple(id_, passage_id, subject, predicate, object_, span, bool(closest))


def _by_id(triple: Triple) -> int:
    return triple.id
