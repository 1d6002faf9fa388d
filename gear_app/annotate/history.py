"""What people say now, from all that they ever said; undoing; and putting histories together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gear_app.annotate.record import EMPTY, NOTHING, Label, Record


class Judged(NamedTuple):
    """By whom, and what: the case's id; `adjudicates` tells a decision from a label of her own."""

    case: str
    annotator: str
    adjudicates: bool = False


Current = Mapping[Judged, Record]


def judged(record: Record) -> Judged:
    """Whose record of what it is."""
    return Judged(record.case.id, record.annotator, record.adjudicates)


def current(records: Iterable[Record]) -> dict[Judged, Record]:
    """The newest record of everybody about everything: one that none supersedes, of several (after
    two machines went on from the same one) the latest.
    """
    found = list(records)
    gone = {record.supersedes for record in found}
    heads: dict[Judged, Record] = {}
    for record in found:
        if record.id in gone:
            continue
        before = heads.get(judged(record))
        if before is None or (before.at, before.id) <= (record.at, record.id):
            heads[judged(record)] = record
    return heads


def undone(history: Sequence[Record]) -> tuple[Label, str, str] | None:
    """What to append to undo the newest of one person's records of one case: the label, what it
    supersedes and what it restores. None where there is nothing to undo.

    Undoing again goes back further.
    """
    heads = current(history)
    if not heads:
        return None
    (head,) = heads.values()
    by_id = {record.id: record for record in history}
    shown: Record | None = head
    while shown is not None and shown.restores:
        shown = by_id.get(shown.restores)
    if shown is None:
        return None
    before = by_id.get(shown.supersedes)
    if before is None:
        return EMPTY, head.id, NOTHING
    return before.label, head.id, before.id


def merged(there: Iterable[Record], new: Iterable[Record]) -> list[Record]:
    """Those of the new records that are not there yet, each once, in their order."""
    known = {record.id for record in there}
    fresh = {record.id: record for record in new if record.id not in known}
    return list(fresh.values())


def decisions(heads: Current) -> dict[str, Record]:
    """The latest decision on each case."""
    found: dict[str, Record] = {}
    for key, record in heads.items():
        if key.adjudicates and record.label.complete:
            before = found.get(key.case)
            if before is None or before.at <= record.at:
                found[key.case] = record
    return found


def changes(history: Sequence[Record]) -> list[tuple[str, str, str]]:
    """What each record changed, oldest first: when, the field, its new value; an undo is "undo"."""
    told = list[tuple[str, str, str]]()
    before = EMPTY
    for record in history:
        now = record.label
        if record.restores:
            told.append((record.at, "undo", ""))
        else:
            fields = ("note", "category", "verdict", "severity", "step")
            told += [
                (record.at, name, getattr(now, name))
                for name in fields
                if getattr(now, name) != getattr(before, name)
            ]
            if now.suggestion.confirmed != before.suggestion.confirmed:
                said = "confirmed" if now.suggestion.confirmed else "not confirmed"
                told.append((record.at, "suggestion", said))
            if now.complete != before.complete:
                told.append((record.at, "complete" if now.complete else "opened again", ""))
        before = now
    return told
