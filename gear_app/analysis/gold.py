"""What the run found of the gold passages, and at which step: recall, and one line for every gold
passage.

Recall is the fraction of the gold passages among the first k (DESIGN §4); the gold is the run's
snapshot, by key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.analysis import passage_origin, timeline
from gear_app.analysis.gold_keys import stands_for, whole
from gear_app.analysis.rounds import final as final
from gear_app.analysis.rounds import found_of, only_follows
from gear_app.analysis.rounds import per_iteration as per_iteration
from gear_app.analysis.searches import Search, searches
from gear_app.events import (
    Event,
    Expanded,
    Fused,
    Pooled,
    Promoted,
    RankedPassage,
    Retrieved,
    Walked,
)
from gear_app.text import tokenise
from gear_app.views import rankings
from gear_app.views.method_names import capital
from gear_app.views.rankings import CUTS as CUTS
from gear_app.views.rankings import rank_of, within

BEST = ("expand", "remember", "promote", "walk")  # the steps that show best why a passage was found
ALONE = frozenset(
    {"retrieve", "extract", "recognise", "walk", "rank", "answer"}
)  # steps of a single search
SHOWN = (
    "expand",
    "promote",
    "walk",
    "match",
    "think",
)  # and those that show best how a method works


def recall_at(k: int, ranking: Sequence[RankedPassage], gold: Sequence[str]) -> float:
    """The fraction of the gold keys among the first k; 0 where there is no gold."""
    first = {key for passage in ranking[:k] for key in (passage.key, whole(passage.key))}
    return sum(key in first for key in gold) / len(gold) if gold else 0.0


def base(events: Sequence[Event]) -> Search | None:
    """The first search, for the question as asked: the baseline everything else is measured
    against.
    """
    first = next(iter(searches(events)), None)
    return first if first and first.base else None


def alone(events: Sequence[Event]) -> bool:
    """Whether the run is its first search and nothing else, so that it has no baseline but
    itself.
    """
    return {step.verb for step in timeline.steps(events)} <= ALONE


class Ranks(NamedTuple):
    """A gold passage's ranks in one iteration; None: not among the passages of that list, or there
    is no such list.

    `fast` and `slow` are what BDTR's two queries found; `total` is the ranking as of this
    iteration. Passages that merely follow a pool or a fusion have no rank in it.
    """

    iteration: int
    base: int | None = None
    walk: int | None = None
    beams: int | None = None
    fused: int | None = None
    fast: int | None = None
    slow: int | None = None
    pool: int | None = None
    promoted: int | None = None
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The way of one gold passage through the run; `how` says in words what brought it in."""

    key: str
    title: str
    first: int | None  # rank in the first retrieval
    ranks: tuple[Ranks, ...]
    final: int | None
    how: str
    step: int | None  # the step of the timeline to open for it
    follows: bool = False  # its final rank is among those that follow what the searches found


def strip(
    events: Sequence[Event], gold: Sequence[str], titles: Mapping[str, str] | None = None
) -> tuple[Found, ...]:
    """One line for every gold passage, in the order of `gold`; `titles` by key, for those that no
    step found.
    """
    return tuple(_found(events, key, (titles or {}).get(key, "")) for key in gold)


def decisive_step(events: Sequence[Event], gold: Sequence[str]) -> int | None:
    """The step that shows best why: what first brought in a gold passage the base missed.

    Without such, the first step that shows how the method works; None where there is none.
    """
    verbs = {step.number: step.verb for step in timeline.steps(events)}
    missed = [
        found for found in strip(events, gold) if alone(events) or not within(found.first, CUTS[0])
    ]
    steps = [
        found.step
        for found in sorted(missed, key=lambda f: not within(f.final, CUTS[0]))
        if found.step is not None
    ]
    for verb in BEST:
        if (shown := next((step for step in steps if verbs[step] == verb), None)) is not None:
            return shown
    return next(
        (number for wanted in SHOWN for number, verb in verbs.items() if verb == wanted), None
    )


def verdict(events: Sequence[Event], gold: Sequence[str]) -> str:
    """What the first search found and what the run found, in one sentence of counts. "" without
    gold or ranking.
    """
    first, last = base(events), final(events)
    if not gold or first is None or not last:
        return ""
    k = CUTS[0]
    before, after = (
        round(recall_at(k, ranking, gold) * len(gold)) for ranking in (first.ranking, last)
    )
    if alone(events):
        return f"{capital(first.base)} has {after} of {len(gold)} gold passages in its first {k}."
    found = (
        f"{capital(first.base)} alone has {before} of {len(gold)} gold passages in its first {k}"
    )
    return f"{found}; this run has {after}."


def unnamed(question: str, title: str) -> bool:
    """Whether the question contains none of the words of a passage's title: the commonest reason to
    miss it.
    """
    words = set(tokenise(question))
    named = [word for word in tokenise(title) if len(word) > 2]
    return bool(named) and not any(word in words for word in named)


def _found(events: Sequence[Event], key: str, title: str) -> Found:
    first, last = base(events), final(events)
    how, step = passage_origin.how(events, key)
    return Found(
        key,
        title or _title(events, key),
        rank_of(key, first.ranking) if first else None,
        tuple(_ranks(events, key, n) for n in range(1, timeline.iterations(events) + 1)),
        rank_of(key, last),
        how,
        step,
        only_follows(events, key),
    )


def _title(events: Sequence[Event], key: str) -> str:
    shown = (passage for event in events for passage in rankings.of_event(event))
    return next(
        (passage.title for passage in shown if stands_for(passage.key, key) and passage.title), key
    )


def _ranks(events: Sequence[Event], key: str, iteration: int) -> Ranks:
    there = timeline.at_iteration(events, iteration)

    def rank(kind: type[Event], purpose: str | None = None) -> int | None:
        found = [event for event in there if isinstance(event, kind)]
        lists = [
            found_of(event)
            for event in found
            if purpose is None or getattr(event, "purpose", None) == purpose
        ]
        return min(filter(None, (rank_of(key, ranking) for ranking in lists)), default=None)

    by_thought = {
        search.name: rank_of(key, search.found)
        for search in searches(events)
        if search.iteration == iteration and search.name in ("fast", "slow")
    }
    own = {
        "base": rank(Retrieved),
        "walk": rank(Walked),
        "beams": rank(Expanded),
        "fused": rank(Fused, "iteration"),
    }
    pool, promoted = rank(Pooled), rank(Promoted)
    total = promoted or pool or rank(Fused, "final")
    return Ranks(iteration, **(by_thought or own), pool=pool, promoted=promoted, total=total)
