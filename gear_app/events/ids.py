"""Ids in events: which fields name passages and triples of the workspace, so that a run can move to
a workspace in which they have others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

Told = TypeVar("Told")

IDS: Mapping[str, frozenset[str]] = {  # by kind or part; also of lists of ids, and of (id, score)
    "RankedPassage": frozenset({"id"}),
    "ReadPassage": frozenset({"id"}),
    "ShownTriple": frozenset({"id", "passage_id"}),
    "ProximalTriple": frozenset({"triple_id"}),
    "BeamCandidate": frozenset({"path"}),
    "BeamStep": frozenset({"others"}),
    "Extracted": frozenset({"failed", "meanwhile"}),
    "WalkedPassage": frozenset({"id"}),
    "OtherLink": frozenset({"start"}),
    "LinkedPassage": frozenset({"id", "start"}),
    "Pooled": frozenset({"entered"}),
    "Move": frozenset({"id"}),
    "EvidencePassage": frozenset({"id"}),
    "NameLead": frozenset({"id", "start"}),
    "WentOn": frozenset({"trail"}),
    "Promoted": frozenset({"promoted", "kept"}),
}


def shifted(event: Told, by: int) -> Told:
    """The event, or a part of one, with every id greater by so much."""
    found: Told = _shifted(event, by) if by else event
    return found


def _shifted(value: Any, by: int) -> Any:  # noqa: ANN401
    if type(value) is tuple:
        return tuple(_shifted(one, by) for one in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    ids = IDS.get(type(value).__name__, frozenset())
    changes = {
        field.name: _raised(old, by) if field.name in ids else _shifted(old, by)
        for field in dataclasses.fields(value)
        for old in [getattr(value, field.name)]
    }
    return dataclasses.replace(value, **changes)


def _raised(value: Any, by: int) -> Any:  # noqa: ANN401
    """An id, several, or pairs of an id and a number, each id greater; None stays."""
    if isinstance(value, int):
        return value + by
    if not isinstance(value, tuple):
        return value
    return tuple(
        (one[0] + by, *one[1:]) if isinstance(one, tuple) else _raised(one, by) for one in value
    )
