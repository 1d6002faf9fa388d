"""The worker of a workspace: the one process that loads models and does its runs and jobs.

`python -m gear_app worker --workspace FILE`. A scheduler decides what is next, the worker does it,
and a supervisor in the web application starts the worker, again wherever it died, and ends it.
"""

from __future__ import annotations

import logging
import math
import subprocess
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

from gear_app.core.errors import GearError, StoreFailed
from gear_app.core.launch import launch
from gear_app.core.paths import private_file
from gear_app.core.turns import Processor, Turn, in_turn
from gear_app.models.keys import KEYS
from gear_app.store import Store
from gear_app.store.processes import Lock
from gear_app.store.rows import JobInfo
from gear_app.store.tasks import AT_ONCE
from gear_app.workspace.connection import Connection
from gear_app.workspace.jobs.service import JobService, Work
from gear_app.workspace.runs.runner import Runner

log = logging.getLogger(__name__)
IDLE_S = 0.1
TROUBLED_S = 1.0  # after an error that no run or job could be blamed for, such as a full disk
LOOK_S = 1.0
EARLY_S = 30.0  # a worker that ends sooner is started again after a pause, at most as long
LOG_BYTES = 5_000_000


class Scheduler:
    """Takes what waits in a workspace. Of all that is under way one piece computes; the others wait
    for a server. An error ends the run or the job it happened in, and nothing else.
    """

    def __init__(self, connection: Connection, runner: Runner, jobs: JobService) -> None:
        self._connection, self._runner, self._jobs = connection, runner, jobs
        self._processor = Processor()
        # A thread for each place of a run, and some for drafts.
        self._threads = ThreadPoolExecutor(3 * AT_ONCE, "run")
        self._runs: dict[int, Future[None]] = {}
        # Jobs have one thread: what they have open belongs to it.
        self._job_thread = ThreadPoolExecutor(1, "job")
        self._open_jobs: dict[int, Work] = {}
        self._slice: Future[None] | None = None

    def take(self) -> bool:
        """Do the next run, if one waits, and a slice of the next job; False if there was nothing to
        do.

        Returns once they have ended or wait for a server; then they go on while others are done.
        """
        ran = self.run()
        return self.slice() or ran

    def run(self) -> bool:
        """Do the run whose turn it is; False if none waits that finds a place. How it ends is
        stored with it.
        """
        tasks, process = self._connection.store.tasks, self._connection.process
        number = tasks.claim_next("run", process, self._running)
        if number is None:
            return False
        self._runs[number] = self._do(partial(self._execute, number), self._threads)
        return True

    def slice(self) -> bool:
        """Do one slice of the job whose turn it is; False if none waits, or one waits for a server.
        How it ends is stored with it.
        """
        if self._slice and not self._slice.done():
            return False
        tasks, process = self._connection.store.tasks, self._connection.process
        number = tasks.claim_next("job", process)
        # Jobs that are gone, as those of a deleted collection, or that another process took over.
        for ended in self._open_jobs.keys() - tasks.running(process):
            self._job_thread.submit(self._open_jobs.pop(ended).slices.close)
        if number is None:
            return False
        self._slice = self._do(partial(self._continue, tasks.job(number)), self._job_thread)
        return True

    def _do(self, work: Callable[[], object], threads: ThreadPoolExecutor) -> Future[None]:
        """Do something on another thread; returns once it has ended or waits for a server. Raises
        as it did; what goes wrong later is in the log.
        """
        turn = Turn(self._processor)
        done = threads.submit(_in_turn, turn, work)
        done.add_done_callback(lambda ended: turn.left.set())
        turn.left.wait()
        if done.done():
            done.result()
        else:
            done.add_done_callback(lambda ended: _log_error(ended.exception()))
        return done

    def count_unfinished(self) -> int:
        """How many runs and jobs wait, to be taken or for a server."""
        tasks = self._connection.store.tasks
        waiting = tasks.waiting(self._connection.process, self._running)
        return waiting + len(self._running)

    def close(self) -> None:
        """Return once all has ended that is under way."""
        for work in self._open_jobs.values():
            self._job_thread.submit(work.slices.close)
        self._job_thread.submit(self._connection.close)
        self._job_thread.shutdown()
        self._threads.shutdown()

    @property
    def _running(self) -> set[int]:
        self._runs = {number: run for number, run in self._runs.items() if not run.done()}
        return set(self._runs)

    def _execute(self, number: int) -> None:
        try:
            self._runner.execute(self._connection.store.runs.with_number(number).id)
        except GearError as error:
            log.info("run %s: %s", number, error)

    def _continue(self, job: JobInfo) -> None:
        try:
            work = self._open_jobs.pop(job.number, None) or self._jobs.begin(job)
            if self._jobs.slice(work):
                self._open_jobs[job.number] = work
        except GearError as error:
            log.warning("job %s: %s", job.number, error)


