"""Counts of labels: failed cases by method and category, as in GEAR's Table 14."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gear_app.annotation.record import Labels, Record, decisions, judged


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
