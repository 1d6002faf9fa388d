"""Triples: added and retired, never changed; and what people changed in triple sets, step by step,
the newest of which can be undone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gear_app.core.rows import PassageName, StoredTriple
from gear_app.core.text import normalise_entity
from gear_app.core.types import Span, Triple
from gear_app.store.database import LISTED, Database, Parameters, StoreTable, contains
from gear_app.store.entities import Entities
from gear_app.store.rows import LIVE, now, text_hash

Change = tuple[Triple | None, Triple | None]  # as it was, and as it is from then on; None: absent
_TRIPLE = (
    "t.id, t.passage_id, t.subject, t.predicate, t.object, t.span_start, t.span_end, t.closest"
)
_AT = f"t.set_id = :set AND {LIVE.format('t')}"
# What a copy has of its triple, and what is equal in triples that state the same.
_WORDS = "passage_id, subject, predicate, object"
_COPIED = (
    "subject, predicate, object, subject_id, object_id, span_start, span_end, closest, text_hash"
)


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
    ) -> None:
        """Store triples at a revision, inside a transaction, and names of entities, which come
        first. The id that a new one has is of the triple that it replaces, 0 for none.
        """
        sides = (side for t in triples for side in (t.subject, t.object))
        entities = self._entities.add(collection_id, [*names, *sides])
        self._db.add(
            "triples",
            "set_id, passage_id, subject, predicate, object, subject_id, object_id, span_start,"
            " span_end, closest, text_hash, replaces, added",
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
                    t.id or None,
                    revision,
                )
                for t in triples
            ],
        )

    def retire(self, ids: Iterable[int], revision: int) -> None:
        """Take away at a revision those of these triples that are there."""
        sql = f"UPDATE triples SET retired = ? WHERE id IN {LISTED} AND retired IS NULL"
        self._db.execute(sql, [revision, [*ids]])

    def with_ids(self, set_id: int, ids: Iterable[int]) -> list[Triple]:
        """The triples with these ids that are there."""
        condition = f"t.set_id = ? AND t.retired IS NULL AND t.id IN {LISTED}"
        return self._select(condition, [set_id, [*ids]])

    def naming(self, set_id: int, entity_id: int | None) -> list[Triple]:
        """The triples that have an entity on either side; [] for None."""
        sides = " UNION ".join(
            f"SELECT id FROM triples WHERE {side} = :entity AND set_id = :set"
            for side in ("subject_id", "object_id")
        )
        values = {"entity": entity_id, "set": set_id}
        return self._select(f"t.retired IS NULL AND t.id IN ({sides})", values)

    def since(self, set_id: int, revision: int) -> tuple[list[Triple], list[Triple]]:
        """The triples that a set no longer has since a revision, and those that are new."""
        added = "t.set_id = :set AND t.retired IS NULL AND t.added > :revision"
        gone = "t.set_id = :set AND t.retired > :revision AND t.added <= :revision"
        removed, new = (
            self._select(
                f"{side} AND ({_WORDS}) NOT IN (SELECT {_WORDS} FROM triples t WHERE {other})",
                {"set": set_id, "revision": revision},
            )
            for side, other in ((gone, added), (added, gone))
        )
        return removed, new

    def numbers_of(self, set_id: int, keys: Sequence[str]) -> dict[str, float]:
        """How many triples of a set each passage of these keys has; of a document that was cut the
        mean of its parts. Without keys that no passage has.
        """
        rows = self._db.tuples(
            "SELECT k.value, avg((SELECT count(*) FROM triples t WHERE t.passage_id = p.id AND"
            " t.set_id = ? AND t.retired IS NULL)) FROM triple_sets s, json_each(?) k JOIN passages"
            " p ON p.collection_id = s.collection_id AND p.retired IS NULL AND (p.key = k.value OR"
            " (p.key > k.value || '#' AND p.key < k.value || '$')) WHERE s.id = ? GROUP BY k.value",
            [set_id, [*keys], set_id],
        )
        return dict(rows)

    def hashes(self, set_id: int, revision: int) -> Iterator[tuple[int, bytes]]:
        """Ids and text hashes of a set's triples at a revision."""
        return self._at("t.id, t.text_hash", set_id, revision)

    def places(self, set_id: int, revision: int) -> Iterator[tuple[int, int, int]]:
        """The passage of each triple at a revision and the entities at its ends; -1: none."""
        columns = "t.passage_id, coalesce(t.subject_id, -1), coalesce(t.object_id, -1)"
        return self._at(columns, set_id, revision)

    def _at(self, columns: str, set_id: int, revision: int) -> Iterator[Any]:
        sql = f"SELECT {columns} FROM triples t WHERE {_AT} ORDER BY t.id"
        return self._db.tuples(sql, {"set": set_id, "revision": revision})

    def stored(self, ids: Iterable[int]) -> dict[int, StoredTriple]:
        """The triples with these ids, also retired ones, with all that is shown of them, by id."""
        rows = self._db.tuples(
            f"SELECT p.key, p.title, p.text, {_TRIPLE} FROM triples t JOIN passages p ON p.id ="
            f" t.passage_id WHERE t.id IN {LISTED}",
            [list(ids)],
        )
        stored = {}
        for key, title, text, *columns in rows:
            triple = _triple(*columns)
            sentence = text[triple.span.start : triple.span.end] if triple.span else ""
            stored[triple.id] = StoredTriple(triple, PassageName(key, title), sentence)
        return stored

    def of_passages(
        self, set_id: int, passage_ids: Iterable[int], revision: int | None = None
    ) -> list[Triple]:
        """The triples of these passages now, or at a revision."""
        live = "t.set_id = :set AND t.retired IS NULL" if revision is None else _AT
        return self._select(
            f"{live} AND t.passage_id IN {LISTED.replace('?', ':passages')}",
            {"set": set_id, "revision": revision, "passages": [*passage_ids]},
        )

    def count(self, set_id: int) -> int:
        """How many there are."""
        sql = "SELECT count(*) FROM triples WHERE set_id = ? AND retired IS NULL"
        return int(self._db.value(sql, [set_id]))

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
        return set(self._db.tuples(ends, [[*entity_ids], set_id] * 2))

    def between(self, set_id: int, entity_ids: Iterable[int]) -> list[tuple[int, int, Triple]]:
        """The triples whose two sides are both among these entities, with the sides' ids, by triple
        id.
        """
        ids = [*entity_ids]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRow:
    """One step, a revision of its own, with its changes: `kind` is add, edit, delete or merge.

    `entities` are the names that were merged, into `name`, or deleted.
    """

    number: int
    set_id: int
    kind: str
    entities: tuple[str, ...]
    name: str
    revision: int
    author: str
    at: str
    undone: bool
    changes: list[Change]


