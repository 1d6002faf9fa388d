"""Paired tests against an enumeration by hand, Holm's correction against statsmodels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from gear_app.evaluate.significance import SWAPS, holm, p_value, trend_p_value


def enumerated(values: list[float], baseline: list[float]) -> float:
    """The share of all swaps whose mean difference is at least as large, in either direction."""
    differences = [one - other for one, other in zip(values, baseline, strict=True)]
    seen = abs(sum(differences)) - 1e-9
    swaps = itertools.product((1, -1), repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(signs, differences, strict=True))) for signs in swaps]
    return sum(one >= seen for one in sums) / len(sums)


@pytest.mark.parametrize(
    ("values", "baseline"),
    [
        ([1.0, 1.0, 1.0, 0.5, 1.0], [0.5, 0.0, 1.0, 0.5, 0.5]),
        ([0.0, 0.5, 0.0, 1.0], [0.5, 0.5, 1.0, 0.5]),
        ([1 / 3, 2 / 3, 1.0, 0.0, 1.0, 1.0], [0.0, 1 / 3, 2 / 3, 1 / 3, 0.5, 0.5]),
    ],
)
def test_few_questions_are_enumerated(values: list[float], baseline: list[float]) -> None:
    assert p_value(values, baseline) == pytest.approx(enumerated(values, baseline))


def test_many_questions_come_to_what_students_test_says() -> None:
    chance = np.random.default_rng(5)
    baseline = chance.random(200)
    values = baseline + chance.normal(0.02, 0.15, 200)
    expected = float(ttest_rel(values, baseline).pvalue)
    assert p_value(values.tolist(), baseline.tolist()) == pytest.approx(expected, abs=0.015)
    assert p_value(values.tolist(), baseline.tolist()) == p_value(
        values.tolist(), baseline.tolist()
    )


def test_where_swaps_are_drawn_the_one_observed_is_one_of_them_and_p_is_never_0() -> None:
    assert p_value([1.0] * 40, [0.0] * 40) == 1 / (SWAPS + 1)


def test_no_difference_is_no_evidence() -> None:
    assert p_value([0.5, 1.0], [0.5, 1.0]) == 1.0


def test_unequal_numbers_cannot_be_paired() -> None:
    with pytest.raises(ValueError, match="same questions"):
        p_value([1.0], [1.0, 0.0])


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), min_size=1, max_size=8))
def test_holms_correction_is_that_of_statsmodels(p_values: dict[str, float]) -> None:
    expected = multipletests(list(p_values.values()), method="holm")[1]
    assert list(holm(p_values).values()) == pytest.approx(list(expected))


def test_a_trend_over_groups_is_tested_against_all_ways_to_deal_the_values() -> None:
    """Of the six ways to deal two ones and two noughts to two pairs two are as far apart."""
    assert trend_p_value(((1.0, 1.0), (0.0, 0.0))) == pytest.approx(2 / 6, abs=0.02)
    assert trend_p_value(((1.0,) * 12, (0.5,) * 8)) < 0.001
    assert trend_p_value(((0.5, 0.5), (0.5,))) == 1.0
    assert trend_p_value(()) == trend_p_value(((1.0, 0.0),)) == 1.0
