"""The worker of a workspace: the one process that loads models and does its runs and jobs.

`python -m gear_app worker --workspace FILE`. A supervisor in the web application starts it, again
wherever it died, and ends it.
"""

from __future__ import annotations

import logging
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
from gear_app.core.threads import Processor, Turn, in_turn
from gear_app.models.server import KEYS
from gear_app.store.processes import Lock
from gear_app.store.rows import JobInfo
from gear_app.store.tasks import AT_ONCE
from gear_app.workspace.connection import Connection
from gear_app.workspace.jobs.imports import ImportService
from gear_app.workspace.jobs.service import JobService, Slices
from gear_app.workspace.runs.runner import Runner

log = logging.getLogger(__name__)
IDLE_S = 0.1
TROUBLED_S = 1.0  # after an error that no run or job could be blamed for, such as a full disk
LOOK_S = 0.25
EARLY_S = 30.0  # a worker that ends sooner is started again after a pause, at most as long
LOG_BYTES = 5_000_000


class Worker:
    """Does the runs and jobs that wait in a workspace. Of all that is under way one piece computes;
    the others wait for a server. An error ends the run or the job it happened in, and nothing else.
    """

    def __init__(
        self, connection: Connection, runner: Runner, jobs: JobService, imports: ImportService
    ) -> None:
        self._connection, self._runner = connection, runner
        self._jobs, self._imports = jobs, imports
        self._processor = Processor()
        # A thread for each place of a run, and some for drafts.
        self._threads = ThreadPoolExecutor(3 * AT_ONCE, "run")
        self._runs: dict[int, Future[None]] = {}
        # Jobs have one thread: what they have open belongs to it.
        self._job_thread = ThreadPoolExecutor(1, "job")
        self._open_jobs: dict[int, Slices] = {}
        self._slice: Future[None] | None = None
        self._state = ""  # as others see it

    def work(self, *, once: bool = False) -> bool:
        """Work until this process ends, or `once` until nothing waits; False where another worker
        has the workspace already.
        """
        store = self._connection.store  # first of all: a missing workspace gets no lock
        lock = Lock(self._connection.path)
        if not lock.acquire(LOOK_S):  # somebody may look at it
            log.info("another worker is at work; nothing to do")
            return False
        try:
            store.tasks.recover()
            self._imports.tidy()
            with self._connection.alive():
                store.tasks.show_worker(self._connection.process, "starting")
                self._do(lambda: self._runner.models.embedder.embed([]), self._job_thread)
                while self._connection.path.exists() and self._turn(once):
                    pass
                self.close()
        finally:
            lock.release()
        return True

    def _turn(self, once: bool) -> bool:
        """Do something, or wait a moment; False at the end of what waits for one told `once`."""
        try:
            unfinished = self.count_unfinished()
            state = "busy" if unfinished else "ready"
            if state != self._state:
                self._connection.store.tasks.show_worker(self._connection.process, state)
                self._state = state
            if not (unfinished and self.take()):  # it waits for a server, or for a place
                time.sleep(IDLE_S)
        except Exception as error:  # the next time the file may not be locked any more
            _log(error)
            time.sleep(TROUBLED_S)
            return True
        return bool(unfinished) or not once

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
        if number is not None:
            self._runs[number] = self._do(partial(self._runner.execute, number), self._threads)
        return number is not None

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
            self._job_thread.submit(self._open_jobs.pop(ended).close)
        if number is not None:
            self._slice = self._do(partial(self._continue, tasks.job(number)), self._job_thread)
        return number is not None

    def _do(self, work: Callable[[], object], threads: ThreadPoolExecutor) -> Future[None]:
        """Do something on another thread; returns once it has ended or waits for a server. What
        goes wrong is in the log.
        """
        turn = Turn(self._processor)
        done = threads.submit(_in_turn, turn, work)
        done.add_done_callback(lambda ended: turn.left.set())
        turn.left.wait()
        return done

    def count_unfinished(self) -> int:
        """How many runs and jobs wait, to be taken or for a server."""
        tasks = self._connection.store.tasks
        return tasks.waiting(self._connection.process, self._running) + len(self._runs)

    def close(self) -> None:
        """Return once all has ended that is under way."""
        for work in self._open_jobs.values():
            self._job_thread.submit(work.close)
        self._job_thread.submit(self._connection.close)
        self._job_thread.shutdown()
        self._threads.shutdown()

    @property
    def _running(self) -> set[int]:
        self._runs = {number: run for number, run in self._runs.items() if not run.done()}
        return set(self._runs)

    def _continue(self, job: JobInfo) -> None:
        work = self._open_jobs.pop(job.number, None) or self._jobs.work(job)
        if next(work, None) is not None:
            self._open_jobs[job.number] = work


def _in_turn(turn: Turn, work: Callable[[], object]) -> None:
    with in_turn(turn):
        try:
            work()
        except Exception as error:
            _log(error)


def _log(error: Exception) -> None:
    log.error("%s", error, exc_info=not isinstance(error, GearError))


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


class Supervisor(threading.Thread):
    """A thread that starts the worker whenever there is none and sends it the keys typed here."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(daemon=True, name="supervisor")
        self._connection = connection
        self._worker: subprocess.Popen[bytes] | None = None
        self._done = threading.Event()

    def stop(self) -> None:
        """End, with the worker."""
        self._done.set()
        self.join()

    def run(self) -> None:
        """Look after the worker until `stop`, unless nothing can be done in the workspace."""
        pause_s = 0.0
        while not self._done.wait(pause_s):
            began, pause_s = time.monotonic(), min(2 * pause_s + LOOK_S, EARLY_S)
            try:
                if self._connection.store.db.read_only:
                    return
                if not self._attend() or time.monotonic() - began > EARLY_S:
                    pause_s = LOOK_S
            except (StoreFailed, OSError) as error:
                # The disk is full, or no process can be made: it may pass.
                log.warning("the worker could not be looked after: %s", error)
            if not self._connection.path.exists():  # deleted: nothing to keep alive
                return

    def _attend(self) -> bool:
        """Start the worker, and send it the keys typed here until it ends; False where one is
        running.
        """
        self._worker, sent = start_worker(self._connection.path), b""
        if self._worker is None:
            return False
        with self._worker as worker:
            while worker.poll() is None and not self._done.wait(LOOK_S):
                keys = KEYS.line_for_worker(time.monotonic())
                if worker.stdin and keys != sent:
                    worker.stdin.write(keys)
                    worker.stdin.flush()
                    sent = keys
            worker.kill()
        return True
