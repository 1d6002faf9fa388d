"""The queue of a workspace: runs and jobs wait in one table and are taken, stopped and finished in
one way. Runs are taken in turns of their owners, jobs in turns of the jobs.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any, Literal

from gear_app.core.demonstration import WAY_OUT
from gear_app.core.errors import Cancelled, Deleted, NotReady, Refused, Unknown
from gear_app.store.database import LISTED, Database, StoreTable, listed
from gear_app.store.evaluations import OWNER
from gear_app.store.processes import Processes
from gear_app.store.rows import (
    JobInfo,
    Progress,
    Spent,
    State,
    Task,
    cancel,
    from_row,
    now,
    spent_of,
    stored,
)

# Runs that may be under way at once. They compute in turns, so that several are in progress only
# while some wait for a server.
AT_ONCE = 32  # of those that ask a language model, and as many of the others
OF_ONE = 4  # of one person's that ask a language model
# Runs of one evaluation: they share a budget, and none is to be slower because of another.
OF_EVALUATION = 1
INTERRUPTED = "Its process ended before it did. Run it again."
_JOB_KEPT = "What was made of it is gone with it."
DOING = {  # while a task is under way: what is done with its collection, and what is kept of it
    "run": ("this question was asked", "What happened until then is kept with the run."),
    "import": ("documents were imported into it", _JOB_KEPT),
    "extraction": ("triples were extracted from it", _JOB_KEPT),
    "vectors": ("vectors of its texts were made", _JOB_KEPT),
}
DOING["draft"] = DOING["run"]
_GOING = "state IN ('queued', 'running')"
_JOB = (
    "SELECT t.*, c.name AS collection_name, s.name AS set_name, (SELECT count(*) FROM passages p"
    " JOIN revisions v ON v.collection_id = p.collection_id AND v.revision = p.added WHERE v.task ="
    " t.number) AS passages FROM tasks t JOIN collections c ON c.id = t.collection_id LEFT JOIN"
    " triple_sets s ON s.id = t.set_id WHERE t.id IS NULL"
)
_IDENTITY = ("extractor", "model", "key_from")
# Of tasks t: vectors of passages before other jobs, those of triples last.
_JOB_ORDER = "CASE WHEN kind <> 'vectors' THEN 1 ELSE 2 * (set_id IS NOT NULL) END, turn, number"


def fair(queued: Sequence[tuple[str, int]], last: Mapping[str, float]) -> list[int]:
    """Put (owner, number) pairs in turns: owners in order of their last turn, one run each, again
    and again.

    >>> fair([("a", 1), ("a", 2), ("b", 3), ("a", 4)], {"a": 9.0, "b": 5.0})
    [3, 1, 2, 4]
    """
    waiting: dict[str, list[int]] = {}
    for owner, number in queued:
        waiting.setdefault(owner, []).append(number)
    places = {
        number: (place, last.get(owner, 0.0), numbers[0])
        for owner, numbers in waiting.items()
        for place, number in enumerate(numbers)
    }
    return sorted(places, key=places.__getitem__)


class Tasks(StoreTable):
    """A workspace's runs and jobs, on their way."""

    def __init__(self, db: Database, processes: Processes) -> None:
        super().__init__(db)
        self._processes = processes

    def add(self, kind: str, columns: Mapping[str, Any]) -> int:
        """Put a task in the queue; its number. Values that are no plain ones become JSON."""
        row = {"kind": kind, "state": "queued", "created": now(), **columns}
        return self._db.insert("tasks", {name: stored(value) for name, value in row.items()})

    def queue(self) -> list[int]:
        """Numbers of the queued runs in the order they will be taken, without those for which there
        is no place now. Drafts come first: each takes no longer than a part of a run, and somebody
        looks at the page.
        """
        drafts = self._db.column(
            "SELECT number FROM tasks WHERE state = 'queued' AND kind = 'draft' ORDER BY number"
        )
        queued = {
            number: (owner, with_model)
            for owner, with_model, number in self._db.tuples(
                "SELECT owner, model <> '', number FROM tasks WHERE kind = 'run' AND state ="
                " 'queued' ORDER BY number"
            )
        }
        last = dict(
            self._db.tuples(
                "SELECT value, (SELECT max(started) FROM tasks WHERE owner = value AND kind ="
                " 'run') AS last FROM json_each(?) WHERE last IS NOT NULL",
                [json.dumps(sorted({owner for owner, _ in queued.values()}))],
            )
        )
        taken = Counter(
            self._db.tuples(
                "SELECT owner, model <> '' FROM tasks WHERE kind = 'run' AND state = 'running'"
            )
        )
        places = []
        for number in fair([(owner, number) for number, (owner, _) in queued.items()], last):
            owner, asks_model = queued[number]
            most = OF_EVALUATION if owner.startswith(OWNER) else OF_ONE if asks_model else AT_ONCE
            of_kind = sum(n for (_, other), n in taken.items() if other == asks_model)
            if of_kind < AT_ONCE and taken[owner, asks_model] < most:
                taken[owner, asks_model] += 1
                places.append(number)
        return [*drafts, *places]

    def claim_next(
        self, kind: Literal["run", "job"], process: str, under_way: Collection[int] = ()
    ) -> int | None:
        """Take the next run for which there is a place, or the job whose turn it is; its number, or
        None if there is none. `under_way` are the tasks that this process has in hand: its other
        runs have ended, even where that could not be written.
        """
        if not self.waiting(process, under_way):
            return None  # a look needs no lock
        with self._db.transaction():
            self.recover()
            if kind == "run":
                self._interrupt(
                    f"process = ? AND number NOT IN {LISTED}", process, listed(under_way)
                )
                number = next(iter(self.queue()), None)
            else:
                number = self._db.number(
                    "SELECT number FROM tasks WHERE id IS NULL AND (state = 'queued' OR state ="
                    f" 'running' AND process = ?) AND number NOT IN {LISTED} ORDER BY"
                    f" {_JOB_ORDER} LIMIT 1",
                    [process, listed(under_way)],
                )
            return number if number is not None and self.claim(number, process) else None

    def claim(self, number: int, process: str) -> bool:
        """Work on a task that waits, or a job whose process ended; False where another process
        works on it.
        """
        at = time.time()
        with self._db.transaction():
            self.recover()
            changed = self._db.execute(
                "UPDATE tasks SET started = iif(process IS :process, started, :now), rate ="
                " iif(process IS :process, rate, 0), state = 'running', process = :process, turn ="
                " :now WHERE number = :number AND (state = 'queued' OR id IS NULL AND state ="
                " 'running' AND process = :process)",
                {"number": number, "process": process, "now": at},
            )
        return changed == 1

    def waiting(self, process: str, under_way: Collection[int] = ()) -> int:
        """Number of tasks that this process could take now, or that are left of a dead one."""
        return self._db.count(
            "SELECT count(*) FROM tasks WHERE (state = 'queued' OR state = 'running' AND (process ="
            f" :process OR process IN {LISTED.replace('?', ':dead')})) AND number NOT IN"
            f" {LISTED.replace('?', ':under_way')}",
            {"process": process, "dead": self._dead(), "under_way": listed(under_way)},
        )

    def recover(self) -> None:
        """End the running runs of processes that are dead, and put their jobs back in the queue,
        where the file may be written.
        """
        dead = self._dead()
        if dead == "[]" or self._db.read_only:
            return  # a look needs no lock
        with self._db.transaction():
            self._interrupt(f"process IN {LISTED}", dead)
            self._db.execute(
                "UPDATE tasks SET state = 'queued' WHERE state = 'running' AND process IN"
                f" {LISTED}",
                [dead],
            )

    def _interrupt(self, condition: str, *values: object) -> None:
        self._db.execute(
            "UPDATE tasks SET state = 'interrupted', message = ? WHERE id IS NOT NULL AND state ="
            f" 'running' AND {condition}",
            [INTERRUPTED, *values],
        )

    def _dead(self) -> str:
        running = self._db.column("SELECT DISTINCT process FROM tasks WHERE state = 'running'")
        return listed(process for process in running if self._processes.is_dead(process))

    def show(self, number: int, message: str) -> None:
        """Store what a running task does now, for the screen."""
        self._db.update("tasks", {"message": message}, number=number, state="running")

    def progress(self, task: Task, progress: Progress, rate: float) -> None:
        """Store how far a job is that its process holds."""
        row = {**progress._asdict(), "rate": rate}
        self._db.update("tasks", row, number=task.number, process=task.process, state="running")

    def spend(self, number: int, spent: Spent) -> None:
        """Add what a slice took to what the job took before. A cost that is not known once stays
        unknown.
        """
        added = ", ".join(f"{item.name} = {item.name} + ?" for item in fields(Spent))
        self._db.execute(f"UPDATE tasks SET {added} WHERE number = ?", [*astuple(spent), number])

    def finish(self, task: Task, state: State, message: str = "", **columns: object) -> bool:
        """Store how a task ended; False where its process does not hold it (any more), and nothing
        is changed.
        """
        changed = self._db.update(
            "tasks",
            {"state": state, "message": message, "finished": now(), **columns},
            number=task.number,
            state="running",
            process=task.process,
        )
        return changed == 1

    def cancel(self, number: int) -> None:
        """Stop a waiting task at once, also a job whose process died; a running one at its next
        event or after its slice. What a job made stays; a task that has ended stays as it is.
        """
        with self._db.transaction():
            self.recover()
            cancel(self._db, "number = ?", number)

    def check(self, task: Task) -> None:
        """Raise Cancelled where somebody asked to stop a task, or another process works on it, and
        Deleted where its collection is gone: what comes then would not be of all of it.
        """
        rows = self._db.tuples(
            "SELECT cancel, state = 'running' AND process = ?, collection_id FROM tasks WHERE"
            " number = ?",
            [task.process, task.number],
        )
        cancelled, running, collection_id = next(iter(list(rows)), (True, False, None))
        kept = "What happened so far" if task.kind in ("run", "draft") else "What was done"
        if cancelled:
            raise Cancelled(f"Cancelled. {kept} is kept.")
        if not running:
            raise Cancelled(f"Another process has taken this over. {kept} is kept.")
        if collection_id is None:
            raise deletion_error(task)

    def running(self, process: str) -> set[int]:
        """The running tasks of a process."""
        return set(
            self._db.column(
                "SELECT number FROM tasks WHERE state = 'running' AND process = ?", [process]
            )
        )

    def ensure(
        self,
        kind: str,
        collection_id: int,
        set_id: int | None = None,
        *,
        extractor: str = "",
        **columns: object,
    ) -> JobInfo:
        """The unfinished job of this kind for this set; created if there is none, or one that is
        being cancelled. `columns` are those of the new job.

        The budget counts from here on. An unfinished job's budget is changed by its owner only.
        Raises NotReady where it is another extractor's, asks another model, or has its key from
        elsewhere: the sender must not pay with somebody else's key.
        """
        with self._db.transaction():
            self.recover()
            number = self._db.number(
                "SELECT number FROM tasks WHERE kind = ? AND collection_id = ? AND set_id IS ? AND"
                f" {_GOING} AND cancel = 0 ORDER BY number LIMIT 1",
                [kind, collection_id, set_id],
            )
            columns_wanted = {
                "extractor": extractor,
                "model": "",
                "key_from": "",
                "owner": "",
                **columns,
            }
            if number is None:
                request = {"extractor": extractor} if extractor else {}
                return self.add_job(kind, collection_id, set_id, request=request, **columns)
            job = self.job(number)
            if any(getattr(job, name) != columns_wanted[name] for name in _IDENTITY):
                model = f" with {json.loads(job.model)['model']}" if job.model else ""
                raise NotReady(
                    f"The triple set {job.triple_set!r} is being extracted by the extractor"
                    f" {job.extractor!r}{model}, another than yours or with other settings. Wait"
                    " for it or cancel it, or choose another set."
                )
            if job.owner == columns_wanted["owner"] and columns_wanted.get("budget") is not None:
                self._db.execute(
                    "UPDATE tasks SET budget = taken + ? WHERE number = ? AND state = 'queued'",
                    [columns_wanted["budget"], number],
                )
            return self.job(number)

    def add_job(
        self, kind: str, collection_id: int, set_id: int | None = None, **columns: object
    ) -> JobInfo:
        """A new job in the queue, whatever others it has. Raises Refused in a demonstration."""
        if self._db.restricted:
            raise Refused(WAY_OUT)
        row = {"collection": "", **columns, "collection_id": collection_id, "set_id": set_id}
        return self.job(self.add(kind, row))

    def again(self, number: int) -> None:
        """Put a job that failed, paused or was cancelled back in the queue."""
        self._db.execute(
            "UPDATE tasks SET state = 'queued', cancel = 0, message = '', finished = NULL WHERE"
            " number = ? AND state IN ('failed', 'paused', 'cancelled')",
            [number],
        )

    def job(self, number: int) -> JobInfo:
        """A job. Raises Unknown."""
        jobs = self._jobs("t.number = ?", number)
        if not jobs:
            raise Unknown("job", str(number))
        return jobs[0]

    def jobs(self, collection_id: int | None = None, limit: int = 20) -> list[JobInfo]:
        """The newest jobs first, of one collection or of all."""
        return self._jobs(
            "? IN (t.collection_id, 0) ORDER BY t.number DESC LIMIT ?", collection_id or 0, limit
        )

    def unfinished(self, collection_id: int) -> list[JobInfo]:
        """The jobs of a collection that wait or run, oldest first."""
        return self._jobs(f"t.collection_id = ? AND {_GOING} ORDER BY t.number", collection_id)

    def imports(self, collection_id: int) -> list[JobInfo]:
        """The imports of a collection that wait, run, failed or were cancelled, and were not
        undone, oldest first.
        """
        return self._jobs(
            "t.collection_id = ? AND t.kind = 'import' AND undone = 0 AND state <> 'done' ORDER BY"
            " t.number",
            collection_id,
        )

    def _jobs(self, condition: str, *values: object) -> list[JobInfo]:
        return [_job(row) for row in self._db.rows(f"{_JOB} AND {condition}", values)]

    def models(self, set_id: int) -> list[str]:
        """The language models (JSON) that extractions of a set asked, the newest last."""
        return self._db.column(
            "SELECT model FROM tasks WHERE set_id = ? AND kind = 'extraction' AND model <> '' GROUP"
            " BY model ORDER BY max(number)",
            [set_id],
        )

    def messages(self, owner: str) -> list[str]:
        """Messages of the runs of this owner that are under way."""
        return self._db.column(
            "SELECT message FROM tasks WHERE kind = 'run' AND owner = ? AND state = 'running' AND"
            " message <> '' ORDER BY number",
            [owner],
        )

    def report(self, number: int, report: str) -> None:
        """Store the result of each file of an import, as JSON."""
        self._db.update("tasks", {"report": report}, number=number)

    def reports(self, number: int) -> str:
        """The result of each file of an import, as JSON. Raises Unknown."""
        self.job(number)
        return str(self._db.value("SELECT report FROM tasks WHERE number = ?", [number]))

    def revisions(self, number: int) -> list[int]:
        """The revisions of its collection that a job made."""
        return self._db.column(
            "SELECT revision FROM revisions WHERE task = ? ORDER BY revision", [number]
        )

    def undo_import(self, job: JobInfo, revision: int) -> None:
        """Retire, at `revision`, all that an import added; delete its questions and its sets.

        A set that was there before loses only the triples that came with the import. Inside a
        transaction.
        """
        values = {"collection": job.collection_id, "task": job.number, "now": revision}
        import_ = (
            "retired IS NULL AND added IN (SELECT revision FROM revisions WHERE task = :task AND"
            " collection_id = :collection)"
        )
        passages = f"SELECT id FROM passages WHERE collection_id = :collection AND {import_}"
        sets = "SELECT id FROM triple_sets WHERE collection_id = :collection"
        for statement in (
            "UPDATE triples SET retired = :now WHERE retired IS NULL AND (passage_id IN"
            f" ({passages}) OR set_id IN ({sets}) AND {import_})",
            f"UPDATE passages SET retired = :now WHERE collection_id = :collection AND {import_}",
            f"UPDATE documents SET retired = :now WHERE collection_id = :collection AND {import_}",
            # Passages whose imported triples are gone count as not read again.
            f"DELETE FROM extractions WHERE fingerprint = 'import' AND triples > 0 AND set_id IN"
            f" ({sets}) AND NOT EXISTS (SELECT 1 FROM triples t WHERE t.set_id ="
            " extractions.set_id AND t.passage_id = extractions.passage_id AND t.retired IS NULL)",
            "DELETE FROM questions WHERE collection_id = :collection AND task = :task",
            f"DELETE FROM tasks WHERE id IS NULL AND set_id IN ({sets} AND task = :task)",
            "DELETE FROM triple_sets WHERE collection_id = :collection AND task = :task",
            "UPDATE tasks SET undone = 1, message = 'Undone: what it had stored was taken out"
            f" again.', finished = '{now()}' WHERE number = :task",
        ):
            self._db.execute(statement, values)


def deletion_error(task: Task) -> Deleted:
    """The collection of a task was deleted while it was under way."""
    return Deleted(task.collection, *DOING[task.kind])


def _job(row: Mapping[str, Any]) -> JobInfo:
    request = json.loads(row["request"])
    return from_row(
        JobInfo,
        row,
        id=row["number"],
        collection=row["collection_name"],
        triple_set=row["set_name"],
        process=row["process"] or "",
        spent=spent_of(row),
        request=request,
        extractor=request.get("extractor", ""),
        undone=bool(row["undone"]),
    )
