"""Recall after every iteration of a run: of which ranking, and what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gear_app.analysis.metrics import recall_at
from gear_app.analysis.rankings import final, keys, searches
from gear_app.events import Event, RankedPassage


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


def recall_per_iteration(
    rankings: Mapping[int, Sequence[RankedPassage]], gold: Sequence[str], k: int
) -> list[float]:
    """R@k after every iteration, from the first to the last that made a ranking; one that made none
    keeps that of the one before. Raises ValueError without gold.
    """
    recalls: list[float] = []
    for n in range(1, max(rankings, default=0) + 1):
        before = recalls[-1] if recalls else 0.0
        recalls.append(recall_at(keys(rankings[n]), gold, k) if n in rankings else before)
    return recalls
