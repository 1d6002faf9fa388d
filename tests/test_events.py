"""Every kind of event survives being stored."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from typing import Any

import pytest

from gear_app.events import KINDS, Event, Failed, Retrieved, during, from_row, to_row
from gear_app.types import Span


def sample(kind: Any, *, absent: bool) -> Any:
    """A value of a type, every field filled; `absent` chooses None where that is allowed."""
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return typing.cast("Any", kind)(
            **{f.name: sample(hints[f.name], absent=absent) for f in dataclasses.fields(kind)}
        )
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        inner = next(a for a in typing.get_args(kind) if a is not types.NoneType)
        return None if absent else sample(inner, absent=absent)
    if typing.get_origin(kind) is tuple:
        first, *rest = typing.get_args(kind)
        if rest == [...]:
            return () if absent else (sample(first, absent=False), sample(first, absent=True))
        return tuple(sample(item, absent=absent) for item in (first, *rest))
    if typing.get_origin(kind) is typing.Literal:
        return typing.get_args(kind)[-1]
    return {str: "wörd <b>", int: 7, float: 0.25, bool: True, Span: Span(3, 9)}[kind]


@pytest.mark.parametrize("absent", [False, True])
@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_round_trip_of_every_kind(kind: type[Event], absent: bool) -> None:
    event = sample(kind, absent=absent)
    assert from_row(json.loads(json.dumps(to_row(event)))) == event


def test_a_field_of_a_later_version_is_ignored() -> None:
    row = to_row(Failed("read", "no reply")) | {"colour": "blue"}
    assert from_row(row) == Failed("read", "no reply")


def test_iteration_is_stamped_on_the_way() -> None:
    seen: list[Event] = []
    during(seen.append, 3)(Retrieved("q", "bm25", ()))
    assert [event.iteration for event in seen] == [3]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_every_kind_says_what_happened(kind: type[Event]) -> None:
    assert kind.__doc__
    assert typing.get_type_hints(kind)["iteration"] is int
