"""Headings and cards of presenter mode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gear_app.display.step import slide as slide_of
from gear_app.display.telling import K
from gear_app.trace import timeline
from gear_app.trace.events import (
    Event,
)
from tests import factories, rivals
from tests.display import chained
from tests.display.told import scenes, tellings

GOLD, QUESTION = factories.GOLD, factories.QUESTION
RUNS = [
    factories.gear_run(),
    factories.hybrid_run(),
    rivals.bdtr_run(),
    rivals.ircot_run(),
    rivals.griever_run(),
    rivals.hippo_run(),
    rivals.hippo_fallback_run(),
    chained.run(),
]


def slide(events: Sequence[Event], number: int, gold: Sequence[str] = GOLD) -> dict[str, Any]:
    return slide_of(scenes(events, gold)[number], timeline.steps(events))


@pytest.mark.parametrize("events", RUNS)
def test_no_column_has_more_cards_than_a_hall_can_read(events: list[Event]) -> None:
    for step in timeline.steps(events):
        columns = slide(events, step.number)["columns"]
        assert all(1 <= len(column["cards"]) <= K for column in columns), step
        ids = [card["id"] for column in columns for card in column["cards"]]
        assert len(ids) == len(set(ids))


def test_a_prompt_names_nothing_that_was_found() -> None:
    events = factories.gear_run()
    titles = [title for title, _ in factories.TEXTS.values()]
    for told in tellings(events):
        prompt = told.question
        assert prompt.endswith("?") and not any(title in prompt for title in titles)
