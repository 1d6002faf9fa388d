"""Who is alive: the worker and the web processes leave a sign of life here every few seconds."""

from __future__ import annotations

import time
from typing import NamedTuple

from gear_app.store.database import Database


class ProcessRow(NamedTuple):
    """A process; `seen` is when it last gave a sign of life, in seconds since 1970."""

    id: str
    role: str
    state: str
    message: str
    seen: float


class Processes:
    """The processes that use a workspace."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def seen(self, id_: str, role: str, state: str, message: str = "") -> None:
        """Leave a sign of life."""
        self._db.execute(
            "INSERT OR REPLACE INTO processes (id, role, state, message, seen) VALUES (?, ?, ?,"
            " ?, ?)",
            [id_, role, state, message, time.time()],
        )

    def gone(self, id_: str) -> None:
        """Drop a process that ends in good order."""
        self._db.execute("DELETE FROM processes WHERE id = ?", [id_])

    def last(self, role: str) -> ProcessRow | None:
        """The process of a role that was seen last."""
        found = self._db.tuples(
            "SELECT id, role, state, message, seen FROM processes WHERE role = ? ORDER BY seen DESC"
            " LIMIT 1",
            [role],
        )
        return next((ProcessRow(*row) for row in found), None)

    def forget(self, role: str, before: float) -> None:
        """Drop those that were last seen before a time."""
        self._db.execute("DELETE FROM processes WHERE role = ? AND seen < ?", [role, before])
