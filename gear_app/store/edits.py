"""What people changed in triple sets: steps that are only added to, of which each can be undone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.store.database import LISTED, StoreTable, listed
from gear_app.store.entities import NamedEntity
from gear_app.store.rows import now

_EDIT = "number, kind, entities, name, undoes, revision, author, at"
# Kinds by which somebody said that a triple should not be there. An undo says only that an edit
# should not have been.
_REFUSING = "('edit', 'delete', 'merge', 'redo')"


class TripleSwap(NamedTuple):
    """The id of a triple that was taken away, and of what came in its place; None for nothing."""

    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class EditRow:
    """One step: `kind` is add, edit, delete, merge, undo or redo.

    `entities` are the names that were merged, into `name`, or deleted. `of` is the number of the
    step that an undo took back or a redo did again. `stands`: it is not taken back now.
    """

    number: int
    kind: str
    entities: tuple[str, ...]
    name: str
    of: int | None
    revision: int
    author: str
    at: str
    stands: bool = True


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
                "undoes": edit.of,
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

    def of(self, set_id: int) -> list[EditRow]:
        """The steps of a set, the newest first."""
        rows: list[EditRow] = []
        last: dict[int, str] = {}  # a step is met after those that took it back or did it again
        for number, kind, entities, name, of, revision, author, at in self._db.tuples(
            f"SELECT {_EDIT} FROM edits WHERE set_id = ? ORDER BY number DESC", [set_id]
        ):
            if of is not None:
                last.setdefault(of, kind)
            names, stands = tuple(json.loads(entities)), last.get(number) != "undo"
            rows.append(EditRow(number, kind, names, name, of, revision, author, at, stands))
        return rows

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

    def last_of(self, triple_id: int) -> int | None:
        """The last step that took a triple away."""
        return self._db.number(
            "SELECT max(edit) FROM edited_triples WHERE before_id = ?", [triple_id]
        )

    def count(self, set_id: int) -> int:
        """How many steps a set has."""
        return self._db.count("SELECT count(*) FROM edits WHERE set_id = ?", [set_id])

    def refused(self, set_id: int, passage_ids: Sequence[int]) -> set[tuple[int, str, str, str]]:
        """The triples (passage, subject, predicate, object) that somebody took out of a set, or
        corrected, and that are still gone for that reason.
        """
        return set(
            self._db.tuples(
                "SELECT t.passage_id, t.subject, t.predicate, t.object FROM triples t JOIN"
                " edited_triples x ON x.before_id = t.id JOIN edits e ON e.number = x.edit AND"
                f" e.revision = t.retired AND e.kind IN {_REFUSING} WHERE t.set_id = ? AND"
                f" t.passage_id IN {LISTED}",
                [set_id, listed(passage_ids)],
            )
        )
