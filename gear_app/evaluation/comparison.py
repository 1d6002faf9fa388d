"""Methods against a baseline: means with intervals, differences with tests.

Intervals are percentile bootstraps over questions (2,000 samples, 95 %). Differences are paired: of
the questions that both methods were measured on. Their test is the paired randomisation test
(Fisher; for retrieval Smucker, Allan, Carterette 2007): if two methods were equal, each question's
two values could as well be swapped. The p-value is the share of swaps whose mean difference is at
least as large, in either direction: of all swaps for few questions, else of 9,999 drawn ones and
the observed. Several methods against one baseline are corrected by Holm (1979), measure by measure.
A method whose runs failed, or whose baseline's did, is not tested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

from gear_app.core.errors import Unknown
from gear_app.evaluation.evaluation import DIGITS, Evaluation, rounded
from gear_app.evaluation.variants import is_file, variant
from gear_app.trace.metrics import Interval

Name = TypeVar("Name", bound=Hashable)
SAMPLES, SWAPS, LEVEL = 2_000, 9_999, 0.05
CLOSE = 1e-9  # sums that are equal on paper count as equal


class Comparison(NamedTuple):
    """Methods against a baseline. `rows`, by method and measure, lack measures that no question
    has: `mean` with its `interval` over `n` questions; the `difference` of the `pairs` that both
    have, with `difference_interval`, None for the baseline; `p` and `p_holm`, None without a test;
    `verdict`: "above", "below", "same" or "" (no test).
    """

    baseline: str
    rows: Mapping[tuple[str, str], Mapping[str, Any]]
    tests: int  # of one measure, for which its p-values are corrected

    def of(self, method: str, metric: str) -> Mapping[str, Any] | None:
        """A row; None if there is none."""
        return self.rows.get((method, metric))

    def mean(self, method: str, metric: str) -> float | None:
        """A method's mean; None if it is not measured."""
        return self.rows.get((method, metric), {}).get("mean")

    def to_json(self) -> dict[str, Any]:
        """Rows by method and measure."""
        methods: dict[str, dict[str, Any]] = {}
        for (method, metric), row in self.rows.items():
            methods.setdefault(method, {})[metric] = row
        return {"baseline": self.baseline, "tests": self.tests, "methods": methods}


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
        table = (
            evaluation.values(metric)
            .unstack("method")
            .reindex(index=evaluation.asked.index, columns=evaluation.methods)
        )
        for method in table.columns[table.notna().any()]:
            values[method, metric] = table[method].dropna().to_numpy()
            paired = (table[method] - table[baseline]).dropna().to_numpy()
            if len(paired) and method != baseline:
                differences[method, metric] = paired
    failed = set(evaluation.failed["method"])
    tested = {
        name: paired for name, paired in differences.items() if not failed & {name[0], baseline}
    }
    p_of = p_values(tested)
    corrected: dict[tuple[str, str], float] = {}
    for metric in {metric for _, metric in tested}:
        corrected |= holm({name: p for name, p in p_of.items() if name[1] == metric})
    means, over = mean_intervals(values), mean_intervals(differences)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for name, mean in means.items():
        difference = over.get(name)
        row = rows[name] = {
            "mean": mean.value,
            "interval": list(mean[1:]),
            "n": len(values[name]),
            "difference": difference and difference.value,
            "difference_interval": difference and list(difference[1:]),
            "p": rounded(p_of.get(name)),
            "p_holm": rounded(corrected.get(name)),
            "pairs": len(differences.get(name, ())),
        }
        row["verdict"] = _verdict(row)
    tests = Counter(metric for _, metric in tested)
    return Comparison(baseline, rows, max(tests.values(), default=0))


def tested_difference(values: NDArray[np.float64], *, tested: bool = True) -> dict[str, Any]:
    """The mean of paired differences: `difference`, `difference_interval` and `p`, None if it is
    not to be tested.
    """
    mean = mean_intervals({"": values})[""]
    p = p_values({"": values})[""] if tested else None
    interval = list(mean[1:])
    return {"difference": mean.value, "difference_interval": interval, "p": rounded(p)}


def _verdict(row: Mapping[str, Any]) -> str:
    if row["p_holm"] is None:
        return ""
    if row["p_holm"] >= LEVEL:
        return "same"
    return "above" if row["difference"] > 0 else "below"


def mean_intervals(samples: Mapping[Name, NDArray[np.float64]]) -> dict[Name, Interval]:
    """The mean of each sample with its interval. Samples of one size are resampled together."""
    intervals = {}
    for size in {len(sample) for sample in samples.values()}:
        names = [name for name, sample in samples.items() if len(sample) == size]
        rows = np.array([samples[name] for name in names], dtype=float)
        low, high = rows.min(axis=1), rows.max(axis=1)
        if size > 1:
            resampled = bootstrap(
                (rows,),
                np.mean,
                axis=1,
                n_resamples=SAMPLES,
                method="percentile",
                batch=max(1, 5_000_000 // rows.size),
                rng=0,
            )
            low, high = resampled.confidence_interval
        for name, *numbers in zip(names, rows.mean(axis=1), low, high, strict=True):
            intervals[name] = Interval(*(round(float(number), DIGITS) for number in numbers))
    return {name: intervals[name] for name in samples}


def p_values(differences: Mapping[Name, NDArray[np.float64]]) -> dict[Name, float]:
    """Two-sided p-value of each mean difference; 1.0 if no question differs. All tests share the
    drawn swaps: one product of matrices, where scipy's permutation_test takes 80 times as long.
    """
    differing = [column[column != 0] for column in differences.values()]
    size = max(map(len, differences.values()), default=0)
    columns = np.zeros((size, len(differing)))  # a swap changes no question without a difference
    for place, values in enumerate(differing):
        columns[: len(values), place] = values
    observed = np.abs(columns.sum(axis=0)) - CLOSE
    large = np.ones(len(differing))  # the observed one
    for signs in np.array_split(_drawn_signs(size), 10):
        large += (np.abs(signs.astype(float) @ columns) >= observed).sum(axis=0)
    drawn = zip(differing, large / (SWAPS + 1), strict=True)
    exact = (
        _exact(sample) if 2 ** min(len(sample), 63) <= SWAPS else float(p) for sample, p in drawn
    )
    return dict(zip(differences, exact, strict=True))


def _exact(values: NDArray[np.float64]) -> float:
    swapped = np.arange(2 ** len(values))[:, None] >> np.arange(len(values)) & 1
    sums = np.abs((1 - 2 * swapped) @ values)
    return float((sums >= abs(values.sum()) - CLOSE).mean())


@lru_cache(maxsize=4)
def _drawn_signs(count: int) -> NDArray[np.int8]:
    """Swaps, a row each: -1 for a question whose values are swapped."""
    drawn = np.random.default_rng(0).integers(0, 2, (SWAPS, count), dtype=np.int8)
    return 2 * drawn - 1


def holm(values: Mapping[Name, float]) -> dict[Name, float]:
    """Each p-value corrected for the number of tests, under the same names: the smallest times that
    number, the next times one less, and so on; none is below the one before it, nor above 1.
    """
    corrected: dict[Name, float] = {}
    least = 0.0
    for place, name in enumerate(sorted(values, key=lambda key: values[key])):
        least = max(least, min(1.0, values[name] * (len(values) - place)))
        corrected[name] = least
    return {name: corrected[name] for name in values}
