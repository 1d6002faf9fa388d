"""The sink of a run: every event is in the file as soon as it happened, and a request to stop is
heeded there.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from gear_app.core.turns import waited_for_turns_ms
from gear_app.store import Store
from gear_app.store.events import StoredEvent
from gear_app.store.rows import RunInfo, Spent
from gear_app.store.spending import add_event
from gear_app.trace.events import Emit, Event, Started


class Recorder:
    """Writes events, passes them on, and counts. Raises Cancelled where somebody asked to stop, and
    Deleted where the run's collection is gone.
    """

    def __init__(self, store: Callable[[], Store], run: RunInfo, emit: Emit) -> None:
        """Time begins now. `loading_ms`: before the last `restart`, and since on what is kept."""
        self._store = store
        self._run = run
        self._emit = emit
        self.loading_ms = 0.0
        self._begin()
        self.events: list[StoredEvent] = []
        self.iterations = 0
        self.spent = Spent()

    @property
    def ms(self) -> float:
        """Milliseconds since it began, without what models and vectors took that are kept, and
        without the turns of others.
        """
        apart_ms = self._apart_ms + waited_for_turns_ms() - self._waited_ms
        return (time.perf_counter() - self._began) * 1000 - apart_ms

    def restart(self) -> None:
        """Time begins now: loading models and arrays is not the run's time."""
        self.loading_ms += self.ms
        self._begin()

    def _begin(self) -> None:
        self._began, self._apart_ms = time.perf_counter(), 0.0
        self._waited_ms = waited_for_turns_ms()

    def add_load_time(self, ms: float) -> None:
        """A model was loaded, or texts were encoded, which took so long."""
        self._apart_ms += ms
        self.loading_ms += ms

    def check(self) -> None:
        """Raise Cancelled or Deleted where the run has to end (store.tasks)."""
        self._store().tasks.check(self._run)

    def __call__(self, event: Event) -> None:
        """Record one event, unless the run has to end here. What comes before the first is
        loading.
        """
        if isinstance(event, Started):
            self.restart()
        self.check()
        self.record(event)

    def record(self, event: Event) -> None:
        """Record one event, whatever was asked for: why the run ends."""
        store = self._store()
        stored = StoredEvent(len(self.events) + 1, self.ms, event)
        store.events.add(self._run.number, *stored)
        self.events.append(stored)
        self.iterations = max(self.iterations, event.iteration)
        self.spent = add_event(self.spent, event)
        self._emit(event)
