"""Methods against a baseline: every number with its interval, every difference with its test.

Intervals are percentile bootstraps over questions (2,000 samples, 95 %). Differences are of the
questions that both methods were measured on. Tests are paired randomisation tests, corrected by
Holm measure by measure for the methods tested (decision 0038).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gear_app.analysis.metrics import Interval
from gear_app.errors import Unknown
from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.significance import LEVEL, holm, p_value

SAMPLES = 2_000
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Measured:
    """A method's mean of one measure over `n` questions, and how it differs from the baseline's:
    None for the baseline itself, and where no question is common to both. `corrected` is p after
    Holm.
    """

    mean: Interval
    n: int
    difference: Interval | None = None
    p: float | None = None
    corrected: float | None = None

    @property
    def verdict(self) -> str:
        """`above` or `below` the baseline after the correction, `same` where it cannot be told from
        it; "" for the baseline.
        """
        if self.difference is None or self.corrected is None:
            return ""
        if self.corrected >= LEVEL:
            return "same"
        return "above" if self.difference.value > 0 else "below"

    def to_json(self) -> dict[str, Any]:
        """The same for scripts."""
        return {
            "mean": self.mean.value,
            "interval": [self.mean.low, self.mean.high],
            "n": self.n,
            "difference": self.difference.value if self.difference else None,
            "difference_interval": [*self.difference[1:]] if self.difference else None,
            "p": self.p,
            "p_holm": self.corrected,
        }


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """The table of an evaluation. A measure that no question of a method has is not in it. `tests`
    are those of one measure: what its p-values are corrected for.
    """

    baseline: str
    table: dict[tuple[str, str], Measured]
    tests: int

    def of(self, method: str, metric: str) -> Measured | None:
        """One cell."""
        return self.table.get((method, metric))

    def to_json(self) -> dict[str, Any]:
        """By method and measure."""
        methods = dict.fromkeys(method for method, _ in self.table)
        return {
            "baseline": self.baseline,
            "tests": self.tests,
            "methods": {
                name: {
                    metric: found.to_json()
                    for (method, metric), found in self.table.items()
                    if method == name
                }
                for name in methods
            },
        }


def compare(
    evaluation: Evaluation, baseline: str = "", metrics: Sequence[str] = ()
) -> BaselineComparison:
    """Every method against the baseline, by default the first, on these measures, by default all.

    Raises Unknown for a baseline that was not measured, BadInput for an unknown measure.
    """
    baseline = " ".join(baseline.split()) or evaluation.methods[0]
    if baseline not in evaluation.methods:
        raise Unknown("baseline", baseline, list(evaluation.methods))
    table: dict[tuple[str, str], Measured] = {}
    tests = 0
    for metric in metrics or evaluation.metrics:
        p_values: dict[str, float] = {}
        usual = evaluation.values(baseline, metric)
        for method in evaluation.methods:
            values = evaluation.values(method, metric)
            if not values:
                continue
            mean = mean_interval(list(values.values()))
            measured = Measured(mean, len(values))
            common = [id_ for id_ in values if id_ in usual]
            if method != baseline and common:
                mine, its = [values[id_] for id_ in common], [usual[id_] for id_ in common]
                p = p_value(mine, its)
                p_values[method] = p
                difference = mean_interval([a - b for a, b in zip(mine, its, strict=True)])
                measured = Measured(mean, len(values), difference, round(p, DIGITS))
            table[method, metric] = measured
        for method, p in holm(p_values).items():
            table[method, metric] = replace(table[method, metric], corrected=round(p, DIGITS))
        tests = max(tests, len(p_values))
    return BaselineComparison(baseline, table, tests)


def mean_interval(values: Sequence[float], seed: int = 0) -> Interval:
    """The mean of values, one a question. Raises ValueError without any."""
    if not values:
        raise ValueError("there are no questions")
    array = np.asarray(values, dtype=float)
    means = _resampled(len(array), seed) @ array / len(array)
    low, high = np.percentile(means, [2.5, 97.5])
    return Interval(*(round(float(value), DIGITS) for value in (array.mean(), low, high)))


@lru_cache(maxsize=4)
def _resampled(count: int, seed: int) -> NDArray[np.float64]:
    """How often each question is drawn in each resampling: (SAMPLES, count)."""
    chance = np.random.default_rng(seed)
    return chance.multinomial(count, np.full(count, 1 / count), SAMPLES).astype(float)
