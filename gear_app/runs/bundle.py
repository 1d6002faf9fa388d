"""A bundle: a workspace file with one run, all its events, and what it takes to make the run again
elsewhere.

The rows are copied; then the run is made again in the bundle, which takes every vector it lacks
from the workspace it came from. So the bundle holds the vectors that a replay asks for, no others,
and is known to replay.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from gear_app.errors import BadInput, GearError, NotReady, StoreFailed
from gear_app.events import Extracted
from gear_app.runs.replay import Replay
from gear_app.runs.runner import Runner, at_path
from gear_app.store import Store
from gear_app.store.bundle import Needs, copy
from gear_app.store.processes import Lock
from gear_app.store.rows import RunInfo
from gear_app.text import normalise_entity

SIDECARS = ("-wal", "-shm")  # what SQLite leaves beside a file that is open or was not closed


class Bundle(NamedTuple):
    """An exported run. `remark` is "" where the bundle gives the identical ranking, else why it
    does not or cannot.
    """

    path: Path
    run: str
    bytes: int
    remark: str


def export_bundle(runner: Runner, run_id: str, path: str | Path, *, force: bool = False) -> Bundle:
    """Write a run to a workspace file of its own, which can be replayed and opened without key and
    model server.

    It has the run's collection as it was then, without other questions, triple sets and runs; only
    the run's events where the collection was deleted. `force` overwrites a file. Raises NotReady
    for a run that is not finished, BadInput for a path that is taken, StoreFailed where it cannot
    be written.
    """
    runner.connection.mark_interrupted()
    run = runner.connection.store.runs.get(run_id)
    target = Path(path).expanduser().absolute()
    if run.state in ("queued", "running"):
        raise NotReady(
            f"Run {run.id} is not finished: it is {run.state}. Export it when it has ended."
        )
    _check_free(target, runner.connection.path, force)
    try:
        with TemporaryDirectory(
            prefix=".gear-app-", dir=target.parent, ignore_cleanup_errors=True
        ) as folder:
            made = Path(folder) / "bundle.db"
            remark = _fill(runner, made, run)
            for suffix in SIDECARS:
                target.with_name(target.name + suffix).unlink(missing_ok=True)
            made.replace(target)
    except OSError as error:
        raise StoreFailed(f"{target} cannot be written: {error.strerror}.") from error
    return Bundle(target, run.id, target.stat().st_size, remark)


def _check_free(target: Path, workspace: Path, force: bool) -> None:
    """Raise BadInput where a bundle cannot or must not be written to `target`."""
    if target.is_dir() or not target.parent.is_dir():
        raise BadInput(f"{target} cannot be a file: name one in a folder that is there.")
    if not target.exists():
        return
    if target.samefile(workspace):
        raise BadInput(f"{target} is the workspace itself. Name another file.")
    if not force:
        raise BadInput(
            f"{target} is there already. Name another file, or overwrite it with --force."
        )
    if _in_use(target):
        raise BadInput(
            f"{target} is open in another program, or was not closed. Name another file."
        )


def _fill(runner: Runner, made: Path, run: RunInfo) -> str:
    """Make the bundle and the run again in it; why that gives another ranking or none, "" where it
    does not.
    """
    store = Store(made)
    copy(store.db, str(runner.connection.path), _needs(runner.connection.store, run))
    store.close()
    remark = _replay_remark(runner, made, run)
    Store(made).db.close_as_one_file()
    return remark


def _replay_remark(runner: Runner, made: Path, run: RunInfo) -> str:
    fingerprint = run.versions.get("embedder")
    embedder = runner.models.embedder_for_replay(fingerprint) if fingerprint else None
    there = at_path(made, embedder)
    try:
        return Replay(there).replay(run.id).difference
    except GearError as error:
        return str(error)
    finally:
        there.connection.close()


def _needs(store: Store, run: RunInfo) -> Needs:
    """Triples that were made while the run was made are of later revisions than the run's own."""
    happened = [stored.event for stored in store.events.of(run.number)]
    revisions = [run.revision]
    for event in happened:
        if isinstance(event, Extracted):
            revisions += [event.before, event.revision]
    return Needs(
        run=run.number,
        collection=run.collection_id,
        set=run.set_id,
        first=min(revisions),
        last=max(revisions),
        model=run.versions.get("embedder", ""),
        question=normalise_entity(run.question),
    )


def _in_use(path: Path) -> bool:
    """Whether a workspace has a worker, or somebody wrote to it and has not closed it."""
    lock, written = Lock(path), path.with_name(path.name + SIDECARS[0])
    if written.exists() and written.stat().st_size:
        return True
    if not path.with_name(path.name + ".lock").exists():
        return False
    free = lock.acquire()
    lock.release()
    return not free
