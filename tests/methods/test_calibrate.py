"""Promotion and cut by hand (BDTR Eq. 5 and 6)."""

from __future__ import annotations

import pytest

from gear_app.core.types import Hit, Ranking
from gear_app.methods.bdtr import Cut, cut, promote

SCORES = {1: 1.0, 2: 0.8, 3: 0.6, 4: 0.4, 5: 0.2}


def test_the_cut_worked_by_hand() -> None:
    """μ = 0.6, σ = √((0.16 + 0.04 + 0 + 0.04 + 0.16) / 5) = 0.282843 (a sample's would be
    0.316228).
    """
    assert cut((1, 2, 3, 4, 5), SCORES, (), first=50, least=1) == Cut(
        5, 0.6, 0.282843, 0.882843, (1,)
    )


def test_what_scores_exactly_the_threshold_is_kept() -> None:
    """Two 1s and two 0s: μ = 0.5, σ = 0.5."""
    found = cut((1, 2, 3, 4), {1: 1.0, 2: 1.0, 3: 0.0, 4: 0.0}, (), first=50, least=1)
    assert found == Cut(4, 0.5, 0.5, 1.0, (1, 2))
    alike = cut((1, 2, 3), dict.fromkeys((1, 2, 3), 0.1), (), first=50, least=1)
    assert alike == Cut(3, 0.1, 0.0, 0.1, (1, 2, 3))


@pytest.mark.parametrize(
    ("least", "kept"), [(1, (5, 1)), (3, (5, 1, 2)), (4, (5, 1, 2, 3)), (9, (5, 1, 2, 3, 4))]
)
def test_at_least_so_many_are_kept_in_the_order_of_the_ranking(
    least: int, kept: tuple[int, ...]
) -> None:
    assert cut((5, 1, 2, 3, 4), SCORES, (5,), first=50, least=least).kept == kept


def test_verified_passages_lead_in_the_verifiers_order() -> None:
    ranking = Ranking((Hit(1, 1.0), Hit(2, 0.8), Hit(3, 0.6), Hit(4, 0.0)))
    assert promote(ranking, (3, 1)).hits == ((3, 2.0), (1, 1.5), (2, 0.8), (4, 0.0))
    assert promote(ranking, ()) == ranking
