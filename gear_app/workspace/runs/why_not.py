"""Why a run does not have a passage, asked of a stored run; and the other settings with which the
run would have it, found by running the question again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from gear_app import methods as retrievers
from gear_app.core.errors import GearError, NotReady, Unknown
from gear_app.core.overrides import alternatives, overridden
from gear_app.store.collections import check_complete
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event
from gear_app.trace.evidence import labelled, named_passages
from gear_app.trace.lost import PassageFacts, WhyNot, why_not
from gear_app.trace.rankings import final, rank_of
from gear_app.workspace.connection import Service
from gear_app.workspace.runs.rerun import K, RunChange

Rerun = Callable[[str, RunChange], Sequence[Event] | None]  # of a run by its id
MOST_TRIALS, MOST_S = 60, 60.0


class Trial(NamedTuple):
    """One setting with another value: the passage's final rank then, or why it was not run."""

    setting: str
    was: str
    value: str
    rank: int | None = None
    failure: str = ""


class WhyNotService(Service):
    """Explanations of what the runs of a workspace do not have."""

    def passage(self, run_id: str, name: str) -> str:
        """The key of a passage of the run's collection, by its key or its whole title. Raises
        Unknown, though not for the run's own gold, which may be in no collection.
        """
        run, passages = self._store.runs.get(run_id), self._store.passages
        collection_id = run.collection_id or 0
        if name in run.gold or passages.named(collection_id, run.revision, [name]):
            return name
        hits = passages.search(collection_id, name, 20)
        titled = [passage.key for passage in hits if passage.title.casefold() == name.casefold()]
        if len(titled) != 1:
            raise Unknown("passage", name, [passage.key for passage in hits])
        return titled[0]

    def explain(self, run_id: str, key: str, k: int = 5) -> WhyNot:
        """The cause for which the run does not have the passage among its first k. Passages of one
        title have labels. Raises NotReady where the collection is not here, or the run has not
        ended.
        """
        run = self._ended(run_id)
        events = [row.event for row in self._store.events.of(run.number)]
        parts = self._store.passages.named(run.collection_id or 0, run.revision, [key])
        ids, triples = tuple(passage.id for passage in parts), None
        if parts and run.set_id is not None:
            triples = tuple(self._store.triples.of_passages(run.set_id, ids, run.revision))
        labels = self._store.passages.labels(sorted({*named_passages(events), *ids}))
        facts = PassageFacts(ids, parts[0].title if parts else "", triples)
        answer = why_not(labelled(events, labels), key, facts, k)
        title = labels.get(ids[0]) if len(ids) == 1 else None  # several: the parts of a document
        return replace(answer, title=title or answer.title)

    def changes(self, run_id: str, k: int) -> list[RunChange]:
        """Every other value of one setting, `k` among them, that may find more. Raises BadInput or
        Unknown for a run of a method or with settings that are not known any more.
        """
        run = self._ended(run_id)
        values = alternatives(overridden(retrievers.config_for(run.method), run.config))
        if retrievers.method_of(run.method).over != "step":
            values[K] = tuple(str(n) for n in (run.k * 2, run.k // 2) if n >= k)
        return [RunChange({name: value}) for name, options in values.items() for value in options]

    def trials(self, run_id: str, key: str, k: int, rerun: Rerun) -> list[Trial]:
        """Rank of the passage with each other value of a setting, without those of which `rerun`
        has nothing yet. At most MOST_TRIALS, none of which begins after MOST_S seconds. Raises
        NotReady as `explain` does.
        """
        run, until = self._store.runs.get(run_id), time.monotonic() + MOST_S
        results = []
        for change in self.changes(run_id, k)[:MOST_TRIALS]:
            if time.monotonic() > until:
                break
            ((name, value),) = change.settings.items()
            trial = Trial(name, str(run.k if name == K else run.config[name]), str(value))
            try:
                events = rerun(run_id, change)
            except GearError as error:  # of this value: another one may need no other reply
                results.append(trial._replace(failure=str(error)))
            else:
                if events is not None:
                    results.append(trial._replace(rank=rank_of(key, final(events))))
        return results

    def _ended(self, run_id: str) -> RunInfo:
        """A run that has ended, and whose collection is in this workspace. Raises NotReady."""
        run = self._store.runs.get(run_id)
        if run.going:
            raise NotReady(f"Run {run.id} is {run.state}. Ask when it has ended.")
        collection = self._store.collections.find(run.collection_id)
        if collection is None or collection.cluster:
            place = "in a cluster" if collection else "deleted"
            raise NotReady(
                f"{run.collection!r} is {place}. Why a passage is missing is explained for"
                " collections of a workspace."
            )
        check_complete(collection)
        return run
