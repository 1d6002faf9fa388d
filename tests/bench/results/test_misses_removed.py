from __future__ import annotations

import pytest

from tests.bench.results.misses_removed import (
    misses_removed,
    paired_bootstrap,
)


def test_an_interval_is_the_central_95_percent() -> None:
    """Of 0, 1, …, 1999 a fortieth lies below 49.975 and a fortieth above 1949.025."""
    values = iter(range(2001))
    assert paired_bootstrap(lambda rows: float(next(values)), 3) == pytest.approx(
        (2000.0, 49.975, 1949.025)
    )


def test_misses_removed_is_net_and_pooled() -> None:
    """Gold 2 + 2, the baseline has 1 + 1, so 2 are missed; the method has 2 + 1: one found, none
    lost.
    """
    assert misses_removed([2, 1], [1, 1], [2, 2]) == 0.5
    assert misses_removed([2, 0], [1, 1], [2, 2]) == 0
    assert misses_removed([0, 0], [1, 1], [2, 2]) == -1
    assert misses_removed([2], [2], [2]) == 0
