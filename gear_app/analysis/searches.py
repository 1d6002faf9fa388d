"""The searches of a run, what each of them found, and the ranking after every iteration.

A single-step method is one search. An agent searches once an iteration, BDTR twice, for its fast
and its slow thought.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from gear_app.analysis.rankings import final, has_ranking, is_so_far, of_event
from gear_app.events import (
    Called,
    Event,
    Extracted,
    Failed,
    Matched,
    RankedPassage,
    Recognised,
    Retrieved,
    Thought,
)


@dataclass(frozen=True, slots=True)
class QuerySearch:
    """One query and what it led to: the run's events from `start` to before `stop`.

    `name` tells searches of one iteration apart: "fast" or "slow" after the thought that asked,
    else "query 2"; "" where there is only one. `base` is the first retriever by its registered
    name, `ranking` what it found, `found` what the search ended with.
    """

    iteration: int
    query: str
    start: int
    stop: int
    name: str = ""
    base: str = ""
    ranking: tuple[RankedPassage, ...] = ()
    found: tuple[RankedPassage, ...] = ()


def searches(events: Sequence[Event]) -> tuple[QuerySearch, ...]:
    """All searches in the order they were made."""
    made = [_filled(search, events[search.start : search.stop]) for search in _cut(events)]
    return tuple(replace(search, name=_name(search, made, events)) for search in made)


def per_iteration(
    events: Sequence[Event],
    listed: Callable[[Event], tuple[RankedPassage, ...]] = of_event,
) -> dict[int, tuple[RankedPassage, ...]]:
    """The ranking after every iteration "as if it were the last" (GEAR Fig. 2), by iteration.

    It is that of Eq. 9, of the pool, or what was fused so far. An iteration of GRIEVER that fused
    nothing has its own ranking. Methods of one step have one: the final ranking. `listed` takes an
    event's ranking; `without_followers` leaves out what merely follows it.
    """
    rankings = {e.iteration: listed(e) for e in events if is_so_far(e) and e.iteration}
    if any(isinstance(event, Matched) for event in events):
        for search in searches(events):
            rankings.setdefault(search.iteration, search.found)
    if not rankings and (last := final(events)):
        rankings[1] = last
    return dict(sorted(rankings.items()))


def _cut(events: Sequence[Event]) -> Iterator[QuerySearch]:
    """A search begins where a query is asked and ends where anything but searching begins.

    Calls of a model are made for what follows them, and so are triples: they end no search, and
    none ends with them.
    """
    begun: QuerySearch | None = None
    for at, event in enumerate(events):
        if isinstance(event, Called | Extracted) or (
            isinstance(event, Failed) and event.step == "extract"
        ):
            continue
        if isinstance(event, Retrieved | Recognised) and not _fallback(events, at):
            if begun:
                yield begun
            begun = QuerySearch(event.iteration, event.query, at, at + 1)
        elif begun and (event.iteration != begun.iteration or not _part(event)):
            yield begun
            begun = None
        elif begun:
            begun = replace(begun, stop=at + 1)
    if begun:
        yield begun


def _fallback(events: Sequence[Event], at: int) -> bool:
    """Whether this is HippoRAG's dense ranking in place of a walk.

    It has the same query and stands right after its entities.
    """
    before, event = events[at - 1] if at else None, events[at]
    return (
        isinstance(event, Retrieved)
        and isinstance(before, Recognised)
        and (before.query, before.iteration) == (event.query, event.iteration)
    )


def _part(event: Event) -> bool:
    """Whether an event is a part of the search that is going on; one that gave up is."""
    return isinstance(event, Failed) or (event.verb is not None and event.verb.search)


def _filled(search: QuerySearch, events: Sequence[Event]) -> QuerySearch:
    for event in events:
        if not has_ranking(event):
            continue
        if not search.base:
            base = event.base if isinstance(event, Retrieved) else "hipporag"
            search = replace(search, base=base, ranking=of_event(event))
        search = replace(search, found=of_event(event))
    return search


def _name(search: QuerySearch, made: Sequence[QuerySearch], events: Sequence[Event]) -> str:
    for event in events[: search.start]:
        if not isinstance(event, Thought) or event.iteration != search.iteration - 1:
            continue
        if event.style in ("fast", "slow") and event.query == search.query:
            return event.style
    beside = [one for one in made if one.iteration == search.iteration]
    return f"query {beside.index(search) + 1}" if len(beside) > 1 else ""
