"""The parts of events and their ids: which fields name passages and triples of the workspace, so
that a run can move to a workspace in which they have others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

Told = TypeVar("Told")

IDS: Mapping[str, frozenset[str]] = {  # by kind or part; also of lists of ids, and of (id, score)
    "RankedPassage": frozenset({"id"}),
    "ReadPassage": frozenset({"id"}),
    "ShownTriple": frozenset({"id", "passage_id"}),
    "ProximalTriple": frozenset({"triple_id"}),
    "BeamCandidate": frozenset({"path"}),
    "BeamStep": frozenset({"others"}),
    "WalkedPassage": frozenset({"id"}),
    "EvidenceLink": frozenset({"ends"}),
    "NodePassage": frozenset({"id"}),
    "OtherLink": frozenset({"start"}),
    "LinkedPassage": frozenset({"id", "start"}),
    "Pooled": frozenset({"entered"}),
    "AnalysedPassage": frozenset({"id"}),
    "Move": frozenset({"id"}),
    "EvidencePassage": frozenset({"id"}),
    "NameLead": frozenset({"id", "start"}),
    "Promoted": frozenset({"promoted", "kept"}),
}


def parts(value: Any) -> Iterator[Any]:  # noqa: ANN401
    """An event and all that it is made of, as lines of its ranking and their parts."""
    if type(value) is tuple:
        for one in value:
            yield from parts(one)
    elif dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from parts(getattr(value, field.name))


def changed(value: Told, of_part: Callable[[Any], Mapping[str, Any]]) -> Told:
    """An event with the fields that `of_part` gives of it and of each of its parts in place of
    those they have. What does not change stays the same object.
    """
    found: Told = _changed(value, of_part)
    return found


def ids_of(event: object) -> set[int]:
    """The ids that an event and its parts name."""
    found: set[int] = set()
    for part in parts(event):
        for name in IDS.get(type(part).__name__, ()):
            value = getattr(part, name)
            several = value if isinstance(value, tuple) else (value,)
            found |= {one[0] if isinstance(one, tuple) else one for one in several}
    return found - {None}


def renumbered(event: Told, numbers: Mapping[int, int]) -> Told:
    """The event with other ids: for each id the number that stands for it."""

    def of_part(part: object) -> dict[str, Any]:
        ids = IDS.get(type(part).__name__, ())
        return {name: _renumbered(getattr(part, name), numbers) for name in ids}

    return changed(event, of_part)


def _changed(value: Any, of_part: Callable[[Any], Mapping[str, Any]]) -> Any:  # noqa: ANN401
    if type(value) is tuple:
        found = tuple(_changed(one, of_part) for one in value)
        return (
            found if any(new is not old for new, old in zip(found, value, strict=True)) else value
        )
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    held = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    new = {name: _changed(old, of_part) for name, old in held.items()} | {**of_part(value)}
    changes = {name: now for name, now in new.items() if now is not held[name]}
    return dataclasses.replace(value, **changes) if changes else value


def _renumbered(value: Any, numbers: Mapping[int, int]) -> Any:  # noqa: ANN401
    """An id, several, or pairs of an id and a score, with other ids; None stays."""
    if isinstance(value, int):
        return numbers[value]
    if not isinstance(value, tuple):
        return value
    return tuple(
        (numbers[one[0]], *one[1:]) if isinstance(one, tuple) else numbers[one] for one in value
    )
