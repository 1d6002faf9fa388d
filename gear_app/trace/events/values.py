"""Events as rows and back, and a walk over an event's parts by the types of its fields: the ids of
passages and triples, the names of entities, and parts of a class.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from gear_app.core.types import PassageId, TripleId
from gear_app.trace.events.base import KINDS, Event

if TYPE_CHECKING:
    from pydantic import TypeAdapter


Value = TypeVar("Value")


def values(value: object, type_: Any, hint: Any = None) -> Iterator[Any]:  # noqa: ANN401
    """Values of a type in an event or in one of its parts, in order: of a class with its
    subclasses, or of an annotated type such as `PassageId`.
    """
    hint = hint or type(value)
    if value is not None and _is(hint, type_):
        yield value
    elif value is not None and _contains(hint, type_):
        for _, part, of_part in _parts(value, hint):
            yield from values(part, type_, of_part)


def replaced(value: Value, kind: Any, new: Callable[[Any], Any], hint: Any = None) -> Value:  # noqa: ANN401
    """The event with `new` of each value of a type in its place. What does not change stays the
    same object.
    """
    hint = hint or type(value)
    if value is None or not _contains(hint, kind):
        return value
    if _is(hint, kind):
        changed: Value = new(value)
        return changed
    parts = [
        (name, old, replaced(old, kind, new, type_)) for name, old, type_ in _parts(value, hint)
    ]
    changes = {name: now for name, old, now in parts if now is not old}
    if not changes:
        return value
    if isinstance(value, tuple):
        return typing.cast("Value", tuple(now for _, _, now in parts))
    return typing.cast("Value", dataclasses.replace(typing.cast("Any", value), **changes))


def ids_of(event: object) -> set[int]:
    """The ids of passages and triples in an event."""
    return {*values(event, PassageId), *values(event, TripleId)}


def renumbered(event: Value, numbers: Mapping[int, int]) -> Value:
    """The event with a number from `numbers` for each id."""
    passages = replaced(event, PassageId, numbers.__getitem__)
    return replaced(passages, TripleId, numbers.__getitem__)


def _is(hint: Any, type_: Any) -> bool:  # noqa: ANN401
    classes = isinstance(hint, type) and isinstance(type_, type)
    return hint == type_ or (classes and issubclass(hint, type_))


@functools.cache
def _contains(hint: Any, type_: Any) -> bool:  # noqa: ANN401
    """Whether a value of a type may be, or have in it, a value of the wanted type."""
    if hasattr(hint, "__dataclass_fields__"):
        inner = [field_hint for _, field_hint in _fields(hint)]
    else:
        inner = [argument for argument in typing.get_args(hint) if argument is not ...]
    return _is(hint, type_) or any(_contains(part_hint, type_) for part_hint in inner)


@functools.cache
def _fields(kind: Any) -> list[tuple[str, Any]]:  # noqa: ANN401
    """Names and types; of `X | None` it is X."""
    hints = typing.get_type_hints(kind, include_extras=True)
    for name, hint in hints.items():
        choices = typing.get_args(hint)
        if choices[1:] == (types.NoneType,):
            hints[name] = choices[0]
    return [(field.name, hints[field.name]) for field in dataclasses.fields(kind)]


def _parts(value: Any, hint: Any) -> Iterator[tuple[Any, Any, Any]]:  # noqa: ANN401
    """The name or place, the value and the type of each part."""
    if hasattr(value, "__dataclass_fields__"):
        kind: Any = type(value)
        yield from ((name, getattr(value, name), field_hint) for name, field_hint in _fields(kind))
    elif isinstance(value, tuple):
        of_items = typing.get_args(hint)
        if len(of_items) != len(value) or of_items[-1:] == (...,):
            of_items = of_items[:1] * len(value)
        yield from zip(range(len(value)), value, of_items, strict=True)


def to_row(event: Event) -> dict[str, Any]:
    """The event as a dict that `json.dumps` writes: its kind, then its fields.

    Raises ValueError where a field's value is none that the field may have: a run that cannot be
    opened again is worse than one that fails.
    """
    kind = type(event).__name__
    adapter = _adapter(kind)
    fields = adapter.dump_python(event, warnings="error")
    adapter.validate_python(fields)  # the choices of a Literal are not checked when dumping
    return {"kind": kind, **fields}


def from_row(row: Mapping[str, Any]) -> Event:
    """The event a row was made from.

    Raises KeyError where there is no such kind, ValueError where a field cannot be read.
    """
    return _adapter(row["kind"]).validate_python(row)


@functools.cache
def _adapter(kind: str) -> TypeAdapter[Event]:
    from pydantic import TypeAdapter

    return TypeAdapter(KINDS[kind])
