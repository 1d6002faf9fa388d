"""A flat list of events as the steps of the pipeline, by iteration, what is known at one of them,
and the calls of a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gear_app.core.text import shortened
from gear_app.core.types import ProximalTriple, Substitution
from gear_app.trace.events import (
    VERBS,
    Called,
    Event,
    Failed,
    Followed,
    Reasoned,
    Remembered,
    Rewrote,
    Started,
    Stopped,
)
from gear_app.trace.rankings import QuerySearch, searches

# A method with such a setting works in iterations: BDTR by its thoughts. Chain's rounds are of one
# search.
LIMITS = ("max_iterations", "thoughts")
LOOPS = frozenset({"remember", "pool", "think", "split", "match"})  # as does one with such a step
NO_SEARCH = QuerySearch(0, "", 0, 0)


@dataclass(frozen=True, slots=True)
class Step:
    """One stop of the slider: what one verb did in one iteration.

    `number` counts from 0 in the order of events. `search` tells the searches of one iteration
    apart ("fast", "slow"), `query` is what that search asked; both are "" for what is done once
    with all an iteration found. `iterates` False: the method has one round, which is not called an
    iteration. `round` is that of the links followed, from 1; 0 where there is one round or none.
    """

    number: int
    iteration: int
    verb: str
    events: tuple[Event, ...]
    failed: bool = False
    iterates: bool = True
    search: str = ""
    query: str = ""
    round: int = 0


def iterates(events: Sequence[Event]) -> bool:
    """Whether the run's method works in iterations; the others have one round only."""
    started = next((event for event in events if isinstance(event, Started)), None)
    limited = started is not None and any(
        name.split(".")[-1] in LIMITS for name, _ in started.settings
    )
    loops = any(event.verb in LOOPS for event in events)
    return limited or loops or iterations(events) > 1


def before(step: Step, steps_: Sequence[Step]) -> tuple[Step, ...]:
    """The steps of a run before one, of its iteration."""
    return tuple(other for other in steps_[: step.number] if other.iteration == step.iteration)


def steps(events: Sequence[Event]) -> tuple[Step, ...]:
    """Steps in the order they happened.

    GEAR's fusions "as if it were the last", start and stop are no steps. A call of a model and a
    failure belong to the step that they name; a failure that names none, to the last step.
    """
    steps: list[Step] = []
    rounds, all_searches = iterates(events), searches(events)
    as_if_last = any(event.is_of("fuse") and not event.so_far for event in events)
    for at, event in enumerate(events):
        verb = _verb(event, steps, as_if_last=as_if_last)
        if not verb:
            continue
        search = _search(all_searches, at, event, verb)
        number, total = (event.round, event.rounds) if isinstance(event, Followed) else (0, 0)
        last = steps[-1] if steps else None
        failed = isinstance(event, Failed) and not event.dropped
        if last and last.verb == verb and _goes_on(last, event, at != search.start and not total):
            steps[-1] = replace(
                last,
                events=(*last.events, event),
                failed=last.failed or failed,
                search=search.name or last.search,
                query=search.query or last.query,
            )
            continue
        round_ = number if total > 1 else 0
        step = Step(len(steps), event.iteration, verb, (event,), failed, rounds)
        steps.append(replace(step, search=search.name, query=search.query, round=round_))
    return tuple(steps)


def _goes_on(last: Step, event: Event, in_same: bool) -> bool:
    """Whether an event goes on with the last step, which has its verb: a failure always, another
    event in the same iteration, but what begins a search or a round of links only after calls.
    """
    if isinstance(event, Failed):
        return True
    calls = all(isinstance(event, Called | Failed) for event in last.events)
    return last.iteration == event.iteration and (in_same or calls)


def _search(all_searches: Sequence[QuerySearch], at: int, event: Event, verb: str) -> QuerySearch:
    """The search that an event is a part of; of a call or a failure the last that had begun."""
    if not isinstance(event, Called | Failed):
        searches = (search for search in all_searches if search.start <= at < search.stop)
        return next(searches, NO_SEARCH)
    earlier = [
        search
        for search in all_searches
        if search.start < at and search.iteration == event.iteration
    ]
    return earlier[-1] if earlier and VERBS[verb].search else NO_SEARCH


