"""The lock of a workspace file, which its worker has.

It is held by the operating system for the process that has it, so it is gone however that process
ends.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path

from gear_app.errors import StoreFailed
from gear_app.paths import private_file


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
