"""How sure a difference between methods is: paired tests over questions, corrected for their count.

The test is the paired randomisation test (Fisher; for retrieval Smucker, Allan, Carterette 2007):
were the two methods equal, each question's two values could as well be swapped. Its p-value is the
share of swaps whose mean difference is at least as large, in either direction. With few questions
all swaps are tried, else 9,999 drawn with a fixed seed, and the one observed counts as one of them.

Groups of different questions cannot be paired: there the values are dealt to the groups at random.

Several methods against one baseline are corrected by Holm (1979): the chance that any of the
differences called significant is none stays below the level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Name = TypeVar("Name")
LEVEL = 0.05
SWAPS = 9_999
CLOSE = 1e-9  # of sums


def p_value(values: Sequence[float], baseline: Sequence[float], *, seed: int = 0) -> float:
    """Two-sided p-value of the mean difference; the values are one a question, in the same order.

    1.0 where no question differs. Raises ValueError without questions, or for unequal numbers.
    """
    if not values or len(values) != len(baseline):
        raise ValueError("a paired test needs both methods' values of the same questions")
    return p_values([np.subtract(values, baseline)], seed=seed)[0]


def p_values(
    differences: Sequence[Sequence[float] | NDArray[np.float64]], *, seed: int = 0
) -> list[float]:
    """The same for many tests, of each the questions' differences. Those over equally many
    questions are swapped together, as one product of matrices.
    """
    found = [1.0] * len(differences)
    drawn: dict[int, list[int]] = {}
    # Those without a difference stay where they are under every swap.
    differing = [np.asarray(one)[np.asarray(one) != 0] for one in differences]
    for place, values in enumerate(differing):
        if 2 ** min(len(values), 63) <= SWAPS:
            found[place] = _exact(values)
        else:
            drawn.setdefault(len(differences[place]), []).append(place)
    for count, places in drawn.items():
        columns = np.zeros((count, len(places)))
        for column, place in enumerate(places):
            columns[: len(differing[place]), column] = differing[place]
        for place, p in zip(places, _drawn(columns, seed), strict=True):
            found[place] = p
    return found


def _exact(differing: NDArray[np.float64]) -> float:
    """The share of all swaps whose sum is as large as the one observed, equal ones included."""
    sums = np.abs(_all_signs(len(differing)) @ differing)
    return int((sums >= abs(differing.sum()) - CLOSE).sum()) / len(sums)


def _drawn(columns: NDArray[np.float64], seed: int) -> list[float]:
    """The same of the swaps drawn, for every column; the one observed counts as one of them."""
    observed = np.abs(columns.sum(axis=0)) - CLOSE  # sums that are equal on paper count as equal
    as_large = np.zeros(columns.shape[1], dtype=int)
    for some in np.array_split(_signs(len(columns), seed), 10):
        as_large += (np.abs(some.astype(float) @ columns) >= observed).sum(axis=0)
    return [(int(number) + 1) / (SWAPS + 1) for number in as_large]


def _all_signs(count: int) -> NDArray[np.int8]:
    """Every way to swap: (2 ** count, count), a column a question, -1 where it is swapped."""
    ways = np.arange(2**count)[:, None] >> np.arange(count)
    return np.where(ways & 1, -1, 1).astype(np.int8)


@lru_cache(maxsize=8)
def _signs(count: int, seed: int) -> NDArray[np.int8]:
    """SWAPS of them, drawn."""
    drawn = np.random.default_rng(seed).integers(0, 2, (SWAPS, count), dtype=np.int8)
    return 2 * drawn - 1


@lru_cache(maxsize=64)
def trend_p_value(groups: tuple[tuple[float, ...], ...], *, seed: int = 0) -> float:
    """Two-sided p-value of values that rise or fall from group to group, whose values are of
    different questions: a permutation test of how the values go with the group's place. 1.0 where
    no value differs, or fewer than two groups have any.
    """
    places = np.repeat(np.arange(len(groups)), [len(one) for one in groups]).astype(float)
    values = np.array([value for one in groups for value in one])
    if not len(values):
        return 1.0
    places -= places.mean()
    observed = abs(places @ values) - CLOSE  # equal on paper counts as equal
    generator, as_large = np.random.default_rng(seed), 0
    for some in np.array_split(np.arange(SWAPS), 10):
        drawn = generator.permuted(np.tile(values, (len(some), 1)), axis=1)
        as_large += int((np.abs(drawn @ places) >= observed).sum())
    return (as_large + 1) / (SWAPS + 1)


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """Each p-value corrected for the number of tests, by the same names: the smallest is multiplied
    by their number, the next by one less, and so on; none is below one before it, nor above 1.
    """
    corrected: dict[Name, float] = {}
    least = 0.0
    for place, name in enumerate(sorted(p_values, key=lambda one: p_values[one])):
        least = max(least, min(1.0, p_values[name] * (len(p_values) - place)))
        corrected[name] = least
    return {name: corrected[name] for name in p_values}
