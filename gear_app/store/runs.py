"""Runs: what was asked, with what, and in which state; and their events, compressed."""

from __future__ import annotations

import json
import secrets
import zlib
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gear_app.core.errors import StoreFailed, Unknown
from gear_app.core.text import normalise_entity
from gear_app.store.database import LISTED, Database, Parameters, StoreTable
from gear_app.store.processes import at_work
from gear_app.store.rows import RUN, STALE, RunInfo, from_task, now
from gear_app.store.tasks import Tasks
from gear_app.trace import events

_RUN = RUN.format(others="") + " WHERE r.id IS NOT NULL"
# What makes two runs the same but for when they were made.
_IDENTITY = ("question", "request", "collection_id", "set_id", "gold", "model")
_NEW = (
    *_IDENTITY,
    "collection",
    "triple_set",
    "owner",
    "answers",
    "key_from",
    "budget",
    "revision",
    "draft_of",
)


class Runs(StoreTable):
    """A workspace's runs."""

    def __init__(self, db: Database, tasks: Tasks) -> None:
        super().__init__(db)
        self._tasks = tasks

    def create(self, new: RunInfo, id_: str = "") -> RunInfo:
        """Put a run in the queue, with the collection as it is now, or, with this id, a draft;
        drafts that are older than an hour are deleted. Its place in the queue is not counted, which
        takes the longer the more wait.
        """
        id_ = id_ or secrets.token_hex(5)
        self._db.execute(
            "DELETE FROM tasks WHERE draft_of IS NOT NULL AND (id = ? OR created <"
            " strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 hour'))",
            [id_],
        )
        kind = "draft" if new.draft_of else "run"
        self._tasks.add(kind, id=id_, **_columns(new, _NEW))
        (row,) = self._db.rows(f"{_RUN} AND r.id = ?", [id_])
        return from_task(RunInfo, row)

    def has_draft(self, id_: str) -> bool:
        """Whether there is a draft of this id that is made or will be."""
        sql = (
            "SELECT count(*) FROM tasks WHERE id = ? AND kind = 'draft' AND state NOT IN"
            " ('cancelled', 'interrupted')"
        )
        return bool(self._db.value(sql, [id_]))

    def counts(self, owner: str, kind: str = "run") -> tuple[int, int]:
        """How many runs, or drafts, of this owner, and of all, wait or go on."""
        ((of_owner, total),) = self._db.tuples(
            "SELECT count(*) FILTER (WHERE owner = ?), count(*) FROM tasks WHERE kind = ? AND state"
            " IN ('queued', 'running')",
            [owner, kind],
        )
        return of_owner, total

    def drop_oldest(self, owner: str, kept: int) -> None:
        """Delete the oldest ended runs of owners whose name begins so, until this many of theirs
        are left. Pinned runs and runs of an evaluation stay.
        """
        self._db.execute(
            "DELETE FROM tasks WHERE number IN (SELECT number FROM tasks WHERE kind = 'run' AND"
            " substr(owner, 1, ?) = ? AND state NOT IN ('queued', 'running') AND number NOT IN"
            " (SELECT pinned_run FROM collections WHERE pinned_run IS NOT NULL) AND number NOT IN"
            " (SELECT run FROM evaluation_runs) ORDER BY number LIMIT max(0, (SELECT count(*) FROM"
            " tasks WHERE kind = 'run' AND substr(owner, 1, ?) = ?) - ?))",
            [len(owner), owner, len(owner), owner, kept],
        )

    def same(self, new: RunInfo) -> RunInfo | None:
        """The newest run of exactly this that is done, waits or is going on, and is not out of
        date.
        """
        condition = " AND ".join(f"r.{name} IS :{name}" for name in _IDENTITY)
        return self._first(
            f"{condition} AND r.kind = 'run' AND r.state IN ('done', 'queued', 'running')"
            " AND (r.state <> 'done' OR r.message = '')"  # not one that fell short
            f" AND NOT {STALE} ORDER BY r.number DESC",
            _columns(new, _IDENTITY),
        )

    def get(self, id_: str | int) -> RunInfo:
        """A run by its id, or by its number. Raises Unknown."""
        column = "id" if isinstance(id_, str) else "number"
        for run in self._select(f"r.{column} = ?", [id_]):
            return run
        raise Unknown("run", str(id_), [other.id for other in self.recent(limit=5)])

    def ids_with_prefix(self, start: str) -> list[str]:
        """The ids that begin so, the newest first."""
        # Ids are digits and letters from a to f: none that begins so comes after it with a g.
        sql = "SELECT id FROM tasks WHERE id >= ? AND id < ? || 'g' ORDER BY number DESC"
        return self._db.values(str, sql, [start, start])

    def recent(
        self, collection_id: int | None = None, limit: int = 50, offset: int = 0
    ) -> list[RunInfo]:
        """The newest runs first, of one collection or of all."""
        return self._select(
            "r.kind = 'run' AND (:collection IS NULL OR r.collection_id = :collection) ORDER BY"
            " r.number DESC LIMIT :limit OFFSET :offset",
            {"collection": collection_id, "limit": limit, "offset": offset},
        )

    def of_questions(self, collection_id: int, questions: Iterable[str]) -> list[RunInfo]:
        """The runs of a collection that ask one of these questions, whatever its case and
        punctuation, the newest first.
        """
        return self._select(
            f"r.kind = 'run' AND r.collection_id = ? AND normal(r.question) IN {LISTED} ORDER BY"
            " r.number DESC",
            [collection_id, [normalise_entity(question) for question in questions]],
        )

    def stamp(self, collection_id: int) -> tuple[object, ...]:
        """Stamp that changes whenever a run of a collection is done, or its gold is marked."""
        return next(
            self._db.tuples(
                "SELECT count(*), max(number), group_concat(gold) FROM tasks WHERE kind = 'run' AND"
                " collection_id = ? AND state = 'done'",
                [collection_id],
            )
        )

    def mark_gold(self, id_: str, keys: Sequence[str]) -> None:
        """Replace the snapshot of gold; the time says that it was marked later."""
        gold = list(dict.fromkeys(keys))
        self._db.update("tasks", {"gold": gold, "gold_marked": now()}, id=id_)

    def pin(self, id_: str, *, pinned: bool = True) -> None:
        """Let its collection open with this run, instead of any that was pinned before; or not with
        it any more.
        """
        self._db.execute(
            "UPDATE collections SET pinned_run = iif(?, r.number, nullif(pinned_run, r.number))"
            " FROM tasks r WHERE r.id = ? AND collections.id = r.collection_id",
            [pinned, id_],
        )

    def featured(self, collection_id: int) -> RunInfo | None:
        """The run that a collection opens with: the pinned one, else the newest that is done, else
        the newest; None where it has none.
        """
        return self._first(
            "r.kind = 'run' AND r.collection_id = ? ORDER BY c.pinned_run IS r.number DESC,"
            " r.state = 'done' DESC, r.number DESC",
            [collection_id],
        )

    def under_way(self) -> str:
        """Sentence on the running run, its process and since when; "" for none."""
        run = self._first("r.state = 'running' ORDER BY r.started", [])
        if run is None:
            return ""
        process = at_work(run.process, run.started)
        return f"Under way is {run.method} for {run.question!r}: {process}."

    def _first(self, condition: str, values: Parameters) -> RunInfo | None:
        return next(iter(self._select(f"{condition} LIMIT 1", values)), None)

    def _select(self, condition: str, values: Parameters) -> list[RunInfo]:
        """The runs r for which a condition holds. The queue is counted once, where one waits."""
        rows = self._db.rows(f"{_RUN} AND {condition}", values)
        queue = self._tasks.queue() if any(row["state"] == "queued" for row in rows) else []
        places = {number: place for place, number in enumerate(queue, start=1)}
        return [from_task(RunInfo, row, queue_position=places.get(row["number"])) for row in rows]


