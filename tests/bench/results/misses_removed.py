"""Misses removed at k: of the gold passages a baseline did not have among its first k, the net share a
method has: (found by the method - found by the baseline) / missed by the baseline, pooled over all
questions. Negative where the method loses more than it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Interval(NamedTuple):
    """A value with the central 95 % of its bootstrap distribution."""

    value: float
    low: float
    high: float


def misses_removed(found: Sequence[int], baseline: Sequence[int], gold: Sequence[int]) -> float:
    """Net share of the baseline's misses that a method found; the counts are one a question.

    0.0 where the baseline missed nothing.
    """
    missed = sum(gold) - sum(baseline)
    return (sum(found) - sum(baseline)) / missed if missed else 0.0


def paired_bootstrap(
    statistic: Callable[[NDArray[np.int64]], float],
    questions: int,
    *,
    samples: int = 2000,
    seed: int = 0,
) -> Interval:
    """The statistic with its interval over `samples` resamplings of questions with replacement.

    `statistic` takes an array of positions of questions. Both methods are seen through the same
    resampled questions, which is what makes it paired.
    """
    chance = np.random.default_rng(seed)
    drawn = [statistic(chance.integers(0, questions, questions)) for _ in range(samples)]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Interval(statistic(np.arange(questions)), float(low), float(high))


def misses_removed_interval(
    found: Sequence[int], baseline: Sequence[int], gold: Sequence[int]
) -> Interval:
    """Misses removed with its paired bootstrap interval. Raises ValueError without questions."""
    if not gold:
        raise ValueError("there are no questions with gold passages")
    columns = np.array([found, baseline, gold])
    return paired_bootstrap(lambda rows: misses_removed(*columns[:, rows].tolist()), len(gold))
