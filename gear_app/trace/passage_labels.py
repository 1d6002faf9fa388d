"""Passages told apart where a screen or a report names them: several of one document have its
title, and are called "Title · 2 of 3".

Stored events keep the plain title, which readers and mentions go by; the labels are put in when
events are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from gear_app.trace.events.base import PassageOfRun, ShownTriple
from gear_app.trace.events.walk import replaced, values

Shown = TypeVar("Shown")


def named_passages(events: Sequence[object]) -> set[int]:
    """The ids of all passages that events, or lines of a ranking, name by title."""
    passages = {passage.id for event in events for passage in values(event, PassageOfRun)}
    return passages | {
        triple.passage_id for event in events for triple in values(event, ShownTriple)
    }


def labelled(events: Sequence[Shown], labels: Mapping[int, str]) -> list[Shown]:
    """The events, or lines of a ranking, with these labels by passage id instead of titles."""

    def passage(part: PassageOfRun) -> PassageOfRun:
        return replace(part, title=labels[part.id]) if part.id in labels else part

    def triple(part: ShownTriple) -> ShownTriple:
        title = labels.get(part.passage_id)
        return part if title is None else replace(part, passage_title=title)

    if not labels:
        return list(events)
    return [
        replaced(replaced(event, PassageOfRun, passage), ShownTriple, triple) for event in events
    ]


def distinct_names(names: Mapping[str, str]) -> dict[str, str]:
    """Names by key with the key beside those that several have, as of two documents with one title:
    a choice among them goes by what it shows.
    """
    counts = Counter(names.values())
    return {key: f"{name} ({key})" if counts[name] > 1 else name for key, name in names.items()}
