"""A finished run boiled down to what a comparison needs, and when it first had a passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.analysis import gold as golds
from gear_app.analysis import timeline
from gear_app.events import Event, Failed, RankedPassage
from gear_app.views import header, rankings
from gear_app.views.answers import Judged, of_run


class Listed(NamedTuple):
    """Where a step's lists have passages: the best rank by key."""

    step: int
    iteration: int
    ranks: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Digest:
    """What a comparison needs of a finished run's events. `rounds` are the rankings after each
    iteration, `listed` its steps up to the final ranking, `answer` what it wrote from that,
    measured against the known answers.
    """

    ranking: tuple[RankedPassage, ...]
    rounds: Mapping[int, tuple[RankedPassage, ...]]
    listed: tuple[Listed, ...]
    found: Mapping[str, golds.Found]
    iterates: bool
    why: str
    sentence: str
    gave_up: str
    answer: Judged | None = None

    def rank(self, key: str) -> int | None:
        """The passage's final rank."""
        return rankings.rank_of(key, self.ranking)


class Reached(NamedTuple):
    """When a passage first stood within a method's first k: iteration, rank then, and the step that
    shows it.
    """

    iteration: int
    rank: int
    step: int


def digest(events: Sequence[Event], gold: Sequence[str], known: Sequence[str] = ()) -> Digest:
    """The events of a finished run, boiled down; `known` answers are those known when it was
    made.
    """
    steps = timeline.steps(events)
    stopped = timeline.stopped(events)
    gave_up = (
        event
        for event in reversed(events)
        if isinstance(event, Failed) and event.step != "answer" and not event.dropped
    )
    failed = next(gave_up, None)
    return Digest(
        golds.final(events),
        golds.per_iteration(events),
        tuple(_listed(step) for step in steps if step.verb != "answer"),
        {found.key: found for found in golds.strip(events, gold)},
        timeline.iterates(events),
        stopped.why if stopped else "",
        stopped.sentence if stopped else "",
        f"{header.gave_up(failed.step)}: {header.ended(failed.message)}" if failed else "",
        of_run(events, known),
    )


def _listed(step: timeline.Step) -> Listed:
    ranks: dict[str, int] = {}
    for event in step.events:
        for rank, passage in enumerate(rankings.listed(event), start=1):
            ranks[passage.key] = min(rank, ranks.get(passage.key, rank))
    return Listed(step.number, step.iteration, ranks)


def reached(found: Digest, key: str, k: int) -> Reached | None:
    """When the passage first stood in the first k of the ranking "as if it were the last"; None
    where it never did.

    The step is the first of that iteration that had it so high, else the one that brought it in,
    else the last.
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
    return next(
        iter([*showing, *brought, *(listed.step for listed in reversed(there))]), last_step(found)
    )


def last_step(found: Digest) -> int:
    """The step with the final ranking."""
    return max(0, len(found.listed) - 1)
