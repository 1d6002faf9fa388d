"""The start screen's example and suggested questions, from events alone."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gear_app.core.types import Question
from gear_app.display.start import Example, example, suggested
from gear_app.trace.events import Event, Reasoned
from tests import factories, rivals
from tests.display.compared import run
from tests.factories import GOLD

RIGHT = ("François Carpentier",)


def shown(events: list[Event], method: str = "gear", answers: tuple[str, ...] = RIGHT) -> Example:
    info = replace(run("r1", method), answers=answers)
    found = example(events, info, {})
    assert found is not None
    return found


def cards(captions: str, kind: str) -> list[str]:
    """Texts of the cards of a kind."""
    found = re.findall(rf'<li class="{kind}">(.*?)</li>', captions)
    return [" ".join(re.sub(r"<[^>]+>", " ", one).split()) for one in found]


def test_the_result_counts_passages_of_one_search_and_of_the_iterations() -> None:
    found = shown(factories.gear_run())
    assert found.idea == "GEAR reads facts from passages and follows them"
    search = "One search finds 1 of the 3 passages needed. GEAR finds all 3 in 2 iterations"
    assert found.result == f"{search}, and the answer."
    assert shown(factories.gear_run(), answers=("Somebody else",)).result == f"{search}."


def test_captions_show_the_search_the_beam_and_the_memory() -> None:
    captions = shown(factories.gear_run()).captions
    assert len(cards(captions, "passage")) == 5
    titles = {factories.TEXTS[key][0] for key in GOLD}
    starred = [one for one in cards(captions, "(?:passage|missed)") if "★" in one]
    assert all(any(title in one for one in starred) for title in titles)
    assert cards(captions, "fact") == [
        "★ Clifton Suspension Bridge Clifton Suspension Bridge was designed by Isambard Kingdom"
        " Brunel",
        "★ Isambard Kingdom Brunel Isambard Kingdom Brunel was the only son of Marc Isambard"
        " Brunel",
    ]
    assert cards(captions, "link") == ["the same name: Isambard Kingdom Brunel"]
    first, last = cards(captions, "memory")
    assert first.endswith(f"○ not answerable yet · asks next: {factories.NEXT_QUERY}")
    assert last.endswith("● answerable: François Carpentier")


@pytest.mark.parametrize("name", list(rivals.RUNS))
def test_every_method_has_an_example_without_the_memory_of_another(name: str) -> None:
    found = shown(rivals.RUNS[name](), name.split()[0])
    assert cards(found.captions, "passage") and "memory" not in found.captions


def test_events_without_a_search_are_no_example() -> None:
    assert example([], run("r1"), {}) is None
    assert example([Reasoned(False, "nothing")], run("r1"), {}) is None


def test_every_card_opens_its_step_and_words_stay_text() -> None:
    info = replace(run("r1", "gear"), question="<b>Where?</b>", collection="<demo>")
    found = example(factories.gear_run(), info, {})
    assert found and "&lt;b&gt;Where?" in found.captions and "&lt;demo&gt;" in found.captions
    steps = re.findall(r'href="./explore\?run=r1&amp;step=(\d+)"', found.captions)
    assert steps == re.findall(r'data-run="r1" data-step="(\d+)"', found.captions)
    assert len(steps) == found.captions.count('class="card"')


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
