"""Agreement of annotators, field by field: Krippendorff's α, with the percentiles of a bootstrap
over cases; and the cases on which labels differ.
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

from gear_app.annotation.record import SEVERITIES, Label, Labels, Record, decisions, judged

FIELDS = ("verdict", "category", "severity", "step")
ORDERED: Mapping[str, Sequence[str]] = {"severity": SEVERITIES}  # a near miss weighs less
FEWEST = 10  # cases; of fewer α says nothing
RESAMPLES, SEED = 250, 7
Level = Literal["nominal", "ordinal"]
Table = Sequence[Mapping[str, str]]
"""For each case the values by annotator, without those who gave none."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement in one field over the cases with two labels or more."""

    field: str
    equal: int  # cases whose labels are equal
    cases: int
    alpha: float | None = None  # None: too few cases, or only one value occurs
    interval: tuple[float, float] | None = None  # the central 95 %


class Disagreement(NamedTuple):
    """A case on which labels differ, in which fields, and the decision, if there is one."""

    case: str
    records: tuple[Record, ...]
    fields: tuple[str, ...]
    decision: Record | None


def pairs(labels: Labels) -> dict[str, list[Record]]:
    """The complete labels of cases that two people or more have judged, by case."""
    return {case: records for case, records in judged(labels).items() if len(records) > 1}


def table(labels: Labels, field: str) -> list[dict[str, str]]:
    """A field's values, a row for each case that two people or more have judged."""
    rows = []
    for records in pairs(labels).values():
        values = {record.annotator: _value(record.label, field) for record in records}
        rows.append({name: value for name, value in values.items() if value})
    return [row for row in rows if row]


def _value(label: Label, field: str) -> str:
    """An empty category or severity is no value; an empty step is the whole run."""
    value = str(getattr(label, field))
    return value or ("whole run" if field == "step" else "")


def agreement(rows: Table, field: str = "") -> Agreement:
    """The agreement in a field. Cases with one value say nothing and are not counted."""
    counted = [Counter(row.values()) for row in rows if len(row) > 1]
    equal, values = sum(len(count) == 1 for count in counted), set[str]().union(*counted)
    if len(counted) < FEWEST or len(values) < 2:
        return Agreement(field, equal, len(counted))
    order = [*ORDERED.get(field, ())]
    domain = order + sorted(values - set(order))
    counts = np.array([[count[value] for value in domain] for count in counted])
    level: Level = "ordinal" if field in ORDERED else "nominal"
    drawn = np.random.default_rng(SEED).integers(len(counts), size=(RESAMPLES, len(counts)))
    interval = _interval([_alpha(counts[chosen], level) for chosen in drawn])
    return Agreement(field, equal, len(counted), _alpha(counts, level), interval)


def _alpha(counts: NDArray[np.int64], level: Level) -> float:
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement=level))


def _interval(drawn: Sequence[float]) -> tuple[float, float] | None:
    """The central 95 % of the values that are defined; None where fewer than half are."""
    if np.isnan(drawn).mean() > 0.5:
        return None
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def disagreements(labels: Labels) -> list[Disagreement]:
    """The cases whose labels differ: undecided ones first, then by the most important field that
    differs.
    """
    decided, disagreements = decisions(labels), []
    for case, records in pairs(labels).items():
        differ = tuple(
            field
            for field in FIELDS
            if len({_value(record.label, field) for record in records}) > 1
        )
        if differ:
            disagreements.append(Disagreement(case, tuple(records), differ, decided.get(case)))
    return sorted(
        disagreements,
        key=lambda disagreement: (
            disagreement.decision is not None,
            FIELDS.index(disagreement.fields[0]),
        ),
    )


def confusion(rows: Table) -> dict[tuple[str, str], int]:
    """How often two annotators, in the order of their names, gave which two values."""
    counted: Counter[tuple[str, str]] = Counter()
    for row in rows:
        counted.update((row[first], row[second]) for first, second in combinations(sorted(row), 2))
    return dict(counted)


class LabelCounts(NamedTuple):
    """The judged cases in numbers."""

    failed: Mapping[str, Mapping[str, tuple[Record, ...]]]  # by method and category
    judged: Mapping[str, int]  # cases by method
    undecided: int  # cases that are not counted: labels differ and nobody has decided


def records_that_count(labels: Labels) -> tuple[dict[str, Record], int]:
    """The record that counts for each case, and the number of cases without one: the decision, else
    a label on whose verdict and category all agree.
    """
    complete = judged(labels)
    agreed = {
        case: records[0]
        for case, records in complete.items()
        if len({(record.label.verdict, record.label.category) for record in records}) == 1
    }
    counted = agreed | decisions(labels)
    return counted, len(complete.keys() - counted.keys())


def counts(labels: Labels) -> LabelCounts:
    """Count the cases; methods and categories in the order they come."""
    counted, undecided = records_that_count(labels)
    failed: dict[str, dict[str, tuple[Record, ...]]] = {}
    cases: dict[str, int] = {}
    for record in counted.values():
        method, label = record.case.method, record.label
        cases[method] = cases.get(method, 0) + 1
        of_method = failed.setdefault(method, {})
        if label.verdict == "fail":
            of_method[label.category] = (*of_method.get(label.category, ()), record)
    return LabelCounts(failed, cases, undecided)
