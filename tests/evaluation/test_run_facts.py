"""What an evaluation knows of one run, from its events."""

from __future__ import annotations

import json

from gear_app.evaluation.frames import run_facts
from gear_app.trace.events import Called, Event
from tests import factories


def called(iteration: int, given: int, written: int) -> Called:
    return Called("read", "m", "h", "p", "r", given, written, 1.0, 0.0, iteration=iteration)


def test_tokens_add_up_from_iteration_to_iteration_and_those_before_count_in_the_first() -> None:
    events: list[Event] = [*factories.gear_run(), called(0, 5, 1), called(1, 100, 10)]
    events += [called(2, 200, 20), called(2, 30, 3)]
    found = run_facts(events, factories.GOLD)
    assert len(found["rounds"]) == len(found["tokens"]) == 2
    assert found["tokens"] == [(105, 11), (335, 34)]
    assert json.loads(json.dumps(found))["rounds"] == found["rounds"]


def test_a_run_that_asked_no_model_took_no_tokens() -> None:
    assert run_facts(factories.gear_run(), factories.GOLD)["tokens"] == []


def test_the_last_round_is_what_the_run_ended_with() -> None:
    found = run_facts(factories.gear_run(), (*factories.GOLD, "nowhere"))
    assert found["rounds"][-1].keys() == {*factories.GOLD, "nowhere"}
    assert found["rounds"][-1]["nowhere"] is None
