"""The start screen's example and suggested questions, from events alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gear_app.core.types import Question
from gear_app.display.start import Example, example, step_of, suggested
from gear_app.display.telling import Card
from gear_app.trace.events import Event, Reasoned
from gear_app.trace.trace import RunTrace
from tests import factories, rivals
from tests.display.compared import run
from tests.factories import GOLD

RIGHT = ("François Carpentier",)


def shown(events: list[Event], method: str = "gear", answers: tuple[str, ...] = RIGHT) -> Example:
    info = replace(run("r1", method), answers=answers)
    found = example(events, info, {})
    assert found is not None
    return found


def cards(found: Example, place: int) -> list[Card]:
    return list(found.captions.columns[place].cards)


def test_the_result_counts_passages_of_one_search_and_of_the_iterations() -> None:
    found = shown(factories.gear_run())
    assert found.idea == "GEAR reads facts from passages and follows them"
    search = "One search finds 1 of the 3 passages needed. GEAR finds all 3 in 2 iterations"
    assert found.result == f"{search}, and the answer."
    assert shown(factories.gear_run(), answers=("Somebody else",)).result == f"{search}."


def test_captions_show_the_search_the_beam_and_the_memory() -> None:
    found = shown(factories.gear_run())
    search, facts, memory = (cards(found, place) for place in range(3))
    assert [card.lead for card in search if card.lead != "–"] == ["1", "2", "3", "4", "5"]
    titles = {factories.TEXTS[key][0] for key in GOLD}
    assert {card.title for card in search if card.star} == titles
    assert [(card.title, card.text, card.star) for card in facts] == [
        (
            "Clifton Suspension Bridge",
            "Clifton Suspension Bridge was designed by Isambard Kingdom Brunel",
            True,
        ),
        (
            "Isambard Kingdom Brunel",
            "Isambard Kingdom Brunel was the only son of Marc Isambard Brunel",
            True,
        ),
    ]
    assert facts[1].parents == (facts[0].id,)
    assert found.captions.columns[1].lead.startswith("A passage names Isambard Kingdom Brunel.")
    assert memory[0].text.endswith(f"○ not answerable yet · asks next: {factories.NEXT_QUERY}")
    assert memory[-1].text.endswith("● answerable: François Carpentier")


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


def test_events_without_a_search_are_no_example() -> None:
    assert example([], run("r1"), {}) is None
    assert example([Reasoned(False, "nothing")], run("r1"), {}) is None


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
