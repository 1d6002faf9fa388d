"""What every part of a workspace stands on: the file, one store a thread, the models, signs of
life.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gear_app.corpus.corpora import Corpora
from gear_app.errors import NotReady, StoreFailed, did_you_mean
from gear_app.files import private_folder
from gear_app.models import Models
from gear_app.paths import default_path
from gear_app.runs.request import Request, ensure_set, lazily, new_run
from gear_app.seams import Embedder, Extractor
from gear_app.store import Store
from gear_app.store.jobs import STALE_S
from gear_app.store.rows import NewRun
from gear_app.worker.supervisor import Keeper

BEAT_S = 1.0


class Core:
    """A workspace file and what is done with it from this process."""

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        create: bool = True,
    ) -> None:
        """Nothing is opened or loaded yet. `embedder` and `extractor` take the place of the
        built-in ones. `create`: a file that is not there is made when it is first used.
        """
        self.say: Callable[[str], None] = lambda text: (
            None
        )  # told what takes long, for a command line
        self._keeper: Keeper | None = None
        self._in_hand: set[str] = (
            set()
        )  # runs that are being made here: these alone get signs of life
        self.path = (
            Path(path).expanduser().absolute() if path is not None else default_path().absolute()
        )
        self._create = create
        self.process = f"here:{os.getpid()}:{secrets.token_hex(4)}"
        self.models = Models(lambda: self.store, embedder, extractor)
        self.corpora = Corpora(lambda: self.store, self.models, self.path)
        self._local = threading.local()

    @property
    def store(self) -> Store:
        """This thread's store. Raises StoreFailed, and NotReady where the file is not there and is
        not to be made.
        """
        if not hasattr(self._local, "store"):
            if not self._create and not self.path.exists():
                raise NotReady(_missing(self.path))
            try:
                private_folder(self.path.parent)
            except OSError as error:
                raise StoreFailed(f"{self.path} cannot be made: {error.strerror}.") from error
            self._local.store = Store(self.path)
        store: Store = self._local.store
        return store

    def close(self) -> None:
        """Close this thread's store; it opens again when it is needed."""
        if hasattr(self._local, "store"):
            self._local.store.close()
            del self._local.store

    def new_run(self, request: Request) -> NewRun:
        """The run a request asks for; the triple set that it extracts into on its way is made where
        it is missing.

        Inside the transaction that stores the run. Raises BadInput, Unknown or NotReady.
        """
        extractor = lazily(request)
        if extractor:
            self.models.check_extractor(extractor, request.model)
            ensure_set(self.store, request)
        return new_run(self.store, request)

    def ensure_worker(self) -> None:
        """See to it that the workspace has its worker, now and as long as this process lives;
        returns at once.

        `GEAR_WORKER=off` in the environment leaves it to the operator to start one.
        """
        if self._keeper is None and os.environ.get("GEAR_WORKER") != "off":
            self._keeper = Keeper(self.path, lambda: self.store)
            self._keeper.start()

    def release_worker(self) -> None:
        """Watch over the worker no longer; it ends by itself when nobody needs it."""
        if self._keeper is not None:
            self._keeper.stop()
            self._keeper = None

    def mark_interrupted(self) -> None:
        """Find runs whose process is gone, and say so in their state, where that can be written."""
        if self.store.db.read_only:
            return
        self.store.runs.interrupt(time.time() - STALE_S)

    @contextmanager
    def alive(self, beat: Callable[[Store], None] | None = None) -> Iterator[None]:
        """While inside, this process leaves a sign of life every second, from a thread of its
        own.
        """
        done = threading.Event()
        thread = threading.Thread(
            target=self._beat, args=(done, beat), daemon=True, name="heartbeat"
        )
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _beat(self, done: threading.Event, beat: Callable[[Store], None] | None) -> None:
        while not done.wait(BEAT_S):
            with suppress(
                StoreFailed
            ):  # the file is busy or its disk full: the next beat may succeed
                for run_id in tuple(self._in_hand):
                    self.store.runs.beat(run_id)
                self.store.jobs.beat(self.process)
                if beat:
                    beat(self.store)
            self.models.keys.refresh()
        self.close()


def _missing(path: Path) -> str:
    """What is said of a workspace that is not there, and what to do."""
    beside = [other.name for other in path.parent.glob(f"*{path.suffix}")]
    return (
        f"There is no workspace {path}.{did_you_mean(path.name, beside)} Commands that read make"
        f" none. To make it: gear-app demo --workspace {path}, or gear-app import PATH --collection"
        f" NAME --workspace {path}"
    )
