"""What is known at a step: all until then, and nothing that comes after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gear_app.core.types import Substitution
from gear_app.display import gold, header, memory
from gear_app.display.telling import gain
from gear_app.trace import gold as golds
from gear_app.trace import timeline
from gear_app.trace.events import Event, Ranked, RankedPassage, Reasoned, Rewrote
from gear_app.trace.trace import progress
from tests import factories, rivals
from tests.display.compared import run

RUNS = {
    "gear": factories.gear_run(),
    "hybrid": factories.hybrid_run(),
    "bdtr": rivals.bdtr_run(),
    "ircot": rivals.ircot_run(),
    "griever": rivals.griever_run(),
    "hipporag": rivals.hippo_run(),
}
GOLD, QUESTION = factories.GOLD, factories.QUESTION


def shown(events: Sequence[Event], number: int, *, everything: bool = False) -> list[str]:
    """All that Explore draws around a step's card, from what is known at it."""
    here = progress(events, number, finished=True, everything=everything)
    found = golds.gold_passages(here.events, GOLD)
    facts = header.facts(run("abc", "gear"), here.events, ahead=here.ahead)
    told = memory.memory(here.events)
    return [
        facts,
        str(header.figures(here.events, GOLD, ("François Carpentier",), over=here.over)),
        gain(here.events, GOLD, over=here.over),
        gold.strip(here.events, found, QUESTION, over=here.over),
        str(gold.recall_rows(here.events, GOLD)),
        str(told and told.columns),
    ]


def spoiled(event: Event) -> Event:
    """The event with everything in it that somebody could see changed."""
    changes: dict[str, object] = {}
    if hasattr(event, "ranking"):
        changes["ranking"] = (RankedPassage(77, "isambard", "SPOILER", 9.0),)
    if isinstance(event, Reasoned):
        changes |= {"answer": "SPOILER", "answerable": True, "reason": "SPOILER"}
    if isinstance(event, Rewrote):
        changes |= {"query": "SPOILER", "substitutions": (Substitution("", "SPOILER", ""),)}
    return replace(event, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", RUNS)
def test_nothing_of_a_later_step_changes_what_is_shown_at_a_step(name: str) -> None:
    events = RUNS[name]
    steps = timeline.steps(events)
    for number in range(len(steps) - 1):
        later = steps[number + 1].events[0]
        begins = next(at for at, event in enumerate(events) if event is later)
        other = [*events[:begins], *map(spoiled, events[begins:])]
        assert shown(other, number) == shown(events, number), steps[number]


def test_a_run_that_goes_on_gives_no_final_verdict_at_its_newest_step() -> None:
    events = [event for event in RUNS["gear"] if not isinstance(event, Ranked)]
    steps = timeline.steps(events)
    newest = len(steps) - 1
    assert progress(events, newest, finished=False).over is False
    assert progress(events, newest, finished=True).over is True  # it failed here
    assert progress(RUNS["gear"], 15, finished=False).over is True
