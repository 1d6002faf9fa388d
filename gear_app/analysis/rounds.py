"""The ranking after every iteration, "as if it were the last", and what of it the searches
found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gear_app.analysis.searches import searches
from gear_app.events import (
    Event,
    Fused,
    Matched,
    Pooled,
    Promoted,
    Ranked,
    RankedPassage,
)
from gear_app.views import rankings


def found_of(event: Event) -> tuple[RankedPassage, ...]:
    """The passages an event found, without what merely follows them: lines below a pool, or of no
    list that was fused.
    """
    ranking = rankings.listed(event)
    if isinstance(event, Pooled | Promoted):
        return ranking[: len(ranking) - event.below]
    if isinstance(event, Fused):
        return tuple(passage for passage in ranking if passage.parts or passage.score > 0)
    return ranking


def per_iteration(
    events: Sequence[Event],
    listed: Callable[[Event], tuple[RankedPassage, ...]] = rankings.of_event,
) -> dict[int, tuple[RankedPassage, ...]]:
    """The ranking after every iteration "as if it were the last" (GEAR Fig. 2): of Eq. 9, of the
    pool, or fused so far.

    An iteration of GRIEVER that fused nothing has its own ranking. Methods of one step have one:
    the final ranking. `listed` takes an event's ranking; `found_of` leaves out what merely follows
    it.
    """
    found: dict[int, tuple[RankedPassage, ...]] = {}
    for event in events:
        if _so_far(event) and event.iteration:
            found[event.iteration] = listed(event)
    if any(isinstance(event, Matched) for event in events):
        for search in searches(events):
            found.setdefault(search.iteration, search.found)
    if not found and (last := final(events)):
        found[1] = last
    return dict(sorted(found.items()))


def final(events: Sequence[Event]) -> tuple[RankedPassage, ...]:
    """The last ranking of passages there is: the final one once the run is done, else the
    newest.
    """
    for kind in (Ranked, Promoted, Pooled, Fused, Event):
        for event in reversed(events):
            if isinstance(event, kind) and rankings.has_ranking(event):
                return rankings.of_event(event)
    return ()


def only_follows(events: Sequence[Event], key: str) -> bool:
    """Whether the passage is in the final ranking only as one of those that follow what the
    searches found.
    """
    for event in reversed(events):
        if _so_far(event):
            there = rankings.rank_of(key, rankings.of_event(event))
            return there is not None and rankings.rank_of(key, found_of(event)) is None
    return False


def _so_far(event: Event) -> bool:
    """Whether an event's ranking is that of all iterations until then "as if it were the last"."""
    final = isinstance(event, Fused) and event.purpose == "final"
    return final or isinstance(event, Pooled | Promoted)
