"""The rankings that a run's events carry, and where a passage stands in them."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis.metrics import stands_for
from gear_app.events import (
    Event,
    Expanded,
    Fused,
    Pooled,
    Promoted,
    Ranked,
    RankedPassage,
    Remembered,
)

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


def within(rank: int | None, k: int) -> bool:
    """Whether there is a rank, and it is among the first k."""
    return rank is not None and rank <= k


def has_ranking(event: Event) -> bool:
    """Whether an event carries a ranking of passages, be it an empty one."""
    return hasattr(event, "ranking")


def of_event(event: Event) -> tuple[RankedPassage, ...]:
    """The ranking an event carries; none for events without one."""
    ranking: tuple[RankedPassage, ...] = getattr(event, "ranking", ())
    return ranking


def listed(event: Event) -> tuple[RankedPassage, ...]:
    """The passages an event lists, best first: its ranking, or those that its beams led to."""
    return event.passages if isinstance(event, Expanded) else of_event(event)


def without_followers(event: Event) -> tuple[RankedPassage, ...]:
    """The passages an event lists, without those that merely follow what the searches found.

    Such are the lines below a pool, and those of a fusion that no fused list has.
    """
    ranking = listed(event)
    if isinstance(event, Pooled | Promoted):
        return ranking[: len(ranking) - event.below]
    if isinstance(event, Fused):
        return tuple(passage for passage in ranking if passage.parts or passage.score > 0)
    return ranking


def final(events: Sequence[Event]) -> tuple[RankedPassage, ...]:
    """The final ranking of a run that is done, else the newest there is; () where there is none."""
    for kind in (Ranked, Promoted, Pooled, Fused, Event):
        for event in reversed(events):
            if isinstance(event, kind) and has_ranking(event):
                return of_event(event)
    return ()


def is_so_far(event: Event) -> bool:
    """Whether an event's ranking is that of all iterations until then "as if it were the last"."""
    fused = isinstance(event, Fused) and event.purpose == "final"
    return fused or isinstance(event, Pooled | Promoted)


def only_follows(events: Sequence[Event], key: str) -> bool:
    """Whether the final ranking has the passage only among those that follow the found ones."""
    last = next((event for event in reversed(events) if is_so_far(event)), None)
    if last is None or rank_of(key, of_event(last)) is None:
        return False
    return rank_of(key, without_followers(last)) is None


def gist_texts(events: Sequence[Event]) -> tuple[str, ...]:
    """The texts of the gist triples as remembered: the lists "gist 1", "gist 2", … of Eq. 9."""
    remembered = (event for event in events if isinstance(event, Remembered))
    return tuple(triple.text for event in remembered for triple in event.added)
