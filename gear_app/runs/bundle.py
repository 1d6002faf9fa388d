"""A bundle: a workspace file with one run, or some runs of one question, all their events, and what
it takes to make them again elsewhere.

The rows are copied; then the runs are made again in the bundle, which takes every vector it lacks
from the workspace it came from. So the bundle holds the vectors that a replay asks for, no others,
and is known to replay.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from gear_app.embedders import COME_ALONG
from gear_app.errors import BadInput, GearError, NotReady, StoreFailed
from gear_app.runs.replay import Replay
from gear_app.runs.runner import Runner, at_path
from gear_app.store import Store
from gear_app.store.bundle import Needs, copy, drop_vectors
from gear_app.store.collections import check_all_here
from gear_app.store.processes import Lock
from gear_app.store.rows import RunInfo
from gear_app.text import normalise_entity

ELEMENT = "application/vnd.gear-app.bundle"  # the type of the element of a page that carries one
SIDECARS = ("-wal", "-shm")  # what SQLite leaves beside a file that is open or was not closed


class Bundle(NamedTuple):
    """Exported runs; `run` is the first of them. `remark` is "" where the bundle gives the
    identical rankings, else why it does not or cannot.
    """

    path: Path
    run: str
    bytes: int
    remark: str


def export_bundle(
    runner: Runner,
    run_ids: Sequence[str],
    path: str | Path,
    *,
    force: bool = False,
    vectors: bool = True,
) -> Bundle:
    """Write runs of one collection to a workspace file of its own, which can be replayed and opened
    without key and model server.

    It has the runs' collection as it was then, without other questions, triple sets and runs; only
    the runs' events where the collection was deleted. `force` overwrites a file. Without `vectors`
    those are left out that the model that comes with the application makes again: the file is a
    third as large, and a replay needs that model. Raises NotReady for a run that is not finished,
    BadInput for a path that is taken or runs of several collections or questions, StoreFailed where
    it cannot be written.
    """
    runner.connection.mark_interrupted()
    runs = [runner.connection.store.runs.get(run_id) for run_id in dict.fromkeys(run_ids)]
    target = Path(path).expanduser().absolute()
    _check_runs(runs)
    collection = runner.connection.store.collections.by_id(runs[0].collection_id)
    if collection is not None:
        check_all_here(collection)
    _check_free(target, runner.connection.path, force)
    try:
        with TemporaryDirectory(
            prefix=".gear-app-", dir=target.parent, ignore_cleanup_errors=True
        ) as folder:
            made = Path(folder) / "bundle.db"
            remark = _fill(runner, made, runs, vectors=vectors)
            for suffix in SIDECARS:
                target.with_name(target.name + suffix).unlink(missing_ok=True)
            made.replace(target)
    except OSError as error:
        raise StoreFailed(f"{target} cannot be written: {error.strerror}.") from error
    return Bundle(target, runs[0].id, target.stat().st_size, remark)


def packed(path: Path) -> bytes:
    """A bundle's file as it is carried inside a page: compressed, the same bytes each time."""
    return gzip.compress(path.read_bytes(), 9, mtime=0)


def _check_runs(runs: Sequence[RunInfo]) -> None:
    """Raise NotReady or BadInput for runs that cannot go into one bundle."""
    for run in runs:
        if run.going:
            raise NotReady(
                f"Run {run.id} is not finished: it is {run.state}. Export it when it has ended."
            )
    if len({(run.collection_id, normalise_entity(run.question)) for run in runs}) != 1:
        raise BadInput("A bundle has runs of one question and one collection. Export them apart.")


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


def _fill(runner: Runner, made: Path, runs: Sequence[RunInfo], *, vectors: bool) -> str:
    """Make the bundle and the runs again in it; why that gives other rankings or none, "" where it
    does not.
    """
    store = Store(made)
    copy(store.db, str(runner.connection.path), _needs(runner.connection.store, runs))
    store.close()
    remarks = [_replay_remark(runner, made, run) for run in runs]
    store = Store(made)
    if not vectors and {run.versions.get("embedder") for run in runs} <= COME_ALONG:
        drop_vectors(store.db)
    store.db.close_as_one_file()
    return " ".join(
        remark if len(runs) == 1 else f"Run {run.id}: {remark}"
        for run, remark in zip(runs, remarks, strict=True)
        if remark
    )


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


def _needs(store: Store, runs: Sequence[RunInfo]) -> Needs:
    """Triples that were made while a run was made are of later revisions than the run's own."""
    revisions = [run.revision for run in runs]
    for run in runs:
        for event in (stored.event for stored in store.events.of(run.number)):
            revisions += event.revisions or ()
    embedders = (run.versions["embedder"] for run in runs if "embedder" in run.versions)
    return Needs(
        runs=tuple(run.number for run in runs),
        collection=runs[0].collection_id,
        sets=tuple(dict.fromkeys(run.set_id for run in runs if run.set_id is not None)),
        first=min(revisions),
        last=max(revisions),
        model=next(embedders, ""),
        question=normalise_entity(runs[0].question),
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
