"""The queue of runs to judge: filters, a seeded sample, and labels that stay hidden from others
until they have judged for themselves.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gear_app.annotation.record import Key, Labels, Record, judged

ENOUGH = 2  # labels of a case, after which it is offered to nobody else and seen by everybody

State = Literal["open", "begun", "deferred", "done"]


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A run that can be judged: the newest of its case."""

    case: str
    run: str
    question: str
    method: str
    type: str = ""
    gold: int = 0  # passages
    found: int = 0  # of these among the first five

    @property
    def missed(self) -> bool:
        """Whether gold is missing among the first five."""
        return self.found < self.gold


@dataclass(frozen=True, slots=True)
class Filters:
    """Which runs to judge; "" is any."""

    method: str = ""
    type: str = ""
    missed: bool | None = True  # None: also runs that found all gold
    sample: int = 0  # so many runs, drawn with `seed`; 0: all
    seed: int = 7
    cases: frozenset[str] = frozenset()  # empty: all


class QueuePlace(NamedTuple):
    """An item in somebody's queue, and how far the person is with it."""

    item: QueueItem
    state: State


def chosen(items: Iterable[QueueItem], filters: Filters) -> list[QueueItem]:
    """The items that pass the filters; a sample in its random order."""
    fitting = [item for item in items if _fits(item, filters)]
    if not filters.sample:
        return fitting
    fitting.sort(key=lambda item: _lot(item.case, filters.seed))
    return fitting[: filters.sample]


def _fits(item: QueueItem, filters: Filters) -> bool:
    return (
        filters.method in ("", item.method)
        and filters.type in ("", item.type)
        and filters.missed in (None, item.missed)
        and (not filters.cases or item.case in filters.cases)
    )


def _lot(case: str, seed: int) -> bytes:
    """A case's random place under a seed, whatever other cases there are."""
    return hashlib.blake2b(f"{seed} {case}".encode(), digest_size=8).digest()


def queue(
    items: Iterable[QueueItem], filters: Filters, annotator: str, labels: Labels
) -> list[QueuePlace]:
    """An annotator's places in order, judged or not. A case that enough others have judged is left
    out, unless the annotator has begun it.
    """
    complete = judged(labels)
    places = list[QueuePlace]()
    for item in chosen(items, filters):
        record = labels.get(Key(item.case, annotator))
        if record is not None or len(complete.get(item.case, ())) < ENOUGH:
            places.append(QueuePlace(item, _state(record)))
    return places


def _state(record: Record | None) -> State:
    if record is None:
        return "open"
    if not record.label.complete:
        return "begun"
    return "deferred" if record.label.verdict == "defer" else "done"


def visible(labels: Labels, viewer: str) -> dict[Key, Record]:
    """The records that a person may see: the person's own, and others' of cases that the person has
    judged, or that enough others have judged. "" is somebody who has judged nothing.
    """
    people = {
        case: {record.annotator for record in records} for case, records in judged(labels).items()
    }
    open_ = {
        case
        for case, annotators in people.items()
        if viewer in annotators or len(annotators) >= ENOUGH
    }
    return {
        key: record
        for key, record in labels.items()
        if key.annotator == viewer or key.case in open_
    }
