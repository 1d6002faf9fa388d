"""A run's events, one row each, compressed."""

from __future__ import annotations

import json
import zlib
from typing import NamedTuple

from gear_app.core.errors import StoreFailed
from gear_app.store.database import StoreTable
from gear_app.trace import events


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
        payload = zlib.compress(
            json.dumps(row, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode(), 9
        )
        self._db.insert(
            "events",
            {
                "run": number,
                "position": position,
                "at_ms": round(at_ms, 3),
                "kind": row["kind"],
                "iteration": event.iteration,
                "payload": payload,
            },
        )

    def of(self, number: int, after: int = 0) -> list[StoredEvent]:
        """A run's events in order, those after a position."""
        rows = self._db.tuples(
            "SELECT position, at_ms, payload FROM events WHERE run = ? AND position > ?"
            " ORDER BY position",
            [number, after],
        )
        return [StoredEvent(position, at_ms, _event(payload)) for position, at_ms, payload in rows]

    def last(self, number: int, kind: type[events.Event]) -> events.Event | None:
        """The last event of a kind, or None."""
        return next(reversed(self.every(number, kind)), None)

    def ranked_keys(self, number: int) -> list[str]:
        """The keys of a run's final ranking, best first; none where it has none."""
        payload = self._db.value(
            "SELECT payload FROM events WHERE run = ? AND kind = 'Ranked' ORDER BY position DESC"
            " LIMIT 1",
            [number],
        )
        row = json.loads(zlib.decompress(payload)) if payload else {}
        return [str(passage["key"]) for passage in row.get("ranking", ())]

    def every(self, number: int, kind: type[events.Event]) -> list[events.Event]:
        """A run's events of a kind, in order."""
        rows = self._db.tuples(
            "SELECT payload FROM events WHERE run = ? AND kind = ? ORDER BY position",
            [number, kind.__name__],
        )
        return [_event(payload) for (payload,) in rows]


def _event(payload: bytes) -> events.Event:
    try:
        return events.from_row(json.loads(zlib.decompress(payload)))
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged() from error


def _damaged() -> StoreFailed:
    return StoreFailed(
        "An event of the run cannot be read: the workspace file is damaged. Restore a backup, or"
        " ask again."
    )
