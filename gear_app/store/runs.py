"""Runs: what was asked, with what, in which state; and the queue, which is fair among those who
asked.
"""

from __future__ import annotations

import json
import secrets
import time
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any, NamedTuple

from gear_app.analysis.metrics import Gold
from gear_app.errors import Unknown
from gear_app.store.database import Database, StoreTable
from gear_app.store.evaluations import OWNER
from gear_app.store.processes import Owners, at_work
from gear_app.store.rows import (
    STALE,
    CollectionRow,
    NewRun,
    RunInfo,
    RunState,
    Spent,
    from_row,
    now,
    spent_of,
)
from gear_app.text import normalise_entity

# Runs that may be under way at once. They compute in turns, so that more than one are there only
# while some wait for a server.
AT_ONCE = 32  # of those that ask a language model, and as many of the others
OF_ONE = 4  # of one person's that ask a language model
# Runs of one evaluation: they share a budget, and none is to be slower because of another.
OF_EVALUATION = 1


class FreePlaces:
    """The places that are left beside the runs that are under way."""

    def __init__(self, under_way: Iterable[tuple[str, bool]]) -> None:
        """Runs are told by their owner, and whether they ask a language model."""
        self._taken = Counter(under_way)

    def take(self, owner: str, asks: bool) -> bool:
        """Give a run one; False where there is none for it."""
        most = OF_EVALUATION if owner.startswith(OWNER) else OF_ONE if asks else AT_ONCE
        of_kind = sum(taken for (_, other), taken in self._taken.items() if other == asks)
        if of_kind >= AT_ONCE or self._taken[owner, asks] >= most:
            return False
        self._taken[owner, asks] += 1
        return True


def fair(queued: Sequence[tuple[str, int]], last: Mapping[str, float]) -> list[int]:
    """Put (owner, number) pairs in turns: owners in order of their last turn, one run each, again
    and again.

    >>> fair([("a", 1), ("a", 2), ("b", 3), ("a", 4)], {"a": 9.0, "b": 5.0})
    [3, 1, 2, 4]
    """
    waiting: dict[str, list[int]] = {}
    for owner, number in queued:
        waiting.setdefault(owner, []).append(number)
    owners = sorted(waiting, key=lambda owner: (last.get(owner, 0.0), waiting[owner][0]))
    turns = max((len(numbers) for numbers in waiting.values()), default=0)
    return [
        waiting[owner][turn]
        for turn in range(turns)
        for owner in owners
        if turn < len(waiting[owner])
    ]


_RUN = (
    f"SELECT r.*, coalesce(c.name, r.collection) AS collection_name, {STALE} AS stale, c.pinned_run"
    " IS r.number AS pinned, coalesce(c.recorded, 0) AS recorded FROM runs r LEFT JOIN collections"
    " c ON c.id = r.collection_id LEFT JOIN triple_sets s ON s.id = r.set_id"
)

_INTERRUPT = (
    "UPDATE runs SET state = 'interrupted', message = 'Its process ended before it did. Run it"
    " again.' WHERE state = 'running'"
)

_JSON = ("config", "gold", "versions", "options", "answers")  # columns
# What makes two runs the same but for when they were made.
_SAME = (
    "question",
    "method",
    "config",
    "reader",
    "k",
    "collection_id",
    "set_id",
    "gold",
    "model",
    "options",
)


class RunOutcome(NamedTuple):
    """How a run ended."""

    state: RunState
    message: str = ""
    ms: float | None = None
    iterations: int = 0
    spent: Spent = Spent()
    loading_ms: float | None = None