def _verb(event: Event, steps: Sequence[Step], *, as_if_last: bool) -> str:
    """The name of the step an event belongs to; "" for none."""
    if isinstance(event, Called | Failed) and event.step in VERBS:
        return event.step
    if isinstance(event, Failed):
        return steps[-1].verb if steps else "retrieve"
    return "" if as_if_last and event.is_of("fuse") and event.so_far else event.verb


def failure_of(events: Sequence[Event]) -> str:
    """Why a model failed a run that went on or ended with what it had: no reply came, or no vectors
    did; "" where none failed. A reply that could not be used, and a budget, are no such failures.
    """
    for event in events:
        if isinstance(event, Called) and event.failed:
            return event.failed
        if isinstance(event, Stopped) and event.why == "model failed":
            return event.sentence
    return ""


def iterations(events: Sequence[Event]) -> int:
    """How many iterations have begun."""
    return max((event.iteration for event in events), default=0)


def link_rounds(events: Sequence[Event]) -> int:
    """How many rounds of links the run's only search has made; 0 for none, and for a method that
    works in iterations, each of whose searches makes its own.
    """
    if iterates(events):
        return 0
    return max((event.round for event in events if isinstance(event, Followed)), default=0)


def new_substitutions(events: Sequence[Event], event: Rewrote) -> tuple[Substitution, ...]:
    """Substitutions of a rewriting that the one before it had not made; the local reader lists all
    since the question.
    """
    rewrote = [other for other in events if isinstance(other, Rewrote)]
    earlier = [other.substitutions for other in rewrote if other.iteration < event.iteration][-1:]
    return tuple(
        change for change in event.substitutions if not any(change in old for old in earlier)
    )


@dataclass(frozen=True, slots=True)
class GistIteration:
    """One iteration: the change of the gist memory, the verdict, and the query that followed."""

    iteration: int
    added: tuple[ProximalTriple, ...]
    repeated: tuple[ProximalTriple, ...]
    verdict: Reasoned | None
    next_query: str


def gist_iterations(events: Sequence[Event]) -> tuple[GistIteration, ...]:
    """Every iteration that remembered or reasoned, in order."""
    records = []
    for n in range(1, iterations(events) + 1):
        during = [event for event in events if event.iteration == n]
        remembered = next((event for event in during if isinstance(event, Remembered)), None)
        verdict = next((event for event in during if isinstance(event, Reasoned)), None)
        query = next((event.query_text for event in during if event.is_of("rewrite")), "")
        if remembered or verdict:
            added, repeated = (remembered.added, remembered.repeated) if remembered else ((), ())
            records.append(GistIteration(n, added, repeated, verdict, query))
    return tuple(records)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call, and the failures that are about its reply."""

    call: Called
    failures: tuple[Failed, ...] = ()

    @property
    def fell_short(self) -> bool:
        """Whether there was no reply, or one that could not be used wholly."""
        return bool(self.call.failed or self.failures)


def model_calls(events: Sequence[Event]) -> list[ModelCall]:
    """The calls in the order their replies came, with the failures that are about their replies."""
    calls: list[ModelCall] = []
    for event in events:
        if isinstance(event, Called):
            calls.append(ModelCall(event))
        elif isinstance(event, Failed) and event.replied:
            for place in _calls_of(calls, event):
                calls[place] = ModelCall(calls[place].call, (*calls[place].failures, event))
    return calls


def _calls_of(calls: Sequence[ModelCall], failed: Failed) -> list[int]:
    """The call that a failure is about, if any: of its step and iteration, with its reply if there
    is one, as of calls that were made at once; for parts of a reply the last, for a whole reply the
    first without a failure.
    """
    place, texts = (failed.step, failed.iteration), (failed.reply, shortened(failed.reply))
    numbers = [n for n, call in enumerate(calls) if (call.call.step, call.call.iteration) == place]
    numbers = [n for n in numbers if shortened(calls[n].call.reply) in texts] or numbers
    free = [n for n in numbers if not calls[n].failures]
    return numbers[-1:] if failed.dropped else free[:1]
