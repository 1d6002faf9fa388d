"""The rankings that a run's events carry, where a passage stands in them, and the run's searches.

A single-step method is one search. An agent searches once an iteration, BDTR twice, for its fast
and its slow thought.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gear_app.trace.events import VERBS, Event, Failed, RankedPassage, Remembered
from gear_app.trace.metrics import stands_for

CUTS = (5, 10, 15)  # the cut-offs k at which recall is shown


def keys(ranking: Sequence[RankedPassage]) -> list[str]:
    """The keys of a ranking's passages, best first: what the measures in `metrics` take."""
    return [passage.key for passage in ranking]


def rank_of(key: str, ranking: Sequence[RankedPassage]) -> int | None:
    """The rank of a passage, from 1; None where the ranking does not have it.

    Of a document that was cut, the rank of its best part.
    """
    ranks = (n for n, passage in enumerate(ranking, start=1) if stands_for(passage.key, key))
    return next(ranks, None)


def rank_before_links(key: str, event: Event) -> int | None:
    """A passage's rank in the ranking that chain began with, as the parts of its score tell it."""
    lines = (passage for passage in event.listed if stands_for(passage.key, key))
    parts = (part for passage in lines for part in passage.parts)
    return next((part.rank for part in parts if part.source == "base" and part.rank), None)


def is_among(rank: int | None, k: int) -> bool:
    """Whether there is a rank, and it is among the first k."""
    return rank is not None and rank <= k


def has_ranking(event: Event) -> bool:
    """Whether an event carries a ranking of passages, be it an empty one."""
    return hasattr(event, "ranking")


def final(events: Sequence[Event]) -> tuple[RankedPassage, ...]:
    """The final ranking of a run that is done; else the one that it would end with if it stopped
    now, or the newest of an iteration that is the first; () where there is none.
    """
    for verb in ("rank", "promote", "pool"):
        for event in reversed(events):
            if event.is_of(verb):
                return event.listed
    ranked = [event for event in reversed(events) if has_ranking(event)]
    ranked.sort(key=lambda event: (not event.so_far, not event.is_of("fuse")))
    return ranked[0].listed if ranked else ()


def title_of(events: Sequence[Event], key: str) -> str:
    """The title of a passage where some list of the run has it, else its key."""
    listed = (passage for event in events for passage in event.listed)
    titles = (passage.title for passage in listed if stands_for(passage.key, key) and passage.title)
    return next(titles, key)


def gist_texts(events: Sequence[Event]) -> tuple[str, ...]:
    """The texts of the gist triples as remembered: the lists "gist 1", "gist 2", … of Eq. 9."""
    remembered = (event for event in events if isinstance(event, Remembered))
    return tuple(triple.text for event in remembered for triple in event.added)


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


def first_rank(key: str, search: QuerySearch, events: Sequence[Event]) -> int | None:
    """A passage's rank in what a search of these events began with, as deep as they tell."""
    rank = rank_of(key, search.ranking)
    if rank is not None:
        return rank
    events_ = events[search.start : search.stop]
    deeper = (rank_before_links(key, event) for event in events_ if event.is_of("follow"))
    return next((rank for rank in deeper if rank), None)


def searches(events: Sequence[Event]) -> tuple[QuerySearch, ...]:
    """All searches in the order they were made."""
    searches = [_filled(search, events[search.start : search.stop]) for search in _cut(events)]
    return tuple(replace(search, name=_name(search, searches, events)) for search in searches)


def _cut(events: Sequence[Event]) -> Iterator[QuerySearch]:
    """A search begins where a query is asked and ends where anything but searching begins.

    Calls of a model are made for what follows them: they end no search, and none ends with them.
    """
    search: QuerySearch | None = None
    for at, event in enumerate(events):
        if event.AUXILIARY:
            continue
        if event.BEGINS_SEARCH and not _fallback(events, at):
            if search:
                yield search
            search = QuerySearch(event.iteration, event.query_text, at, at + 1)
        elif search and (event.iteration != search.iteration or not _part(event)):
            yield search
            search = None
        elif search:
            search = replace(search, stop=at + 1)
    if search:
        yield search


def _fallback(events: Sequence[Event], at: int) -> bool:
    """Whether this is HippoRAG's dense ranking in place of a walk.

    It has the same query and stands right after its entities.
    """
    before, event = events[at - 1] if at else None, events[at]
    if before is None or not before.BEGINS_SEARCH or has_ranking(before):
        return False
    is_same = (before.query_text, before.iteration) == (event.query_text, event.iteration)
    return has_ranking(event) and is_same


def _part(event: Event) -> bool:
    """Whether an event is a part of the search that is going on; one that gave up is."""
    search = event.verb in VERBS and VERBS[event.verb].search and not event.so_far
    return isinstance(event, Failed) or search


def _filled(search: QuerySearch, events: Sequence[Event]) -> QuerySearch:
    for event in events:
        if not has_ranking(event):
            continue
        if not search.base:
            base = getattr(event, "base", "hipporag")
            search = replace(search, base=base, ranking=event.listed)
        search = replace(search, found=event.listed)
    return search


def _name(search: QuerySearch, searches: Sequence[QuerySearch], events: Sequence[Event]) -> str:
    for event in events[: search.start]:
        if not event.is_of("think") or event.iteration != search.iteration - 1:
            continue
        style: str = getattr(event, "style", "")
        if style in ("fast", "slow") and event.query_text == search.query:
            return style
    siblings = [other for other in searches if other.iteration == search.iteration]
    return f"query {siblings.index(search) + 1}" if len(siblings) > 1 else ""


def per_iteration(
    events: Sequence[Event], *, reached: bool = False
) -> dict[int, tuple[RankedPassage, ...]]:
    """The ranking after every iteration "as if it were the last" (GEAR Fig. 2), by iteration.

    It is that of Eq. 9, of the pool, or what was fused so far. An iteration of GRIEVER that fused
    nothing has its own ranking. Methods of one step have one: the final ranking. `reached`:
    without what merely follows these rankings.
    """
    rankings = {
        event.iteration: event.reached if reached else event.listed
        for event in events
        if event.so_far and event.iteration
    }
    if any(event.is_of("match") for event in events):
        for search in searches(events):
            rankings.setdefault(search.iteration, search.found)
    if not rankings and (last := final(events)):
        rankings[1] = last
    return dict(sorted(rankings.items()))
