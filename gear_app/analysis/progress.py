"""How far a run has come at one of its steps: all that had happened by then, and nothing after it.

Whoever steps through a run sees it grow: the header, the ranks of gold passages, recall, the memory
and the cards are drawn from `Progress.events` alone, so what comes later cannot show in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.analysis import timeline
from gear_app.analysis.timeline import Step
from gear_app.events import Event


@dataclass(frozen=True, slots=True)
class RunProgress:
    """What is known at a step.

    `ahead` counts the steps after it, 0 where everything is shown. `over`: no ranking can change
    any more, because the final one is known or the run has ended at this step. `iterations` is how
    many the run has in all, for figures that keep room for those to come.
    """

    events: tuple[Event, ...]
    ahead: int
    over: bool
    iterations: int


def progress(
    events: Sequence[Event],
    steps: Sequence[Step],
    number: int,
    *,
    finished: bool,
    everything: bool = False,
) -> RunProgress:
    """What is known at step `number` of `steps`, which are those of these events.

    `finished`: the run is over, be it done or failed. `everything`: as if at the last step.
    """
    shown = len(steps) - 1 if everything else number
    known = known_at(events, steps, shown)
    ahead = len(steps) - 1 - shown
    over = timeline.ranked(known) is not None or (finished and not ahead)
    return RunProgress(known, ahead, over, timeline.iterations(events))


def known_at(events: Sequence[Event], steps: Sequence[Step], number: int) -> tuple[Event, ...]:
    """The events until the step after `number` begins; at the last step all of them.

    What belongs to no step, as GEAR's ranking "as if this iteration were the last", is known with
    the step before it.
    """
    if number + 1 >= len(steps):
        return tuple(events)
    first = steps[number + 1].events[0]
    return tuple(events[: next(at for at, event in enumerate(events) if event is first)])


def opening_step(decisive: int | None, count: int, *, live: bool, everything: bool) -> int:
    """The step that a run opens at where its address names none.

    A run that goes on: the newest. Where the run is revealed step by step: the first. Else
    `decisive`, the one that shows best what the method does, or the last.
    """
    if live:
        return count - 1
    if not everything:
        return 0
    return count - 1 if decisive is None else decisive
