"""Which passages a triple set has been made for, and what became of each: extraction resumes from here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gear_app.store.database import Database
from gear_app.store.rows import now
from gear_app.types import Passage


class PassageCounts(NamedTuple):
    """Passages of a set by state. `empty` ones were extracted and gave no triple."""

    searchable: int
    extracted: int
    failed: int
    empty: int


class Failure(NamedTuple):
    """A passage that could not be extracted, why, and what the model replied if one did."""

    passage_key: str
    title: str
    error: str
    reply: str


class Extractions:
    """The state of every passage in every triple set."""

    def __init__(self, db: Database) -> None:
        """Work on this connection."""
        self._db = db

    def extracted(self, set_id: int, triples: Mapping[int, int], fingerprint: str) -> None:
        """Mark passages as extracted, with their number of triples, by what made them.

        One that has the same number as before stays as it is, searchable if it was.
        """
        at = now()
        self._db.many(
            "INSERT INTO extractions (set_id, passage_id, state, triples, fingerprint, at)"
            " VALUES (?, ?, 'extracted', ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET state = 'extracted', error = '', reply = '',"
            " triples = excluded.triples, fingerprint = excluded.fingerprint, at = excluded.at"
            " WHERE triples <> excluded.triples OR state = 'failed'",
            [(set_id, passage_id, count, fingerprint, at) for passage_id, count in triples.items()],
        )

    def failed(self, set_id: int, passage_id: int, error: str, fingerprint: str, reply: str = "") -> None:
        """Mark a passage as not extracted, and keep why."""
        self._db.execute(
            "INSERT OR REPLACE INTO extractions (set_id, passage_id, state, error, reply, fingerprint, at)"
            " VALUES (?, ?, 'failed', ?, ?, ?, ?)",
            [set_id, passage_id, error, reply, fingerprint, now()],
        )

    def searchable(self, set_id: int, passage_ids: Iterable[int]) -> None:
        """Mark passages whose vectors are there."""
        self._db.many(
            "UPDATE extractions SET state = 'searchable' WHERE set_id = ? AND passage_id = ? AND state = 'extracted'",
            [(set_id, passage_id) for passage_id in passage_ids],
        )

    def all_searchable(self, set_id: int) -> None:
        """Mark all passages that were extracted: their vectors are there."""
        self._db.execute(
            "UPDATE extractions SET state = 'searchable' WHERE set_id = ? AND state = 'extracted'", [set_id]
        )

    def retry_failed(self, set_id: int) -> int:
        """Forget failures, so that the next job tries those passages again; return how many."""
        return self._db.execute("DELETE FROM extractions WHERE set_id = ? AND state = 'failed'", [set_id])

    def failures(self, set_id: int, limit: int = 100) -> list[Failure]:
        """The passages that could not be extracted, by id."""
        found = self._db.tuples(
            "SELECT p.key, p.title, x.error, x.reply FROM extractions x JOIN passages p ON p.id = x.passage_id"
            " WHERE x.set_id = ? AND x.state = 'failed' AND p.retired IS NULL ORDER BY p.id LIMIT ?",
            [set_id, limit],
        )
        return [Failure(*row) for row in found]

    def pending(self, collection_id: int, set_id: int, limit: int) -> list[Passage]:
        """The next passages the set has not been made for, by id."""
        found = self._db.tuples(
            'SELECT p.id, p.key, p.title, p.text, p.document_id, p."start", p."end" FROM passages p'
            " LEFT JOIN extractions x ON x.set_id = ? AND x.passage_id = p.id"
            " WHERE p.collection_id = ? AND p.retired IS NULL AND x.passage_id IS NULL ORDER BY p.id LIMIT ?",
            [set_id, collection_id, limit],
        )
        return [Passage(*row) for row in found]

    def still_pending(self, set_id: int, passages: Sequence[Passage]) -> set[int]:
        """The ids of those that are still there and that nobody else has extracted meanwhile."""
        ids = [passage.id for passage in passages]
        found = self._db.tuples(
            f"SELECT id FROM passages WHERE id IN ({', '.join('?' * len(ids))}) AND retired IS NULL"
            " AND id NOT IN (SELECT passage_id FROM extractions WHERE set_id = ?)",
            [*ids, set_id],
        )
        return {id_ for (id_,) in found}

    def unsearchable(self, set_id: int, limit: int) -> list[Passage]:
        """The next passages that are extracted and wait for vectors, by id."""
        found = self._db.tuples(
            'SELECT p.id, p.key, p.title, p.text, p.document_id, p."start", p."end" FROM extractions x'
            " JOIN passages p ON p.id = x.passage_id AND p.retired IS NULL"
            " WHERE x.set_id = ? AND x.state = 'extracted' ORDER BY p.id LIMIT ?",
            [set_id, limit],
        )
        return [Passage(*row) for row in found]

    def counts(self, set_id: int) -> PassageCounts:
        """The passages there are now, by state."""
        row = next(
            self._db.tuples(
                "SELECT coalesce(sum(x.state = 'searchable'), 0), coalesce(sum(x.state = 'extracted'), 0),"
                " coalesce(sum(x.state = 'failed'), 0), coalesce(sum(x.state <> 'failed' AND x.triples = 0), 0)"
                " FROM extractions x JOIN passages p ON p.id = x.passage_id AND p.retired IS NULL WHERE x.set_id = ?",
                [set_id],
            )
        )
        return PassageCounts(*row)
