"""Fusion of rankings: by reciprocal rank (GEAR Eq. 3, 9, 10), by mean score (HippoRAG App. F.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gear_app.events import Part
from gear_app.types import Hit, Ranking

CONSTANT = 60  # ours: Cormack et al.'s; GEAR states none


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


def terms(
    rankings: Mapping[str, Ranking], *, constant: int = CONSTANT
) -> dict[int, tuple[Part, ...]]:
    """The terms of every fused score, by id: which list, at which rank, and what it added."""
    parts: dict[int, list[Part]] = {}
    for source, ranking in rankings.items():
        for rank, hit in enumerate(ranking.hits, start=1):
            part = Part(source, rank, round(1 / (constant + rank), 6), hit.score)
            parts.setdefault(hit.id, []).append(part)
    return {id_: tuple(of_id) for id_, of_id in parts.items()}


def means(rankings: Mapping[str, Ranking]) -> tuple[Ranking, dict[int, tuple[Part, ...]]]:
    """The mean of min-max-normalised scores (HippoRAG App. F.2), and the terms it is the sum of.

    What a ranking does not contain has score 0 there, and no term. A ranking whose scores are all
    equal adds nothing. Ties go to the smaller id.
    """
    ids = {id_ for ranking in rankings.values() for id_ in ranking.ids}
    parts: dict[int, list[Part]] = {id_: [] for id_ in ids}
    for source, ranking in rankings.items():
        scores = [hit.score for hit in ranking.hits] + [0.0] * (len(ranking) < len(ids))
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        for rank, hit in enumerate(ranking.hits, start=1):
            value = (hit.score - low) / (high - low) if high > low else 0.0
            parts[hit.id].append(Part(source, rank, round(value / len(rankings), 6), hit.score))
    ranking = Ranking.of((id_, sum(part.value for part in of_id)) for id_, of_id in parts.items())
    return ranking, {id_: tuple(of_id) for id_, of_id in parts.items()}
