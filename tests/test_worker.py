"""The worker process: one for each workspace, killed at any moment without loss."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.processes import Lock
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.worker import start_worker
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION
from tests.waiting import PATIENCE_S, until
from tests.workspaces import filled, workspace

ROOT = Path(__file__).parent.parent

# A worker with the toy extractor, slowed down so that a kill hits it at work.


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture
def started() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes to be ended whatever happens."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.kill()
        process.wait()


def test_a_worker_does_what_waits_and_ends_when_told_once(tmp_path: Path) -> None:
    made = filled(tmp_path)
    run = made.runs.enqueue(RunRequest(QUESTION, "films", "gear"))
    assert Workspace(made.path, embedder=HashingEmbedder()).worker().work(once=True)
    assert made.runs.get(run).state == "done"
    assert [(job.kind, job.state) for job in made.jobs.recent()] == [
        ("vectors", "done"),
        ("import", "done"),
    ]
    assert made.store.tasks.worker() == "not running"


def test_there_is_one_worker_for_a_workspace(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    lock = Lock(made.path)
    assert lock.acquire()
    assert not made.worker().work(once=True)
    assert start_worker(made.path) is None
    lock.release()
    assert made.worker().work(once=True)


def test_killing_a_run_leaves_its_events_and_the_next_worker_says_so(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    made = filled(tmp_path)
    run = made.runs.enqueue(RunRequest(QUESTION, "films", "gear"))
    stuck = """
import sys, time
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.workspace import Workspace
workspace = Workspace(sys.argv[1], embedder=HashingEmbedder())
execute = workspace.runner.execute
workspace.runner.execute = lambda run: execute(run, lambda event: time.sleep(60 if type(event).__name__ == "Read" else 0))
workspace.worker().work()
"""
    started.append(subprocess.Popen([sys.executable, "-c", stuck, str(made.path)], cwd=ROOT))
    until(lambda: len(made.runs.events(run)) == 3 and made.store.tasks.worker() == "busy")
    assert made.runs.get(run).state == "running"
    started[0].kill()
    started[0].wait()
    Workspace(made.path, embedder=HashingEmbedder()).worker().work(once=True)
    assert (made.runs.get(run).state, made.runs.get(run).message) == (
        "interrupted",
        "Its process ended before it did. Run it again.",
    )
    assert [type(event).__name__ for event in made.runs.events(run)] == [
        "Started",
        "Retrieved",
        "Read",
    ]
    again = made.runs.again(run)
    Workspace(made.path, embedder=HashingEmbedder()).worker().work(once=True)
    assert made.runs.get(again).state == "done"


def test_the_web_process_gets_a_worker_and_a_new_one_when_it_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = filled(tmp_path)
    asked_for = threading.Event()

    def start(path: Path) -> subprocess.Popen[bytes] | None:
        """Nobody who asks for a worker waits until it is started."""
        assert asked_for.wait(PATIENCE_S)
        return start_worker(path)

    monkeypatch.setattr("gear_app.workspace.worker.start_worker", start)
    made.ensure_worker()
    made.ensure_worker()
    asked_for.set()
    try:
        run = made.runs.enqueue(RunRequest(QUESTION, "films", "gear"))
        until(lambda: made.runs.get(run).state == "done")
        first = worker_process(made)
        os.kill(int(first.split(":")[0]), signal.SIGKILL)
        until(lambda: not Lock(made.path).is_held())
        began = time.monotonic()
        until(lambda: bool(Lock(made.path).is_held()))
        assert time.monotonic() - began < 3
        again = made.runs.enqueue(RunRequest(QUESTION, "films", "bm25"))
        until(lambda: made.runs.get(again).state == "done")
        assert worker_process(made) != first
    finally:
        made._supervisor.stop()
    assert not Lock(made.path).is_held()
    assert (tmp_path / "workspace.db.log").exists()


def worker_process(workspace: Workspace) -> str:
    return str(workspace.store.db.value("SELECT process FROM worker"))


def test_a_worker_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    made = filled(tmp_path)
    parent = f"""
import pathlib, time
from gear_app.workspace.worker import Supervisor
from gear_app.workspace.workspace import Workspace
path = pathlib.Path({str(made.path)!r})
Supervisor(Workspace(path)).start()
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", parent], cwd=ROOT) as process:
        until(lambda: made.store.tasks.worker() == "ready")
        worker = worker_process(made)
        process.kill()
    until(lambda: not Path(f"/proc/{worker.split(':')[0]}").exists())
    assert not Lock(made.path).is_held()