def _columns(run: RunInfo, names: Sequence[str]) -> dict[str, Any]:
    return {name: getattr(run, name) for name in names} | {"gold": tuple(run.gold)}


class StoredEvent(NamedTuple):
    """An event, where it stands in its run (from 1), and when it happened, in milliseconds since
    the run began.
    """

    position: int
    at_ms: float
    event: events.Event


class Events(StoreTable):
    """The events of all runs. A run is named by its number here."""

    def add(self, number: int, position: int, at_ms: float, event: events.Event) -> None:
        """Keep one event. Raises ValueError for one with a number that is none."""
        row = events.to_row(event)
        payload = json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        columns = {
            "run": number,
            "position": position,
            "at_ms": round(at_ms, 3),
            "kind": row["kind"],
            "iteration": event.iteration,
            "payload": zlib.compress(payload.encode(), 9),
        }
        self._db.insert("events", columns)

    def of(self, number: int, after: int = 0) -> list[StoredEvent]:
        """A run's events in order, those after a position."""
        return self._select("run = ? AND position > ? ORDER BY position", number, after)

    def ranking(self, number: int) -> list[tuple[str, float]]:
        """The keys and scores of a run's final ranking, best first; none where it has none."""
        payload = self._db.value(
            "SELECT payload FROM events WHERE run = ? AND kind = 'Ranked' ORDER BY position DESC"
            " LIMIT 1",
            [number],
        )
        row = json.loads(zlib.decompress(payload)) if payload else {}
        return [(passage["key"], passage["score"]) for passage in row.get("ranking", ())]

    def _select(self, condition: str, *values: object) -> list[StoredEvent]:
        sql = f"SELECT position, at_ms, payload FROM events WHERE {condition}"
        try:
            return [
                StoredEvent(position, at_ms, events.from_row(json.loads(zlib.decompress(payload))))
                for position, at_ms, payload in self._db.tuples(sql, values)
            ]
        except (zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StoreFailed(
                "An event of the run cannot be read: the workspace file is damaged. Restore a"
                " backup, or ask again."
            ) from error
