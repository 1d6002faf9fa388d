"""Headings and cards of presenter mode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from gear_app.display.step import slide as slide_of
from gear_app.display.telling import K
from gear_app.trace import timeline
from gear_app.trace.events import (
    Event,
    Expanded,
    Failed,
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


def test_new_gold_and_what_leads_to_it_are_on_the_slide_of_a_wide_beam_search() -> None:
    events = factories.gear_run()
    at, wide = next((n, e) for n, e in enumerate(events) if isinstance(e, Expanded))
    first, second = wide.steps
    last = len(second.kept) - 1
    late = replace(second.kept[last], triple=factories.shown(3), parent=5)
    second = replace(second, kept=(*second.kept[1:last], *second.kept[:1], late))
    events[at] = replace(wide, steps=(first, second))
    one, two = slide(events, 3)["columns"]
    assert "1.k.5" in [card["id"] for card in two["cards"]]
    assert "0.k.5" in [card["id"] for card in one["cards"]]
    assert len(one["cards"]) == len(two["cards"]) == 5
    assert one["more"] == 3  # of six kept and two pruned


def test_keys_lead_to_the_stages_of_the_iteration() -> None:
    data = slide(factories.gear_run(), 9)
    assert [stage["label"] for stage in data["stages"]][:4] == [
        "retrieve",
        "read",
        "link",
        "expand",
    ]
    assert data["stages"][0]["number"] == 8
    assert [dot["number"] for dot in data["dots"]] == list(range(8, 15))
    assert data["place"] == "iteration 2 · read · step 10 of 16"


def test_a_step_that_gave_up_says_why() -> None:
    events = [*factories.gear_run()[:2], Failed("read", "The server did not answer.")]
    data = slide(events, 1)
    assert data["heading"] == "The step “read” gave up"
    assert data["columns"][0]["cards"][0]["text"] == "The server did not answer."
