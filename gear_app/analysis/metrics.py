"""The measures of a ranking, defined before they are computed, and how sure a difference is.

* R@k, recall at k: the fraction of a question's gold passages that are among the first k. (Not
  Success@k, which asks for one of them; papers mix the two up.) With more than k gold passages the
  ceiling is below 1.
* All-recall@k: 1 where all gold passages are among the first k, else 0.
* MRR: 1 / rank of the first gold passage, 0 where there is none.
* Misses removed at k: of the gold passages a baseline did not have among its first k, the net share
  a method has: (found by the method - found by the baseline) / missed by the baseline, pooled over
  all questions. Negative where the method loses more than it finds.

A ranking is a list of keys, best first; gold passages are keys, and one that is named twice counts
once. Where a document was cut by us its passages have keys "id#1", "id#2", …; the best one counts
(`gold_keys`). EM and F1 of an answer are in `answers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.analysis.gold_keys import whole


class Interval(NamedTuple):
    """A value with the central 95 % of its bootstrap distribution."""

    value: float
    low: float
    high: float


def gold_count(gold: Sequence[str]) -> int:
    """How many gold passages there are."""
    return len(set(gold))


def found_at(ranking: Sequence[str], gold: Sequence[str], k: int) -> int:
    """How many of the gold passages are among the first k."""
    first = {*ranking[:k], *map(whole, ranking[:k])}
    return len(first & set(gold))


def recall_at(ranking: Sequence[str], gold: Sequence[str], k: int) -> float:
    """R@k. Raises ValueError without gold: recall is then not defined."""
    if not gold:
        raise ValueError("recall needs at least one gold passage")
    return found_at(ranking, gold, k) / gold_count(gold)


def all_recall_at(ranking: Sequence[str], gold: Sequence[str], k: int) -> float:
    """1.0 where every gold passage is among the first k, else 0.0."""
    return float(recall_at(ranking, gold, k) == 1)


def reciprocal_rank(ranking: Sequence[str], gold: Sequence[str]) -> float:
    """1 / rank of the first gold passage; 0.0 where there is none."""
    for rank, key in enumerate(ranking, start=1):
        if found_at([key], gold, 1):
            return 1 / rank
    return 0.0


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


def recall_difference_interval(recall: Sequence[float], baseline: Sequence[float]) -> Interval:
    """Mean recall minus the baseline's, with its paired bootstrap interval.

    Significant where 0 is outside. Raises ValueError without questions.
    """
    if not recall:
        raise ValueError("there are no questions with gold passages")
    difference = np.subtract(recall, baseline)
    return paired_bootstrap(lambda rows: float(difference[rows].mean()), len(difference))
