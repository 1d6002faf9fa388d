"""Runs from outside: put in the queue, seen, stopped, repeated, annotated. Nothing here loads a
model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from gear_app.core import Core
from gear_app.errors import BadInput, NotReady
from gear_app.events import Event
from gear_app.llm.keys import SESSION
from gear_app.llm.server import Spec
from gear_app.runs.request import Options, Request, Settings, missing_set, new_run
from gear_app.store.events import StoredEvent
from gear_app.store.rows import RunInfo

LEAST_OF_AN_ID = 4  # characters that may stand for a run's whole id
TOLD_AT_MOST = 10


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
        model: Spec | None = None,
        budget: int | None = None,
        options: Options | None = None,
    ) -> str:
        """Put a run in the worker's queue; its id. Raises BadInput or NotReady before anything is
        stored.
        """
        request = Request(
            question,
            collection,
            method,
            triples,
            reader,
            k,
            settings or {},
            owner,
            model,
            budget,
            options or Options(),
        )
        with self.store.transaction():
            return self.store.runs.create(self.new_run(request)).id

    def same_run(
        self,
        question: str,
        collection: str,
        method: str,
        triples: str | None = None,
        settings: Settings | None = None,
        k: int = 15,
        reader: str = "local",
        model: Spec | None = None,
        options: Options | None = None,
    ) -> RunInfo | None:
        """The newest run of exactly this that need not be made again: done or on its way, with the
        gold of today.

        Not one made before passages or triples changed. Raises as `enqueue_run` does.
        """
        request = Request(
            question,
            collection,
            method,
            triples,
            reader,
            k,
            settings or {},
            "",
            model,
            None,
            options or Options(),
        )
        self.mark_interrupted()
        return (
            None
            if missing_set(self.store, request)
            else self.store.runs.same(new_run(self.store, request))
        )

    def again(
        self,
        run_id: str,
        owner: str = "",
        model: Spec | None = None,
        budget: int | Literal["as then"] | None = "as then",
    ) -> str:
        """Put a run with the same question, method and settings in the queue, on the collection as
        it is now.

        It may take `budget` tokens, None for no limit: whoever pays now says how many, or as many
        as then. A run that asked a language model asks the same, with the key of `model` where that
        is the same server, else with none, or that of the environment. Raises NotReady where its
        key was typed in a browser: that is for who typed it.
        """
        run = self.run(run_id)
        key_from = (
            model.key_from
            if model and run.model and model.base_url == spec_of(run).base_url
            else run.key_from
        )
        if key_from.startswith(SESSION) and (model is None or key_from != model.key_from):
            raise NotReady(
                f"The key for {spec_of(run).base_url} was typed in a browser. Choose it again on"
                " Settings."
            )
        return self.enqueue_run(
            run.question,
            run.collection,
            run.method,
            run.triple_set,
            run.config,
            run.k,
            run.reader,
            owner or run.owner,
            spec_of(run, key_from) if run.model else model,
            run.budget if budget == "as then" else budget,
            Options(**run.options),
        )

    def run_id(self, start: str) -> str:
        """The id of the only run that begins so. Raises Unknown for none, or for fewer than four
        characters.

        Raises BadInput where there are several.
        """
        found = self.store.runs.beginning(start) if len(start) >= LEAST_OF_AN_ID else []
        if len(found) > 1 and start not in found:
            listed = ", ".join(found[:TOLD_AT_MOST]) + (", …" if len(found) > TOLD_AT_MOST else "")
            raise BadInput(
                f"{len(found)} runs begin with {start!r}: {listed}. Give more of the id."
            )
        return found[0] if len(found) == 1 else self.store.runs.get(start).id

    def run(self, run_id: str) -> RunInfo:
        """A run without its events. Raises Unknown."""
        run = self.store.runs.get(run_id)
        if run.state != "running":
            return run
        self.mark_interrupted()
        return self.store.runs.get(run_id)

    def runs(
        self, collection: str | None = None, limit: int = 50, offset: int = 0
    ) -> list[RunInfo]:
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
        """Mark a run's gold after it was made: the snapshot is replaced, with the time; who said so
        is kept.
        """
        run = self.store.runs.get(run_id)
        with self.store.transaction():
            self.store.runs.mark_gold(run.id, keys)
            self.store.events.annotate(run.number, "gold", list(keys), author)


def spec_of(run: RunInfo, key_from: str = "") -> Spec:
    """The language model of a run that asked one."""
    return Spec.from_json(run.model, key_from)
