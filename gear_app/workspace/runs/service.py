"""Runs from outside: put in the queue, seen, stopped, repeated. Nothing here loads a model."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from gear_app.core import demonstration
from gear_app.core.errors import BadInput, NotReady, Refused
from gear_app.models.server import SESSION, Spec
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event, RankedPassage
from gear_app.trace.rankings import final
from gear_app.workspace.connection import Service
from gear_app.workspace.runs.request import NO_RIGHTS, RunRequest, new_run, request_of

SHORTEST_ID = 4  # characters that may stand for a run's whole id


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(RunInfo):
    """A run with its events in order."""

    events: tuple[Event, ...] = ()

    @property
    def run(self) -> str:
        """Its id."""
        return self.id

    @property
    def ranking(self) -> tuple[RankedPassage, ...]:
        """The final ranking, best first."""
        return final(self.events)


class RunService(Service):
    """A workspace's runs."""

    def enqueue(self, request: RunRequest) -> str:
        """Put a run in the worker's queue; its id. Raises BadInput or NotReady before anything is
        stored. In a demonstration it takes the place of the oldest runs of visitors where enough
        are kept.
        """
        runs = self._store.runs
        # Nobody adds a run between the count and this one.
        with self._store.db.transaction(by_visitors=True):
            if self.connection.restricted:
                owner = demonstration.visitor(request.owner)
                request = replace(request, owner=owner, rights=NO_RIGHTS)
                demonstration.check_caps(request.k, *runs.counts(owner))
                runs.drop_oldest(demonstration.VISITOR, demonstration.MOST_KEPT - 1)
            return runs.create(new_run(self._store, request)).id

    def same(self, request: RunRequest) -> RunInfo | None:
        """The newest run of exactly this that need not be made again: done or on its way, with the
        gold of today. Owner and budget may differ.

        Not one made before passages or triples changed. Raises as `enqueue` does.
        """
        self._store.tasks.recover()
        return self._store.runs.same(new_run(self._store, request))

    def again(self, run_id: str, model: Spec | None = None, **changes: Any) -> str:  # noqa: ANN401
        """Put a run with the same question, method and settings in the queue, on the collection as
        it is now; `changes` are of its request, such as `owner`, `budget` and `rights`.

        A run that asked a language model asks the same, with the key of `model` where that is the
        same server, else with none, or that of the environment. Raises NotReady where its key was
        typed in a browser: that is for who typed it.
        """
        request = request_of(self.get(run_id))
        spec = request.model
        if spec and model and model.base_url == spec.base_url:
            spec = replace(spec, key_from=model.key_from)
        elif spec and spec.key_from.startswith(SESSION):
            raise NotReady(
                f"The key for {spec.base_url} was typed in a browser. Choose it again on Settings."
            )
        return self.enqueue(replace(request, model=spec or model, **changes))

    def get(self, start: str) -> RunInfo:
        """A run without its events, by its id or by how that alone begins, in four characters or
        more. Raises Unknown, and BadInput where several runs begin so.
        """
        self._store.tasks.recover()
        ids = self._store.runs.ids_with_prefix(start) if len(start) >= SHORTEST_ID else []
        if len(ids) > 1 and start not in ids:
            raise BadInput(f"{len(ids)} runs begin with {start!r}. Give more of the id.")
        return self._store.runs.get(ids[0] if len(ids) == 1 else start)

    def recent(
        self, collection: str | None = None, limit: int = 50, offset: int = 0
    ) -> list[RunInfo]:
        """The newest runs first, of one collection or of all."""
        self._store.tasks.recover()
        row = None if collection is None else self._store.collections.get(collection)
        return self._store.runs.recent(row.id if row else None, limit, offset)

    def events(self, run_id: str, after: int = 0) -> list[Event]:
        """A run's events in order; `after` skips so many of the first."""
        run = self._store.runs.get(run_id)
        return [stored.event for stored in self._store.events.of(run.number, after)]

    def answer(self, run_id: str) -> Answer:
        """A run with its events. Raises Unknown."""
        run = self._store.runs.get(run_id)
        values = {item.name: getattr(run, item.name) for item in fields(run)}
        return Answer(**values, events=tuple(self.events(run_id)))

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

    def pin(self, run_id: str) -> None:
        """Let the run's collection open with it, instead of any that was pinned before. Raises
        BadInput where it is not done, or its collection was deleted.
        """
        run = self.get(run_id)
        if run.state != "done" or run.collection_id is None:
            state = run.state if run.collection_id else "of a deleted collection"
            raise BadInput(f"Run {run.id} is {state}. Pin one that is done.")
        self._store.runs.pin(run.id)
