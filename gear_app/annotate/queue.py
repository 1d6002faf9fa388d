"""Who judges what next: filters, a seeded sample, and a share that two people judge without seeing
each other's labels.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from gear_app.annotate.history import Current, Judged
from gear_app.annotate.record import Record
from gear_app.text import normalise_entity

SHARE = 0.3  # of the cases, that two people judge until somebody says otherwise
_LOTS = 7  # of the doubled share: the same for everybody, whatever sample she draws

State = Literal["open", "begun", "deferred", "done"]


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A run that can be judged: the newest of its case. `found` of its `gold` passages are among
    its first five; `causes` are those that why-not suggests, known only where they were asked for.
    """

    case: str
    run: str
    question: str
    method: str
    type: str = ""
    gold: int = 0
    found: int = 0
    causes: tuple[str, ...] = ()

    @property
    def missed(self) -> bool:
        """Whether it lacks gold among its first five."""
        return self.found < self.gold


@dataclass(frozen=True, slots=True)
class Filters:
    """What is to be judged. "" is any; `missed` None: those that found all gold, too.

    `questions` are those of a question set, normalised; none: all. `sample`: so many, drawn with
    `seed`, 0 for all. `double`: the share that two people judge, which is the collection's.
    """

    method: str = ""
    type: str = ""
    cause: str = ""
    missed: bool | None = True
    sample: int = 0
    seed: int = 7
    double: float = SHARE
    questions: frozenset[str] = frozenset()


class QueuePlace(NamedTuple):
    """An item in somebody's queue, and how far she is with it. `doubled`: two people judge it."""

    item: QueueItem
    state: State
    doubled: bool


def chosen(items: Iterable[QueueItem], filters: Filters) -> list[QueueItem]:
    """The items that the filters let through; a sample comes in the order of its lots."""
    fitting = [item for item in items if _fits(item, filters)]
    if not filters.sample:
        return fitting
    fitting.sort(key=lambda item: _lot(item.case, filters.seed))
    return fitting[: filters.sample]


def _fits(item: QueueItem, filters: Filters) -> bool:
    return (
        filters.method in ("", item.method)
        and filters.type in ("", item.type)
        and (not filters.cause or filters.cause in item.causes)
        and filters.missed in (None, item.missed)
        and (not filters.questions or normalise_entity(item.question) in filters.questions)
    )


def _lot(case: str, seed: int, of: str = "sample") -> float:
    """A number from 0 to 1 that is a case's own under a seed."""
    drawn = hashlib.blake2b(f"{of} {seed} {case}".encode(), digest_size=7).digest()
    return int.from_bytes(drawn, "big") / 2**56


def is_doubled(case: str, share: float) -> bool:
    """Whether two people judge the case. It depends on the case and the share alone, and a larger
    share has all cases of a smaller one.
    """
    return _lot(case, _LOTS, "double") < share


def queue(
    items: Iterable[QueueItem],
    filters: Filters,
    annotator: str,
    heads: Current,
) -> list[QueuePlace]:
    """What an annotator has to judge and has judged, in order. A case that as many others have
    judged as are wanted is left out, unless she has begun it. Who deferred a case has not judged
    it: it is offered to others.
    """
    judged = labelled(heads)
    places = list[QueuePlace]()
    for item in chosen(items, filters):
        mine = heads.get(Judged(item.case, annotator))
        doubled = is_doubled(item.case, filters.double)
        taken = len(judged.get(item.case, set()) - {annotator}) >= (2 if doubled else 1)
        if mine is not None or not taken:
            places.append(QueuePlace(item, _state(mine), doubled))
    return places


def _state(mine: Record | None) -> State:
    if mine is None:
        return "open"
    if not mine.label.complete:
        return "begun"
    return "deferred" if mine.label.verdict == "defer" else "done"


def labelled(heads: Current) -> dict[str, set[str]]:
    """By case, who has judged it. A case that somebody deferred is judged by others."""
    found: dict[str, set[str]] = {}
    for key, record in heads.items():
        label = record.label
        if label.complete and label.verdict != "defer" and not key.adjudicates:
            found.setdefault(key.case, set()).add(key.annotator)
    return found


def waiting(heads: Current, share: float) -> set[str]:
    """The cases of a share on which something is said and of whose two labels one is missing."""
    judged = labelled(heads)
    said = {key.case for key in heads}
    return {one for one in said if is_doubled(one, share) and len(judged.get(one, ())) < 2}


def visible(heads: Current, viewer: str, doubled: Iterable[str]) -> dict[Judged, Record]:
    """The records that somebody may see: her own, and of others those of cases that she has judged,
    that two others have judged, or that need no second label. Deferring uncovers nothing.

    `doubled` are the cases that two people judge. Somebody without a name sees what she would see
    who has judged nothing.
    """
    wanting, done = set(doubled), labelled(heads)
    return {
        key: record
        for key, record in heads.items()
        if key.annotator == viewer
        or viewer in done.get(key.case, ())
        or len(done.get(key.case, ())) >= 2
        or key.case not in wanting
    }


def with_causes(
    items: Iterable[QueueItem], causes: Mapping[str, tuple[str, ...]]
) -> list[QueueItem]:
    """The items with what why-not suggests, by run."""
    return [replace(item, causes=causes.get(item.run, ())) for item in items]
