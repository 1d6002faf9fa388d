"""What people judged of runs, and their own categories."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from gear_app.annotate.codebook import Category
from gear_app.annotate.history import merged
from gear_app.annotate.record import Record, from_row, named, to_row
from gear_app.errors import BadInput, StoreFailed
from gear_app.store.database import StoreTable
from gear_app.store.rows import now


class Judgements(StoreTable):
    """A workspace's judgements: records are added, none is changed."""

    def add(self, collection_id: int, records: Iterable[Record]) -> int:
        """Keep those that are not there yet; how many these are."""
        with self._db.transaction():
            ids = self._db.tuples(
                "SELECT id FROM judgements WHERE collection_id = ?", [collection_id]
            )
            known = {id_ for (id_,) in ids}
            new = [record for record in merged((), records) if record.id not in known]
            self._db.add(
                "judgements",
                "id, collection_id, case_id, run, annotator, at, record",
                [_values(collection_id, record) for record in new],
            )
        return len(new)

    def append(self, collection_id: int, record: Record) -> None:
        """Keep one new record."""
        self._db.execute(
            "INSERT INTO judgements (id, collection_id, case_id, run, annotator, at, record)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (collection_id, id) DO NOTHING",
            _values(collection_id, record),
        )

    def of(self, collection_id: int, after: int = 0) -> list[tuple[int, Record]]:
        """A collection's records with their numbers, oldest first, those after a number."""
        rows = self._db.tuples(
            "SELECT number, id, case_id, record FROM judgements WHERE collection_id = ?"
            " AND number > ? ORDER BY number",
            [collection_id, after],
        )
        return [(number, _record(*stored)) for number, *stored in rows]

    def history(self, collection_id: int, case: str, annotator: str) -> list[Record]:
        """One person's records of one case, oldest first."""
        rows = self._db.tuples(
            "SELECT id, case_id, record FROM judgements WHERE collection_id = ? AND case_id = ?"
            " AND annotator = ? ORDER BY number",
            [collection_id, case, annotator],
        )
        return [_record(*stored) for stored in rows]

    def categories(self) -> list[Category]:
        """The categories beside those of the papers, in the order they came."""
        return self._db.values(
            Category, "SELECT key, name, definition FROM categories ORDER BY rowid"
        )

    def add_category(self, category: Category, author: str) -> None:
        """Keep a category. One of this key that is there stays as it is."""
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

    def share(self, collection_id: int) -> float:
        """The share of a collection's cases that two people judge."""
        found = self._db.value("SELECT judged_twice FROM collections WHERE id = ?", [collection_id])
        return float(found)

    def set_share(self, collection_id: int, share: float) -> None:
        """Let two people judge this share from now on."""
        self._db.update("collections", {"judged_twice": share}, id=collection_id)


def _values(collection_id: int, record: Record) -> Sequence[object]:
    text = json.dumps(to_row(record), ensure_ascii=False, separators=(",", ":"))
    case, run = record.case.id, record.run
    return [record.id, collection_id, case, run, record.annotator, record.at, text]


def _record(id_: str, case: str, text: str) -> Record:
    try:
        return named(from_row(json.loads(text)), id_, case)
    except (ValueError, BadInput) as error:
        raise StoreFailed(
            "A judgement cannot be read: the workspace file is damaged. Restore a backup."
        ) from error
