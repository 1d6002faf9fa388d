"""What a step of a run is drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from gear_app.analysis import timeline
from gear_app.analysis.entities import EntityNames, names_of
from gear_app.analysis.rankings import searches
from gear_app.analysis.timeline import Step
from gear_app.events import VERBS, Event
from gear_app.workspace import RunInfo

Kind = TypeVar("Kind", bound=Event)
Texts = Callable[[Sequence[int]], Mapping[int, str]]  # of passages by id, of those that are there


def _no_texts(ids: Sequence[int]) -> Mapping[int, str]:
    return {}


@dataclass(frozen=True)
class Scene:
    """What a step is drawn from; `before` are the steps before it in its iteration.

    `events` are those that are known at the step, or all, if everything is shown. `iterations` is
    how many the run has in all; `over`: the known rankings are final. `opens` is the path of
    the beam whose card is selected first; () leaves that to the picture. `texts` are those of the
    collection's passages.
    """

    run: RunInfo
    events: Sequence[Event]
    step: Step
    before: tuple[Step, ...]
    gold: tuple[str, ...]
    markable: bool = False
    texts: Texts = _no_texts
    iterations: int = 0
    over: bool = True
    opens: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """A prefix for this step's widgets."""
        return f"{self.run.id}-{self.step.number}"

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The step's events of a kind, in order."""
        return [event for event in self.step.events if isinstance(event, kind)]

    @cached_property
    def names(self) -> EntityNames:
        """The names of the run's entities, to be found in its texts."""
        return names_of(self.events)

    @property
    def queries(self) -> list[tuple[str, str]]:
        """The labelled queries of the step's search, else of its iteration, else the question.

        None where the step's card shows them itself.
        """
        heading = VERBS[self.step.verb].heading
        if not heading:
            return []
        if heading == "question":
            return [("Question", self.run.question)]
        if self.step.query:
            return [(_label(self.step.search), self.step.query)]
        iteration = self.step.iteration
        there = [search for search in searches(self.events) if search.iteration == iteration]
        labelled = [(_label(search.name), search.query) for search in there]
        return labelled or [("Query", self.run.question)]

    @property
    def query(self) -> str:
        """The last of the step's queries."""
        return next((words for _, words in reversed(self.queries)), self.run.question)

    @property
    def search(self) -> Event | None:
        """The retrieval that the step's search began with."""
        there = [
            event
            for event in self.events
            if event.is_of("retrieve")
            and event.iteration == self.step.iteration
            and self.step.query in ("", event.query_told)
        ]
        return there[-1] if there else None

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """The run's settings, as its first event tells them."""
        begun = timeline.started(self.events)
        return begun.settings if begun else ()


def _label(name: str) -> str:
    return (
        f"{name.capitalize()} query" if name in ("fast", "slow") else name.capitalize() or "Query"
    )
