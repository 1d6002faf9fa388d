"""Runs from outside: put in the queue, seen, stopped, repeated, annotated. Nothing here loads a
model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from gear_app.core import demonstration
from gear_app.core.errors import BadInput, NotReady, Refused
from gear_app.models.keys import SESSION
from gear_app.models.server import Spec
from gear_app.store.events import StoredEvent
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event
from gear_app.trace.metrics import recall_at
from gear_app.workspace.connection import Connection, Service
from gear_app.workspace.runs.request import NO_RIGHTS, Rights, RunRequest, new_run, request_of

if TYPE_CHECKING:
    from gear_app.workspace.runs.runner import Answer, Runner

LEAST_OF_AN_ID = 4  # characters that may stand for a run's whole id
TOLD_AT_MOST = 10


class RunService(Service):
    """A workspace's runs. `runner` makes them in this process."""

    def __init__(self, connection: Connection, runner: Callable[[], Runner]) -> None:
        super().__init__(connection)
        self._runner = runner

    def enqueue(self, request: RunRequest) -> str:
        """Put a run in the worker's queue; its id. Raises BadInput or NotReady before anything is
        stored. In a demonstration it takes the place of the oldest runs of visitors where enough
        are kept.
        """
        if not self.connection.restricted:
            return self._runner().create(request).id
        owner = demonstration.visitor(request.owner)
        request = replace(request, owner=owner, rights=NO_RIGHTS)
        with self._store.transaction():  # nobody adds a run between the count and this one
            demonstration.check_caps(request.k, *self._store.runs.counts(owner))
            with self._store.db.unrestricted():
                self._store.runs.drop_oldest(demonstration.VISITOR, demonstration.MOST_KEPT - 1)
            return self._runner().create(request).id

    def same(self, request: RunRequest) -> RunInfo | None:
        """The newest run of exactly this that need not be made again: done or on its way, with the
        gold of today. Owner and budget may differ.

        Not one made before passages or triples changed. Raises as `enqueue` does.
        """
        self.connection.mark_interrupted()
        return self._store.runs.same(new_run(self._store, request))

    def again(
        self,
        run_id: str,
        owner: str = "",
        model: Spec | None = None,
        budget: int | Literal["as then"] | None = "as then",
        method: str = "",
        rights: Rights = NO_RIGHTS,
    ) -> str:
        """Put a run with the same question, method and settings in the queue, on the collection as
        it is now; another `method` is set as it is by default.

        It may take `budget` tokens, None for no limit: whoever pays now says how many, or as many
        as then. A run that asked a language model asks the same, with the key of `model` where that
        is the same server, else with none, or that of the environment. Raises NotReady where its
        key was typed in a browser: that is for who typed it.
        """
        run = self.get(run_id)
        then = request_of(run)
        spec = then.model
        if spec and model and model.base_url == spec.base_url:
            spec = replace(spec, key_from=model.key_from)
        lent = spec is not None and spec.key_from.startswith(SESSION)
        if spec and lent and (model is None or spec.key_from != model.key_from):
            raise NotReady(
                f"The key for {spec.base_url} was typed in a browser. Choose it again on Settings."
            )
        if method:
            then = replace(then, method=method, settings={})
        request = replace(
            then,
            owner=owner or run.owner,
            model=spec or model,
            budget=run.budget if budget == "as then" else budget,
            rights=rights,
        )
        return self.enqueue(request)

    def find_id(self, start: str) -> str:
        """The id of the only run that begins so. Raises Unknown for none, or for fewer than four
        characters.

        Raises BadInput where there are several.
        """
        ids = self._store.runs.ids_with_prefix(start) if len(start) >= LEAST_OF_AN_ID else []
        if len(ids) > 1 and start not in ids:
            listed = ", ".join(ids[:TOLD_AT_MOST]) + (", …" if len(ids) > TOLD_AT_MOST else "")
            raise BadInput(f"{len(ids)} runs begin with {start!r}: {listed}. Give more of the id.")
        return ids[0] if len(ids) == 1 else self._store.runs.get(start).id

    def get(self, run_id: str) -> RunInfo:
        """A run without its events. Raises Unknown."""
        run = self._store.runs.get(run_id)
        if run.state != "running":
            return run
        self.connection.mark_interrupted()
        return self._store.runs.get(run_id)

    def recent(
        self, collection: str | None = None, limit: int = 50, offset: int = 0
    ) -> list[RunInfo]:
        """The newest runs first, of one collection or of all."""
        self.connection.mark_interrupted()
        row = None if collection is None else self._store.collections.get(collection)
        return self._store.runs.recent(row.id if row else None, limit, offset)

    def doing(self, owner: str) -> list[str]:
        """Messages of the running runs of this owner."""
        return self._store.tasks.messages(owner)

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """A run's events in order; `after` skips so many of the first."""
        return [stored.event for stored in self.timed_events(run_id, after)]

    def timed_events(self, run_id: str, after: int = 0) -> list[StoredEvent]:
        """A run's events with their position (from 1) and the milliseconds since the run began."""
        return self._store.events.of(self._store.runs.get(run_id).number, after)

    def recall(self, run: RunInfo, k: int = 5) -> float | None:
        """Recall at k of a run that is done and has gold, else None; costs one small event."""
        if run.state != "done" or not run.gold:
            return None
        return recall_at(self._store.events.ranked_keys(run.number), run.gold, k)

    def cancel(self, run_id: str, owner: str = "") -> None:
        """Stop a run: at once while it waits, at its next event while it runs. In a demonstration
        Refused is raised for anybody but its owner.
        """
        run = self._store.runs.get(run_id)
        if not self.may_cancel(run, owner):
            raise Refused("This run is another visitor's. Only who asked for it can cancel it.")
        self._store.tasks.cancel(run.number)

    def may_cancel(self, run: RunInfo, owner: str) -> bool:
        """Whether this owner may stop a run: of a demonstration only their own."""
        return not self.connection.restricted or run.owner == demonstration.visitor(owner)

    def answer(self, run_id: str) -> Answer:
        """A run as an answer, from what is stored. Raises Unknown."""
        return self._runner().answer(run_id)

    def to_json(self, run_ids: Sequence[str]) -> str:
        """Finished runs, with the passages that they name, as JSON (runs.share)."""
        from gear_app.workspace.runs.share import to_json

        return to_json(self._store, run_ids)

    def pin(self, run_id: str) -> RunInfo:
        """Let the run's collection open with it, instead of any that was pinned before.

        Raises BadInput where it is not done, or its collection was deleted.
        """
        run = self.get(run_id)
        if run.state != "done":
            raise BadInput(f"Run {run.id} is {run.state}. Pin one that is done.")
        if run.collection_id is None:
            raise BadInput(
                f"The collection of run {run.id} was deleted, so there is nothing to open with it."
            )
        self._store.runs.pin(run.id)
        return self._store.runs.get(run.id)

    def unpin(self, run_id: str) -> RunInfo:
        """Let the run's collection open with its latest run again, where this one was pinned."""
        run = self.get(run_id)
        self._store.runs.unpin(run.id)
        return self._store.runs.get(run.id)

    def featured(self, collection: str) -> RunInfo | None:
        """The run that a collection opens with: the pinned one, else the newest that is done, else
        the newest; None where it has none. Raises Unknown.
        """
        self.connection.mark_interrupted()
        return self._store.runs.featured(self._store.collections.get(collection).id)

    def mark_gold(self, run_id: str, keys: Sequence[str]) -> None:
        """Mark a run's gold after it was made: the snapshot is replaced, with the time."""
        self._store.runs.mark_gold(self._store.runs.get(run_id).id, keys)
