"""Passages told apart where a screen or a report names them: several of one document have its
title, and are called "Title · 2 of 3".

Stored events keep the plain title, which readers and mentions go by; the labels are put in when
events are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeVar

from gear_app.events.ids import changed, parts

Shown = TypeVar("Shown")
# The fields that name a passage by id, and the field that has its title.
_NAMED = (("id", "key", "title"), ("passage_id", "passage_key", "passage_title"))


def named_passages(events: Sequence[object]) -> set[int]:
    """The ids of all passages that events, or lines of a ranking, name by title."""
    return {place[0] for event in events for part in parts(event) if (place := _place(part))}


def labelled(events: Sequence[Shown], labels: Mapping[int, str]) -> list[Shown]:
    """The events, or lines of a ranking, with these labels by passage id instead of titles."""

    def titled(part: object) -> dict[str, str]:
        place = _place(part)
        return {place[1]: labels[place[0]]} if place and place[0] in labels else {}

    return [changed(event, titled) for event in events] if labels else list(events)


def apart(names: Mapping[str, str]) -> dict[str, str]:
    """Names by key with the key beside those that several have, as of two documents with one title:
    a choice among them goes by what it shows.
    """
    counts = Counter(names.values())
    return {key: f"{name} ({key})" if counts[name] > 1 else name for key, name in names.items()}


def _place(part: object) -> tuple[int, str] | None:
    """The passage that a part is about and the field with its title; None where it names none."""
    for id_, key, title in _NAMED:
        if hasattr(part, id_) and hasattr(part, key) and hasattr(part, title):
            return getattr(part, id_), title
    return None
