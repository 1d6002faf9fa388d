"""Calibration: verified passages lead, and a cut by mean and deviation (BDTR §3.2, Eq. 5, 6)."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gear_app.types import Hit, Ranking


class VerifierChoice(NamedTuple):
    """Positions (from 0) that a verifier chose, in its order, and the numbers that were no use."""

    positions: tuple[int, ...]
    ignored: tuple[int, ...]


class Cut(NamedTuple):
    """The ids `kept` for answering, in the ranking's order, and the arithmetic (BDTR Eq. 6)."""

    considered: int
    mean: float
    deviation: float
    threshold: float
    kept: tuple[int, ...]


def verifier_choice(indices: Sequence[int], shown: int) -> VerifierChoice:
    """Read a verifier's numbers, from 1; those outside 1..shown and repeats are ignored."""
    positions: list[int] = []
    ignored: list[int] = []
    for index in indices:
        if 1 <= index <= shown and index - 1 not in positions:
            positions.append(index - 1)
        else:
            ignored.append(index)
    return VerifierChoice(tuple(positions), tuple(ignored))


def promote(ranking: Ranking, verified: Sequence[int]) -> Ranking:
    """The ranking with the verified ids first, in the verifier's order, then the others.

    The n-th verified id scores 1 + 1 / n, which is above every normalised score and says its place
    (ours); the others keep their score.
    """
    lead = [Hit(id_, round(1 + 1 / n, 6)) for n, id_ in enumerate(verified, start=1)]
    return Ranking((*lead, *(hit for hit in ranking.hits if hit.id not in verified)))


def cut(
    ids: Sequence[int],
    scores: Mapping[int, float],
    promoted: Sequence[int],
    *,
    first: int,
    least: int,
) -> Cut:
    """Keep the ids that score at least μ + σ, the promoted ones, and at least `least` (Eq. 6).

    μ and σ are those of the first `first` ids' scores. `ids` are in the order after promotion,
    `scores` those of the pool. σ is the population's; the promoted are exempt from the cut but
    count in μ and σ (ours). Where fewer than `least` remain, the best of the others fill up. No ids
    give an empty cut.
    """
    considered = [scores[id_] for id_ in ids[:first]]
    mean = round(statistics.fmean(considered), 6) if considered else 0.0
    deviation = round(statistics.pstdev(considered), 6) if considered else 0.0
    threshold = round(mean + deviation, 6)
    enough = [id_ for id_ in ids if id_ in promoted or scores[id_] >= threshold]
    enough += [id_ for id_ in ids if id_ not in enough][: max(0, least - len(enough))]
    kept = tuple(id_ for id_ in ids if id_ in enough)
    return Cut(len(considered), mean, deviation, threshold, kept)
