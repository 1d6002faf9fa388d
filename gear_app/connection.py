"""A process's connection to a workspace file: one store for each thread, the name by which other
processes know it, and its signs of life.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gear_app.errors import NotReady, StoreFailed, did_you_mean
from gear_app.paths import default_path, private_folder
from gear_app.store import Store
from gear_app.store.processes import Lock, Owner
from gear_app.store.runs import RunOutcome

BEAT_S = 1.0
Beat = Callable[[Store], None]


class Connection:
    """What every part of a workspace works with.

    `process` names this process in the file. `report` takes a line about what takes long, for a
    command line; by default nobody reads it.
    """

    def __init__(self, path: str | Path | None = None, *, create: bool = True) -> None:
        """`create`: a file that is not there is made when it is first used."""
        self.path = Path(path or default_path()).expanduser().absolute()
        self.role = ""  # begins the name
        self.process = Owner.here().name
        self.report: Callable[[str], None] = _ignore
        self.runs: set[str] = set()  # that are made by this process: they get signs of life
        self.outcomes: dict[str, RunOutcome] = {}  # of runs whose end could not be written yet
        self.restricted = False  # to what a demonstration's visitors do
        self._create = create
        self._local = threading.local()
        self._guard, self._at_work = threading.Lock(), 0
        self._lock = Lock(self.path)

    @property
    def store(self) -> Store:
        """This thread's store. Raises StoreFailed, and NotReady where the file is not there and is
        not to be made.
        """
        if not hasattr(self._local, "store"):
            if not self._create and not self.path.exists():
                raise NotReady(_missing_message(self.path))
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

    def mark_interrupted(self) -> None:
        """Find runs whose process is gone, and say so in their state, where that can be written."""
        if not self.store.db.read_only:
            self.store.runs.interrupt_left(tuple(self.runs))

    @contextmanager
    def alive(self, beat: Beat | None = None) -> Iterator[None]:
        """While inside, this process can own runs and jobs: others know that it is there. It leaves
        a sign of life every second, from a thread of its own, on which `beat` is called each time.
        """
        done = threading.Event()
        arguments = (done, beat or _ignore)
        thread = threading.Thread(target=self._beat, args=arguments, daemon=True, name="heartbeat")
        with self._owning():
            thread.start()
            try:
                yield
            finally:
                done.set()
                thread.join()

    @contextmanager
    def _owning(self) -> Iterator[None]:
        """While inside, this process is an owner, with a new name. Threads that work at the same
        time are one.
        """
        with self._guard:
            if not self._at_work:
                owner = Owner.here(self.role)
                self.process, self._lock = owner.name, Lock(self.path, owner.token)
                if not self.store.db.read_only:  # there is nothing to own in it
                    self._lock.acquire()
            self._at_work += 1
        try:
            yield
        finally:
            with self._guard:
                self._at_work -= 1
                if not self._at_work:
                    self._lock.release()

    def _beat(self, done: threading.Event, beat: Beat) -> None:
        while not done.wait(BEAT_S):
            with suppress(StoreFailed):  # the file is busy, the disk full: the next may succeed
                for run_id in tuple(self.runs):
                    self.store.runs.beat(run_id)
                self.store.jobs.beat(self.process)
                beat(self.store)
                self.write_outcomes()
        self.close()

    def write_outcomes(self) -> None:
        """Store how runs ended. What cannot be written, as on a full disk, is tried again with the
        next sign of life. Raises StoreFailed.
        """
        for run_id, outcome in tuple(self.outcomes.items()):
            self.store.runs.finish(run_id, outcome)
            self.outcomes.pop(run_id, None)


class Service:
    """A part of what can be done with a workspace, over its connection."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @property
    def _store(self) -> Store:
        return self.connection.store


def _ignore(_: object) -> None:
    """Nobody listens."""


def _missing_message(path: Path) -> str:
    """That a workspace is not there, and what to do."""
    beside = [other.name for other in path.parent.glob(f"*{path.suffix}")]
    return (
        f"There is no workspace {path}.{did_you_mean(path.name, beside)} Commands that read make"
        f" none. To make it: gear-app demo --workspace {path}, or gear-app import PATH --collection"
        f" NAME --workspace {path}"
    )
