"""Events as rows and back: `to_row` and `from_row` are each other's inverse for every kind."""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

from gear_app.events.base import Event
from gear_app.events.calls import Answered, Called, Extracted
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
from gear_app.events.rivals import (
    Chained,
    Matched,
    Pooled,
    Promoted,
    Recognised,
    Split,
    Thought,
    Verified,
    Walked,
)
from gear_app.types import Span

SCHEMA_VERSION = 1

KINDS: Mapping[str, type[Event]] = {
    kind.__name__: kind
    for kind in (
        Started,
        Retrieved,
        Read,
        Linked,
        Expanded,
        Fused,
        Remembered,
        Reasoned,
        Rewrote,
        Recognised,
        Walked,
        Thought,
        Pooled,
        Chained,
        Verified,
        Promoted,
        Split,
        Matched,
        Extracted,
        Called,
        Ranked,
        Answered,
        Stopped,
        Failed,
    )
}


def to_row(event: Event) -> dict[str, Any]:
    """The event as a JSON-ready dict: its kind, then its fields."""
    return {"kind": type(event).__name__, **_plain(event)}


def from_row(row: Mapping[str, Any]) -> Event:
    """The event a row was made from. Unknown fields are ignored; absent ones take their default."""
    kind: Any = KINDS[row["kind"]]
    event = _builder(kind)({name: value for name, value in row.items() if name != "kind"})
    assert isinstance(event, Event)
    return event


# A walk has thousands of small values: what is known about a type is worked out once.


@functools.cache
def _fields(kind: Any) -> tuple[str, ...] | None:  # noqa: ANN401
    """The names of a dataclass's fields; None for other types."""
    return (
        tuple(item.name for item in dataclasses.fields(kind))
        if dataclasses.is_dataclass(kind)
        else None
    )


def _plain(value: Any) -> Any:  # noqa: ANN401
    kind: Any = type(value)
    fields = _fields(kind)
    if fields is not None:
        return {name: _plain(getattr(value, name)) for name in fields}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


Build = Callable[[Any], Any]


@functools.cache
def _builder(kind: Any) -> Build:  # noqa: ANN401
    """What makes a value of this type from its plain form."""
    arguments = typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _dataclass(typing.cast("type", kind))
    if typing.get_origin(kind) in (types.UnionType, typing.Union):
        inner = _builder(next(argument for argument in arguments if argument is not types.NoneType))
        return lambda value: None if value is None else inner(value)
    if kind is Span:
        return lambda value: Span(*value)
    if typing.get_origin(kind) is tuple:
        builders = [_builder(argument) for argument in arguments if argument is not Ellipsis]
        if Ellipsis in arguments:
            return lambda value: tuple(map(builders[0], value))
        return lambda value: tuple(build(item) for build, item in zip(builders, value, strict=True))
    return lambda value: value


def _dataclass(kind: type) -> Build:
    builders = {name: _builder(hint) for name, hint in typing.get_type_hints(kind).items()}
    return lambda value: kind(
        **{name: builders[name](item) for name, item in value.items() if name in builders}
    )
