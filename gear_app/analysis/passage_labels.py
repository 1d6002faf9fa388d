"""Passages told apart where a screen or a report names them: several of one document have its
title, and are called "Title · 2 of 3".

Stored events keep the plain title, which readers and mentions go by; the labels are put in when
events are shown.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

Shown = TypeVar("Shown")
# The fields that name a passage by id, and the field that has its title.
_NAMED = (("id", "key", "title"), ("passage_id", "passage_key", "passage_title"))


def named_passages(events: Sequence[object]) -> set[int]:
    """The ids of all passages that events, or lines of a ranking, name by title."""
    return {value for event in events for value in _ids(event)}


def labelled(events: Sequence[Shown], labels: Mapping[int, str]) -> list[Shown]:
    """The events, or lines of a ranking, with these labels by passage id instead of titles."""
    return [_labelled(event, labels) for event in events] if labels else list(events)


def apart(names: Mapping[str, str]) -> dict[str, str]:
    """Names by key with the key beside those that several have, as of two documents with one title:
    a choice among them goes by what it shows.
    """
    counts = Counter(names.values())
    return {key: f"{name} ({key})" if counts[name] > 1 else name for key, name in names.items()}


def _ids(value: Any) -> Iterator[int]:  # noqa: ANN401
    if type(value) is tuple:
        for one in value:
            yield from _ids(one)
    elif dataclasses.is_dataclass(value):
        if found := _place(value, None):
            yield found[0]
        for field in dataclasses.fields(value):
            yield from _ids(getattr(value, field.name))


def _labelled(value: Any, labels: Mapping[int, str]) -> Any:  # noqa: ANN401
    if type(value) is tuple:
        found = tuple(_labelled(one, labels) for one in value)
        changed = any(new is not old for new, old in zip(found, value, strict=True))
        return found if changed else value
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changes: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        old = getattr(value, field.name)
        new = _labelled(old, labels)
        if new is not old:
            changes[field.name] = new
    if place := _place(value, labels):
        changes[place[1]] = labels[place[0]]
    return dataclasses.replace(value, **changes) if changes else value


def _place(value: Any, known: Collection[int] | None) -> tuple[int, str] | None:  # noqa: ANN401
    """The passage that a value is about and the field with its title; None where it names none."""
    for id_, key, title in _NAMED:
        if hasattr(value, id_) and hasattr(value, key) and hasattr(value, title):
            found = getattr(value, id_)
            return (found, title) if known is None or found in known else None
    return None
