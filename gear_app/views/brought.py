"""What brought a passage into the ranking: a search, a beam, a walk, a thought's query, the gist, a promotion."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.events import Event, Expanded, Fused, Matched, Promoted, Retrieved, Rewrote, Thought, Walked
from gear_app.views import rankings, timeline
from gear_app.views.beam import beam_of
from gear_app.views.names import base_name
from gear_app.views.rankings import CUTS, rank_of, within
from gear_app.views.searches import Search, searches
from gear_app.views.terms import source
from gear_app.views.walk import path_to

LONGEST = 90  # characters of a query within a sentence


def how(events: Sequence[Event], key: str) -> tuple[str, int | None]:
    """What first brought the passage within the first ten, or else what came nearest, and the step that shows it."""
    words, step = _found(events, key)
    for event in events:
        if isinstance(event, Promoted):
            move = next((move for move in event.moves if move.key == key and move.id in event.promoted), None)
            if move and move.after < move.before:
                risen = not within(move.before, CUTS[0]) and within(move.after, CUTS[0])
                return f"{words}; promoted from rank {move.before} to {move.after}", (
                    _step(events, event) if risen else step
                )
    return words, step


def _found(events: Sequence[Event], key: str) -> tuple[str, int | None]:
    asked = searches(events)
    first = next((search for search in asked if search.base), None)
    rank = rank_of(key, first.ranking) if first else None
    for at, event in enumerate(events):
        search = next((one for one in asked if one.start <= at < one.stop), None)
        near = CUTS[0] if search == first and len(asked) > 1 else CUTS[1]
        if isinstance(event, Walked) and within(rank_of(key, event.ranking), near):
            return _joined(_asker(events, search, first), path_to(event, key)), _step(events, event)
        if isinstance(event, Retrieved) and search == first and within(rank_of(key, event.ranking), CUTS[0]):
            return f"{base_name(event.base)} found it {_as_asked(events, event)}", _step(events, event)
        if isinstance(event, Expanded) and (path := _path(event, key)):
            place = f"beam of iteration {event.iteration}" if timeline.iterates(events) else "beam"
            return f"{place}: {path}", _step(events, event)
        if isinstance(event, Retrieved) and search != first and within(rank_of(key, event.ranking), CUTS[1]):
            return _asker(events, search, first), _step(events, event)
        if isinstance(event, Fused) and event.purpose == "final" and (words := _gist(events, event, key)):
            return words, _remember(events, event.iteration)
    if rank and first:
        walk = next((event for event in events[first.start : first.stop] if isinstance(event, Walked)), None)
        words = _joined(f"{base_name(first.base)} at rank {rank}", path_to(walk, key) if walk else "")
        return f"{words}; nothing raised it", _step(events, walk or events[first.start])
    last = next((found for event in reversed(events) if (found := rankings.of_event(event))), ())
    rank = rank_of(key, last)
    return (f"only at rank {rank} at the end; no step raised it" if rank else "not found by any step"), None


def _as_asked(events: Sequence[Event], event: Retrieved) -> str:
    begun = timeline.started(events)
    return "with the question as asked" if not begun or begun.question == event.query else "with the first query"


def _joined(asker: str, path: str) -> str:
    return ": ".join(filter(None, [asker, path]))


def _asker(events: Sequence[Event], search: Search | None, first: Search | None) -> str:
    """Whose query found it, in words; "" for the question itself."""
    if search is None or search == first:
        return ""
    thought = next(
        (
            event
            for event in events
            if isinstance(event, Thought) and event.iteration == search.iteration - 1 and event.query == search.query
        ),
        None,
    )
    if thought:
        kind = f"{thought.style} thought" if thought.style in ("fast", "slow") else "thought"
        return f"the {kind} of iteration {thought.iteration} as a query, “{_short(thought.text)}”"
    return f"the query of iteration {search.iteration}{_put_in(events, search)}{_filter(events, search)}"


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"


def _put_in(events: Sequence[Event], search: Search) -> str:
    """What the rewriting before this search put into the query, in words."""
    rewrote = next((e for e in events if isinstance(e, Rewrote) and e.iteration == search.iteration - 1), None)
    words = " and ".join(f"“{change.inserted}”" for change in rewrote.substitutions) if rewrote else ""
    return f", with {words} put in" if words else ""


def _filter(events: Sequence[Event], search: Search) -> str:
    """Among which passages GRIEVER searched: those that name what was found before."""
    matched = next((e for e in events if isinstance(e, Matched) and e.iteration == search.iteration - 1), None)
    if not matched or not matched.joins:
        return ""
    names = " or ".join(join.entity + (" or a synonym" if join.synonyms else "") for join in matched.joins)
    number = f"{matched.joins[0].passages} " if len(matched.joins) == 1 else ""
    return f", among the {number}passages that name {names}"


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
            return f"the gist memory linked to it, {source(part, words)}" if part else ""
    return ""


def _remember(events: Sequence[Event], iteration: int) -> int | None:
    return next((s.number for s in timeline.steps(events) if (s.verb, s.iteration) == ("remember", iteration)), None)


def _step(events: Sequence[Event], event: Event) -> int | None:
    return next((step.number for step in timeline.steps(events) if any(one is event for one in step.events)), None)
