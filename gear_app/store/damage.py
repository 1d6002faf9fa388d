"""What is damaged in a workspace file: SQLite's own check of its structure, rows that belong to
rows that are gone, and texts that are no longer what was stored.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from gear_app.store.database import Database, short
from gear_app.store.rows import text_hash
from gear_app.types import Passage

AT_MOST = 5  # of SQLite's complaints
# The quick check of SQLite 3.40.0 to 3.41.0 finds NULLs that are not there in tables without rowid
# whose key has the columns in another order; the whole check, which takes longer, does not.
CHECK = "integrity_check" if (3, 40) <= sqlite3.sqlite_version_info <= (3, 41, 0) else "quick_check"
Hashed = Callable[..., str]
# The columns of a text, and the text whose hash is stored with them.
_TEXTS: Mapping[str, tuple[str, Hashed]] = {
    "documents": ("text", lambda text: text),
    "passages": ("title, text", lambda title, text: Passage(0, "", title, text).indexed),
    "triples": ("subject, predicate, object", lambda *words: " ".join(words)),
}


class Examination(NamedTuple):
    """What was found, a sentence each; `whole` unless the time was up before all was looked at."""

    damage: tuple[str, ...]
    whole: bool


def examine(db: Database, seconds: float) -> Examination:
    """Look for damage for so many seconds at most. Raises StoreFailed where nothing can be read."""
    found: list[str] = []
    try:
        with db.within(seconds):
            found.extend(_structure(db))
            found.extend(_orphans(db))
            for table, (columns, hashed) in _TEXTS.items():
                found.extend(_altered(db, table, columns, hashed))
    except TimeoutError:
        return Examination(tuple(found), whole=False)
    return Examination(tuple(found), whole=True)


def _structure(db: Database) -> Iterator[str]:
    for (said,) in db.tuples(f"PRAGMA {CHECK}({AT_MOST})"):
        if said != "ok":
            yield short(str(said))


def _orphans(db: Database) -> Iterator[str]:
    counted = db.tuples(
        'SELECT "table", parent, count(*) FROM pragma_foreign_key_check GROUP BY "table", parent'
    )
    for table, parent, count in counted:
        yield f"{count:,} of {table} belong to {parent} that are gone"


def _altered(db: Database, table: str, columns: str, hashed: Hashed) -> Iterator[str]:
    """How many texts of a table do not have their hash: also where the time is up meanwhile."""
    as_bytes = ", ".join(f"CAST({column} AS BLOB)" for column in columns.split(", "))
    changed: list[int] = []
    try:
        for id_, stored, *parts in db.tuples(f"SELECT id, text_hash, {as_bytes} FROM {table}"):
            if not _is(parts, hashed, stored):
                changed.append(id_)
    finally:
        if changed:
            yield (
                f"{len(changed):,} of {table} are not what was stored (the first has id"
                f" {changed[0]})"
            )


def _is(parts: list[bytes], hashed: Hashed, stored: bytes) -> bool:
    try:
        return text_hash(hashed(*(part.decode() for part in parts))) == stored
    except UnicodeDecodeError:
        return False
