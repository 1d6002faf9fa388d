"""Everything that happens in a run, as frozen values. The list of events is the run; a screen draws
nothing else.

A sink is any callable: `events.append` records. Events carry the words they show, so that nobody
looks anything up or computes a score again. Time is the recorder's business, not an event's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

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
from gear_app.events.parts import (
    BeamStep,
    Candidate,
    Clause,
    Join,
    Link,
    Match,
    Move,
    Part,
    QueryEntity,
    RankedPassage,
    ShownTriple,
    WalkedEdge,
    WalkedNode,
    WalkedPassage,
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
from gear_app.events.rows import KINDS, SCHEMA_VERSION, from_row, to_row

__all__ = [
    "KINDS",
    "SCHEMA_VERSION",
    "Answered",
    "BeamStep",
    "Called",
    "Candidate",
    "Chained",
    "Clause",
    "Emit",
    "Event",
    "Expanded",
    "Extracted",
    "Failed",
    "Fused",
    "Join",
    "Link",
    "Linked",
    "Match",
    "Matched",
    "Move",
    "Part",
    "Pooled",
    "Promoted",
    "QueryEntity",
    "Ranked",
    "RankedPassage",
    "Read",
    "Reasoned",
    "Recognised",
    "Remembered",
    "Retrieved",
    "Rewrote",
    "ShownTriple",
    "Split",
    "Started",
    "Stopped",
    "Thought",
    "Verified",
    "Walked",
    "WalkedEdge",
    "WalkedNode",
    "WalkedPassage",
    "during",
    "from_row",
    "ignore",
    "to_row",
]

Emit = Callable[[Event], None]


def ignore(event: Event) -> None:
    """The sink that keeps nothing."""


def during(emit: Emit, iteration: int) -> Emit:
    """A sink that stamps the iteration on every event before it passes it on."""
    return lambda event: emit(dataclasses.replace(event, iteration=iteration))
