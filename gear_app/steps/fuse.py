"""Fusion of rankings: by reciprocal rank (GEAR Eq. 3, 9, 10), by mean score (HippoRAG App. F.2), by
weighted score (Bruch et al. 2023), and two orders of ours that are no sums of ranks: taking turns,
and some passages first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest

from gear_app.events import ScorePart
from gear_app.events.gear import GIST_PASSAGES
from gear_app.types import Hit, Ranking

CONSTANT = 60  # ours: Cormack et al.'s; GEAR states none

Parts = dict[int, tuple[ScorePart, ...]]


def rrf(rankings: Sequence[Ranking], *, constant: int = CONSTANT) -> Ranking:
    """Fuse rankings by reciprocal rank (GEAR Eq. 3; Cormack et al. 2009).

    A passage scores the sum of 1 / (constant + rank), rank from 1, over the rankings that contain
    it. Ties (after rounding to 1e-6) go to the earlier first appearance, rankings in order. No
    rankings give an empty ranking.
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, id_ in enumerate(ranking.ids, start=1):
            scores[id_] = scores.get(id_, 0.0) + 1 / (constant + rank)
    fused = (Hit(id_, round(score, 6)) for id_, score in scores.items())
    # a stable sort: ties stay in the order of their first appearance
    return Ranking(tuple(sorted(fused, key=lambda hit: -hit.score)))


def terms(rankings: Mapping[str, Ranking], *, constant: int = CONSTANT) -> Parts:
    """The terms of every fused score, by id: which list, at which rank, and what it added."""
    parts: dict[int, list[ScorePart]] = {}
    for source, ranking in rankings.items():
        for rank, hit in enumerate(ranking.hits, start=1):
            part = ScorePart(source, rank, round(1 / (constant + rank), 6), hit.score)
            parts.setdefault(hit.id, []).append(part)
    return _frozen(parts)


def means(rankings: Mapping[str, Ranking]) -> tuple[Ranking, Parts]:
    """The mean of min-max-normalised scores (HippoRAG App. F.2), and the terms it is the sum of.

    What a ranking does not contain has score 0 there, and no term. A ranking whose scores are all
    equal adds nothing. Ties go to the smaller id.
    """
    ids = {id_ for ranking in rankings.values() for id_ in ranking.ids}
    parts: dict[int, list[ScorePart]] = {id_: [] for id_ in ids}
    for source, ranking in rankings.items():
        scores = [hit.score for hit in ranking.hits] + [0.0] * (len(ranking) < len(ids))
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        for rank, hit in enumerate(ranking.hits, start=1):
            value = (hit.score - low) / (high - low) if high > low else 0.0
            parts[hit.id].append(
                ScorePart(source, rank, round(value / len(rankings), 6), hit.score)
            )
    ranking = Ranking.of((id_, sum(part.value for part in of_id)) for id_, of_id in parts.items())
    return ranking, _frozen(parts)


def min_max(ranking: Ranking, low: float | None = None) -> tuple[float, ...]:
    """The scores of a ranking's hits, from 0 to 1 by the least and the greatest of them, or by
    `low` where that is what a score is at least.

    Hits that all score the least score 0, since none is better than another (ours). A single hit is
    the best there is and scores 1, but 0 where its own score is not above 0 or is `low`.
    """
    scores = [hit.score for hit in ranking.hits]
    least = min(scores, default=0.0) if low is None else low
    width = max(scores, default=0.0) - least
    if width:
        return tuple((score - least) / width for score in scores)
    alone = low is None and len(scores) == 1 and scores[0] > 0
    return (float(alone),) * len(scores)


def weighted(
    rankings: Mapping[str, Ranking],
    weights: Mapping[str, float],
    lows: Mapping[str, float] | None = None,
) -> tuple[Ranking, Parts]:
    """The weighted sum of min-max-normalised scores (Bruch, Gai and Ingber 2023, "An Analysis of
    Fusion Functions for Hybrid Retrieval", convex combination), and the terms it is the sum of.

    `weights` by ranking; convex where they add up to 1. `lows`: the least that a ranking's scores
    can be, where that is known. What a ranking does not contain scores 0 there, and has no term. A
    part's score is the normalised one. Ties go to the smaller id.
    """
    parts: dict[int, list[ScorePart]] = {}
    for source, ranking in rankings.items():
        scores = min_max(ranking, (lows or {}).get(source))
        for rank, (id_, score) in enumerate(zip(ranking.ids, scores, strict=True), 1):
            value = round(weights[source] * score, 6)
            parts.setdefault(id_, []).append(ScorePart(source, rank, value, round(score, 6)))
    ranking = Ranking.of((id_, sum(part.value for part in of_id)) for id_, of_id in parts.items())
    return ranking, _frozen(parts)


def interleaved(rankings: Mapping[str, Ranking]) -> tuple[Ranking, Parts]:
    """Rankings that take turns, and each passage's place in them.

    The first of every ranking, in the order given, then the second of every one, and so on; what
    is there already is skipped, and a ranking that has ended is passed over. A passage scores
    1 / its place. The part of the ranking that brought it carries that score, its other parts 0.
    There are no ties. No rankings give an empty ranking.
    """
    brought_by: dict[int, str] = {}
    for turn in zip_longest(*(ranking.ids for ranking in rankings.values())):
        for source, id_ in zip(rankings, turn, strict=True):
            if id_ is not None:
                brought_by.setdefault(id_, source)
    scores = {id_: round(1 / place, 6) for place, id_ in enumerate(brought_by, start=1)}
    parts: dict[int, list[ScorePart]] = {}
    for source, ranking in rankings.items():
        for rank, (id_, score) in enumerate(ranking.hits, start=1):
            value = scores[id_] if brought_by[id_] == source else 0.0
            parts.setdefault(id_, []).append(ScorePart(source, rank, value, score))
    return Ranking(tuple(Hit(*scored) for scored in scores.items())), _frozen(parts)


def put_first(first: Sequence[int], fused: Ranking, parts: Parts) -> tuple[Ranking, Parts]:
    """A fused ranking with some passages before all others, in the order given, each once.

    Of n passages the first has n added to its score, the last 1: times 2, 3, … where fused scores
    are above 1, so that no score passes the next place. That is its last part, of the list
    GIST_PASSAGES. A passage that the ranking does not have has this part alone. The others follow
    as they were; with none to put first nothing changes.
    """
    ids = list(dict.fromkeys(first))
    scores = dict(fused.hits)
    step = max(1, math.ceil(max(scores.values(), default=0.0)))
    hits, with_first = [], dict(parts)
    for place, id_ in enumerate(ids, start=1):
        added = float(step * (len(ids) - place + 1))
        hits.append(Hit(id_, round(scores.get(id_, 0.0) + added, 6)))
        with_first[id_] = (*parts.get(id_, ()), ScorePart(GIST_PASSAGES, place, added))
    hits += [hit for hit in fused.hits if hit.id not in ids]
    return Ranking(tuple(hits)), with_first


def _frozen(parts: Mapping[int, Sequence[ScorePart]]) -> Parts:
    return {id_: tuple(of_id) for id_, of_id in parts.items()}
