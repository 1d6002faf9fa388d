"""What brought a passage into the ranking: a search, a beam, a walk, a thought's query, the gist, a
promotion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from gear_app.analysis import rounds, timeline
from gear_app.analysis.gold_keys import stands_for
from gear_app.analysis.searches import Search, searches
from gear_app.events import Event, Expanded, Fused, Matched, Promoted, Rewrote, Thought, Walked
from gear_app.views import rankings
from gear_app.views.beam import beam_of
from gear_app.views.method_names import base_name
from gear_app.views.rankings import CUTS, rank_of, within
from gear_app.views.terms import source
from gear_app.views.walk import path_to

LONGEST = 90  # characters of a query within a sentence


def how(events: Sequence[Event], key: str) -> tuple[str, int | None]:
    """What brought the passage within the first five of the ranking "as if it were the last", and
    the step to open.

    For one that never came so high, what raised it most. The words name the query of that iteration
    which has it at its best rank; a promotion that moved it up is added to them.
    """
    words, step = _found(events, key)
    for event in events:
        if isinstance(event, Promoted):
            move = next(
                (
                    move
                    for move in event.moves
                    if stands_for(move.key, key) and move.id in event.promoted
                ),
                None,
            )
            if move and move.after < move.before:
                risen = not within(move.before, CUTS[0]) and within(move.after, CUTS[0])
                words = (
                    f"{words}; promoted from rank {move.before} to {move.after} in iteration"
                    f" {event.iteration}"
                )
                return words, _step(events, event) if risen else step
    return words, step


def _found(events: Sequence[Event], key: str) -> tuple[str, int | None]:
    asked = searches(events)
    first = next((search for search in asked if search.base), None)
    iteration, rank, top = _raised(events, key)
    there = [search for search in asked if search.iteration == iteration and _best(key, search)]
    if not iteration:  # no ranking "as if it were the last" has it, as where the run goes on
        there, top = [search for search in asked if within(_best(key, search), CUTS[1])], True
    search = min(there, key=lambda search: _best(key, search) or 0, default=None)
    gist = _gist(events, key, iteration)
    if gist and not (search and _shown(events, key, search, first=search == first)):
        return gist, _remember(events, iteration)
    if search and search == first:
        return _first(events, key, search, alone=len(asked) == 1)
    if search is None:
        rank = rank_of(key, rounds.final(events))
        return (
            f"only at rank {rank} at the end; no step raised it"
            if rank
            else "not found by any step"
        ), None
    place = (
        f"found in iteration {search.iteration}"
        if top
        else f"nearest in iteration {iteration}, at rank {rank}"
    )
    return _later(events, key, search, place)


def _shown(events: Sequence[Event], key: str, search: Search, *, first: bool) -> bool:
    """Whether the search itself had the passage: in a beam, or near its top."""
    near = (
        within(rank_of(key, search.ranking), CUTS[0])
        if first
        else within(_best(key, search), CUTS[1])
    )
    return near or bool(_beam(events, key, search)[0])


def _raised(events: Sequence[Event], key: str) -> tuple[int, int | None, bool]:
    """The iteration whose searches brought the passage in, its rank after it, and whether among the
    first five.

    Ours: of several that raised it, none so high, the one with the greatest gain in 1 / rank; ties
    to the earlier.
    """
    before = [event for event in events if not isinstance(event, Promoted)]
    for n, ranking in rounds.per_iteration(before).items():
        if within(rank := rank_of(key, ranking), CUTS[0]):
            return n, rank, True
    best: tuple[int, int | None] = (0, None)
    gain = last = 0.0
    for n, ranking in rounds.per_iteration(before, rounds.found_of).items():
        if (rank := rank_of(key, ranking)) is not None:
            if 1 / rank - last > gain:
                best, gain = (n, rank), 1 / rank - last
            last = 1 / rank
    return *best, False


def _best(key: str, search: Search) -> int | None:
    """The passage's rank in what the search ended with, or, where that is not there yet, in its
    first list.
    """
    return rank_of(key, search.found) or rank_of(key, search.ranking)


def _first(
    events: Sequence[Event], key: str, search: Search, *, alone: bool
) -> tuple[str, int | None]:
    """The first search brought it in, or, below the first five, had it higher than any later step
    raised it.
    """
    rank = rank_of(key, search.ranking)
    walk = next(
        (event for event in events[search.start : search.stop] if isinstance(event, Walked)), None
    )
    path = path_to(walk, key) if walk else ""
    if walk and path and within(rank, CUTS[1] if alone else CUTS[0]):
        return path, _step(events, walk)
    begun = events[search.start]
    if within(rank, CUTS[0]):
        return f"{base_name(search.base)} found it {_as_asked(events, search.query)}", _step(
            events, begun
        )
    words, step = _beam(events, key, search)
    if words:
        place = f"beam of iteration {search.iteration}" if timeline.iterates(events) else "beam"
        return f"{place}: {words}", step
    words = f"{base_name(search.base)} at rank {rank or _best(key, search)}" + (
        f": {path}" if path else ""
    )
    raised = (rank_of(key, rounds.final(events)) or math.inf) < (rank or _best(key, search) or 0)
    return words if raised else f"{words}; nothing raised it", _step(events, walk or begun)


def _later(events: Sequence[Event], key: str, search: Search, place: str) -> tuple[str, int | None]:
    """A later search brought it in: whose query it was, and the walk or beam that led to it."""
    beam, step = _beam(events, key, search)
    thought = _thought(events, search)
    if beam and not thought:
        return f"beam of iteration {search.iteration}: {beam}", step
    there = events[search.start : search.stop]
    walk = next((event for event in there if isinstance(event, Walked)), None)
    way = path_to(walk, key) if walk else f"beam: {beam}" if beam else ""
    shows = walk or next(
        (event for event in there if rank_of(key, rankings.of_event(event))), there[0]
    )
    asker = thought or f"its query{_put_in(events, search)}{_filter(events, search)}"
    return f"{place}, by {asker}" + (f": {way}" if way else ""), (
        step if beam else _step(events, shows)
    )


def _as_asked(events: Sequence[Event], query: str) -> str:
    begun = timeline.started(events)
    return (
        "with the question as asked"
        if not begun or begun.question == query
        else "with the first query"
    )


def _thought(events: Sequence[Event], search: Search) -> str:
    """Whose thought was searched, in words; "" where the query was not a thought."""
    for event in events[: search.start]:
        if (
            isinstance(event, Thought)
            and event.iteration == search.iteration - 1
            and event.query == search.query
        ):
            kind = f"{event.style} thought" if event.style in ("fast", "slow") else "thought"
            return f"the {kind} of iteration {event.iteration} as a query, “{_short(event.text)}”"
    return ""


def _beam(events: Sequence[Event], key: str, search: Search) -> tuple[str, int | None]:
    """The beam of this search that led to the passage, and its step."""
    for event in events[search.start : search.stop]:
        if isinstance(event, Expanded) and (path := _path(event, key)):
            return path, _step(events, event)
    return "", None


def _short(words: str) -> str:
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"


def _put_in(events: Sequence[Event], search: Search) -> str:
    """What the rewriting before this search put into the query, in words."""
    rewrote = next(
        (e for e in events if isinstance(e, Rewrote) and e.iteration == search.iteration - 1), None
    )
    words = (
        " and ".join(f"“{change.inserted}”" for change in rewrote.substitutions) if rewrote else ""
    )
    return f", with {words} put in" if words else ""


def _filter(events: Sequence[Event], search: Search) -> str:
    """Among which passages GRIEVER searched: those that name what was found before."""
    matched = next(
        (e for e in events if isinstance(e, Matched) and e.iteration == search.iteration - 1), None
    )
    if not matched or not matched.joins:
        return ""
    names = " or ".join(
        join.entity + (" or a synonym" if join.synonyms else "") for join in matched.joins
    )
    number = f"{matched.joins[0].passages} " if len(matched.joins) == 1 else ""
    return f", among the {number}passages that name {names}"


def _path(event: Expanded, key: str) -> str:
    """The beam that led to the passage: the kept beam of the last step that holds a triple of it,
    in words.
    """
    if not event.steps:
        return ""
    last = len(event.steps) - 1
    for position in range(len(event.steps[last].kept)):
        beam = beam_of(event, f"{last}.k.{position}")
        if any(candidate.triple.passage_key == key for candidate in beam):
            seen = dict.fromkeys(candidate.triple.id for candidate in beam)
            words = {
                c.triple.id: f"{c.triple.subject} {c.triple.predicate} {c.triple.object}"
                for c in beam
            }
            return "; ".join(words[id_] for id_ in seen)
    return ""


def _gist(events: Sequence[Event], key: str, iteration: int) -> str:
    """How a gist triple that is new in this iteration linked to the passage."""
    old: set[str] = set()
    for event in events:
        if not (
            isinstance(event, Fused) and event.purpose == "final" and event.iteration <= iteration
        ):
            continue
        parts = next(
            (passage.parts for passage in event.ranking if stands_for(passage.key, key)), ()
        )
        gist = [part for part in parts if part.source.startswith("gist") and part.source not in old]
        if gist and event.iteration == iteration:
            words = source(gist[0], rankings.gist_words(events))
            return f"in iteration {iteration} the gist memory linked to it, {words}"
        old |= {part.source for part in parts}
    return ""


def _remember(events: Sequence[Event], iteration: int) -> int | None:
    return next(
        (
            s.number
            for s in timeline.steps(events)
            if (s.verb, s.iteration) == ("remember", iteration)
        ),
        None,
    )


def _step(events: Sequence[Event], event: Event) -> int | None:
    return next(
        (
            step.number
            for step in timeline.steps(events)
            if any(one is event for one in step.events)
        ),
        None,
    )
