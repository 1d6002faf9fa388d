"""Events and annotations of a run."""

from __future__ import annotations

from gear_app.store import Store
from gear_app.trace.events import KINDS, Event
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
