"""What the run found of the gold passages, and at which step: recall, and one line for every gold passage.

Recall is the fraction of the gold passages among the first k (DESIGN §4); the gold is the run's snapshot, by key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gear_app.events import Event, Expanded, Fused, Ranked, RankedPassage, Retrieved, Rewrote
from gear_app.text import tokenise
from gear_app.views import rankings, timeline
from gear_app.views.beam import beam_of

CUTS = (5, 10, 15)


def recall_at(k: int, ranking: Sequence[RankedPassage], gold: Sequence[str]) -> float:
    """The fraction of the gold keys among the first k; 0 where there is no gold."""
    first = {passage.key for passage in ranking[:k]}
    return sum(key in first for key in gold) / len(gold) if gold else 0.0


def per_iteration(events: Sequence[Event]) -> dict[int, tuple[RankedPassage, ...]]:
    """The ranking after every iteration "as if it were the last" (GEAR Fig. 2): of Eq. 9, else the fused, else base.

    Methods of one step have one: the final ranking.
    """
    found: dict[int, tuple[RankedPassage, ...]] = {}
    for event in events:
        if isinstance(event, Fused) and event.purpose == "final" and event.iteration:
            found[event.iteration] = event.ranking
    if not found and (last := final(events)):
        found[1] = last
    return found


def base(events: Sequence[Event]) -> Retrieved | None:
    """The first retrieval for the question as asked: the baseline everything else is measured against."""
    return next((event for event in events if isinstance(event, Retrieved)), None)


def final(events: Sequence[Event]) -> tuple[RankedPassage, ...]:
    """The last ranking of passages there is: the final one once the run is done, else the newest."""
    for kind in (Ranked, Fused, Retrieved):
        for event in reversed(events):
            if isinstance(event, kind):
                return rankings.of_event(event)
    return ()


class Ranks(NamedTuple):
    """A gold passage's ranks in one iteration; None: not among the passages of that list."""

    iteration: int
    base: int | None
    beams: int | None
    fused: int | None
    total: int | None


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


def strip(events: Sequence[Event], gold: Sequence[str], titles: Mapping[str, str] | None = None) -> tuple[Found, ...]:
    """One line for every gold passage, in the order of `gold`; `titles` by key, for those that no step found."""
    return tuple(_found(events, key, (titles or {}).get(key, "")) for key in gold)


def decisive_step(events: Sequence[Event], gold: Sequence[str]) -> int | None:
    """The step that shows best why: the beams that first brought in a gold passage the base missed, else the gist's.

    Without such, the first beam search; None where the run has none.
    """
    verbs = {step.number: step.verb for step in timeline.steps(events)}
    missed = [found for found in strip(events, gold) if not _within(found.first, CUTS[0])]
    steps = [
        found.step for found in sorted(missed, key=lambda f: not _within(f.final, CUTS[0])) if found.step is not None
    ]
    for verb in ("expand", "remember"):
        if (shown := next((step for step in steps if verbs[step] == verb), None)) is not None:
            return shown
    return next((number for number, verb in verbs.items() if verb == "expand"), None)


def verdict(events: Sequence[Event], gold: Sequence[str]) -> str:
    """What hybrid found against what the run found, in one sentence of counts. Empty without gold or ranking."""
    first, last = base(events), final(events)
    if not gold or first is None or not last:
        return ""
    k = CUTS[0]
    before, after = (round(recall_at(k, ranking, gold) * len(gold)) for ranking in (first.ranking, last))
    if len(timeline.steps(events)) <= 2:  # retrieve and rank: the run is its own baseline
        return f"{_capital(first.base)} has {after} of {len(gold)} gold passages in its first {k}."
    alone = f"{_capital(first.base)} alone has {before} of {len(gold)} gold passages in its first {k}"
    return f"{alone}; this run has {after}."


def _capital(base: str) -> str:
    return {"bm25": "BM25"}.get(base, base[:1].upper() + base[1:])


