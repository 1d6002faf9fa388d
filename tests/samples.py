"""A value of any event kind, every field filled, for tests of what stores and shows events."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

from gear_app.core.types import Span


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
    if kind is not Span and hasattr(kind, "_fields"):
        return kind(*(sample(hint, absent=absent) for hint in typing.get_type_hints(kind).values()))
    return {str: "wörd <b>", int: 7, float: 0.25, bool: True, Span: Span(3, 9)}[kind]
