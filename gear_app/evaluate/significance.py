"""How sure a difference between methods is: paired tests over questions, corrected for their count.

The test is the paired randomisation test (Fisher; for retrieval Smucker, Allan, Carterette 2007):
were the two methods equal, each question's two values could as well be swapped. Its p-value is the
share of swaps whose mean difference is at least as large, in either direction. With few questions
all swaps are tried, else 9,999 drawn with a fixed seed, and the one observed counts as one of them.

Several methods against one baseline are corrected by Holm (1979): the chance that any of the
differences called significant is none stays below the level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import permutation_test

LEVEL = 0.05
SWAPS = 9_999


def p_value(values: Sequence[float], baseline: Sequence[float], *, seed: int = 0) -> float:
    """Two-sided p-value of the mean difference; the values are one a question, in the same order.

    1.0 where no question differs, or only one: either sign of it is as large. Raises ValueError
    without questions, or for unequal numbers.
    """
    if not values or len(values) != len(baseline):
        raise ValueError("a paired test needs both methods' values of the same questions")
    difference = np.subtract(values, baseline)
    # Those without a difference stay where they are under every swap. Rounding makes sums that are
    # equal on paper equal here, too.
    swapped = np.round(difference[difference != 0], 12)
    if len(swapped) < 2:
        return 1.0
    result = permutation_test(
        (swapped, np.zeros_like(swapped)),
        _mean_difference,
        permutation_type="samples",
        vectorized=True,
        n_resamples=SWAPS,
        alternative="two-sided",
        rng=np.random.default_rng(seed),
    )
    return min(1.0, float(result.pvalue))


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Each p-value corrected for the number of tests, by the same names: the smallest is multiplied
    by their number, the next by one less, and so on; none is below one before it, nor above 1.
    """
    corrected: dict[str, float] = {}
    least = 0.0
    for place, name in enumerate(sorted(p_values, key=lambda one: p_values[one])):
        least = max(least, min(1.0, p_values[name] * (len(p_values) - place)))
        corrected[name] = least
    return {name: corrected[name] for name in p_values}


def _mean_difference(
    values: NDArray[np.float64], baseline: NDArray[np.float64], axis: int
) -> NDArray[np.float64]:
    return np.asarray(np.round(values.mean(axis=axis) - baseline.mean(axis=axis), 12))
