"""Events as rows and back: `to_row` and `from_row` are each other's inverse for every kind."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any

from gear_app.events.base import Event
from gear_app.events.gear import (
    Expanded,
    Failed,
    Fused,
    Linked,
    Ranked,
    Read,
    Reasoned,
    Remembered,
    Retrieved,
    Rewrote,
    Started,
    Stopped,
)
from gear_app.events.rivals import Chained, Matched, Pooled, Promoted, Recognised, Split, Thought, Verified, Walked
from gear_app.types import Span

SCHEMA_VERSION = 1

KINDS: Mapping[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        Started, Retrieved, Read, Linked, Expanded, Fused, Remembered, Reasoned, Rewrote, Recognised, Walked, Thought,
        Pooled, Chained, Verified, Promoted, Split, Matched, Ranked, Stopped, Failed,
    )
}  # fmt: skip


def to_row(event: Event) -> dict[str, Any]:
    """The event as a JSON-ready dict: its kind, then its fields."""
    return {"kind": type(event).__name__, **_plain(event)}


def from_row(row: Mapping[str, Any]) -> Event:
    """The event a row was made from. Unknown fields are ignored; absent ones take their default."""
    fields = {name: value for name, value in row.items() if name != "kind"}
    event = _built(KINDS[row["kind"]], fields)
    assert isinstance(event, Event)
    return event


def _plain(value: Any) -> Any:  # noqa: ANN401
    if dataclasses.is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


_HINTS: dict[type, dict[str, Any]] = {}


def _built(kind: Any, value: Any) -> Any:  # noqa: ANN401
    if dataclasses.is_dataclass(kind):
        if kind not in _HINTS:
            _HINTS[typing.cast("type", kind)] = typing.get_type_hints(kind)
        hints = _HINTS[typing.cast("type", kind)]
        return typing.cast("Any", kind)(
            **{name: _built(hints[name], item) for name, item in value.items() if name in hints}
        )
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        return (
            None if value is None else _built(next(a for a in typing.get_args(kind) if a is not types.NoneType), value)
        )
    if kind is Span:
        return Span(*value)
    if typing.get_origin(kind) is tuple:
        arguments = typing.get_args(kind)
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_built(arguments[0], item) for item in value)
        return tuple(_built(argument, item) for argument, item in zip(arguments, value, strict=True))
    return value
