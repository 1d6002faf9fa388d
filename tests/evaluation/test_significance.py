"""Paired tests against an enumeration by hand, Holm's correction against statsmodels."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, ttest_rel
from statsmodels.stats.multitest import multipletests

from gear_app.evaluation.comparison import SWAPS, holm, p_values


def p_value(values: list[float], baseline: list[float]) -> float:
    return p_values({"": np.subtract(values, baseline)})[""]


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
    scipys = permutation_test(
        (values - baseline,), np.mean, permutation_type="samples", n_resamples=SWAPS, rng=1
    )
    assert p_value(values.tolist(), baseline.tolist()) == pytest.approx(scipys.pvalue, abs=0.02)


def test_where_swaps_are_drawn_the_one_observed_is_one_of_them_and_p_is_never_0() -> None:
    assert p_value([1.0] * 40, [0.0] * 40) == 1 / (SWAPS + 1)


def test_no_difference_is_no_evidence() -> None:
    assert p_value([0.5, 1.0], [0.5, 1.0]) == 1.0


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), min_size=1, max_size=8))
def test_holms_correction_is_that_of_statsmodels(values: dict[str, float]) -> None:
    expected = multipletests(list(values.values()), method="holm")[1]
    assert list(holm(values).values()) == pytest.approx(list(expected))
