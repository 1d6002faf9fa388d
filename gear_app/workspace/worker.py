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
from contextlib import suppress
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
WORKING = {  # on a slice of a job
    "import": "reads documents",
    "extraction": "extracts triples",
    "vectors": "makes vectors of texts",
}


class BegunJob:
    """A job that was begun, on a thread of its own: what it has open belongs to that thread."""

    def __init__(self) -> None:
        self.thread = ThreadPoolExecutor(1, "job")
        self.work: Work | None = None
        self.slice: Future[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether a slice of it is under way."""
        return self.slice is not None and not self.slice.done()


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
        self._open_jobs: dict[int, BegunJob] = {}

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
        number = tasks.claim_next("run", process, self._under_way)
        if number is None:
            return False
        self._runs[number] = self.do(
            "is answering another question", partial(self._execute, number)
        )
        return True

    def slice(self) -> bool:
        """Do one slice of the job whose turn it is; False if none waits. How it ends is stored with
        it.
        """
        tasks, process = self._connection.store.tasks, self._connection.process
        number = tasks.claim_next("job", process, self._under_way)
        # Jobs that have ended or are gone, as those of a deleted collection, or that another
        # process took over.
        for ended in self._open_jobs.keys() - self._under_way - tasks.held(process):
            self._forget(ended)
        if number is None:
            return False
        job = tasks.job(number)
        open_job = self._open_jobs.setdefault(number, BegunJob())
        open_job.slice = self.do(
            WORKING[job.kind], partial(self._slice, job, open_job), open_job.thread
        )
        return True

    def do(
        self, what: str, work: Callable[[], object], threads: ThreadPoolExecutor | None = None
    ) -> Future[None]:
        """Do something on another thread; returns once it has ended or waits for a server. `what`
        goes on from "the worker". Raises as it did; what goes wrong later is in the log.
        """
        turn = Turn(self._processor, what)
        done = (threads or self._threads).submit(_do, turn, work)
        done.add_done_callback(lambda ended: turn.left.set())
        turn.left.wait()
        if done.done():
            done.result()
        else:
            done.add_done_callback(lambda ended: _log_error(ended.exception()))
        return done

    @property
    def doing(self) -> str:
        """Clause on the present work, to go on from "the worker"; "" for nothing."""
        turn = self._processor.turn
        return turn.what if turn else ""

    @property
    def waits(self) -> bool:
        """Whether anything is under way, which waits for a server then."""
        return bool(self._under_way)

    def count_waiting(self) -> int:
        """How many runs and jobs wait to be taken."""
        tasks = self._connection.store.tasks
        return tasks.waiting(self._connection.process, self._under_way)

    def close(self) -> None:
        """Return once all has ended that is under way."""
        self._threads.shutdown()
        for number in list(self._open_jobs):
            self._forget(number)

    @property
    def _under_way(self) -> set[int]:
        self._runs = {number: run for number, run in self._runs.items() if not run.done()}
        return {
            *self._runs,
            *(number for number, open_job in self._open_jobs.items() if open_job.busy),
        }

    def _execute(self, number: int) -> None:
        try:
            self._runner.execute(self._connection.store.runs.with_number(number).id)
        except GearError as error:
            log.info("run %s: %s", number, error)

    def _slice(self, job: JobInfo, open_job: BegunJob) -> None:
        try:
            open_job.work = open_job.work or self._jobs.begin(job)
            if not self._jobs.slice(open_job.work):
                open_job.work = None
        except GearError as error:
            open_job.work = None
            log.warning("job %s: %s", job.id, error)

    def _forget(self, number: int) -> None:
        open_job = self._open_jobs.pop(number)
        if open_job.work is not None:
            open_job.thread.submit(open_job.work.slices.close)
        open_job.thread.submit(self._connection.close)
        open_job.thread.shutdown()


def _do(turn: Turn, work: Callable[[], object]) -> None:
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
        self._load, self._tidy = load, tidy
        self._once = once
        self._shown = ("", "")  # state and work, as others see them

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
            ended = threading.Event()
            beat = threading.Thread(target=self._beat, args=(ended,), daemon=True)
            with self._connection.alive(), ThreadPoolExecutor(1, "work") as pool:
                self._show("starting")
                beat.start()
                try:
                    self._loop(pool)
                finally:
                    self._scheduler.close()
                    ended.set()
                    beat.join()
        finally:
            lock.release()
        return True

    def _loop(self, pool: ThreadPoolExecutor) -> None:
        # The work has a thread of its own: what goes wrong there ends as a value here, and the
        # worker goes on.
        _log_error(pool.submit(self._scheduler.do, "loads its models", self._load).exception())
        while self._connection.path.exists():
            try:
                if not self._turn(pool):
                    return
            except StoreFailed as error:  # the file is locked: it may not be the next time
                _log_error(error)
                time.sleep(TROUBLED_S)

    def _turn(self, pool: ThreadPoolExecutor) -> bool:
        """Do something, or wait a moment; False at the end of what waits for one told `once`."""
        if self._scheduler.count_waiting() or self._scheduler.waits:
            self._show("busy")
            turn = pool.submit(self._scheduler.take)
            if _log_error(turn.exception()):
                time.sleep(TROUBLED_S)
            elif not turn.result():  # it waits for a server, or for a place
                time.sleep(IDLE_S)
            return True
        self._show("ready")
        if self._once:
            return False
        time.sleep(IDLE_S)
        return True

    def _beat(self, ended: threading.Event) -> None:
        while not ended.wait(LOOK_S):
            with suppress(StoreFailed):  # the file is busy, the disk full: the next may succeed
                self._show(self._shown[0])
        self._connection.close()

    def _show(self, state: str) -> None:
        report = state, self._scheduler.doing
        if report != self._shown:
            self._shown = report
            self._connection.store.processes.beat(self._connection.process, *report)


def _log_error(error: BaseException | None) -> bool:
    """Whether there was an error; it is in the log."""
    if isinstance(error, GearError):
        log.warning("%s", error)
    elif error is not None:
        log.error("an error in the application", exc_info=error)
    return error is not None


def start_worker(workspace: Path) -> subprocess.Popen[bytes] | None:
    """Start the worker of a workspace, which ends with this process; None where one is running."""
    lock = Lock(workspace)
    if not lock.acquire():
        return None
    lock.release()
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
        self._workspace = workspace
        self._store = open_store
        self._worker: subprocess.Popen[bytes] | None = None
        self._keys = b""  # as the worker has them
        self._started = -math.inf  # when the last worker was started
        self._pause_s = 0.0  # before the next is
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
        while True:
            try:
                if self._store().db.read_only:  # nothing can be done in it
                    return
                self._look()
            except (StoreFailed, OSError) as error:
                # The disk is full, or no process can be made: it may pass.
                log.warning("the worker could not be looked after: %s", error)
                if not self._workspace.exists():  # deleted: nothing to keep alive
                    return
            if self._done.wait(LOOK_S):
                return

    def _look(self) -> None:
        if self._worker is None or self._worker.poll() is not None:
            if self._worker:
                self._worker.communicate()  # closes the pipe
                early = time.monotonic() - self._started < EARLY_S
                self._pause_s = min(2 * self._pause_s + LOOK_S, EARLY_S) if early else 0.0
                self._worker = None
            if time.monotonic() - self._started < self._pause_s:
                return
            self._worker, self._keys = start_worker(self._workspace), b""
            self._started = time.monotonic()
        keys = KEYS.to_line(time.monotonic())
        if self._worker and self._worker.stdin and keys != self._keys:
            self._worker.stdin.write(keys)
            self._worker.stdin.flush()
            self._keys = keys
