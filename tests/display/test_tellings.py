"""What holds of every telling: lines join cards, tables have rows, words of documents stay text, and
a step without a teller has its ranking and the fields of its events.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gear_app.core.types import EntityName
from gear_app.display import draw, memory, scores, step
from gear_app.methods import METHODS
from gear_app.trace import timeline
from gear_app.trace.events import Event, from_row
from gear_app.trace.events.values import replaced
from gear_app.trace.paths import scored
from gear_app.trace.trace import RunTrace
from tests import factories, rivals
from tests.display import chained
from tests.display.told import scenes, tellings
from tests.test_golden_screens import screens

GOLDEN = Path(__file__).parents[1] / "golden"
NAMES = [*METHODS, "ircot-hipporag"]
RECIPROCAL = re.compile(r"1/\((-?\d+) \+ (\d+)\) = (\d+\.\d+)")
EVIL = rivals.EVIL


def trace(method: str) -> list[Event]:
    """A method's events, as they were reviewed."""
    lines = (GOLDEN / f"{method}.jsonl").read_text(encoding="utf-8").splitlines()
    return [from_row(json.loads(line)) for line in lines]


@pytest.mark.parametrize("method", NAMES)
def test_lines_join_cards_and_tables_have_rows(method: str) -> None:
    for told in tellings(trace(method), screens.GOLD):
        ids = [card.id for column in told.columns for card in column.cards]
        assert len(ids) == len(set(ids))
        if told.picture:
            assert {end for line in told.lines for end in (line.start, line.end)} <= set(ids)
            assert told.opens in ("", *ids)
            for id_ in ids:
                draw.detail(told.detail(id_))
        assert all(table.rows() for table in told.tables)
        assert told.picture or told.ranking or told.messages or told.notes


@pytest.mark.parametrize("method", NAMES)
def test_a_reciprocal_of_a_rank_is_one(method: str) -> None:
    for event in trace(method):
        arithmetic = scores.Arithmetic(scores.way_of(event))
        for part in (part for line in scored(event) for part in line.parts):
            for constant, rank, value in RECIPROCAL.findall(arithmetic.term(part)):
                assert int(rank) > 0 and int(constant) >= 0
                assert float(value) == pytest.approx(1 / (int(constant) + int(rank)), abs=1e-6)


@pytest.mark.parametrize("run", [factories.gear_run(), rivals.bdtr_run(), rivals.griever_run(),
                                 rivals.hippo_run(), chained.run()])  # fmt: skip
def test_words_of_documents_and_models_are_text(run: list[Event]) -> None:
    """A hostile name in the place of every entity's."""
    events = [replaced(event, EntityName, lambda _: EVIL) for event in run]
    for scene in scenes(events):
        assert "<script" not in draw.step(scene, {})
    gathered = memory.memory(events)
    if gathered:
        assert "<script" not in draw.columns(gathered, RunTrace(events).names)


def test_steps_that_are_drawn_together_are_of_one_search() -> None:
    events = rivals.bdtr_run()
    steps = timeline.steps(events)
    for scene in scenes(events):
        scene = replace(scene, before=timeline.before(scene.step, steps))
        drawn = list(step.scenes(scene))
        assert drawn[-1] == scene and {one.step.search for one in drawn} == {scene.step.search}
