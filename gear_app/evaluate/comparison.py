"""Methods against a baseline: every number with its interval, every difference with its test.

Intervals are percentile bootstraps over questions (2,000 samples, 95 %). Differences are of the
questions that both methods were measured on. Tests are paired randomisation tests, corrected by
Holm measure by measure for the methods tested. Where runs of either failed there is
no test, and so no verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.analysis.metrics import Interval
from gear_app.errors import Unknown
from gear_app.evaluate.definition import canonical
from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.significance import LEVEL, holm, p_values

SAMPLES = 2_000
DIGITS = 6


@dataclass(frozen=True, slots=True)
class Measured:
    """A method's mean of one measure over `n` questions, and how it differs from the baseline's on
    the `pairs` that both were measured on: None for the baseline itself, and where there are none.
    `corrected` is p after Holm; None where there was no test.
    """

    mean: Interval
    n: int
    difference: Interval | None = None
    p: float | None = None
    corrected: float | None = None
    pairs: int = 0

    @property
    def verdict(self) -> str:
        """`above` or `below` the baseline after the correction, `same` where it cannot be told from
        it; "" for the baseline, and where there was no test.
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
            "pairs": self.pairs,
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
    if baseline not in evaluation.methods:
        baseline = canonical(baseline) or evaluation.methods[0]
    if baseline not in evaluation.methods:
        raise Unknown("baseline", baseline, list(evaluation.methods))
    wanted = metrics or evaluation.metrics
    cells = _cells(evaluation, baseline, wanted)
    means = mean_intervals([one.values for one in cells.values()])
    compared = [name for name, cell in cells.items() if cell.differences]
    over = mean_intervals([cells[name].differences for name in compared])
    difference_of = dict(zip(compared, over, strict=True))
    failed = {run.method for run in evaluation.failed}
    tested = [name for name in compared if not failed & {name[0], baseline}]
    p_of = dict(zip(tested, p_values([cells[name].differences for name in tested]), strict=True))
    corrected: dict[tuple[str, str], float] = {}
    for metric in wanted:
        corrected |= holm({name: p for name, p in p_of.items() if name[1] == metric})
    table = {
        name: Measured(
            mean,
            len(cells[name].values),
            difference_of.get(name),
            _rounded(p_of.get(name)),
            _rounded(corrected.get(name)),
            len(cells[name].differences),
        )
        for name, mean in zip(cells, means, strict=True)
    }
    tests = max((sum(of == metric for _, of in tested) for metric in wanted), default=0)
    return BaselineComparison(baseline, table, tests)


class _Cell(NamedTuple):
    """A method's values of a measure, one a question, and how far those of the questions that the
    baseline has too are from the baseline's; none for the baseline itself.
    """

    values: list[float]
    differences: list[float]


def _cells(
    evaluation: Evaluation, baseline: str, metrics: Sequence[str]
) -> dict[tuple[str, str], _Cell]:
    """By method and measure, measure by measure; without those that no question has."""
    found = {}
    for metric in metrics:
        usual = evaluation.values(baseline, metric)
        for method in evaluation.methods:
            values = usual if method == baseline else evaluation.values(method, metric)
            common = [id_ for id_ in values if id_ in usual and method != baseline]
            if values:
                differences = [values[id_] - usual[id_] for id_ in common]
                found[method, metric] = _Cell(list(values.values()), differences)
    return found


def _rounded(p: float | None) -> float | None:
    return None if p is None else round(p, DIGITS)


def mean_interval(values: Sequence[float], seed: int = 0) -> Interval:
    """The mean of values, one a question. Raises ValueError without any."""
    return mean_intervals([values], seed)[0]


def mean_intervals(samples: Sequence[Sequence[float]], seed: int = 0) -> list[Interval]:
    """The mean of each sample. Those of one size are resampled together, as one product of
    matrices. Raises ValueError where one is empty.
    """
    if not all(samples):
        raise ValueError("there are no questions")
    found: dict[int, Interval] = {}
    for count in {len(one) for one in samples}:
        places = [place for place, one in enumerate(samples) if len(one) == count]
        columns = np.array([samples[place] for place in places], dtype=float).T
        means = _resampled(count, seed) @ columns / count
        bounds = np.percentile(means, [2.5, 97.5], axis=0)
        for place, *numbers in zip(places, columns.mean(axis=0), *bounds, strict=True):
            found[place] = Interval(*(round(float(number), DIGITS) for number in numbers))
    return [found[place] for place in range(len(samples))]


@lru_cache(maxsize=4)
def _resampled(count: int, seed: int) -> NDArray[np.float64]:
    """How often each question is drawn in each resampling: (SAMPLES, count)."""
    drawn = np.random.default_rng(seed).integers(0, count, (SAMPLES, count))
    drawn += count * np.arange(SAMPLES)[:, None]
    return (
        np.bincount(drawn.ravel(), minlength=SAMPLES * count).reshape(SAMPLES, count).astype(float)
    )
