"""Runs from outside: put in the queue, seen, stopped, repeated, annotated. Nothing here loads a model."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.events import Event
from gear_app.store.events import StoredEvent
from gear_app.store.rows import RunInfo
from gear_app.workspace.core import Core
from gear_app.workspace.requests import Request, Settings, new_run


class Watching(Core):
    """The part of a workspace that a screen needs for runs."""

    def enqueue_run(
        self,
        question: str,
        collection: str,
        method: str,
        triples: str | None = None,
        settings: Settings | None = None,
        k: int = 15,
        reader: str = "local",
        owner: str = "",
    ) -> str:
        """Put a run in the worker's queue; its id. Raises BadInput or NotReady before anything is stored."""
        request = Request(question, collection, method, triples, reader, k, settings or {}, owner)
        return self.store.runs.create(new_run(self.store, request)).id

    def same_run(
        self,
        question: str,
        collection: str,
        method: str,
        triples: str | None = None,
        settings: Settings | None = None,
        k: int = 15,
        reader: str = "local",
    ) -> RunInfo | None:
        """The newest run of exactly this that need not be made again: done or on its way, with the gold of today.

        Not one made before passages or triples changed. Raises as `enqueue_run` does.
        """
        new = new_run(self.store, Request(question, collection, method, triples, reader, k, settings or {}))
        self.mark_interrupted()
        return self.store.runs.same(new)

    def again(self, run_id: str, owner: str = "") -> str:
        """Put a run with the same question, method and settings in the queue, on the collection as it is now."""
        run = self.run(run_id)
        return self.enqueue_run(
            run.question, run.collection, run.method, run.triple_set, run.config, run.k, run.reader, owner or run.owner
        )

    def run(self, run_id: str) -> RunInfo:
        """A run without its events. Raises Unknown."""
        run = self.store.runs.get(run_id)
        if run.state != "running":
            return run
        self.mark_interrupted()
        return self.store.runs.get(run_id)

    def runs(self, collection: str | None = None, limit: int = 50, offset: int = 0) -> list[RunInfo]:
        """The newest runs first, of one collection or of all."""
        self.mark_interrupted()
        row = None if collection is None else self.store.collections.get(collection)
        return self.store.runs.recent(row.id if row else None, limit, offset)

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """A run's events in order; `after` skips so many of the first."""
        return [stored.event for stored in self.timed_events(run_id, after)]

    def timed_events(self, run_id: str, after: int = 0) -> list[StoredEvent]:
        """A run's events with their position (from 1) and the milliseconds since the run began."""
        return self.store.events.of(self.store.runs.get(run_id).number, after)

    def cancel(self, run_id: str) -> None:
        """Stop a run: at once while it waits, at its next event while it runs."""
        self.store.runs.cancel(run_id)

    def mark_gold(self, run_id: str, keys: Sequence[str], author: str = "") -> None:
        """Mark a run's gold after it was made: the snapshot is replaced, with the time; who said so is kept."""
        run = self.store.runs.get(run_id)
        with self.store.transaction():
            self.store.runs.mark_gold(run.id, keys)
            self.store.events.annotate(run.number, "gold", list(keys), author)
