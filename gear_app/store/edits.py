"""What people changed in triple sets, step by step, the newest of which can be undone; and the
labels that they gave to runs, with their own categories.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from gear_app.annotation.codebook import Category
from gear_app.store.database import LISTED, Parameters, StoreTable, listed
from gear_app.store.rows import from_row, now, stored

Swap = tuple[int | None, int | None]  # ids of a triple that was removed, and of its successor


@dataclass(frozen=True, slots=True, kw_only=True)
class EditRow:
    """One step, a revision of its own: `kind` is add, edit, delete or merge.

    `entities` are the names that were merged, into `name`, or deleted.
    """

    number: int = 0
    set_id: int
    kind: str
    entities: tuple[str, ...] = ()
    name: str = ""
    revision: int
    author: str = ""
    at: str = ""
    swaps: tuple[Swap, ...] = ()
    undone: bool = False


class Edits(StoreTable):
    """A workspace's edits."""

    def add(self, edit: EditRow) -> EditRow:
        """Store a step, which gets its number."""
        row = {**asdict(edit), "at": now(), "undone": 0}
        del row["number"]
        number = self._db.insert("edits", {name: stored(value) for name, value in row.items()})
        return self._select("number = ?", [number])[0]

    def of(self, set_id: int, limit: int = -1) -> list[EditRow]:
        """The steps of a set, the newest first."""
        return self._select("set_id = ? ORDER BY number DESC LIMIT ?", [set_id, limit])

    def last(self, set_id: int) -> EditRow | None:
        """The newest step of a set that was not undone."""
        edits = self._select("set_id = ? AND undone = 0 ORDER BY number DESC LIMIT 1", [set_id])
        return next(iter(edits), None)

    def mark_undone(self, number: int) -> None:
        """Store that a step was undone."""
        self._db.update("edits", {"undone": 1}, number=number)

    def refused(self, set_id: int, passage_ids: Sequence[int]) -> set[tuple[int, str, str, str]]:
        """The triples (passage, subject, predicate, object) that somebody took out of a set, or
        corrected, and that are still gone for that reason.
        """
        return set(
            self._db.tuples(
                "SELECT t.passage_id, t.subject, t.predicate, t.object FROM triples t JOIN edits e"
                " ON e.set_id = t.set_id AND e.revision = t.retired WHERE t.set_id = ? AND"
                f" t.passage_id IN {LISTED}",
                [set_id, listed(passage_ids)],
            )
        )

    def _select(self, condition: str, parameters: Parameters) -> list[EditRow]:
        rows = self._db.rows(f"SELECT * FROM edits WHERE {condition}", parameters)
        return [
            from_row(
                EditRow,
                row,
                entities=tuple(json.loads(row["entities"])),
                swaps=tuple((before, after) for before, after in json.loads(row["swaps"])),
                undone=bool(row["undone"]),
            )
            for row in rows
        ]


class Labels(StoreTable):
    """A workspace's labels: one for each case and person, which a later one replaces."""

    def save(self, collection_id: int, rows: Iterable[tuple[str, str, bool, str]]) -> None:
        """Store labels, each in the place of an earlier one: the case, the annotator, whether it is
        a decision, and the record as JSON.
        """
        self._db.add(
            "labels",
            "collection_id, case_id, annotator, adjudicates, record",
            [(collection_id, *row) for row in rows],
            "REPLACE",
        )

    def of(self, collection_id: int) -> list[str]:
        """A collection's records as JSON, in the order they were stored."""
        return self._db.column(
            "SELECT record FROM labels WHERE collection_id = ? ORDER BY number", [collection_id]
        )

    def categories(self) -> list[Category]:
        """People's own categories, oldest first."""
        return self._db.values(
            Category, "SELECT key, name, definition FROM categories ORDER BY rowid"
        )

    def add_category(self, category: Category, author: str) -> None:
        """Store a category, unless there is one with this key."""
        self._db.insert(
            "categories",
            {
                "key": category.key,
                "name": category.name,
                "definition": category.definition,
                "author": author,
                "at": now(),
            },
            "IGNORE",
        )
