"""Labels that people gave to runs, and their own categories."""

from __future__ import annotations

from collections.abc import Iterable

from gear_app.annotation.codebook import Category
from gear_app.store.database import StoreTable
from gear_app.store.rows import now


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
