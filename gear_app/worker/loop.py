"""The one process of a workspace in which heavy work happens: models are loaded here, runs and jobs
are done here.

`python -m gear_app worker --workspace FILE`; the web application starts it and starts it again
where it died. It goes when nothing is left to do and no web process has been seen for a minute.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from gear_app.connection import Connection
from gear_app.errors import GearError, StoreFailed
from gear_app.store import Store
from gear_app.store.lock import Lock
from gear_app.worker.scheduler import Scheduler

log = logging.getLogger(__name__)
LONELY_S = 60.0
IDLE_S = 0.1
TROUBLED_S = 1.0  # after an error that no run or job could be blamed for, such as a full disk
PREFIX = "worker:"


class Worker:
    """Does what waits in a workspace, one thing at a time."""

    def __init__(
        self,
        connection: Connection,
        scheduler: Scheduler,
        *,
        load: Callable[[], object],
        tidy: Callable[[], object],
        once: bool = False,
    ) -> None:
        """`once`: end as soon as nothing waits."""
        connection.process = PREFIX + connection.process
        self._connection, self._scheduler = connection, scheduler
        self._load, self._tidy = load, tidy
        self._once = once
        self._state = "starting"
        self._began = time.time()

    def work(self) -> bool:
        """Work until nobody needs it any more; False where another worker has the workspace
        already.
        """
        store = self._connection.store  # first of all: a workspace that is not there gets no lock
        lock = Lock(self._connection.path)
        if not lock.acquire():
            log.info("another worker is at work; nothing to do")
            return False
        try:
            self._recover()
            self._beat(store)
            with self._connection.alive(self._beat), ThreadPoolExecutor(1, "work") as pool:
                self._loop(pool)
            store.processes.gone(self._connection.process)
        finally:
            lock.release()
        return True

    def _loop(self, pool: ThreadPoolExecutor) -> None:
        # The work has a thread of its own: what goes wrong there ends as a value here, and the
        # worker goes on.
        _logged(pool.submit(self._load).exception())
        while self._connection.path.exists():
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
            if _logged(pool.submit(self._scheduler.take).exception()):
                time.sleep(TROUBLED_S)
            return True
        self._tell("ready")
        if self._once or self._lonely():
            return False
        time.sleep(IDLE_S)
        return True

    def _waiting(self) -> bool:
        store = self._connection.store
        return store.runs.queued() > 0 or store.jobs.waiting_for(self._connection.process) > 0

    def _recover(self) -> None:
        """No other worker is alive, so what one was doing is unfinished: jobs go on, runs say
        so.
        """
        store = self._connection.store
        store.runs.interrupt(math.inf, PREFIX)  # whatever the clock said when they were seen last
        store.jobs.release(PREFIX)
        store.processes.forget("worker", math.inf)
        self._tidy()

    def _tell(self, state: str) -> None:
        if state != self._state:
            self._state = state
            self._beat(self._connection.store)

    def _beat(self, store: Store) -> None:
        store.processes.seen(self._connection.process, "worker", self._state)

    def _lonely(self) -> bool:
        web = self._connection.store.processes.last("web")
        return time.time() - max(self._began, web.seen if web else 0.0) > LONELY_S


def _logged(error: BaseException | None) -> bool:
    """Whether there was an error; it is in the log."""
    if isinstance(error, GearError):
        log.warning("%s", error)
    elif error is not None:
        log.error("an error in the application", exc_info=error)
    return error is not None