class Edits(StoreTable):
    """A workspace's edits."""

    def add(self, **columns: object) -> EditRow:
        """Store a step, which gets its number."""
        number = self._db.insert("edits", {**columns, "at": now()})
        return self._select("number = ?", [number])[0]

    def of(self, set_id: int, limit: int, *, undone: bool = True) -> list[EditRow]:
        """The steps of a set, the newest first, without those that were `undone` or with them."""
        return self._select(
            "set_id = ? AND undone <= ? ORDER BY number DESC LIMIT ?", [set_id, undone, limit]
        )

    def _changes(self, number: int) -> list[Change]:
        """The triples that a step changed, as they were and as they are from then on."""
        rows = self._db.tuples(
            f"SELECT {_TRIPLE}, t.replaces, t.added = e.revision FROM triples t JOIN edits e ON"
            " e.set_id = t.set_id AND (t.added = e.revision OR t.retired = e.revision) WHERE"
            " e.number = ? ORDER BY t.id",
            [number],
        )
        changes: dict[int, Change] = {}
        for *columns, replaced, added in rows:
            triple = _triple(*columns)
            if added:
                changes[replaced or triple.id] = changes.get(replaced or 0, (None,))[0], triple
            else:
                changes[triple.id] = triple, None
        return list(changes.values())

    def undo(self, edit: EditRow, revision: int) -> EditRow:
        """Take out what a step added and bring back what it took out, as far as the passages are
        still there, at a revision, inside a transaction.
        """
        step = {"set": edit.set_id, "step": edit.revision, "now": revision}
        added = "FROM triples WHERE set_id = :set AND added = :step"
        self._db.execute(
            "UPDATE triples SET retired = :now WHERE set_id = :set AND retired IS NULL AND"
            f" passage_id IN (SELECT passage_id {added}) AND ({_WORDS}) IN (SELECT {_WORDS}"
            f" {added})",
            step,
        )
        self._db.execute(
            f"INSERT INTO triples (set_id, passage_id, {_COPIED}, added) SELECT set_id, passage_id,"
            f" {_COPIED}, :now FROM triples t WHERE set_id = :set AND retired = :step AND"
            " passage_id IN (SELECT id FROM passages WHERE retired IS NULL) AND NOT EXISTS (SELECT"
            " 1 FROM triples o WHERE o.passage_id = t.passage_id AND o.set_id = t.set_id AND"
            " o.retired IS NULL AND (o.subject, o.predicate, o.object) = (t.subject, t.predicate,"
            " t.object)) ORDER BY id",
            step,
        )
        self._db.update("edits", {"undone": True}, number=edit.number)
        return self._select("number = ?", [edit.number])[0]

    def refused(self, set_id: int, passage_ids: Sequence[int]) -> set[tuple[int, str, str, str]]:
        """The triples (passage, subject, predicate, object) that somebody took out of a set, or
        corrected, and that are still gone for that reason.
        """
        rows = self._db.tuples(
            "SELECT t.passage_id, t.subject, t.predicate, t.object FROM triples t JOIN edits e"
            " ON e.set_id = t.set_id AND e.revision = t.retired AND NOT e.undone WHERE t.set_id = ?"
            f" AND t.passage_id IN {LISTED}",
            [set_id, [*passage_ids]],
        )
        return set(rows)

    def _select(self, condition: str, parameters: Parameters) -> list[EditRow]:
        rows = self._db.rows(f"SELECT * FROM edits WHERE {condition}", parameters)
        return [
            EditRow(
                **{**row, "entities": tuple(row["entities"])}, changes=self._changes(row["number"])
            )
            for row in rows
        ]
