"""Which passages a triple set has been made for, and what became of each: extraction resumes from
here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gear_app.core.types import Passage
from gear_app.store.database import LISTED, StoreTable, listed
from gear_app.store.rows import now


class PassageCounts(NamedTuple):
    """Passages of a set by state. `empty` ones were extracted and gave no triple; of the replies
    about `short` ones `dropped` parts could not be used, or the end is missing.
    """

    done: int
    failed: int
    empty: int
    short: int = 0
    dropped: int = 0


class Failure(NamedTuple):
    """A passage that could not be extracted, or of whose reply not everything could be used: why,
    and the reply.

    One that was extracted has a number of `triples`, 0 where the model found none.
    """

    passage_key: str
    title: str
    error: str
    reply: str
    triples: int | None = None
    dropped: int = 0


class Shortfall(NamedTuple):
    """How the reply about a passage fell short although it was understood: what was dropped, and
    what is to be said.
    """

    reply: str
    dropped: int = 0
    note: str = ""


_WHOLE = Shortfall("")
_EMPTY = "x.state <> 'failed' AND x.triples = 0"
_SHORT = "x.state <> 'failed' AND x.reply <> '' AND (x.dropped > 0 OR x.error <> '')"


class Extractions(StoreTable):
    """The state of every passage in every triple set."""

    def mark_extracted(
        self,
        set_id: int,
        triples: Mapping[int, int],
        fingerprint: str,
        short: Mapping[int, Shortfall] | None = None,
    ) -> None:
        """Mark passages as extracted, with their number of triples, by what made them; `short`:
        whose reply fell short. One that has the same number as before stays as it is.
        """
        at, shortfalls = now(), short or {}
        rows = [(id_, shortfalls.get(id_, _WHOLE), count) for id_, count in triples.items()]
        self._db.many(
            "INSERT INTO extractions (set_id, passage_id, state, triples, dropped, error, reply,"
            " fingerprint, at) VALUES (?, ?, 'done', ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " state = 'done', error = excluded.error, reply = excluded.reply, dropped ="
            " excluded.dropped, triples = excluded.triples, fingerprint = excluded.fingerprint, at"
            " = excluded.at WHERE triples <> excluded.triples OR state = 'failed'",
            [
                (
                    set_id,
                    id_,
                    count,
                    shortfall.dropped,
                    shortfall.note,
                    shortfall.reply,
                    fingerprint,
                    at,
                )
                for id_, shortfall, count in rows
            ],
        )

    def mark_failed(
        self, set_id: int, passage_id: int, error: str, fingerprint: str, reply: str = ""
    ) -> None:
        """Mark a passage as not extracted, and keep why."""
        self._db.execute(
            "INSERT OR REPLACE INTO extractions (set_id, passage_id, state, error, reply,"
            " fingerprint, at) VALUES (?, ?, 'failed', ?, ?, ?, ?)",
            [set_id, passage_id, error, reply, fingerprint, now()],
        )

    def recount(self, set_id: int, triples: Mapping[int, int]) -> None:
        """Note how many triples passages have after somebody changed some."""
        self._db.many(
            "UPDATE extractions SET triples = ? WHERE set_id = ? AND passage_id = ? AND state <>"
            " 'failed'",
            [(count, set_id, passage_id) for passage_id, count in triples.items()],
        )

    def retry_failed(self, set_id: int) -> int:
        """Forget failures, so that the next job tries those passages again; return how many."""
        return self._db.delete("extractions", set_id=set_id, state="failed")

    def retry_empty(self, set_id: int) -> int:
        """Forget the passages that gave no triples, so that the next job tries them again; return
        how many.
        """
        return self._db.execute(
            f"DELETE FROM extractions AS x WHERE set_id = ? AND {_EMPTY}", [set_id]
        )

    def failures(self, set_id: int, limit: int = 100) -> list[Failure]:
        """The passages that could not be extracted, by id."""
        return self._failures(set_id, "x.state = 'failed'", limit)

    def shortfalls(self, set_id: int, limit: int = 100) -> list[Failure]:
        """The passages that failed, then those that gave no triples, then those whose reply was
        used in part, by id.
        """
        return self._failures(set_id, f"(x.state = 'failed' OR {_EMPTY} OR {_SHORT})", limit)

    def _failures(self, set_id: int, condition: str, limit: int) -> list[Failure]:
        return self._db.values(
            Failure,
            "SELECT p.key, p.title, x.error, x.reply, CASE WHEN x.state = 'failed' THEN NULL ELSE"
            " x.triples END, x.dropped FROM extractions x JOIN passages p ON p.id = x.passage_id"
            f" WHERE x.set_id = ? AND {condition} AND p.retired IS NULL ORDER BY x.state <>"
            f" 'failed', NOT ({_EMPTY}), p.id LIMIT ?",
            [set_id, limit],
        )

    def pending(self, collection_id: int, set_id: int, limit: int) -> list[Passage]:
        """The next passages the set has not been made for, by id."""
        return self._db.values(
            Passage,
            'SELECT p.id, p.key, p.title, p.text, p.document_id, p."start", p."end" FROM passages p'
            " LEFT JOIN extractions x ON x.set_id = ? AND x.passage_id = p.id WHERE p.collection_id"
            " = ? AND p.retired IS NULL AND x.passage_id IS NULL ORDER BY p.id LIMIT ?",
            [set_id, collection_id, limit],
        )

    def waiting(self, collection_id: int, set_id: int | None) -> list[int]:
        """The ids of the passages the set has not been made for or that failed; all of them for a
        set not yet there.
        """
        return self._db.column(
            "SELECT id FROM passages WHERE collection_id = ? AND retired IS NULL AND id NOT IN"
            " (SELECT passage_id FROM extractions WHERE set_id = ? AND state <> 'failed') ORDER"
            " BY id",
            [collection_id, set_id or 0],
        )

    def not_extracted(self, set_id: int, passage_ids: Sequence[int]) -> set[int]:
        """Passages among these, not retired, that the set has not been made for or that
        failed.
        """
        return set(
            self._db.column(
                f"SELECT id FROM passages WHERE id IN {LISTED} AND retired IS NULL AND id NOT IN"
                " (SELECT passage_id FROM extractions WHERE set_id = ? AND state <> 'failed')",
                [listed(passage_ids), set_id],
            )
        )

    def noted(self, set_id: int, note: str) -> list[str]:
        """The documents with passages that were extracted with this note, by their file's name or
        else their title, each once, in order.
        """
        rows = self._db.tuples(
            "SELECT coalesce(nullif(d.source, ''), nullif(d.title, ''), p.title), min(p.id) FROM"
            " extractions x JOIN passages p ON p.id = x.passage_id AND p.retired IS NULL LEFT JOIN"
            " documents d ON d.id = p.document_id WHERE x.set_id = ? AND x.state <> 'failed' AND"
            " x.error = ? GROUP BY 1 ORDER BY 2",
            [set_id, note],
        )
        return [name for name, _ in rows]

    def counts(self, set_id: int) -> PassageCounts:
        """The passages there are now, by state."""
        return self._db.values(
            PassageCounts,
            "SELECT coalesce(sum(x.state = 'done'), 0), coalesce(sum(x.state = 'failed'), 0),"
            f" coalesce(sum({_EMPTY}), 0), coalesce(sum({_SHORT}), 0), coalesce(sum(x.dropped), 0)"
            " FROM extractions x JOIN passages p ON p.id = x.passage_id AND p.retired IS NULL"
            " WHERE x.set_id = ?",
            [set_id],
        )[0]
