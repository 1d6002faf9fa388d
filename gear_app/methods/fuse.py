"""Fusions of named rankings: by reciprocal rank (GEAR Eq. 3, 9, 10), by mean score (HippoRAG App.
F.2), by weighted score (Bruch et al. 2023). Each returns the fused ranking and, by id, the parts of
its scores.
"""

from __future__ import annotations

from collections.abc import Mapping

from gear_app.core.types import Hit, Ranking
from gear_app.trace.events import ScorePart

CONSTANT = 60  # ours: Cormack et al.'s; GEAR states none

Lists = Mapping[str, Ranking]
Parts = dict[int, tuple[ScorePart, ...]]


def rrf(lists: Lists, *, constant: int = CONSTANT) -> tuple[Ranking, Parts]:
    """Fuse rankings by reciprocal rank (GEAR Eq. 3; Cormack et al. 2009).

    A passage scores the sum of 1 / (constant + rank), rank from 1, over the rankings that contain
    it. Ties (after rounding to 1e-6) go to the earlier first appearance, rankings in order. No
    rankings give an empty ranking.
    """
    scores: dict[int, float] = {}
    parts: Parts = {}
    for source, ranking in lists.items():
        for rank, (id_, score) in enumerate(ranking.hits, start=1):
            value = 1 / (constant + rank)
            scores[id_] = scores.get(id_, 0.0) + value
            part = ScorePart(source, rank, round(value, 6), score, f"1/({constant} + {rank})")
            parts[id_] = (*parts.get(id_, ()), part)
    hits = (Hit(id_, round(score, 6)) for id_, score in scores.items())
    # a stable sort: ties stay in the order of their first appearance
    return Ranking(tuple(sorted(hits, key=lambda hit: -hit.score))), parts


def means(lists: Lists) -> tuple[Ranking, Parts]:
    """Fuse rankings by the mean of min-max-normalised scores (HippoRAG App. F.2).

    What a ranking does not contain has score 0 there, and no part. A ranking whose scores are all
    equal adds nothing. Ties go to the smaller id.
    """
    size = len({id_ for ranking in lists.values() for id_ in ranking.ids})
    parts: Parts = {}
    for source, ranking in lists.items():
        scores = [hit.score for hit in ranking.hits] + [0.0] * (len(ranking) < size)
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        for rank, (id_, score) in enumerate(ranking.hits, start=1):
            value = (score - low) / (high - low) if high > low else 0.0
            formula = f"{value:.6f} / {len(lists)}"
            part = ScorePart(source, rank, round(value / len(lists), 6), score, formula)
            parts[id_] = (*parts.get(id_, ()), part)
    return _sums(parts), parts


def min_max(ranking: Ranking, low: float | None = None) -> tuple[float, ...]:
    """Scores of a ranking's hits, scaled to 0 to 1 by the least and the greatest, or by `low` where
    that is the least possible score.

    Hits that all have the least score get 0, since none is better than another (ours). A single
    hit is the best and gets 1, but 0 where its score is not above 0 or is `low`.
    """
    scores = [hit.score for hit in ranking.hits]
    least = min(scores, default=0.0) if low is None else low
    width = max(scores, default=0.0) - least
    if width:
        return tuple((score - least) / width for score in scores)
    alone = low is None and len(scores) == 1 and scores[0] > 0
    return (float(alone),) * len(scores)


def weighted(
    lists: Lists, weights: Mapping[str, float], lows: Mapping[str, float] | None = None
) -> tuple[Ranking, Parts]:
    """Fuse rankings by the weighted sum of min-max-normalised scores (Bruch, Gai and Ingber 2023,
    "An Analysis of Fusion Functions for Hybrid Retrieval", convex combination).

    `weights` by ranking; convex where they add up to 1. `lows`: the least possible scores, where
    known. What a ranking does not contain scores 0 there, and has no part. A part's score is the
    normalised score. Ties go to the smaller id.
    """
    parts: Parts = {}
    for source, ranking in lists.items():
        scores = min_max(ranking, (lows or {}).get(source))
        for rank, (id_, score) in enumerate(zip(ranking.ids, scores, strict=True), 1):
            weight = weights[source]
            formula = f"{score:.6f} × {weight:g}"
            part = ScorePart(source, rank, round(weight * score, 6), round(score, 6), formula)
            parts[id_] = (*parts.get(id_, ()), part)
    return _sums(parts), parts


def _sums(parts: Parts) -> Ranking:
    return Ranking.of((id_, sum(part.value for part in of_id)) for id_, of_id in parts.items())
