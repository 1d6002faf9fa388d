from __future__ import annotations

import pytest

from gear_app.analysis.why_not import Cause, why_not
from gear_app.ui.explore import why_not as drawn
from gear_app.views import why_not as words
from tests.analysis import lost
from tests.analysis.lost import KEY, facts
from tests.analysis.why_not_cases import CASES, asked


def test_every_cause_has_words() -> None:
    assert set(words.CAUSES) == set(Cause)


@pytest.mark.parametrize("cause", CASES)
def test_every_cause_is_told_as_text_and_as_markup(cause: Cause) -> None:
    found = asked(cause)
    assert words.CAUSES[cause] in words.sentence(found)
    assert drawn.trail(found).count("<li") == len(found.trail)
    assert words.line(found).startswith(cause.value)
    assert len(words.text(found)) > len(found.trail)


def test_the_arithmetic_of_a_pruned_triple_adds_up_to_what_is_missing() -> None:
    sums = drawn.arithmetic(asked(Cause.PRUNED))
    for number in ("0.9000", "0.3000", "1.2000", "0.7788", "0.9346", "1.1000", "0.1654"):
        assert number in sums


def test_words_of_passages_are_escaped() -> None:
    hostile = why_not(lost.read_nothing(), "hostile", facts(key="hostile"))
    assert "<script>" not in drawn.trail(hostile)
    assert "&lt;script&gt;" in drawn.trail(hostile)


@pytest.mark.parametrize("cause", CASES)
def test_every_cause_says_what_it_would_have_needed(cause: Cause) -> None:
    found = asked(cause)
    told = words.needed_words(found)
    assert told and all(told)
    assert drawn.needed(found).count("<li") == len(told)
    assert {"What it would have needed", *told} <= set(words.text(found))


def test_the_json_names_the_cause_by_a_word_that_scripts_can_rely_on() -> None:
    answer = why_not(lost.pruned(), KEY, facts())
    found = words.to_json(answer)
    assert (found["cause"], found["passage_id"], found["rank"]) == ("pruned", KEY, None)
    assert [step["outcome"] for step in found["trail"]].count("lost here") == 1
