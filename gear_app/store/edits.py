"""What people changed in triple sets, step by step; the newest step can be undone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.store.database import LISTED, Parameters, StoreTable, listed
from gear_app.store.entities import NamedEntity
from gear_app.store.rows import now

_EDIT = "number, kind, entities, name, revision, author, at, undone"


class TripleSwap(NamedTuple):
    """The id of a triple that was taken away, and of what came in its place; None for nothing."""

    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class EditRow:
    """One step: `kind` is add, edit, delete or merge.

    `entities` are the names that were merged, into `name`, or deleted.
    """

    number: int
    kind: str
    entities: tuple[str, ...]
    name: str
    revision: int
    author: str
    at: str
    undone: bool = False


class Edits(StoreTable):
    """A workspace's edits."""

    def add(self, set_id: int, edit: EditRow, swaps: Sequence[TripleSwap]) -> int:
        """Keep a step, inside a transaction; its number, which `edit` does not have yet."""
        number = self._db.insert(
            "edits",
            {
                "set_id": set_id,
                "kind": edit.kind,
                "entities": json.dumps(edit.entities, ensure_ascii=False),
                "name": edit.name,
                "revision": edit.revision,
                "author": edit.author,
                "at": now(),
            },
        )
        self._db.add(
            "edited_triples",
            "edit, position, before_id, after_id",
            [(number, position, *swap) for position, swap in enumerate(swaps)],
        )
        return number

    def note_entities(
        self, number: int, gone: Iterable[NamedEntity], come: Iterable[NamedEntity]
    ) -> None:
        """Keep which passages name which entities from a step on, and no longer."""
        self._db.add(
            "edited_entities",
            "edit, passage_id, entity_id, named",
            [
                (number, *place, named)
                for places, named in ((gone, 0), (come, 1))
                for place in places
            ],
        )

    def of(self, set_id: int, limit: int = -1) -> list[EditRow]:
        """The steps of a set, the newest first."""
        return self._where("set_id = ? ORDER BY number DESC LIMIT ?", [set_id, limit])

    def last(self, set_id: int) -> EditRow | None:
        """The newest step of a set that was not undone."""
        edits = self._where("set_id = ? AND undone = 0 ORDER BY number DESC LIMIT 1", [set_id])
        return next(iter(edits), None)

    def _where(self, condition: str, parameters: Parameters) -> list[EditRow]:
        rows = self._db.tuples(f"SELECT {_EDIT} FROM edits WHERE {condition}", parameters)
        return [
            EditRow(
                number, kind, tuple(json.loads(entities)), name, revision, author, at, bool(undone)
            )
            for number, kind, entities, name, revision, author, at, undone in rows
        ]

    def mark_undone(self, number: int) -> None:
        """Keep that a step was undone."""
        self._db.update("edits", {"undone": 1}, number=number)

    def swaps(self, number: int, limit: int = -1) -> list[TripleSwap]:
        """What a step did to triples, in order."""
        return self._db.values(
            TripleSwap,
            "SELECT before_id, after_id FROM edited_triples WHERE edit = ? ORDER BY position"
            " LIMIT ?",
            [number, limit],
        )

    def size(self, number: int) -> int:
        """How many triples a step changed."""
        return self._db.count("SELECT count(*) FROM edited_triples WHERE edit = ?", [number])

    def places(self, number: int) -> tuple[set[NamedEntity], set[NamedEntity]]:
        """The places of entities that went with a step, and those that came."""
        places: tuple[set[NamedEntity], set[NamedEntity]] = (set(), set())
        for passage_id, entity_id, named in self._db.tuples(
            "SELECT passage_id, entity_id, named FROM edited_entities WHERE edit = ?", [number]
        ):
            places[named].add(NamedEntity(passage_id, entity_id))
        return places

    def refused(self, set_id: int, passage_ids: Sequence[int]) -> set[tuple[int, str, str, str]]:
        """The triples (passage, subject, predicate, object) that somebody took out of a set, or
        corrected, and that are still gone for that reason.
        """
        return set(
            self._db.tuples(
                "SELECT t.passage_id, t.subject, t.predicate, t.object FROM triples t JOIN"
                " edited_triples x ON x.before_id = t.id JOIN edits e ON e.number = x.edit AND"
                f" e.revision = t.retired WHERE t.set_id = ? AND t.passage_id IN {LISTED}",
                [set_id, listed(passage_ids)],
            )
        )
