"""The events of a run with what follows from them, each computed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gear_app.trace import rankings, timeline
from gear_app.trace.entities import names_of
from gear_app.trace.events import Event, Ranked, RankedPassage, Started, Stopped

SINGLE = frozenset({"retrieve", "recognise", "walk", "rank", "answer"})  # steps of one search


class RunTrace(tuple[Event, ...]):
    """Events of a run in order: all of them, or those until a step.

    Whoever steps through a run sees it grow: `until` has nothing that comes later.
    """

    @classmethod
    def of(cls, events: Iterable[Event]) -> RunTrace:
        """Make a trace of events; a trace stays as it is."""
        return events if isinstance(events, RunTrace) else cls(events)

    @cached_property
    def start(self) -> Started | None:
        """The event that opened the run, if it has begun."""
        return next((event for event in self if isinstance(event, Started)), None)

    @cached_property
    def end(self) -> Stopped | None:
        """The event that says why the run ended, if it has."""
        return next((event for event in reversed(self) if isinstance(event, Stopped)), None)

    @cached_property
    def result(self) -> Ranked | None:
        """The event with the final ranking, if there is one."""
        return next((event for event in reversed(self) if isinstance(event, Ranked)), None)

    steps = cached_property(timeline.steps)
    searches = cached_property(rankings.searches)
    iterations = cached_property(timeline.iterations)  # how many have begun
    iterates = cached_property(timeline.iterates)  # the method works in iterations
    memory = cached_property(timeline.gist_iterations)
    names = cached_property(names_of)  # of the entities in its triples and titles
    final = cached_property(rankings.final)  # or what the run would end with if it stopped here

    @cached_property
    def reached(self) -> dict[int, tuple[RankedPassage, ...]]:
        """Rankings by iteration without what only fills them up."""
        return rankings.per_iteration(self, reached=True)

    rankings = cached_property(rankings.per_iteration)  # "as if it were the last", by iteration

    @cached_property
    def single(self) -> bool:
        """Whether the run is its first search and nothing else: it has no baseline but itself."""
        return {step.verb for step in self.steps} <= SINGLE

    @cached_property
    def _numbers(self) -> Mapping[int, int]:
        return {id(event): step.number for step in self.steps for event in step.events}

    @cached_property
    def _parts(self) -> dict[int, RunTrace]:
        return {}

    def first_step(self, verb: str, iteration: int) -> int | None:
        """The number of the first step of this verb in an iteration; None without one."""
        steps = (step for step in self.steps if (step.verb, step.iteration) == (verb, iteration))
        return next((step.number for step in steps), None)

    def during(self, iteration: int) -> tuple[Event, ...]:
        """The events of one iteration."""
        return tuple(event for event in self if event.iteration == iteration)

    def step_of(self, event: Event) -> int | None:
        """The number of the step that an event (this very one) belongs to; None without one."""
        return self._numbers.get(id(event))

    def until(self, number: int) -> RunTrace:
        """The events until the step after `number` begins; at the last step all of them.

        What belongs to no step, as GEAR's ranking "as if this iteration were the last", is known
        with the step before it.
        """
        if number + 1 >= len(self.steps):
            return self
        if number not in self._parts:
            first = self.steps[number + 1].events[0]
            place = next(at for at, event in enumerate(self) if event is first)
            self._parts[number] = RunTrace(self[:place])
        return self._parts[number]


@dataclass(frozen=True, slots=True)
class RunProgress:
    """Events known at a step: all that had happened by then, and nothing after it.

    Whoever steps through a run sees it grow: the header, the ranks of gold passages, recall, the
    memory and the cards are drawn from `events` alone, so what comes later cannot show in them.
    """

    events: RunTrace
    ahead: int  # steps after it; 0 where everything is shown
    over: bool  # no ranking can change any more: the final one is known, or the run has ended here


def progress(
    events: Sequence[Event], number: int, *, finished: bool, everything: bool = False
) -> RunProgress:
    """Events known at step `number`.

    `finished`: the run is over, be it done or failed. `everything`: as if at the last step.
    """
    trace = RunTrace.of(events)
    number_ = len(trace.steps) - 1 if everything else number
    visible = trace.until(number_)
    ahead = len(trace.steps) - 1 - number_
    over = visible.result is not None or (finished and not ahead)
    return RunProgress(visible, ahead, over)
