"""Steps of a run as they are told."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.display.step import telling
from gear_app.display.telling import Scene, Telling
from gear_app.trace import timeline
from gear_app.trace.events import Event
from gear_app.trace.timeline import Step
from gear_app.trace.trace import RunTrace
from tests import factories
from tests.display.compared import run


def scene(events: Sequence[Event], step: Step, gold: Sequence[str] = factories.GOLD) -> Scene:
    """A step, with all these events known."""
    return Scene(run("told"), RunTrace.of(events), step, (), tuple(gold))


def scenes(events: Sequence[Event], gold: Sequence[str] = factories.GOLD) -> list[Scene]:
    """Every step of a run, with what is known at it."""
    steps = timeline.steps(events)
    return [scene(RunTrace.of(events).until(step.number), step, gold) for step in steps]


def tellings(events: Sequence[Event], gold: Sequence[str] = factories.GOLD) -> list[Telling]:
    """Every step of a run as it is told when it is the newest."""
    return [telling(one) for one in scenes(events, gold)]


def of_verb(events: Sequence[Event], verb: str, gold: Sequence[str] = factories.GOLD) -> Telling:
    """The first step of a verb as it is told."""
    return telling(next(one for one in scenes(events, gold) if one.step.verb == verb))


def purpose(step: Step, events: Sequence[Event]) -> str:
    """What a step is for, where all of the run is known."""
    return telling(scene(events, step)).purpose
