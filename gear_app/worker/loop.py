"""The one process of a workspace in which heavy work happens: models are loaded here, runs and jobs
are done here.

`python -m gear_app worker --workspace FILE`; the web application starts it and starts it again
where it died. It goes when nothing is left to do and no web process has been seen for a minute.
"""

from __future__ import annotations

import logging
import math
import time
from concurrent.futures import ThreadPoolExecutor

from gear_app.errors import GearError, StoreFailed
from gear_app.store import Store
from gear_app.worker.scheduler import Turns
from gear_app.worker.supervisor import Lock
from gear_app.workspace import Workspace

log = logging.getLogger(__name__)
LONELY_S = 60.0
IDLE_S = 0.1
TROUBLED_S = 1.0  # after an error that no run or job could be blamed for, such as a full disk
PREFIX = "worker:"


class Worker:
    """Does what waits in a workspace, one thing at a time."""

    def __init__(self, workspace: Workspace, *, once: bool = False) -> None:
        """`once`: end as soon as nothing waits."""
        self._workspace = workspace
        self._workspace.process = PREFIX + workspace.process
        self._turns = Turns(workspace)
        self._once = once
        self._state = "starting"
        self._began = time.time()

    def work(self) -> bool:
        """Work until nobody needs it any more; False where another worker has the workspace
        already.
        """
        lock = Lock(self._workspace.path)
        self._workspace.path.parent.mkdir(parents=True, exist_ok=True)
        if not lock.acquire():
            log.info("another worker is at work; nothing to do")
            return False
        try:
            self._recover()
            self._beat(self._workspace.store)
            with self._workspace.alive(self._beat), ThreadPoolExecutor(1, "work") as pool:
                self._loop(pool)
            self._workspace.store.processes.gone(self._workspace.process)
        finally:
            lock.release()
        return True

    def _loop(self, pool: ThreadPoolExecutor) -> None:
        # The work has a thread of its own: what goes wrong there ends as a value here, and the
        # worker goes on.
        _logged(pool.submit(self._load).exception())
        while self._workspace.path.exists():
            try:
                if not self._turn(pool):
                    return
            except StoreFailed as error:  # the file is locked: it may not be the next time
                _logged(error)
                time.sleep(TROUBLED_S)

    def _turn(self, pool: ThreadPoolExecutor) -> bool:
        """Do something, or wait a moment; False when nobody needs this worker any more."""
        if self._waiting():
            self._tell("busy")
            if _logged(pool.submit(self._turns.take).exception()):
                time.sleep(TROUBLED_S)
            return True
        self._tell("ready")
        if self._once or self._lonely():
            return False
        time.sleep(IDLE_S)
        return True

    def _waiting(self) -> bool:
        store = self._workspace.store
        return store.runs.queued() > 0 or store.jobs.waiting_for(self._workspace.process) > 0

    def _load(self) -> None:
        self._workspace.models.uncached_embedder.embed([])

    def _recover(self) -> None:
        """No other worker is alive, so what one was doing is unfinished: jobs go on, runs say
        so.
        """
        store = self._workspace.store
        store.runs.interrupt(math.inf, PREFIX)  # whatever the clock said when they were seen last
        store.jobs.release(PREFIX)
        store.processes.forget("worker", math.inf)
        self._workspace.tidy_imports()

    def _tell(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._beat(self._workspace.store)

    def _beat(self, store: Store) -> None:
        store.processes.seen(self._workspace.process, "worker", self._state)

    def _lonely(self) -> bool:
        web = self._workspace.store.processes.last("web")
        return time.time() - max(self._began, web.seen if web else 0.0) > LONELY_S


def _logged(error: BaseException | None) -> bool:
    """Whether there was an error; it is in the log."""
    if isinstance(error, GearError):
        log.warning("%s", error)
    elif error is not None:
        log.error("an error in the application", exc_info=error)
    return error is not None


def main(workspace: Workspace, *, once: bool) -> None:
    """Run the worker with its log on standard error."""
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    Worker(workspace, once=once).work()
