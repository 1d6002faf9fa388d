"""A process's connection to a workspace file: one store for each thread, and the name by which
other processes know that it is alive.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gear_app.core.errors import NotReady, StoreFailed, did_you_mean
from gear_app.core.paths import default_path, private_folder
from gear_app.store import Store
from gear_app.store.processes import Lock, new_name


class Connection:
    """Connection that every part of a workspace works with.

    `report` takes a line about what takes long, for a command line; by default nobody reads it.
    """

    def __init__(self, path: str | Path | None = None, *, create: bool = True) -> None:
        """`create`: a missing file is created when it is first used."""
        self.path = Path(path or default_path()).expanduser().absolute()
        self._lock = Lock(self.path, new_name())  # held while this process works
        self.report: Callable[[str], None] = lambda text: None
        self.restricted = False  # to what a demonstration's visitors do
        self._create, self._local = create, threading.local()
        self._guard, self._at_work = threading.Lock(), 0

    @property
    def process(self) -> str:
        """The name of this process in the file."""
        return self._lock.process

    @property
    def store(self) -> Store:
        """This thread's store. Raises StoreFailed, and NotReady where the file is missing and is
        not to be created.
        """
        if not hasattr(self._local, "store"):
            if not self._create and not self.path.exists():
                names = [other.name for other in self.path.parent.glob(f"*{self.path.suffix}")]
                raise NotReady(
                    f"There is no workspace {self.path}.{did_you_mean(self.path.name, names)}"
                    f" Commands that read make none. To make it: gear-app demo --workspace"
                    f" {self.path}, or gear-app import PATH --collection NAME --workspace"
                    f" {self.path}"
                )
            try:
                private_folder(self.path.parent)
            except OSError as error:
                raise StoreFailed(f"{self.path} cannot be made: {error.strerror}.") from error
            self._local.store = Store(self.path)
            if self.restricted:
                self._local.store.db.restrict()
        store: Store = self._local.store
        return store

    def restrict(self) -> None:
        """From now on this process asks questions of the file and changes nothing else in it."""
        self.close()
        self.restricted = True

    def close(self) -> None:
        """Close this thread's store; it opens again when it is needed."""
        if hasattr(self._local, "store"):
            self._local.store.close()
            del self._local.store

    @contextmanager
    def alive(self) -> Iterator[None]:
        """While inside, this process can work on runs and jobs: others know that it is alive.
        Threads that work at the same time have one name, which is not used again.
        """
        with self._guard:
            if not self._at_work and not self.store.db.read_only:  # nothing can be taken in it
                self._lock.acquire()
            self._at_work += 1
        try:
            yield
        finally:
            with self._guard:
                self._at_work -= 1
                if not self._at_work:
                    self._lock.release()
                    self._lock = Lock(self.path, new_name())


@dataclass(eq=False)
class Service:
    """A part of what can be done with a workspace, over its connection."""

    connection: Connection

    @property
    def _store(self) -> Store:
        return self.connection.store
