"""What each step of a run waited for its cluster.

It is told beside the events, not in them: a run made again waits otherwise, and is the same run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gear_app.analysis.timeline import Step
from gear_app.events import Event
from gear_app.types import Waiting


def by_step(
    events: Sequence[Event], steps: Sequence[Step], waiting: Mapping[int, Waiting]
) -> tuple[Waiting, ...]:
    """The calls of every step, in the order of steps; `waiting` is what came before each event, by
    its position from 1.

    What was waited before an event that belongs to no step counts for the step before it, and for
    the first one where there is none.
    """
    found = [Waiting()] * len(steps)
    if not waiting or not steps:
        return tuple(found)
    step_of = {id(event): step.number for step in steps for event in step.events}
    here = 0
    for position, event in enumerate(events, start=1):
        here = step_of.get(id(event), here)
        found[here] += waiting.get(position, Waiting())
    return tuple(found)