class Runs(StoreTable):
    """A workspace's runs."""

    def __init__(self, db: Database, owners: Owners) -> None:
        super().__init__(db)
        self._owners = owners

    def create(self, new: NewRun) -> RunInfo:
        """Put a run in the queue, with the collection as it is now. Its place there is not counted,
        which takes the longer the more wait.
        """
        id_ = secrets.token_hex(5)
        self._insert(id_, new)
        (created,) = self._db.rows(f"{_RUN} WHERE r.id = ?", [id_])
        return _info(created, [])

    def _insert(self, id_: str, new: NewRun) -> None:
        row = {"id": id_, **_columns(new), "revision": new.collection.revision}
        self._db.insert("runs", {**row, "state": "queued", "created": now()})

    def create_draft(self, id_: str, new: NewRun) -> None:
        """Put a draft in the queue; those that are older than an hour are deleted."""
        self._db.execute(
            "DELETE FROM runs WHERE draft_of IS NOT NULL AND (id = ? OR created <"
            " strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-1 hour'))",
            [id_],
        )
        self._insert(id_, new)

    def has_draft(self, id_: str) -> bool:
        """Whether there is a draft of this id that is made or will be."""
        return bool(
            self._db.count(
                "SELECT count(*) FROM runs WHERE id = ? AND draft_of IS NOT NULL AND state NOT IN"
                " ('cancelled', 'interrupted')",
                [id_],
            )
        )

    def drafts_waiting(self) -> int:
        """Number of drafts in the queue."""
        return self._db.count(
            "SELECT count(*) FROM runs WHERE draft_of IS NOT NULL AND state = 'queued'"
        )

    def add_recorded(self, collection: CollectionRow, id_: str, columns: Mapping[str, Any]) -> int:
        """Store a run that was imported from a file; its number."""
        row = {**columns, **{name: _json(columns[name]) for name in _JSON}}
        place = {"collection_id": collection.id, "collection": collection.name, "owner": ""}
        return self._db.insert("runs", {"id": id_, **row, **place})

    def counts(self, owner: str) -> tuple[int, int]:
        """How many runs of this owner, and of all, wait or go on."""
        going = "count(*) FILTER (WHERE state IN ('queued', 'running')"
        (row,) = self._db.tuples(
            f"SELECT {going} AND owner = ?), {going}) FROM runs WHERE draft_of IS NULL", [owner]
        )
        return row[0], row[1]

    def drop_oldest(self, owner: str, kept: int) -> None:
        """Delete the oldest ended runs of owners whose name begins so, until this many of theirs
        are left. Pinned runs and runs of an evaluation stay.
        """
        self._db.execute(
            "DELETE FROM runs WHERE number IN (SELECT number FROM runs WHERE substr(owner, 1, ?) ="
            " ? AND state NOT IN ('queued', 'running') AND number NOT IN (SELECT pinned_run FROM"
            " collections WHERE pinned_run IS NOT NULL) AND number NOT IN (SELECT run FROM"
            " evaluation_runs) ORDER BY number LIMIT max(0, (SELECT count(*) FROM runs WHERE"
            " substr(owner, 1, ?) = ?) - ?))",
            [len(owner), owner, len(owner), owner, kept],
        )

    def same(self, new: NewRun) -> RunInfo | None:
        """The newest run of exactly this that is done, waits or is going on, and is not out of
        date.
        """
        same = " AND ".join(f"r.{name} IS :{name}" for name in _SAME)
        row = self._db.row(
            f"{_RUN} WHERE {same} AND r.state IN ('done', 'queued', 'running')"
            " AND (r.state <> 'done' OR r.message = '')"  # not one that fell short
            f" AND r.draft_of IS NULL AND NOT {STALE} ORDER BY r.number DESC",
            _columns(new),
        )
        return None if row is None else self._with_place(row)

    def get(self, id_: str) -> RunInfo:
        """A run by its id. Raises Unknown."""
        row = self._db.row(f"{_RUN} WHERE r.id = ?", [id_])
        if row is None:
            raise Unknown("run", id_, self._recent())
        return self._with_place(row)

    def ids_with_prefix(self, start: str) -> list[str]:
        """The ids that begin so, the newest first."""
        return self._db.column(
            "SELECT id FROM runs WHERE substr(id, 1, ?) = ? ORDER BY number DESC",
            [len(start), start],
        )

    def recent(
        self, collection_id: int | None = None, limit: int = 50, offset: int = 0
    ) -> list[RunInfo]:
        """The newest runs first, of one collection or of all."""
        rows = self._db.rows(
            f"{_RUN} WHERE (:collection IS NULL OR r.collection_id = :collection)"
            " AND r.draft_of IS NULL ORDER BY r.number DESC LIMIT :limit OFFSET :offset",
            {"collection": collection_id, "limit": limit, "offset": offset},
        )
        queue = self.queue() if any(row["state"] == "queued" for row in rows) else []
        return [_info(row, queue) for row in rows]

    def of_questions(self, collection_id: int, questions: Sequence[str]) -> list[RunInfo]:
        """The runs of a collection that ask one of these questions, the newest first. The places in
        the queue are not counted.
        """
        rows = self._db.rows(
            f"{_RUN} WHERE r.collection_id = :collection AND r.draft_of IS NULL"
            " AND r.question IN (SELECT value FROM json_each(:questions)) ORDER BY r.number DESC",
            {"collection": collection_id, "questions": json.dumps(list(questions))},
        )
        return [_info(row, []) for row in rows]

    def of_question(self, collection_id: int, text: str) -> list[RunInfo]:
        """The runs of a collection that ask a question with these words, whatever their case and
        punctuation, the newest first.
        """
        asked = self._db.tuples(
            "SELECT DISTINCT question FROM runs WHERE collection_id = ?", [collection_id]
        )
        wanted = normalise_entity(text)
        same = [question for (question,) in asked if normalise_entity(question) == wanted]
        return self.of_questions(collection_id, same)

    def stamp(self, collection_id: int) -> tuple[object, ...]:
        """What changes whenever a run of a collection is done, or its gold is marked."""
        row = self._db.row(
            "SELECT count(*) AS done, max(number) AS last, group_concat(gold) AS gold FROM runs"
            " WHERE collection_id = ? AND state = 'done' AND draft_of IS NULL",
            [collection_id],
        )
        return tuple((row or {}).values())

    def queue(self) -> list[int]:
        """Numbers of the queued runs in the order they will be taken, without those for which there
        is no place now. Drafts come first: each takes no longer than a part of a run, and somebody
        looks at the page.
        """
        drafts = self._db.column(
            "SELECT number FROM runs WHERE state = 'queued' AND draft_of IS NOT NULL ORDER BY 1"
        )
        queued = {
            number: (owner, asks)
            for owner, asks, number in self._db.tuples(
                "SELECT owner, model <> '', number FROM runs WHERE state = 'queued' AND draft_of IS"
                " NULL ORDER BY number"
            )
        }
        owners = list(dict.fromkeys(owner for owner, _ in queued.values()))
        last = {
            o: self._db.value("SELECT max(started) FROM runs WHERE owner = ?", [o]) or 0.0
            for o in owners
        }
        places = FreePlaces(
            self._db.tuples("SELECT owner, model <> '' FROM runs WHERE state = 'running'")
        )
        order = fair([(owner, number) for number, (owner, _) in queued.items()], last)
        return [*drafts, *(number for number in order if places.take(*queued[number]))]

    def claim_next(self, process: str, under_way: Collection[str] = ()) -> str | None:
        """Take the next queued run for which there is a place; its id, or None if there is none.

        A process that takes runs in turn has ended all that are not `under_way` there, by their
        ids, even where that could not be written.
        """
        if not self.queue_length():
            return None  # a look needs no lock
        with self._db.transaction():
            self._db.execute(
                f"{_INTERRUPT} AND process = ? AND id NOT IN (SELECT value FROM json_each(?))",
                [process, json.dumps(list(under_way))],
            )
            number = next(iter(self.queue()), None)
            if number is None:
                return None
            id_ = str(self._db.value("SELECT id FROM runs WHERE number = ?", [number]))
            self.claim(id_, process)
        return id_

    def claim(self, id_: str, process: str) -> bool:
        """Begin to work on a queued run; False where another process was quicker."""
        changed = self._db.update(
            "runs",
            {
                "state": "running",
                "process": process,
                "started": time.time(),
                "heartbeat": time.time(),
            },
            id=id_,
            state="queued",
        )
        return changed == 1

    def set_versions(self, id_: str, corpus_hash: str, versions: Mapping[str, str]) -> None:
        """Note the corpus and what computed on it."""
        self._db.update("runs", {"corpus_hash": corpus_hash, "versions": _json(versions)}, id=id_)

    def set_message(self, id_: str, message: str) -> None:
        """What it is doing now, for the screen."""
        self._db.update("runs", {"message": message}, id=id_, state="running")

    def messages(self, owner: str) -> list[str]:
        """What the runs of this owner that are under way do now."""
        return self._db.column(
            "SELECT message FROM runs WHERE owner = ? AND state = 'running' AND message <> ''"
            " ORDER BY number",
            [owner],
        )

    def beat(self, id_: str) -> None:
        """A sign of life for a run that is being made."""
        self._db.update("runs", {"heartbeat": time.time()}, id=id_, state="running")

    def finish(self, id_: str, outcome: RunOutcome) -> None:
        """Store how it ended."""
        state, message, ms, iterations, spent, loading_ms = outcome
        self._db.execute(
            "UPDATE runs SET state = ?, message = ?, ms = ?, loading_ms = ?, iterations = ?,"
            " calls = ?, kept = ?, unusable = ?, input_tokens = ?, output_tokens = ?, cost = ?,"
            " taken = ? WHERE id = ? AND state = 'running'",
            [
                *(state, message, ms, loading_ms, iterations),
                *astuple(spent),
                id_,
            ],
        )

    def cancel(self, id_: str) -> None:
        """Stop a queued run at once, a running one at its next event; others stay as they are."""
        with self._db.transaction():
            self._db.update(
                "runs",
                {"state": "cancelled", "message": "Cancelled before it began."},
                id=id_,
                state="queued",
            )
            self._db.update("runs", {"cancel": 1}, id=id_, state="running")

    def cancel_requested(self, id_: str) -> bool:
        """Whether somebody asked to stop it, or it was declared dead meanwhile."""
        return bool(
            self._db.value("SELECT cancel OR state <> 'running' FROM runs WHERE id = ?", [id_])
        )

    def is_orphaned(self, id_: str) -> bool:
        """Whether its collection was deleted."""
        return bool(self._db.value("SELECT collection_id IS NULL FROM runs WHERE id = ?", [id_]))

    def interrupt(self, process_prefix: str) -> None:
        """Mark the running ones of processes whose name begins so, which are dead, as
        interrupted.
        """
        self._db.execute(
            f"{_INTERRUPT} AND substr(process, 1, ?) = ?", [len(process_prefix), process_prefix]
        )

    def interrupt_left(self, besides: Iterable[str] = ()) -> None:
        """Mark those whose owner is gone as interrupted, `besides` those that are known to be under
        way.
        """
        if not self._left():
            return  # a look needs no lock
        with self._db.transaction():  # an owner that is not there now takes no run meanwhile
            self._db.execute(
                f"{_INTERRUPT} AND process IN (SELECT value FROM json_each(?)) AND id NOT IN"
                " (SELECT value FROM json_each(?))",
                [json.dumps(self._left()), json.dumps(list(besides))],
            )

    def _left(self) -> list[str]:
        running = self._db.tuples(
            "SELECT process, max(heartbeat) FROM runs WHERE state = 'running' GROUP BY process"
        )
        return self._owners.gone(list(running))

    def mark_gold(self, id_: str, keys: Sequence[str]) -> None:
        """Replace the snapshot of gold; the time says that it was marked later."""
        self._db.update(
            "runs", {"gold": _json(list(dict.fromkeys(keys))), "gold_marked": now()}, id=id_
        )

    def pin(self, id_: str) -> None:
        """Let its collection open with this run, instead of any that was pinned before."""
        self._db.execute(
            "UPDATE collections SET pinned_run = r.number FROM runs r"
            " WHERE r.id = ? AND collections.id = r.collection_id",
            [id_],
        )

    def unpin(self, id_: str) -> None:
        """Let its collection open with its latest run again; nothing where another is pinned."""
        self._db.execute(
            "UPDATE collections SET pinned_run = NULL"
            " WHERE pinned_run = (SELECT number FROM runs WHERE id = ?)",
            [id_],
        )

    def featured(self, collection_id: int) -> RunInfo | None:
        """The run that a collection opens with: the pinned one, else the newest that is done, else
        the newest; None where it has none.
        """
        row = self._db.row(
            f"{_RUN} WHERE r.collection_id = ? AND r.draft_of IS NULL"
            " ORDER BY c.pinned_run IS r.number DESC, r.state = 'done' DESC, r.number DESC LIMIT 1",
            [collection_id],
        )
        return None if row is None else self._with_place(row)

    def under_way(self) -> str:
        """What is being made now, by whom and since when, in a sentence; "" for nothing."""
        found = self._db.row(
            "SELECT question, method, process, started FROM runs WHERE state = 'running' ORDER BY"
            " started LIMIT 1"
        )
        if found is None:
            return ""
        who = at_work(found["process"], found["started"])
        return f"Under way is {found['method']} for {found['question']!r}: {who}."

    def queue_length(self) -> int:
        """How many runs wait."""
        return self._db.count("SELECT count(*) FROM runs WHERE state = 'queued'")

    def _with_place(self, row: Mapping[str, Any]) -> RunInfo:
        return _info(row, self.queue() if row["state"] == "queued" else [])

    def _recent(self) -> list[str]:
        return [
            id_ for (id_,) in self._db.tuples("SELECT id FROM runs ORDER BY number DESC LIMIT 5")
        ]


def _columns(new: NewRun) -> dict[str, Any]:
    """A new run's row: a column for each field; ids and names of collection and triple set."""
    row = {item.name: getattr(new, item.name) for item in fields(NewRun)}
    row |= {name: _json(row[name]) for name in _JSON}
    set_ = new.triple_set
    return row | {
        "collection_id": new.collection.id,
        "collection": new.collection.name,
        "set_id": set_.id if set_ else None,
        "triple_set": set_.name if set_ else None,
    }


def _info(row: Mapping[str, Any], queue: Sequence[int]) -> RunInfo:
    """A run from its row: a field has its column's value unless it is computed."""
    values = {name: json.loads(row[name]) for name in _JSON}
    number = row["number"]
    return from_row(
        RunInfo,
        row,
        **values
        | {
            "collection": row["collection_name"],
            "gold": Gold(values["gold"]),
            "answers": tuple(values["answers"]),
            "started_ms": None if row["started"] is None else row["started"] * 1000,
            "stale": bool(row["stale"]),
            "pinned": bool(row["pinned"]),
            "recorded": bool(row["recorded"]),
            "queue_position": queue.index(number) + 1 if number in queue else None,
            "spent": spent_of(row),
        },
    )


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
