"""Events as rows and back: `to_row` and `from_row` are each other's inverse for every kind."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gear_app.trace.events.base import KINDS, Event

if TYPE_CHECKING:
    from pydantic import TypeAdapter


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
