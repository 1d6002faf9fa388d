"""The kinds of events and the steps of the pipeline by name, and events as rows and back.

`KINDS` and `VERBS` are all that the modules define; `to_row` and `from_row` are each other's
inverse for every kind.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from gear_app.events import (
    calls,
    chain,
    community,
    gear,
    griever,
    hipporag,
    iterative,
    network,
    rerank,
    run,
    tree,
)
from gear_app.events.base import Event, Verb

if TYPE_CHECKING:
    from pydantic import TypeAdapter

MODULES = (
    run,
    gear,
    hipporag,
    network,
    community,
    rerank,
    tree,
    iterative,
    griever,
    chain,
    calls,
)

KINDS: Mapping[str, type[Event]] = {
    name: kind
    for module in MODULES
    for name, kind in vars(module).items()
    if name in module.__all__ and issubclass(kind, Event)
}

VERBS: Mapping[str, Verb] = {
    verb.name: verb
    for module in MODULES
    for verb in vars(module).values()
    if isinstance(verb, Verb)
}


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
