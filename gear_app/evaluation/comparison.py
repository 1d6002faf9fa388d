"""Methods against a baseline: means with intervals, differences with tests.

Intervals are percentile bootstraps over questions (2,000 samples, 95 %). Differences are paired: of
the questions that both methods were measured on. Their test is the paired randomisation test
(Fisher; for retrieval Smucker, Allan, Carterette 2007): if two methods were equal, each question's
two values could as well be swapped. The p-value is the share of swaps whose mean difference is at
least as large, in either direction: of all swaps for few questions, else of 9,999 drawn ones and
the observed. Several methods against
one baseline are corrected by Holm (1979), measure by measure. A method whose runs failed, or whose
baseline's did, is not tested.

All columns share the drawn samples and swaps: one product of matrices, where scipy's bootstrap and
permutation_test, with which tests compare these, take 20 to 80 times as long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gear_app.core.errors import Unknown
from gear_app.evaluation.evaluation import DIGITS, Evaluation, rounded
from gear_app.evaluation.variants import is_file, variant

SAMPLES, SWAPS, LEVEL = 2_000, 9_999, 0.05
CLOSE = 1e-9  # sums that are equal on paper count as equal


class Comparison(NamedTuple):
    """Methods against a baseline. `rows`, by method and measure, lack measures that no question
    has: `mean` with its `interval` over `n` questions; the `difference` of the `pairs` that both
    have, with `difference_interval`, None for the baseline; `p` and `p_holm`, None without a test;
    `verdict`: "above", "below", "same" or "" (no test).
    """

    baseline: str
    rows: Mapping[str, Mapping[str, Mapping[str, Any]]]
    tests: int  # of one measure, for which its p-values are corrected

    def row(self, method: str, metric: str) -> Mapping[str, Any]:
        """A row; empty without one."""
        return self.rows.get(method, {}).get(metric, {})

    def to_json(self) -> dict[str, Any]:
        """Rows by method and measure."""
        return {"baseline": self.baseline, "tests": self.tests, "methods": self.rows}


def compare(evaluation: Evaluation, baseline: str = "", metrics: Sequence[str] = ()) -> Comparison:
    """Compare every method with the baseline, by default the first, on all measures, or these.

    Raises Unknown for a baseline that was not measured, BadInput for an unknown measure.
    """
    if baseline and baseline not in evaluation.methods and not is_file(baseline):
        baseline = str(variant(baseline))
    baseline = baseline or evaluation.methods[0]
    if baseline not in evaluation.methods:
        raise Unknown("baseline", baseline, list(evaluation.methods))
    values, differences = {}, {}
    for metric in metrics or evaluation.metrics:
        table = evaluation.values(metric).unstack("method")
        table = table.reindex(
            index=evaluation.question_groups.index, columns=list(evaluation.methods)
        )
        for method in evaluation.methods:
            values[method, metric] = table[method]
            if method != baseline:
                differences[method, metric] = table[method] - table[baseline]
    means, over = mean_intervals(values), mean_intervals(differences)
    failed = set(evaluation.failed["method"])
    p_of = p_values({name: differences[name] for name in over if not failed & {name[0], baseline}})
    corrected = p_of.groupby([name[1] for name in p_of.index], group_keys=False).apply(holm)
    rows: dict[str, dict[str, dict[str, Any]]] = {}
    for name, row in means.items():
        difference = over.get(name, {"mean": None, "interval": None, "n": 0})
        p = rounded(corrected.get(name))
        rows.setdefault(name[0], {})[name[1]] = described = {
            **row,
            "difference": difference["mean"],
            "difference_interval": difference["interval"],
            "p": rounded(p_of.get(name)),
            "p_holm": p,
            "pairs": difference["n"],
            "verdict": "" if p is None else "same",
        }
        if p is not None and p < LEVEL:
            described["verdict"] = "above" if difference["mean"] > 0 else "below"
    tests = pd.Series([metric for _, metric in p_of.index], dtype=object).value_counts()
    return Comparison(baseline, rows, int(tests.max()) if len(tests) else 0)


def tested_difference(values: pd.Series, *, tested: bool = True) -> dict[str, Any]:
    """The mean of paired differences: `difference`, `difference_interval` and `p`, None if it is
    not to be tested.
    """
    row = mean_intervals({"": values})[""]
    p = rounded(p_values({"": values})[""]) if tested else None
    return {"difference": row["mean"], "difference_interval": row["interval"], "p": p}


def mean_intervals(columns: Mapping[Any, pd.Series]) -> dict[Any, dict[str, Any]]:
    """The `mean` of each column of values by question with its `interval` and `n`, without the
    questions that it lacks; no row for an empty column.
    """
    frame = pd.DataFrame(dict(enumerate(columns.values())), dtype=float)
    if frame.empty:
        return {}
    numbers, present = frame.fillna(0.0).to_numpy(), frame.notna().to_numpy().astype(float)
    drawn = np.random.default_rng(0).multinomial(
        len(frame), np.full(len(frame), 1 / len(frame)), SAMPLES
    )
    with np.errstate(invalid="ignore"):
        means = (drawn @ numbers) / (drawn @ present)
    rows = {}
    for place, name in enumerate(columns):
        if count := int(present[:, place].sum()):
            low, high = np.nanpercentile(means[:, place], [2.5, 97.5])
            interval = [round(float(end), DIGITS) for end in (low, high)]
            mean = round(numbers[:, place].sum() / count, DIGITS)
            rows[name] = {"mean": float(mean), "interval": interval, "n": count}
    return rows


def p_values(columns: Mapping[Any, pd.Series]) -> pd.Series:
    """Two-sided p-value of the mean of each column of paired differences by question."""
    numbers = pd.DataFrame(dict(enumerate(columns.values())), dtype=float).fillna(0.0).to_numpy()
    observed, size = np.abs(numbers.sum(axis=0)) - CLOSE, len(numbers)
    exact = size < 63 and 2**size <= SWAPS
    if exact:
        swaps = np.arange(2**size)[:, None] >> np.arange(size) & 1
    else:
        swaps = np.random.default_rng(0).integers(0, 2, (SWAPS, size), dtype=np.int8)
    large = np.full(len(columns), 0.0 if exact else 1.0)  # the observed one
    for part in np.array_split(swaps, 10):
        large += (np.abs((1.0 - 2.0 * part) @ numbers) >= observed).sum(axis=0)
    index = pd.Index(list(columns), tupleize_cols=False)
    return pd.Series(large / (len(swaps) + (not exact)), index, dtype=float)


def holm(values: pd.Series) -> pd.Series:
    """Each p-value corrected for the number of tests: the smallest times that number, the next
    times one less, and so on; none is below the one before it, nor above 1.
    """
    order = values.sort_values(kind="stable")
    corrected = (order * np.arange(len(order), 0, -1)).clip(upper=1.0).cummax()
    return corrected.reindex(values.index)
