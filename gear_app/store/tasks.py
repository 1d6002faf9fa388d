"""The queue of a workspace: runs and jobs wait in one table and are taken, stopped and finished in
one way. Runs are taken in turns of their owners, jobs in turns of the jobs.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection
from dataclasses import astuple, fields
from pathlib import Path
from typing import Literal, NamedTuple

from gear_app.core.errors import Cancelled, Deleted, NotReady, Unknown
from gear_app.store.database import LISTED, StoreTable
from gear_app.store.evaluations import OWNER
from gear_app.store.processes import Lock, is_dead
from gear_app.store.rows import JobInfo, Spent, State, Task, cancel, from_row, from_task, now

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
# The queued runs for which there is a place, in the order they are taken: drafts; then owners in
# order of their last turn, one run each, again and again. `asks`: a run asks a language model.
_QUEUE = f"""
WITH waiting AS (SELECT *, model <> '' AS asks FROM tasks WHERE kind = 'run' AND state = 'queued'),
running AS (SELECT owner, model <> '' AS asks FROM tasks WHERE kind = 'run' AND state = 'running'),
owners AS (
    SELECT owner, min(number) AS first, (SELECT max(started) FROM tasks t WHERE t.owner =
    waiting.owner AND kind = 'run') AS last_turn FROM waiting GROUP BY owner
),
turns AS (
    SELECT number, owner, asks, first, last_turn,
    row_number() OVER (PARTITION BY owner ORDER BY number) AS turn,
    row_number() OVER (PARTITION BY owner, asks ORDER BY number) + (SELECT count(*) FROM running r
    WHERE r.owner = owners.owner AND r.asks = waiting.asks) AS of_owner
    FROM waiting JOIN owners USING (owner)
),
places AS (
    SELECT *, row_number() OVER (PARTITION BY asks ORDER BY turn, last_turn, first) + (SELECT
    count(*) FROM running r WHERE r.asks = turns.asks) AS of_all FROM turns WHERE of_owner <= CASE
    WHEN owner LIKE '{OWNER}%' THEN {OF_EVALUATION} WHEN asks THEN {OF_ONE} ELSE {AT_ONCE} END
)
SELECT number, 0 AS turn, 0 AS last_turn, number AS first FROM tasks WHERE kind = 'draft' AND state
= 'queued' UNION ALL SELECT number, turn, last_turn, first FROM places WHERE of_all <= {AT_ONCE}
ORDER BY turn, last_turn, first
"""
_JOB = "SELECT * FROM tasks WHERE id IS NULL"
_IDENTITY = ("extractor", "model", "key_from")
# Of tasks t: vectors of passages before other jobs, those of triples last.
_JOB_ORDER = "CASE WHEN kind <> 'vectors' THEN 1 ELSE 2 * (set_id IS NOT NULL) END, turn, number"
_SUMS = ", ".join(
    f"sum({item.name}) AS {item.name}" for item in fields(Spent) if item.name != "cost"
)


class Spending(NamedTuple):
    """Spending on a model of a server in this workspace, in so many runs and extraction jobs."""

    server: str
    model: str
    runs: int
    jobs: int
    spent: Spent


class Tasks(StoreTable):
    """A workspace's runs and jobs, on their way."""

    def add(self, kind: str, **columns: object) -> int:
        """Put a task in the queue; its number."""
        row = {"kind": kind, "state": "queued", "created": now(), **columns}
        return self._db.insert("tasks", row)

    def queue(self) -> list[int]:
        """Numbers of the queued runs in the order they will be taken, without those for which there
        is no place now. Drafts come first: each takes no longer than a part of a run, and somebody
        looks at the page.
        """
        return [number for number, *_ in self._db.tuples(_QUEUE)]

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
            if kind == "run":
                self.recover(process, under_way)
                numbers = self.queue()
            else:
                self.recover()
                numbers = self._db.values(
                    int,
                    "SELECT number FROM tasks WHERE id IS NULL AND (state = 'queued' OR state ="
                    f" 'running' AND process = ?) AND number NOT IN {LISTED} ORDER BY"
                    f" {_JOB_ORDER} LIMIT 1",
                    [process, [*under_way]],
                )
            return next((number for number in numbers[:1] if self.claim(number, process)), None)

    def claim(self, number: int, process: str) -> bool:
        """Work on a task that waits, or a job whose process ended; False where another process
        works on it.
        """
        with self._db.transaction():
            self.recover()
            changed = self._db.execute(
                "UPDATE tasks SET started = iif(process = :process, started, :now), rate ="
                " iif(process = :process, rate, 0), state = 'running', process = :process, turn ="
                " :now WHERE number = :number AND (state = 'queued' OR id IS NULL AND state ="
                " 'running' AND process = :process)",
                {"number": number, "process": process, "now": time.time()},
            )
        return changed == 1

    def waiting(self, process: str, under_way: Collection[int] = ()) -> int:
        """Number of tasks that this process could take now, or that are left of a dead one."""
        return int(
            self._db.value(
                "SELECT count(*) FROM tasks WHERE (state = 'queued' OR state = 'running' AND"
                f" process IN {LISTED}) AND number NOT IN {LISTED}",
                [[process, *self._dead()], [*under_way]],
            )
        )

    def recover(self, process: str = "", under_way: Collection[int] = ()) -> None:
        """End the running runs of processes that are dead, and of this process those that it has
        not in hand; put the jobs of dead ones back in the queue, where the file may be written.
        """
        dead = self._dead()
        if (process or dead) and not self._db.read_only:  # a look needs no lock
            with self._db.transaction(by_visitors=True):
                self._db.execute(
                    "UPDATE tasks SET message = iif(id IS NULL, message, ?), state = iif(id IS"
                    " NULL, 'queued', 'interrupted') WHERE state = 'running' AND (process IN"
                    f" {LISTED} OR id IS NOT NULL AND process = ? AND number NOT IN {LISTED})",
                    [INTERRUPTED, dead, process, [*under_way]],
                )

    def _dead(self) -> list[str]:
        running = self._db.values(str, "SELECT DISTINCT process FROM tasks WHERE state = 'running'")
        return [process for process in running if is_dead(Path(self._db.path), process)]

    def show_worker(self, process: str, state: str) -> None:
        """Store the state of the worker from now on."""
        self._db.insert("worker", {"number": 1, "process": process, "state": state}, "REPLACE")

    def worker(self) -> str:
        """State of the worker: starting, ready, busy or not running."""
        state = self._db.value("SELECT state FROM worker")
        return state if state and Lock(Path(self._db.path)).is_held() else "not running"

    def show(self, task: Task, **columns: object) -> bool:
        """Store columns of a task, such as what it does now, for the screen; False where its
        process does not hold it (any more), and nothing is changed.
        """
        held = {"number": task.number, "state": "running", "process": task.process}
        return self._db.update("tasks", columns, **held) == 1

    def spend(self, number: int, spent: Spent) -> None:
        """Add what a slice took to what the job took before. A cost that is not known once stays
        unknown.
        """
        added = ", ".join(f"{item.name} = {item.name} + ?" for item in fields(Spent))
        self._db.execute(f"UPDATE tasks SET {added} WHERE number = ?", [*astuple(spent), number])

    def spending(self) -> list[Spending]:
        """Spending by server and model, without imported runs. A cost is None where
        that of any run or job is not known.
        """
        rows = self._db.rows(
            "SELECT json_extract(model, '$.base_url') AS server, json_extract(model, '$.model') AS"
            f" name, sum(kind = 'run') AS runs, sum(id IS NULL) AS jobs, {_SUMS},"
            " iif(count(*) > count(cost), NULL, sum(cost)) AS cost FROM tasks WHERE model <> ''"
            " AND calls > 0 AND kind <> 'draft' AND coalesce(collection_id, 0) NOT IN (SELECT id"
            " FROM collections WHERE recorded) GROUP BY 1, 2 ORDER BY 1, 2"
        )
        return [
            Spending(row["server"], row["name"], row["runs"], row["jobs"], from_row(Spent, row))
            for row in rows
        ]

    def finish(self, task: Task, state: State, message: str = "", **columns: object) -> bool:
        """Store how a task ended; False as of `show`."""
        return self.show(task, state=state, message=message, finished=now(), **columns)

    def cancel(self, number: int) -> None:
        """Stop a waiting task at once, also a job whose process died; a running one at its next
        event or after its slice. What a job made stays; a task that has ended stays as it is.
        """
        with self._db.transaction(by_visitors=True):
            self.recover()
            cancel(self._db, "number = ?", number)

    def check(self, task: Task) -> None:
        """Raise Cancelled where somebody asked to stop a task, or another process works on it, and
        Deleted where its collection is gone: what comes then would not be of all of it.
        """
        rows = self._db.rows(
            "SELECT CASE WHEN cancel THEN 'Cancelled.' WHEN state <> 'running' OR process <> ? THEN"
            " 'Another process has taken this over.' ELSE '' END AS stopped, collection_id FROM"
            " tasks WHERE number = ?",
            [task.process, task.number],
        )
        row = next(iter(rows), {"stopped": "Cancelled.", "collection_id": None})
        if row["stopped"]:
            kept = "What happened so far" if task.kind in ("run", "draft") else "What was done"
            raise Cancelled(f"{row['stopped']} {kept} is kept.")
        if row["collection_id"] is None:
            raise deletion_error(task)

    def running(self, process: str) -> set[int]:
        """The running tasks of a process."""
        sql = "SELECT number FROM tasks WHERE state = 'running' AND process = ?"
        return set(self._db.values(int, sql, [process]))

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
        wanted = {"model": "", "key_from": "", "owner": "", **columns, "extractor": extractor}
        with self._db.transaction():
            self.recover()
            number = self._db.value(
                "SELECT min(number) FROM tasks WHERE kind = ? AND collection_id = ? AND set_id IS ?"
                " AND state IN ('queued', 'running') AND cancel = 0",
                [kind, collection_id, set_id],
            )
            if number is None:
                request = {"extractor": extractor}
                return self.add_job(kind, collection_id, set_id, request=request, **columns)
            job = self.job(number)
            if any(getattr(job, name) != wanted[name] for name in _IDENTITY):
                model = f" with {json.loads(job.model)['model']}" if job.model else ""
                raise NotReady(
                    f"The triple set {job.triple_set!r} is being extracted by the extractor"
                    f" {job.extractor!r}{model}, another than yours or with other settings. Wait"
                    " for it or cancel it, or choose another set."
                )
            if job.owner == wanted["owner"] and wanted.get("budget") is not None:
                self._db.execute(
                    "UPDATE tasks SET budget = taken + ? WHERE number = ? AND state = 'queued'",
                    [wanted["budget"], number],
                )
            return self.job(number)

    def add_job(
        self, kind: str, collection_id: int, set_id: int | None = None, **columns: object
    ) -> JobInfo:
        """A new job in the queue, whatever others it has."""
        names = {
            column: self._db.value(f"SELECT name FROM {table} WHERE id = ?", [id_])
            for column, table, id_ in (
                ("collection", "collections", collection_id),
                ("triple_set", "triple_sets", set_id),
            )
        }
        place = {"collection_id": collection_id, "set_id": set_id, **names}
        return self.job(self.add(kind, **place, **columns))

    def again(self, number: int) -> None:
        """Put a job that failed, paused or was cancelled back in the queue."""
        self._db.execute(
            "UPDATE tasks SET state = 'queued', cancel = 0, message = '', finished = NULL WHERE"
            " number = ? AND state IN ('failed', 'paused', 'cancelled')",
            [number],
        )

    def job(self, number: int) -> JobInfo:
        """A job. Raises Unknown."""
        for row in self._db.rows(f"{_JOB} AND number = ?", [number]):
            return from_task(JobInfo, row)
        raise Unknown("job", str(number))

    def jobs(self, collection_id: int | None = None, limit: int = -1) -> list[JobInfo]:
        """The newest jobs first, of one collection or of all."""
        rows = self._db.rows(
            f"{_JOB} AND ? IN (collection_id, 0) ORDER BY number DESC LIMIT ?",
            [collection_id or 0, limit],
        )
        return [from_task(JobInfo, row) for row in rows]

    def models(self, set_id: int) -> list[str]:
        """The language models (JSON) that extractions of a set asked, the newest last."""
        return self._db.values(
            str,
            "SELECT model FROM tasks WHERE set_id = ? AND kind = 'extraction' AND model <> '' GROUP"
            " BY model ORDER BY max(number)",
            [set_id],
        )

    def undo_import(self, job: JobInfo, revision: int) -> None:
        """Retire, at `revision`, all that an import added, whose documents are retired already;
        delete its questions and its sets.

        A set that was there before loses only the triples that came with the import. Inside a
        transaction.
        """
        values = {"collection": job.collection_id, "task": job.number, "now": revision}
        import_ = (
            "retired IS NULL AND added IN (SELECT revision FROM revisions WHERE task = :task AND"
            " collection_id = :collection)"
        )
        passages = (
            "SELECT id FROM passages WHERE collection_id = :collection AND document_id IS NULL AND"
            f" {import_}"
        )
        sets = "SELECT id FROM triple_sets WHERE collection_id = :collection"
        for statement in (
            "UPDATE triples SET retired = :now WHERE retired IS NULL AND (passage_id IN"
            f" ({passages}) OR set_id IN ({sets}) AND {import_})",
            f"UPDATE passages SET retired = :now WHERE id IN ({passages})",
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
