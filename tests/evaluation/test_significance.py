"""Intervals and tests against scipy's, Holm's correction against statsmodels'."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap, permutation_test
from statsmodels.stats.multitest import multipletests

from gear_app.evaluation.comparison import SWAPS, holm, mean_intervals, p_values


def test_intervals_and_p_values_are_those_of_scipy_on_the_questions_that_have_a_value() -> None:
    chance = np.random.default_rng(5)
    columns = {n: pd.Series(chance.normal(0.05, 0.3, n)) for n in (6, 40, 200)}
    rows, tests = mean_intervals(columns), p_values(columns)
    for n, values in columns.items():
        theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=9_999, rng=1)
        assert rows[n]["interval"] == pytest.approx(list(theirs.confidence_interval), abs=0.04)
        assert (rows[n]["mean"], rows[n]["n"]) == (pytest.approx(values.mean(), abs=1e-6), n)
        test = permutation_test((values,), np.mean, permutation_type="samples", rng=1)
        assert tests[n] == pytest.approx(test.pvalue, abs=0.02)
    assert mean_intervals({"empty": pd.Series([np.nan])}) == {}


def test_p_is_never_0_and_no_difference_is_no_evidence() -> None:
    found = p_values({"same": pd.Series([0.0] * 40), "all": pd.Series([1.0] * 40)})
    assert found.to_dict() == {"same": 1.0, "all": 1 / (SWAPS + 1)}


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(st.text(max_size=3), st.floats(0, 1), min_size=1, max_size=8))
def test_holms_correction_is_that_of_statsmodels(values: dict[str, float]) -> None:
    expected = multipletests(list(values.values()), method="holm")[1]
    assert list(holm(pd.Series(values))) == pytest.approx(list(expected))
