"""The way of every gold passage through a run: its rank at every stop, and what brought it in.

The gold is the run's snapshot, by key; of a key that is there twice the first counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gear_app.core.text import tokenise
from gear_app.trace.events import Event, Followed
from gear_app.trace.metrics import Gold
from gear_app.trace.passage_origin import PassageOrigin, origin_of
from gear_app.trace.rankings import (
    CUTS,
    QuerySearch,
    first_rank,
    is_among,
    rank_of,
    title_of,
)
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunTrace

# Steps that show best why a passage came in, the best first; and those that show how a method works
BEST = ("expand", "remember", "promote", "walk", "follow", "visit", "gather")
FIRST_QUERY = "the agent’s first query"
TYPICAL = ("expand", "promote", "walk", "match", "think", "follow", "visit", "gather")
VERB_OF = {"base": "retrieve", "walk": "walk", "beams": "expand", "fused": "fuse"}  # by list
SO_FAR = {"pool": "pool", "promoted": "promote", "so far": "fuse"}  # the same, of all iterations
ORDERING = ("visit", "vote", "gather", "open", "rerank")  # passages, anew


class Stop(NamedTuple):
    """A list of an iteration in which a passage may have a rank; `round` is that of links.

    "anew" is a step that orders passages after the first search: a walk, a vote, a rerank. "fast"
    and "slow" are what BDTR's two queries found, "so far" is the ranking as of this iteration.
    """

    iteration: int
    name: str
    round: int = 0


FIRST, FINAL = Stop(0, "first"), Stop(0, "final")  # of the run: its first retrieval and its end


@dataclass(frozen=True, slots=True)
class GoldPassage:
    """The way of one gold passage through the run. Passages that merely follow a pool or a fusion
    have no rank in it.
    """

    key: str
    title: str
    ranks: Mapping[Stop, int]  # in the lists that have it
    origin: PassageOrigin
    seen: bool = False  # some list has it

    @property
    def first(self) -> int | None:
        """Its rank in the first retrieval."""
        return self.ranks.get(FIRST)

    @property
    def final(self) -> int | None:
        """Its rank at the end."""
        return self.ranks.get(FINAL)


def gold_passages(
    events: Sequence[Event], gold: Sequence[str], titles: Mapping[str, str] | None = None
) -> tuple[GoldPassage, ...]:
    """Every gold passage in the order of `gold`; `titles` by key, for those that no step found."""
    trace, names = RunTrace.of(events), titles or {}
    return tuple(_gold_passage(trace, key, names.get(key, "")) for key in dict.fromkeys(gold))


def missed(events: Sequence[Event], gold: Sequence[str], k: int = CUTS[0]) -> list[str]:
    """The gold passages, by key, that are not among the first k of the final ranking."""
    last = RunTrace.of(events).final
    return [key for key in dict.fromkeys(gold) if not is_among(rank_of(key, last), k)]


def base(events: Sequence[Event]) -> QuerySearch | None:
    """The first search, for the question as asked: the baseline of everything else. An agent words
    its first query itself, which its name says.
    """
    first = next(iter(RunTrace.of(events).searches), None)
    if first is None or not first.base:
        return None
    thought = any(event.is_of("think") for event in events[: first.start])
    return replace(first, base=FIRST_QUERY) if thought else first


def opening_step(events: Sequence[Event], gold: Sequence[str]) -> int | None:
    """The step that shows best why a run finds more than its first search: it opens there.

    That is the first beam search that prefers a gold passage that the base missed to others; else
    what first brought in such a passage; else the first step that shows how the method works; None
    where there is none.
    """
    trace = RunTrace.of(events)
    verbs = {step.number: step.verb for step in trace.steps}
    passages = gold_passages(trace, gold)
    missed = [
        passage for passage in passages if trace.single or not is_among(passage.first, CUTS[0])
    ]
    missed.sort(key=lambda passage: not is_among(passage.final, CUTS[0]))
    contrasts = (event for event in trace if _has_contrast(event, missed, gold))
    steps = [*map(trace.step_of, contrasts), *(passage.origin.step for passage in missed)]
    best = [step for name in BEST for step in steps if step is not None and verbs[step] == name]
    typical = [number for name in TYPICAL for number, verb in verbs.items() if verb == name]
    return next(iter([*best, *typical]), None)


def _has_contrast(event: Event, missed: Sequence[GoldPassage], gold: Sequence[str]) -> bool:
    """Whether beams have a kept triple of a missed passage, one of no gold passage, and pruned
    ones.
    """
    keys = {candidate.triple.passage_key for step in event.beams for candidate in step.kept}
    new = Gold([passage.key for passage in missed])
    pruned = any(step.pruned or step.others for step in event.beams)
    return pruned and any(key in new for key in keys) and any(key not in Gold(gold) for key in keys)


def title_is_absent(question: str, title: str) -> bool:
    """Whether no word of a passage's title stands in the question: the commonest reason to miss it.

    Words of one or two letters do not count; without others it is not unnamed.
    """
    words = set(tokenise(question))
    in_title = [word for word in tokenise(title) if len(word) > 2]
    return bool(in_title) and not any(word in words for word in in_title)


def stop_of(step: Step) -> Stop:
    """The list in whose column the ranks of a step stand; one of no column where it has none."""
    if step.verb == "rank":
        return FINAL
    if step.verb == "retrieve" and step.iteration <= 1:
        return FIRST
    names = dict.fromkeys(ORDERING, "anew") | {
        verb: name for name, verb in (SO_FAR | VERB_OF).items()
    }
    followed = [event.round for event in step.events if isinstance(event, Followed)]
    return Stop(step.iteration, "round" if followed else names.get(step.verb, ""), *followed[-1:])


def _gold_passage(trace: RunTrace, key: str, title: str) -> GoldPassage:
    first = base(trace)
    ranks = {FIRST: first_rank(key, first, trace) if first else None}
    for iteration in range(1, trace.iterations + 1):
        ranks |= _ranks(trace, key, iteration)
    ranks[FINAL] = rank_of(key, trace.final)
    return GoldPassage(
        key,
        title or title_of(trace, key),
        {stop: rank for stop, rank in ranks.items() if rank},
        origin_of(trace, key),
        any(rank_of(key, event.listed) for event in trace),
    )


def _ranks(trace: RunTrace, key: str, iteration: int) -> dict[Stop, int | None]:
    """Ranks in the lists of an iteration; of several rounds of links in several iterations the
    last.
    """
    events = trace.during(iteration)

    def rank(verb: str, *, so_far: bool = False) -> int | None:
        lists = (event.reached for event in events if event.is_of(verb) and event.so_far == so_far)
        return min(filter(None, (rank_of(key, ranking) for ranking in lists)), default=None)

    ranks = {
        Stop(iteration, search.name): rank_of(key, search.found)
        for search in trace.searches
        if search.iteration == iteration and search.name in ("fast", "slow")
    }
    if not ranks:
        followed = [event for event in events if isinstance(event, Followed)]
        for event in followed if trace.iterations == 1 else followed[-1:]:
            ranks[Stop(iteration, "round", event.round)] = rank_of(key, event.ranking)
        ranks |= {Stop(iteration, name): rank(verb) for name, verb in VERB_OF.items()}
        ranks[Stop(iteration, "anew")] = next(filter(None, map(rank, ORDERING)), None)
    for name, verb in SO_FAR.items():
        ranks[Stop(iteration, name)] = rank(verb, so_far=True)
    return ranks
