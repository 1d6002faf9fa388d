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

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap

from gear_app.analysis.metrics import Interval
from gear_app.errors import Unknown
from gear_app.evaluate.definition import canonical
from gear_app.evaluate.evaluation import DIGITS, Evaluation, rounded

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
    if baseline not in evaluation.methods:
        baseline = canonical(baseline) or evaluation.methods[0]
    if baseline not in evaluation.methods:
        raise Unknown("baseline", baseline, list(evaluation.methods))
    values, differences = {}, {}
    for metric in metrics or evaluation.metrics:
        table = evaluation.table(metric)
        usual = table[baseline].to_numpy() if baseline in table else np.nan
        for method in (words for words in evaluation.methods if words in table):
            column = table[method].to_numpy()
            if not np.isnan(column).all():
                values[method, metric] = column[~np.isnan(column)]
                paired = column - usual if method != baseline else column[:0]
                differences[method, metric] = paired[~np.isnan(paired)]
    failed = set(evaluation.failed["method"])
    tested = [
        name
        for name, column in differences.items()
        if len(column) and not failed & {name[0], baseline}
    ]
    p_of = dict(zip(tested, p_values([differences[name] for name in tested]), strict=True))
    by_metric: dict[str, dict[tuple[str, str], float]] = {}
    for name, value in p_of.items():
        by_metric.setdefault(name[1], {})[name] = value
    corrected = {name: q for of_metric in by_metric.values() for name, q in holm(of_metric).items()}
    means = mean_intervals(list(values.values()))
    over = mean_intervals(list(differences.values()))
    rows = {}
    for name, mean, difference in zip(values, means, over, strict=True):
        rows[name] = {
            "mean": mean.value,
            "interval": list(mean[1:]),
            "n": len(values[name]),
            "difference": difference and difference.value,
            "difference_interval": difference and list(difference[1:]),
            "p": rounded(p_of.get(name)),
            "p_holm": rounded(corrected.get(name)),
            "pairs": len(differences[name]),
        }
        rows[name]["verdict"] = _verdict(rows[name])
    return Comparison(baseline, rows, max(map(len, by_metric.values()), default=0))


def _verdict(row: Mapping[str, Any]) -> str:
    if row["p_holm"] is None:
        return ""
    if row["p_holm"] >= LEVEL:
        return "same"
    return "above" if row["difference"] > 0 else "below"


def mean_intervals(samples: Sequence[NDArray[np.float64]]) -> list[Interval | None]:
    """The mean of each sample with its interval; None for an empty one. Samples of one size are
    resampled together.
    """
    result: list[Interval | None] = [None] * len(samples)
    for size in {len(sample) for sample in samples} - {0}:
        places = [place for place, sample in enumerate(samples) if len(sample) == size]
        rows = np.array([samples[place] for place in places], dtype=float)
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
        for place, *numbers in zip(places, rows.mean(axis=1), low, high, strict=True):
            result[place] = Interval(*(round(float(number), DIGITS) for number in numbers))
    return result


def p_values(differences: Sequence[NDArray[np.float64]]) -> list[float]:
    """Two-sided p-value of each mean difference; 1.0 if no question differs. All tests share the
    drawn swaps: one product of matrices, where scipy's permutation_test takes 80 times as long.
    """
    differing = [column[column != 0] for column in differences]  # a swap changes no other question
    size = max(map(len, differences), default=0)
    columns = np.zeros((size, len(differing)))
    for place, values in enumerate(differing):
        columns[: len(values), place] = values
    observed = np.abs(columns.sum(axis=0)) - CLOSE
    large = np.ones(len(differing))  # the observed one
    for signs in np.array_split(_drawn_signs(size), 10):
        large += (np.abs(signs.astype(float) @ columns) >= observed).sum(axis=0)
    drawn = large / (SWAPS + 1)
    few = [2 ** min(len(values), 63) <= SWAPS for values in differing]
    return [
        _exact(differing[place]) if few[place] else float(drawn[place]) for place in range(len(few))
    ]


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
    for place, name in enumerate(sorted(values, key=lambda one: values[one])):
        least = max(least, min(1.0, values[name] * (len(values) - place)))
        corrected[name] = least
    return {name: corrected[name] for name in values}
