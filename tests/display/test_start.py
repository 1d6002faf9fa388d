"""The start screen's example and suggested questions, from events alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.core.types import Question
from gear_app.display.start import Example, example, step_of, suggested
from gear_app.trace.events import Event
from gear_app.trace.trace import RunTrace
from tests import rivals
from tests.display.compared import run

RIGHT = ("François Carpentier",)


def shown(events: list[Event], method: str = "gear", answers: tuple[str, ...] = RIGHT) -> Example:
    info = replace(run("r1", method), answers=answers)
    found = example(events, info, {})
    assert found is not None
    return found


@pytest.mark.parametrize("name", list(rivals.RUNS))
def test_every_method_has_an_example_whose_cards_open_its_steps(name: str) -> None:
    events = rivals.RUNS[name]()
    found = shown(events, name.split()[0])
    drawn = [card for column in found.captions.columns for card in column.cards]
    steps = [step_of(card.id) for card in drawn]
    count = len(RunTrace.of(events).steps)
    assert drawn and all(step is None or 0 <= step < count for step in steps)
    assert len({card.id for card in drawn}) == len(drawn)
    assert all("memory" not in card.id for card in drawn)


def question(id_: str, passages: int, type_: str = "bridge") -> Question:
    keys = tuple(f"k{n}" for n in range(passages))
    return Question(id_, f"Question {id_}?", (), keys, type_, passages)


def test_suggested_are_a_long_question_a_short_one_and_one_without_an_answer() -> None:
    asked = [
        question("a", 3),
        question("b", 5),
        question("c", 2),
        question("d", 3),
        question("e", 3),
        question("f", 0, "unanswerable"),
    ]
    found = suggested(asked, "Question a?")
    assert [(one.id, note) for one, note in found] == [
        ("d", "3 passages"),
        ("c", "2 passages"),
        ("f", "not in these texts"),
    ]
