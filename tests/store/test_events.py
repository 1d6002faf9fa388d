"""Events and annotations of a run."""

from __future__ import annotations

import zlib

import pytest

from gear_app.core.errors import StoreFailed
from gear_app.store import Store
from gear_app.trace.events import KINDS, Event, Started
from tests import factories
from tests.samples import sample
from tests.store.make import new_run


def test_every_kind_of_event_round_trips_through_the_store(store: Store) -> None:
    run = store.runs.create(new_run(store))
    happened: list[Event] = [
        *factories.gear_run(),
        *(sample(kind, absent=False) for kind in KINDS.values()),
    ]
    for position, event in enumerate(happened, start=1):
        store.events.add(run.number, position, position * 1.5, event)
    stored = store.events.of(run.number)
    assert [event.event for event in stored] == happened
    assert [event.position for event in stored] == list(range(1, len(happened) + 1))
    assert [event.at_ms for event in stored][:2] == [1.5, 3.0]
    assert [event.event for event in store.events.of(run.number, after=3)] == happened[3:]


def test_a_damaged_event_is_told(store: Store) -> None:
    run = store.runs.create(new_run(store))
    for damaged in (
        b"no zlib",
        zlib.compress(b"no JSON"),
        zlib.compress(b'{"kind": "Nothing"}'),
        zlib.compress(b"[]"),
    ):
        store.events.add(run.number, 1, 0.0, Started("Who?", "bm25"))
        store.db.execute("UPDATE events SET payload = ?", [damaged])
        with pytest.raises(StoreFailed, match="An event of the run cannot be read"):
            store.events.of(run.number)
        store.db.execute("DELETE FROM events")


def test_gold_that_is_marked_later_has_its_time(store: Store) -> None:
    run = store.runs.create(new_run(store))
    store.runs.mark_gold(run.id, ["k2", "k3", "k2"])
    marked = store.runs.get(run.id)
    assert marked.gold == ("k2", "k3") and marked.gold_marked is not None
