"""The processes of a workspace: their signs of life, and the lock that its one worker has."""

from __future__ import annotations

import sys
import time
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from gear_app.errors import StoreFailed
from gear_app.paths import private_file
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

    def beat(self, id_: str, role: str, state: str, message: str = "") -> None:
        """Leave a sign of life."""
        self._db.execute(
            "INSERT OR REPLACE INTO processes (id, role, state, message, seen) VALUES (?, ?, ?,"
            " ?, ?)",
            [id_, role, state, message, time.time()],
        )

    def remove(self, id_: str) -> None:
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


class Lock:
    """`<workspace>.lock`, for one process at a time."""

    def __init__(self, workspace: Path) -> None:
        """Lock nothing yet."""
        self._path = workspace.with_name(workspace.name + ".lock")
        self._file: TextIOWrapper | None = None

    def acquire(self) -> bool:
        """Take the lock, until `release` or the end of this process; False where another process
        has it. Raises StoreFailed where the lock cannot be made.
        """
        try:
            file = private_file(self._path).open("a+", encoding="utf-8")
        except OSError as error:
            raise StoreFailed(f"{self._path} cannot be written: {error.strerror}.") from error
        try:
            _lock(file.fileno())
        except OSError:
            file.close()
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Give it back."""
        if self._file:
            self._file.close()
            self._file = None


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
