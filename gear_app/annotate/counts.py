"""What judgements come to: cases by method and category, as in GEAR's Table 14."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from gear_app.annotate.history import Current, decisions
from gear_app.annotate.queue import QueueItem
from gear_app.annotate.record import Record


class LabelCounts(NamedTuple):
    """The judged cases: `failed` by method and category, each with the record that counts; how many
    of each method were judged; those left out because people differ and nobody has decided; and
    how many suggested causes were looked at and confirmed.
    """

    failed: Mapping[str, Mapping[str, tuple[Record, ...]]]
    judged: Mapping[str, int]
    undecided: int
    asked: int
    confirmed: int


class Remade(NamedTuple):
    """What became of failures: of how many a run is `here`; how many of these were asked `again`
    after they were judged; and how many of those have `all_gold` among their first five now.
    """

    here: int
    again: int
    all_gold: int


def remade(failed: Mapping[str, Record], items: Mapping[str, QueueItem]) -> Remade:
    """Compare failures with the newest runs, both by case."""
    here = [(record, items[case]) for case, record in failed.items() if case in items]
    again = [item for record, item in here if item.run != record.run]
    return Remade(len(here), len(again), sum(not item.missed for item in again))


def settled(heads: Current) -> tuple[dict[str, Record], int]:
    """The record that counts for each case, and how many cases have none: the decision, else a
    label on whose verdict and category all who judged agree. Who deferred has not judged.
    """
    decided = decisions(heads)
    labels: dict[str, list[Record]] = {}
    for key, record in heads.items():
        label = record.label
        if not key.adjudicates and label.complete and label.verdict != "defer":
            labels.setdefault(key.case, []).append(record)
    found = {
        case: records[0]
        for case, records in labels.items()
        if len({(one.label.verdict, one.label.category) for one in records}) == 1
    }
    counted = found | decided
    return counted, len(labels.keys() - counted.keys())


def counts(heads: Current) -> LabelCounts:
    """Count the cases; methods and categories in the order they come."""
    found, undecided = settled(heads)
    failed: dict[str, dict[str, tuple[Record, ...]]] = {}
    judged: dict[str, int] = {}
    for record in found.values():
        method, label = record.case.method, record.label
        judged[method] = judged.get(method, 0) + 1
        of_method = failed.setdefault(method, {})
        if label.verdict == "fail":
            of_method[label.category] = (*of_method.get(label.category, ()), record)
    said = [
        record.label.suggestion.confirmed
        for key, record in heads.items()
        if not key.adjudicates and record.label.suggestion.confirmed is not None
    ]
    return LabelCounts(failed, judged, undecided, len(said), sum(map(bool, said)))
