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
from gear_app.runs.replay import Replaying
from gear_app.store import Store
from gear_app.store.bundle import Needs, copy
from gear_app.store.rows import RunInfo
from gear_app.text import normalise_entity
from gear_app.worker.supervisor import Lock

SIDECARS = ("-wal", "-shm")  # what SQLite leaves beside a file that is open or was not closed


class Bundle(NamedTuple):
    """An exported run. `remark` is "" where the bundle gives the identical ranking, else why it
    does not or cannot.
    """

    path: Path
    run: str
    bytes: int
    remark: str


class Bundles(Replaying):
    """The part of a workspace that hands out runs."""

    def export_bundle(self, run_id: str, path: str | Path, *, force: bool = False) -> Bundle:
        """Write a run to a workspace file of its own, which can be replayed and opened without key
        and model server.

        It has the run's collection as it was then, without other questions, triple sets and runs;
        only the run's events where the collection was deleted. `force` overwrites a file. Raises
        NotReady for a run that is not finished, BadInput for a path that is taken, StoreFailed
        where it cannot be written.
        """
        self.mark_interrupted()
        run, target = self.store.runs.get(run_id), Path(path).expanduser().absolute()
        if run.state in ("queued", "running"):
            raise NotReady(
                f"Run {run.id} is not finished: it is {run.state}. Export it when it has ended."
            )
        self._check_free(target, force)
        try:
            with TemporaryDirectory(
                prefix=".gear-app-", dir=target.parent, ignore_cleanup_errors=True
            ) as folder:
                made = Path(folder) / "bundle.db"
                remark = self._fill(made, run)
                for suffix in SIDECARS:
                    target.with_name(target.name + suffix).unlink(missing_ok=True)
                made.replace(target)
        except OSError as error:
            raise StoreFailed(f"{target} cannot be written: {error.strerror}.") from error
        return Bundle(target, run.id, target.stat().st_size, remark)

    def _check_free(self, target: Path, force: bool) -> None:
        if target.is_dir() or not target.parent.is_dir():
            raise BadInput(f"{target} cannot be a file: name one in a folder that is there.")
        if not target.exists():
            return
        if target.samefile(self.path):
            raise BadInput(f"{target} is the workspace itself. Name another file.")
        if not force:
            raise BadInput(
                f"{target} is there already. Name another file, or overwrite it with --force."
            )
        if _in_use(target):
            raise BadInput(
                f"{target} is open in another program, or was not closed. Name another file."
            )

    def _fill(self, made: Path, run: RunInfo) -> str:
        """Make the bundle and the run again in it; why that gives another ranking or none, "" where
        it does not.
        """
        store = Store(made)
        copy(store.db, str(self.path), self._needs(run))
        store.close()
        remark = self._tried(made, run)
        Store(made).db.close_as_one_file()
        return remark

    def _tried(self, made: Path, run: RunInfo) -> str:
        embedder = (
            self.models.embedder_for_replay(run.versions["embedder"])
            if "embedder" in run.versions
            else None
        )
        bundle = Replaying(made, embedder=embedder)
        try:
            return bundle.replay(run.id).difference
        except GearError as error:
            return str(error)
        finally:
            bundle.close()

    def _needs(self, run: RunInfo) -> Needs:
        """Triples that were made while the run was made are of later revisions than the run's
        own.
        """
        happened = [stored.event for stored in self.store.events.of(run.number)]
        revisions = [run.revision]
        revisions += [
            at for e in happened if isinstance(e, Extracted) for at in (e.before, e.revision)
        ]
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
