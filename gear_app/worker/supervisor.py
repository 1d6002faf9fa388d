"""Keeping the worker alive: how one is started, and the thread that watches over it."""

from __future__ import annotations

import logging
import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from gear_app.errors import StoreFailed
from gear_app.launch import launch
from gear_app.paths import private_file
from gear_app.store import Store
from gear_app.store.lock import Lock

log = logging.getLogger(__name__)
PING_S = 5.0
LOG_BYTES = 5_000_000
_STARTED: list[subprocess.Popen[bytes]] = []  # they outlive whoever started them


def start_worker(workspace: Path) -> subprocess.Popen[bytes] | None:
    """Start the worker of a workspace, apart from this process; None where one is running."""
    lock = Lock(workspace)
    if not lock.acquire():
        return None
    lock.release()
    told = private_file(workspace.with_name(workspace.name + ".log"))
    fresh = told.stat().st_size > LOG_BYTES
    program = launch("gear_app", "worker", "--workspace", str(workspace))
    with told.open("wb" if fresh else "ab") as out:
        process = subprocess.Popen(  # noqa: S603 - our own program
            program.command,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            start_new_session=True,
            env=program.environment,
        )
    _STARTED.append(process)
    return process


class Supervisor:
    """A thread that gives this process's sign of life and starts the worker whenever there is
    none.
    """

    def __init__(self, workspace: Path, open_store: Callable[[], Store]) -> None:
        """`open_store` gives the calling thread's store."""
        self._workspace = workspace
        self._store = open_store
        self._started: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True, name="supervisor")
        self._done = threading.Event()

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End, and leave the worker to itself: it goes when nobody has been seen for a while."""
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            try:
                if self._store().db.read_only:  # nothing can be done in it
                    return
                self._store().processes.seen(f"web:{os.getpid()}", "web", "ready")
                if self._started is None or self._started.poll() is not None:
                    self._started = start_worker(self._workspace)
            except (StoreFailed, OSError) as error:
                # The disk is full, or no process can be made: it may pass.
                log.warning("the worker could not be looked after: %s", error)
                if not self._workspace.exists():  # deleted: nothing to keep alive
                    return
            if self._done.wait(PING_S):
                return