def _in_turn(turn: Turn, work: Callable[[], object]) -> None:
    with in_turn(turn):
        work()


class Worker:
    """Does what waits in a workspace."""

    def __init__(
        self,
        connection: Connection,
        scheduler: Scheduler,
        *,
        load: Callable[[], object],
        tidy: Callable[[], object],
        once: bool = False,
    ) -> None:
        self._connection, self._scheduler = connection, scheduler
        self._load, self._tidy, self._once = load, tidy, once
        self._state = ""  # as others see it

    def work(self) -> bool:
        """Work until this process ends; False where another worker has the workspace already."""
        store = self._connection.store  # first of all: a missing workspace gets no lock
        lock = Lock(self._connection.path)
        if not lock.acquire(LOOK_S / 2):  # somebody may look at it
            log.info("another worker is at work; nothing to do")
            return False
        try:
            store.tasks.recover()
            self._tidy()
            with self._connection.alive():
                self._show("starting")
                self._try(self._load)
                while self._connection.path.exists() and self._try(self._turn):
                    pass
                self._scheduler.close()
        finally:
            lock.release()
        return True

    def _show(self, state: str) -> None:
        if state != self._state:
            self._connection.store.processes.show(self._connection.process, state)
            self._state = state

    def _try(self, work: Callable[[], object]) -> object:
        """The result of work. An error is in the log, and work goes on: the next time the file may
        not be locked any more.
        """
        try:
            return work()
        except Exception as error:
            _log_error(error)
            time.sleep(TROUBLED_S)
            return True

    def _turn(self) -> bool:
        """Do something, or wait a moment; False at the end of what waits for one told `once`."""
        unfinished = self._scheduler.count_unfinished()
        self._show("busy" if unfinished else "ready")
        if not (unfinished and self._scheduler.take()):  # it waits for a server, or for a place
            time.sleep(IDLE_S)
        return bool(unfinished) or not self._once


def _log_error(error: BaseException | None) -> None:
    if isinstance(error, GearError):
        log.warning("%s", error)
    elif error is not None:
        log.error("an error in the application", exc_info=error)


def start_worker(workspace: Path) -> subprocess.Popen[bytes] | None:
    """Start the worker of a workspace, which ends with this process; None where one is running."""
    if Lock(workspace).is_held():
        return None
    log_file = private_file(workspace.with_name(workspace.name + ".log"))
    fresh = log_file.stat().st_size > LOG_BYTES
    program = launch("gear_app", "worker", "--attached", "--workspace", str(workspace))
    with log_file.open("wb" if fresh else "ab") as out:
        return subprocess.Popen(  # noqa: S603 - our own program
            program.command,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=out,
            start_new_session=True,  # Ctrl+C is for the parent
            env=program.environment,
        )


class Supervisor:
    """A thread that starts the worker whenever there is none and sends it the keys typed here."""

    def __init__(self, workspace: Path, open_store: Callable[[], Store]) -> None:
        self._workspace, self._store = workspace, open_store
        self._worker: subprocess.Popen[bytes] | None = None
        self._keys = b""  # as the worker has them
        self._started, self._pause_s = -math.inf, 0.0  # of the last worker; before the next
        self._thread = threading.Thread(target=self._watch, daemon=True, name="supervisor")
        self._done = threading.Event()

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self) -> None:
        """End, with the worker."""
        self._done.set()
        self._thread.join()
        if self._worker:
            self._worker.kill()
            self._worker.communicate()

    def _watch(self) -> None:
        while not self._done.is_set():
            try:
                if self._store().db.read_only:  # nothing can be done in it
                    return
                self._look()
            except (StoreFailed, OSError) as error:
                # The disk is full, or no process can be made: it may pass.
                log.warning("the worker could not be looked after: %s", error)
                if not self._workspace.exists():  # deleted: nothing to keep alive
                    return
            self._done.wait(LOOK_S)

    def _look(self) -> None:
        lived_s = time.monotonic() - self._started
        if self._worker and self._worker.poll() is not None:
            self._worker.communicate()  # closes the pipe
            self._worker = None
            early = lived_s < EARLY_S
            self._pause_s = min(2 * self._pause_s + LOOK_S, EARLY_S) if early else 0.0
        if self._worker is None and lived_s >= self._pause_s:
            self._worker, self._keys = start_worker(self._workspace), b""
            self._started = time.monotonic()
        keys = KEYS.to_line(time.monotonic())
        if self._worker and self._worker.stdin and keys != self._keys:
            self._worker.stdin.write(keys)
            self._worker.stdin.flush()
            self._keys = keys
