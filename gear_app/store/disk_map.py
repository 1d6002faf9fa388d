"""What would not fit into memory while something is done, by key, on disk and for as long."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, MutableMapping
from typing import Any

CACHE_KB = 32_000


def temporary_database() -> sqlite3.Connection:
    """A database in a file that SQLite removes by itself; nothing of it is kept."""
    database = sqlite3.connect("", isolation_level=None)
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    database.execute(f"PRAGMA cache_size = -{CACHE_KB}")
    return database


class DiskMap(MutableMapping[Any, Any]):
    """Texts or bytes by text or bytes."""

    def __init__(self) -> None:
        self._db = temporary_database()
        self._db.execute("CREATE TABLE map (key PRIMARY KEY, value) WITHOUT ROWID")

    def __getitem__(self, key: str | bytes) -> Any:  # noqa: ANN401
        row = self._db.execute("SELECT value FROM map WHERE key = ?", (key,)).fetchone()
        if row is None:
            raise KeyError(key)
        return row[0]

    def __setitem__(self, key: str | bytes, value: str | bytes) -> None:
        self._db.execute("INSERT OR REPLACE INTO map VALUES (?, ?)", (key, value))

    def __delitem__(self, key: str | bytes) -> None:
        if not self._db.execute("DELETE FROM map WHERE key = ?", (key,)).rowcount:
            raise KeyError(key)

    def __iter__(self) -> Iterator[Any]:
        return (key for (key,) in self._db.execute("SELECT key FROM map"))

    def __len__(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM map").fetchone()[0])
