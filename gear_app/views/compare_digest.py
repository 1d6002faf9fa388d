"""A finished run boiled down to what a comparison needs, and when it first had a passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.events import Event, Expanded, Failed, RankedPassage
from gear_app.views import gold as golds
from gear_app.views import rankings, timeline
from gear_app.views.header import ended


class Listed(NamedTuple):
    """Where a step's lists have passages: the best rank by key."""

    step: int
    iteration: int
    ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Digest:
    """What a comparison needs of a finished run's events. `rounds` are the rankings after each iteration."""

    ranking: tuple[RankedPassage, ...]
    rounds: Mapping[int, tuple[RankedPassage, ...]]
    listed: tuple[Listed, ...]
    found: Mapping[str, golds.Found]
    iterates: bool
    why: str
    sentence: str
    gave_up: str

    def rank(self, key: str) -> int | None:
        """The passage's final rank."""
        return rankings.rank_of(key, self.ranking)


class Reached(NamedTuple):
    """When a passage first stood within a method's first k: iteration, rank then, and the step that shows it."""

    iteration: int
    rank: int
    step: int


def digest(events: Sequence[Event], gold: Sequence[str]) -> Digest:
    """The events of a finished run, boiled down."""
    steps = timeline.steps(events)
    stopped = timeline.stopped(events)
    failed = next((event for event in reversed(events) if isinstance(event, Failed)), None)
    return Digest(
        golds.final(events),
        golds.per_iteration(events),
        tuple(_listed(step) for step in steps),
        {found.key: found for found in golds.strip(events, gold)},
        timeline.iterates(events),
        stopped.why if stopped else "",
        stopped.sentence if stopped else "",
        f"The step “{failed.step}” gave up: {ended(failed.message)}" if failed else "",
    )


def _listed(step: timeline.Step) -> Listed:
    ranks: dict[str, int] = {}
    for event in step.events:
        passages = event.passages if isinstance(event, Expanded) else rankings.of_event(event)
        for rank, passage in enumerate(passages, start=1):
            ranks[passage.key] = min(rank, ranks.get(passage.key, rank))
    return Listed(step.number, step.iteration, ranks)


def reached(found: Digest, key: str, k: int) -> Reached | None:
    """When the passage first stood in the first k of the ranking "as if it were the last"; None where it never did.

    The step is the first of that iteration that had it so high, else the one that brought it in, else the last.
    """
    for iteration, ranking in sorted(found.rounds.items()):
        rank = rankings.rank_of(key, ranking[:k])
        if rank is not None:
            return Reached(iteration, rank, _step(found, key, k, iteration))
    return None


def _step(found: Digest, key: str, k: int, iteration: int) -> int:
    there = [listed for listed in found.listed if listed.iteration == iteration]
    showing = [listed.step for listed in there if listed.ranks.get(key, k + 1) <= k]
    told = found.found[key].step if key in found.found else None
    brought = [listed.step for listed in there if listed.step == told]
    return next(iter([*showing, *brought, *(listed.step for listed in reversed(there))]), last_step(found))


def last_step(found: Digest) -> int:
    """The step with the final ranking."""
    return max(0, len(found.listed) - 1)
