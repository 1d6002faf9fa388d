"""How far annotators agree, field by field, beyond chance; where they differ; and decisions.

Cohen's κ by scikit-learn for two annotators, Krippendorff's α by `krippendorff` for more or where
labels are missing. Intervals are percentiles of a bootstrap over cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import krippendorff
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from gear_app.annotate.history import Current, decisions
from gear_app.annotate.record import SEVERITIES, Label, Record

FIELDS = ("verdict", "category", "severity", "step")
ORDERED: Mapping[str, Sequence[str]] = {"severity": SEVERITIES}  # near misses weigh less
RESAMPLES, SEED = 1_000, 7
Level = Literal["nominal", "ordinal"]
Table = Sequence[Mapping[str, str]]
"""For each case the value that each annotator gave; who gave none is left out."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement in one field. `value` and `interval` are None where they are undefined: no case has
    two labels, or only one category occurs.

    `same` of `cases` have equal labels. `measure` is "Cohen's κ" or "Krippendorff's α".
    """

    field: str
    measure: str
    same: int
    cases: int
    value: float | None
    interval: tuple[float, float] | None


class Disagreement(NamedTuple):
    """A case on which labels differ, in these fields; and the decision, where there is one."""

    case: str
    records: tuple[Record, ...]
    fields: tuple[str, ...]
    decision: Record | None


def together(heads: Current) -> dict[str, list[Record]]:
    """The complete labels of the cases that two people or more have judged, by case; people in the
    order of their names. Who deferred has not judged.
    """
    found: dict[str, list[Record]] = {}
    for key in sorted(heads, key=lambda key: (key.case, key.annotator)):
        label = heads[key].label
        if not key.adjudicates and label.complete and label.verdict != "defer":
            found.setdefault(key.case, []).append(heads[key])
    return {case: records for case, records in found.items() if len(records) > 1}


def table(heads: Current, field: str) -> list[dict[str, str]]:
    """The values of a field, a row for each case that two people or more have judged.

    An empty category or severity is no label; no step is one: the whole run.
    """
    rows = []
    for records in together(heads).values():
        values = {one.annotator: _value(one.label, field) for one in records}
        rows.append({name: value for name, value in values.items() if value})
    return [row for row in rows if row]


def _value(label: Label, field: str) -> str:
    value = str(getattr(label, field))
    return value or ("whole run" if field == "step" else "")


def agreement(rows: Table, field: str = "") -> Agreement:
    """The agreement in a field: κ where the same two people gave a label for every case, else α."""
    names = sorted({name for row in rows for name in row})
    pairs = [tuple(row.values()) for row in rows if len(row) > 1]
    same = sum(len(set(values)) == 1 for values in pairs)
    is_two = len(names) == 2 and all(len(row) == 2 for row in rows)
    measure = "Cohen's κ" if is_two else "Krippendorff's α"
    occur = {value for values in pairs for value in values}
    if not pairs or len(occur) < 2:
        return Agreement(field, measure, same, len(pairs), None, None)
    order = [*ORDERED.get(field, ())]
    domain = order + sorted(occur - set(order))
    if is_two:
        value, interval = _cohen(rows, names, domain, weighted=field in ORDERED)
    else:
        value, interval = _krippendorff(rows, domain, ordered=field in ORDERED)
    return Agreement(field, measure, same, len(pairs), value, interval)


def _cohen(
    rows: Table, names: Sequence[str], domain: Sequence[str], *, weighted: bool
) -> tuple[float, tuple[float, float] | None]:
    first, second = ([domain.index(row[name]) for row in rows] for name in names)
    weights = "quadratic" if weighted else None
    labels = range(len(domain))
    value = cohen_kappa_score(first, second, labels=list(labels), weights=weights)
    counts = np.zeros((len(domain), len(domain)))
    np.add.at(counts, (first, second), 1)
    return float(value), _interval(kappas(_resampled(counts), weighted=weighted))


def _resampled(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tables of as many cases, drawn with replacement: a multinomial of the table's own shares."""
    random = np.random.default_rng(SEED)
    number, shares = int(counts.sum()), counts.ravel() / counts.sum()
    return random.multinomial(number, shares, RESAMPLES).reshape(-1, *counts.shape).astype(float)


def kappas(tables: NDArray[np.float64], *, weighted: bool = False) -> NDArray[np.float64]:
    """Cohen's κ of many tables at once, NaN where it is undefined: a thousand calls of the library
    would take seconds.
    """
    size = tables.shape[-1]
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(float)
    weights = apart**2 if weighted else (apart > 0).astype(float)
    number = tables.sum(axis=(1, 2))
    chance = np.einsum("ni,nj->nij", tables.sum(axis=2), tables.sum(axis=1)) / number[:, None, None]
    observed, expected = (tables * weights).sum(axis=(1, 2)), (chance * weights).sum(axis=(1, 2))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - observed / expected, np.nan)


def _krippendorff(
    rows: Table, domain: Sequence[str], *, ordered: bool
) -> tuple[float, tuple[float, float] | None]:
    """Cases with one label say nothing about agreement and do not count."""
    counted = [Counter(row.values()) for row in rows if len(row) > 1]
    counts = np.array([[count[value] for value in domain] for count in counted])
    level: Level = "ordinal" if ordered else "nominal"
    random = np.random.default_rng(SEED)
    drawn = random.integers(len(counts), size=(RESAMPLES // 4, len(counts)))
    found = [_alpha(counts[chosen], level) for chosen in drawn]
    return _alpha(counts, level), _interval(np.array(found))


def _alpha(counts: NDArray[np.int64], level: Level) -> float:
    if (counts.sum(axis=0) > 0).sum() < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement=level))


def _interval(drawn: NDArray[np.float64]) -> tuple[float, float] | None:
    """The middle 95 % of those that are defined; None where less than half are."""
    defined = drawn[~np.isnan(drawn)]
    if len(defined) * 2 < len(drawn):
        return None
    low, high = np.percentile(defined, [2.5, 97.5])
    return float(low), float(high)


def disagreements(heads: Current) -> list[Disagreement]:
    """The cases on whose verdict, category, severity or step labels differ; undecided ones first,
    then those that differ in the most important field.
    """
    decided = decisions(heads)
    found = []
    for case, records in together(heads).items():
        values = {field: {_value(one.label, field) for one in records} for field in FIELDS}
        fields = tuple(field for field in FIELDS if len(values[field]) > 1)
        if fields:
            found.append(Disagreement(case, tuple(records), fields, decided.get(case)))
    return sorted(found, key=lambda one: (one.decision is not None, FIELDS.index(one.fields[0])))


def confusion(rows: Table) -> dict[tuple[str, str], int]:
    """How often one annotator gave a value where another, later in the alphabet, gave another or
    the same.
    """
    found: Counter[tuple[str, str]] = Counter()
    for row in rows:
        found.update((row[first], row[second]) for first, second in combinations(sorted(row), 2))
    return dict(found)
