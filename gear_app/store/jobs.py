"""Background jobs: extraction and vectors, in small slices, resumed by whoever comes next."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Mapping
from dataclasses import astuple
from typing import Any

from gear_app.errors import NotReady, Unknown
from gear_app.store.database import Database, StoreTable
from gear_app.store.processes import Owners
from gear_app.store.rows import (
    UNDER_WAY,
    JobInfo,
    JobRequest,
    JobState,
    Spent,
    from_row,
    now,
    spent_of,
)

_JOB = (
    "SELECT j.*, c.name AS collection_name, s.name AS set_name FROM jobs j"
    " JOIN collections c ON c.id = j.collection_id LEFT JOIN triple_sets s ON s.id = j.set_id"
)
_LEFT = "(SELECT value FROM json_each(:left))"  # the owners that are gone
_TAKEABLE = (
    f"(state = 'queued' OR (state = 'running' AND (process = :process OR process IN {_LEFT})))"
)
_SAME = ("extractor", "model", "key_from")
_OTHER = "id NOT IN (SELECT value FROM json_each(:under_way))"
_PLAIN = JobRequest()


class Jobs(StoreTable):
    """A workspace's jobs."""

    def __init__(self, db: Database, owners: Owners) -> None:
        super().__init__(db)
        self._owners = owners

    def ensure(
        self,
        kind: str,
        collection_id: int,
        set_id: int | None,
        request: JobRequest = _PLAIN,
    ) -> JobInfo:
        """The unfinished job of this kind for this set; made if there is none, or one that is being
        cancelled.

        The budget counts from here on. An unfinished job's budget is changed by its owner only.
        Raises NotReady where it is another extractor's, asks another model, or has its key from
        elsewhere: whoever asks must not pay with somebody else's key.
        """
        with self._db.transaction():
            found = self._db.value(
                "SELECT id FROM jobs WHERE kind = ? AND collection_id = ? AND set_id IS ?"
                " AND state IN ('queued', 'running') AND cancel = 0 ORDER BY id LIMIT 1",
                [kind, collection_id, set_id],
            )
            if found is not None:
                job = self.get(found)
                if any(getattr(job, name) != getattr(request, name) for name in _SAME):
                    raise NotReady(_refusal(job, request))
                if job.owner == request.owner:
                    self._allow(found, request.budget)
                return self.get(found)
            return self.add(kind, collection_id, set_id, request)

    def add(
        self,
        kind: str,
        collection_id: int,
        set_id: int | None = None,
        request: JobRequest = _PLAIN,
        message: str = "",
    ) -> JobInfo:
        """A new job in the queue, whatever others there are."""
        row = {"kind": kind, "collection_id": collection_id, "set_id": set_id, "message": message}
        row |= {**request._asdict(), "state": "queued", "created": now()}
        return self.get(self._db.insert("jobs", row))

    def _allow(self, id_: int, budget: int | None) -> None:
        """Let an unfinished job that nobody works on take so many tokens from here on; None leaves
        it as it is.
        """
        if budget is not None:
            self._db.execute(
                "UPDATE jobs SET budget = taken + :budget WHERE id = :id AND (state <> 'running' OR"
                f" process IN {_LEFT})",
                {"budget": budget, "id": id_, "left": self._left()},
            )

    def get(self, id_: int) -> JobInfo:
        """A job. Raises Unknown."""
        row = self._db.row(f"{_JOB} WHERE j.id = ?", [id_])
        if row is None:
            raise Unknown("job", str(id_))
        return _info(row)

    def recent(self, collection_id: int | None = None, limit: int = 20) -> list[JobInfo]:
        """The newest first."""
        rows = self._db.rows(
            f"{_JOB} WHERE :collection IS NULL OR j.collection_id = :collection"
            " ORDER BY j.id DESC LIMIT :limit",
            {"collection": collection_id, "limit": limit},
        )
        return [_info(row) for row in rows]

    def models(self, set_id: int) -> list[str]:
        """The language models (JSON) that extractions of a set asked, the newest last."""
        return self._db.column(
            "SELECT model FROM jobs WHERE set_id = ? AND kind = 'extraction' AND model <> '' GROUP"
            " BY model ORDER BY max(id)",
            [set_id],
        )

    def unfinished(self, collection_id: int) -> list[JobInfo]:
        """The jobs of a collection that wait or run, oldest first."""
        rows = self._db.rows(
            f"{_JOB} WHERE j.collection_id = ? AND j.state IN ('queued', 'running') ORDER BY j.id",
            [collection_id],
        )
        return [_info(row) for row in rows]

    def held_ids(self, process: str) -> set[int]:
        """The ids of the jobs that this process works on; one that was taken for dead may have lost
        its own.
        """
        return set(
            self._db.column(
                "SELECT id FROM jobs WHERE state = 'running' AND process = ?", [process]
            )
        )

    def claim_next(self, process: str, under_way: Collection[int] = ()) -> JobInfo | None:
        """The job whose turn it is: vectors of passages first, those of triples last, then the
        longest wait; None if there is none. Not one of which a slice is `under_way` already.
        """
        with self._db.transaction():
            found = self._db.value(
                f"SELECT id FROM jobs WHERE {_TAKEABLE} AND {_OTHER}"
                " ORDER BY CASE WHEN kind <> 'vectors' THEN 1 ELSE 2 * (set_id IS NOT NULL) END,"
                " turn, id LIMIT 1",
                {
                    "process": process,
                    "left": self._left(),
                    "under_way": json.dumps(list(under_way)),
                },
            )
            return self.get(found) if found is not None and self.claim(found, process) else None

    def claim(self, id_: int, process: str) -> bool:
        """Work on a job that waits or whose process died; False where another process does."""
        values = {"id": id_, "process": process, "now": time.time()}
        with self._db.transaction():
            changed = self._db.execute(
                "UPDATE jobs SET first = CASE WHEN process IS :process THEN first ELSE done END,"
                " worked_s = CASE WHEN process IS :process THEN worked_s ELSE 0 END,"
                " since = CASE WHEN process IS :process THEN since ELSE :now END,"
                " state = 'running', process = :process, heartbeat = :now, turn = :now"
                f" WHERE id = :id AND {_TAKEABLE}",
                {**values, "left": self._left()},
            )
        return changed == 1

    def progress(
        self,
        job: JobInfo,
        message: str,
        *,
        done: int,
        total: int,
        worked_s: float = 0.0,
        failed: int = 0,
        found: int = 0,
    ) -> None:
        """Note what is done so far of a job that its process holds, and that its last slice took so
        many seconds. `found` of what is done were made already: the rate is of what is made.
        """
        counts = {"done": done, "total": total, "failed": failed, "found": found}
        self._db.execute(
            "UPDATE jobs SET done = :done, total = :total, failed = :failed, worked_s = worked_s +"
            " :worked_s, first = first + :found, message = :message, heartbeat = :now WHERE id ="
            " :id AND state = 'running' AND process = :process",
            counts
            | {"worked_s": worked_s, "message": message, "now": time.time()}
            | {"id": job.id, "process": job.process},
        )

    def spend(self, id_: int, spent: Spent) -> None:
        """Add what a slice took to what the job took before. A cost that is not known once stays
        unknown.
        """
        self._db.execute(
            "UPDATE jobs SET calls = calls + ?, kept = kept + ?, unusable = unusable + ?,"
            " input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cost = cost + ?,"
            " taken = taken + ? WHERE id = ?",
            [*astuple(spent), id_],
        )

    def finish(self, id_: int, process: str, state: JobState, message: str) -> bool:
        """Store how it ended; False where this process does not hold it (any more), and nothing is
        changed.
        """
        changed = self._db.update(
            "jobs",
            {"state": state, "message": message, "finished": now()},
            id=id_,
            state="running",
            process=process,
        )
        return changed == 1

    def cancel(self, id_: int) -> None:
        """Stop a waiting job at once, also one whose process died; a running one after its slice.
        What it made stays.
        """
        with self._db.transaction():
            self._db.execute(
                "UPDATE jobs SET state = 'cancelled', message = 'Cancelled. What was done is"
                " kept.', finished = :now WHERE id = :id AND (state = 'queued' OR (state ="
                f" 'running' AND process IN {_LEFT}))",
                {"now": now(), "id": id_, "left": self._left()},
            )
            self._db.update("jobs", {"cancel": 1}, id=id_, state="running")

    def cancel_requested(self, id_: int) -> bool:
        """Whether somebody asked to stop it; also when it was deleted with its collection."""
        found = self._db.value("SELECT cancel FROM jobs WHERE id = ?", [id_])
        return found is None or bool(found)

    def beat(self, process: str) -> None:
        """A sign of life for everything this process works on."""
        self._db.update("jobs", {"heartbeat": time.time()}, process=process, state="running")

    def release(self, process_prefix: str) -> None:
        """Put the running jobs of dead processes back in the queue."""
        self._db.execute(
            "UPDATE jobs SET state = 'queued' WHERE state = 'running' AND substr(process, 1,"
            " ?) = ?",
            [len(process_prefix), process_prefix],
        )

    def count_claimable(self, process: str, under_way: Collection[int] = ()) -> int:
        """How many jobs `claim_next` has for this process now."""
        return self._db.count(
            f"SELECT count(*) FROM jobs WHERE {_TAKEABLE} AND {_OTHER}",
            {"process": process, "left": self._left(), "under_way": json.dumps(list(under_way))},
        )

    def _left(self) -> str:
        """The owners of running jobs that are gone, as JSON."""
        running = self._db.tuples(
            "SELECT process, max(heartbeat) FROM jobs WHERE state = 'running' GROUP BY process"
        )
        return json.dumps(self._owners.gone(list(running)))


def _info(row: Mapping[str, Any]) -> JobInfo:
    rate = (row["done"] - row["first"]) / row["worked_s"] if row["worked_s"] > 0 else 0.0
    open_ = row["state"] in UNDER_WAY
    left = row["total"] - row["done"] - row["failed"]
    return from_row(
        JobInfo,
        row,
        collection=row["collection_name"],
        triple_set=row["set_name"],
        rate=rate,
        seconds_left=left / rate if open_ and rate > 0 else None,
        spent=spent_of(row),
        process=row["process"] or "",
    )


def _refusal(job: JobInfo, request: JobRequest) -> str:
    """Why the set cannot be extracted into now."""
    by = f"the extractor '{job.extractor}'" + (f" with {_name(job.model)}" if job.model else "")
    alike = job.extractor == request.extractor and _name(job.model) == _name(request.model)
    other = ", with another key or other settings than yours" if alike else ""
    return (
        f"The triple set {job.triple_set!r} is being extracted by {by}{other}. Wait for it or"
        " cancel it, or choose another set."
    )


def _name(model: str) -> str:
    return str(json.loads(model)["model"]) if model else ""
