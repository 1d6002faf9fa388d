"""The processes of a workspace, and whether those that took runs and jobs are alive.

A process that takes a task holds a lock file while it works, which the system drops with the
process, however it ends. So a dead one is known at once, whatever the clock says.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from gear_app.core.errors import StoreFailed

_ALIVE: set[str] = set()  # the names of this process


def new_name() -> str:
    """A new name for this process, which runs and jobs have as their process."""
    name = f"{os.getpid()}:{secrets.token_hex(8)}"
    _ALIVE.add(name)
    return name


class Lock:
    """A lock file next to a workspace, for one process at a time: `<workspace>.lock` is its
    worker's, one with the token of a process's name that process's.
    """

    def __init__(self, workspace: Path, process: str = "") -> None:
        token = process.rpartition(":")[2]
        self.process = process
        self._path = workspace.with_name(".".join(filter(None, [workspace.name, token, "lock"])))
        self._lock = FileLock(self._path, mode=0o600, thread_local=False)

    def acquire(self, wait_s: float = 0.0) -> bool:
        """Take the lock, until `release` or the end of this process; False where another process
        has it so long. Raises StoreFailed where the lock cannot be written.
        """
        try:
            self._lock.acquire(timeout=wait_s)
        except Timeout:
            return False
        except OSError as error:
            raise StoreFailed(f"{self._path} cannot be written: {error.strerror}.") from error
        return True

    def release(self) -> None:
        """Give it back, with the name that it is for."""
        self._lock.release()
        _ALIVE.discard(self.process)
        if self.process:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)

    def is_held(self) -> bool:
        """Whether a process has it, or may have it, as one of another user. The file of a dead
        process is removed.
        """
        if not self._path.exists():
            return False
        with suppress(StoreFailed):
            if self.acquire():
                self.release()
                return False
        return True


def at_work(process: str, since: float | None) -> str:
    """Clause that a process works on something, and since when on the clock."""
    when = "" if since is None else f" since {datetime.fromtimestamp(since):%Y-%m-%d %H:%M:%S}"
    return f"process {process.partition(':')[0]} has been at it{when}"


def is_dead(workspace: Path, process: str) -> bool:
    """Whether the process of this name has ended."""
    return process not in _ALIVE and not Lock(workspace, process).is_held()
