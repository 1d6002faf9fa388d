"""The processes of a workspace: their signs of life, the lock that its one worker has, and whether
those that took runs and jobs are still there.

Whoever takes a run or a job is its owner, and has a lock of its own while it works, which the
system drops with the process, however it ends. So a dead owner is known at once, whatever the clock
says. Only of another machine, whose locks may not be seen here, heartbeats are looked at.
"""

from __future__ import annotations

import os
import platform
import re
import secrets
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import datetime
from io import TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from gear_app.errors import StoreFailed
from gear_app.paths import private_file
from gear_app.store.database import StoreTable

STALE_S = 15.0  # without a heartbeat for so long, an owner on another machine is taken for dead
MACHINE = re.sub(r"[^\w.-]", "-", platform.node()) or "unnamed"
_OWNER = re.compile(r"(?:(?P<role>\w+):)?(?P<machine>[\w.-]+):(?P<pid>\d+):(?P<token>[0-9a-f]{16})")


class ProcessRow(NamedTuple):
    """A process; `seen` is when it last gave a sign of life, in seconds since 1970."""

    id: str
    role: str
    state: str
    message: str
    seen: float


class Processes(StoreTable):
    """The processes that use a workspace."""

    def beat(self, id_: str, role: str, state: str, message: str = "") -> None:
        """Leave a sign of life."""
        self._db.insert(
            "processes",
            {"id": id_, "role": role, "state": state, "message": message, "seen": time.time()},
            "REPLACE",
        )

    def remove(self, id_: str) -> None:
        """Drop a process that ends in good order."""
        self._db.delete("processes", id=id_)

    def last(self, role: str) -> ProcessRow | None:
        """The process of a role that was seen last."""
        return self._db.first(
            ProcessRow,
            "SELECT id, role, state, message, seen FROM processes WHERE role = ? ORDER BY seen DESC"
            " LIMIT 1",
            [role],
        )

    def forget(self, role: str) -> None:
        """Drop all processes of a role."""
        self._db.delete("processes", role=role)


class Lock:
    """A lock file beside a workspace, for one process at a time: `<workspace>.lock` is its
    worker's, one with an owner's token that owner's.
    """

    def __init__(self, workspace: Path, token: str = "") -> None:
        self._token = token
        self._path = workspace.with_name(".".join(filter(None, [workspace.name, token, "lock"])))
        self._file: TextIOWrapper | None = None

    def acquire(self) -> bool:
        """Take the lock, until `release` or the end of this process; False where another process
        has it. Raises StoreFailed where the lock cannot be made.
        """
        try:
            self._file = self._locked_file(private_file(self._path))
        except OSError as error:
            raise StoreFailed(f"{self._path} cannot be written: {error.strerror}.") from error
        return self._file is not None

    def release(self) -> None:
        """Give it back. An owner's file goes with it: no other will have its token."""
        if self._file:
            self._file.close()
            self._file = None
            self._drop()

    def is_held(self) -> bool | None:
        """Whether a process has it; None where that cannot be told, as of another user's. The file
        of a dead owner goes.
        """
        try:
            file = self._locked_file(self._path)
        except FileNotFoundError:
            return False
        except OSError:
            return None
        if file is None:
            return True
        file.close()
        self._drop()
        return False

    def _locked_file(self, path: Path) -> TextIOWrapper | None:
        """The open file, locked; None where another process has the lock."""
        file = path.open("r+", encoding="utf-8")
        try:
            _lock(file.fileno())
        except OSError:
            file.close()
            return None
        return file

    def _drop(self) -> None:
        if self._token:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)


class Owner(NamedTuple):
    """What an owner's name tells of it; `name` is what runs and jobs have as their process."""

    name: str
    machine: str
    pid: str
    token: str

    @classmethod
    def of(cls, name: str) -> Owner | None:
        """Read a name; None for one that no process of ours gives itself."""
        found = _OWNER.fullmatch(name)
        return cls(name, found["machine"], found["pid"], found["token"]) if found else None

    @classmethod
    def here(cls, role: str = "") -> Owner:
        """A new owner, which is this process."""
        pid, token = str(os.getpid()), secrets.token_hex(8)
        return cls(f"{role}{MACHINE}:{pid}:{token}", MACHINE, pid, token)

    def __str__(self) -> str:
        """How people find it."""
        where = "" if self.machine == MACHINE else f" on {self.machine}"
        return f"process {self.pid}{where}"


def at_work(name: str, since: float | None) -> str:
    """That the owner of this name is at something, and since when on the clock."""
    when = "" if since is None else f" since {datetime.fromtimestamp(since):%Y-%m-%d %H:%M:%S}"
    return f"{Owner.of(name) or f'another process ({name})'} has been at it{when}"


class Owners:
    """Those who took runs and jobs of a workspace."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._seen: dict[str, tuple[float, float]] = {}

    def gone(self, owners: Iterable[tuple[str | None, float | None]]) -> list[str]:
        """Those, of names with their last heartbeats, that are no longer there."""
        return [name for name, beat in owners if name and self._is_gone(name, beat or 0.0)]

    def _is_gone(self, name: str, beat: float) -> bool:
        owner = Owner.of(name)
        held = Lock(self._workspace, owner.token).is_held() if owner else None
        if held or (held is False and owner and owner.machine == MACHINE):
            return not held
        # Its clock may be wrong, or ours: one whose heartbeat stands still is dead as well.
        last, since = self._seen.get(name, (None, 0.0))
        if last != beat:
            since = time.monotonic()
            self._seen[name] = beat, since
        return time.time() - beat > STALE_S or time.monotonic() - since > STALE_S


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