def unnamed(question: str, title: str) -> bool:
    """Whether the question contains none of the words of a passage's title: the commonest reason to miss it."""
    words = set(tokenise(question))
    named = [word for word in tokenise(title) if len(word) > 2]
    return bool(named) and not any(word in words for word in named)


def _within(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k


def _found(events: Sequence[Event], key: str, title: str) -> Found:
    first, last = base(events), final(events)
    how, step = _how(events, key)
    return Found(
        key,
        title or next((p.title for e in events for p in rankings.of_event(e) if p.key == key and p.title), key),
        rankings.rank_of(key, first.ranking) if first else None,
        tuple(_ranks(events, key, n) for n in range(1, timeline.iterations(events) + 1)),
        rankings.rank_of(key, last),
        how,
        step,
    )


def _ranks(events: Sequence[Event], key: str, iteration: int) -> Ranks:
    there = timeline.at_iteration(events, iteration)

    def rank(kind: type[Event], purpose: str | None = None) -> int | None:
        for event in there:
            if isinstance(event, kind) and (purpose is None or getattr(event, "purpose", None) == purpose):
                found = event.passages if isinstance(event, Expanded) else rankings.of_event(event)
                return rankings.rank_of(key, found)
        return None

    return Ranks(iteration, rank(Retrieved), rank(Expanded), rank(Fused, "iteration"), rank(Fused, "final"))


def _how(events: Sequence[Event], key: str) -> tuple[str, int | None]:
    """What first brought the passage within the first ten, or else what came nearest, and the step that shows it."""
    first = base(events)
    rank = rankings.rank_of(key, first.ranking) if first else None
    if first and _within(rank, CUTS[0]):
        return f"{first.base} found it with the question as asked", _step(events, first)
    for event in events:
        if isinstance(event, Expanded) and (path := _path(event, key)):
            place = f"beam of iteration {event.iteration}" if timeline.iterates(events) else "beam"
            return f"{place}: {path}", _step(events, event)
        if isinstance(event, Retrieved) and event is not first and rankings.rank_of(key, event.ranking):
            return f"the query of iteration {event.iteration}{_put_in(events, event)}", _step(events, event)
        if isinstance(event, Fused) and event.purpose == "final" and (words := _gist(events, event, key)):
            return words, _remember(events, event.iteration)
    if rank and first:
        return f"{first.base} at rank {rank}; nothing raised it", _step(events, first)
    return "not found by any step", None


def _path(event: Expanded, key: str) -> str:
    """The beam that led to the passage: the kept beam of the last step that holds a triple of it, in words."""
    if not event.steps:
        return ""
    last = len(event.steps) - 1
    for position in range(len(event.steps[last].kept)):
        beam = beam_of(event, f"{last}.k.{position}")
        if any(candidate.triple.passage_key == key for candidate in beam):
            seen = dict.fromkeys(candidate.triple.id for candidate in beam)
            words = {c.triple.id: f"{c.triple.subject} {c.triple.predicate} {c.triple.object}" for c in beam}
            return "; ".join(words[id_] for id_ in seen)
    return ""


def _gist(events: Sequence[Event], event: Fused, key: str) -> str:
    words = rankings.gist_words(events)
    for passage in event.ranking:
        if passage.key == key:
            part = next((part for part in passage.parts if part.source.startswith("gist")), None)
            return f"the gist memory linked to it, {rankings.source(part, words)}" if part else ""
    return ""


def _put_in(events: Sequence[Event], event: Retrieved) -> str:
    """What the rewriting before this retrieval put into the query, in words."""
    rewrote = next((e for e in events if isinstance(e, Rewrote) and e.iteration == event.iteration - 1), None)
    words = " and ".join(f"“{change.inserted}”" for change in rewrote.substitutions) if rewrote else ""
    return f", with {words} put in" if words else ""


def _remember(events: Sequence[Event], iteration: int) -> int | None:
    return next((s.number for s in timeline.steps(events) if (s.verb, s.iteration) == ("remember", iteration)), None)


def _step(events: Sequence[Event], event: Event) -> int | None:
    return next((step.number for step in timeline.steps(events) if event in step.events), None)
