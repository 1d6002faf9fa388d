"""Thoughts on eight passages: which fact is put into words, what it leaves open, when a thought is
final.
"""

from __future__ import annotations

import pytest

from gear_app.core.types import Passage, ProximalTriple, Style, Thinking, Triple
from gear_app.models.reader.roles import DualThoughtsRequest, ThinkRequest
from tests.models.reader.asking import ask
from tests.small import QUESTION, SmallWorld

DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill", 2, 0.6)
BORN = ProximalTriple("Ada Quill", "was born in", "Port Mira", 3, 0.6)
STYLES: tuple[Style, ...] = ("ircot", "gcot", "tog", "irgs")


def thought(*because: ProximalTriple) -> Thinking:
    return Thinking("whatever it said", because=because)


@pytest.mark.parametrize("style", STYLES)
def test_an_answer_from_a_fact_not_sure_enough_to_be_remembered_is_none(style: Style) -> None:
    unsure = ProximalTriple("Ada Quill", "was born in", "Port Mira", 3, 0.2)
    last = ask(ThinkRequest([], [], QUESTION, (thought(DIRECTED, unsure),), style))
    assert (last.final, last.answer) == (False, "")


def test_a_comparison_is_thought_of_from_both_sides(small: SmallWorld) -> None:
    question = "Which film has the older director, Harbour Lights or Winter Lights?"
    both = ask(ThinkRequest(small.passages, small.triples, question, (), "ircot"))
    assert (
        both.text
        == "Harbour Lights was directed by Ada Quill. Winter Lights was directed by Bo Hale."
        " Which film has the older director, Ada Quill or Bo Hale?"
    )


@pytest.mark.parametrize("style", STYLES)
def test_without_any_fact_the_innermost_phrase_is_asked_for_and_else_nothing(style: Style) -> None:
    text = "Required: " * (style == "tog") + "the director of Harbour Lights"
    assert ask(ThinkRequest([], [], QUESTION, (), style)) == Thinking(text, sure=False)
    nothing = ask(ThinkRequest([], [], "Where was Ada Quill born?", (), style))
    assert nothing == Thinking("")


def test_a_fact_is_thought_of_once_even_where_the_title_stood_for_its_subject() -> None:
    passages = [Passage(1, "h", "Harbour Lights", "The drama film was directed by Ada Quill.")]
    triples = [Triple(1, 1, "drama film", "was directed by", "Ada Quill")]
    first = ask(ThinkRequest(passages, triples, QUESTION, (), "ircot"))
    assert first.text == "Harbour Lights was directed by Ada Quill. Where was Ada Quill born?"
    second = ask(ThinkRequest(passages, triples, QUESTION, (first,), "ircot"))
    assert (second.text, second.because) == (
        "Where was Ada Quill born?",
        (),
    )  # not "drama film was directed by …"


def test_the_fast_thought_asks_and_the_slow_one_says_the_bridge_first(small: SmallWorld) -> None:
    dual = ask(DualThoughtsRequest(small.passages, small.triples, QUESTION, ()))
    assert dual.fast == "Where was Ada Quill born?"
    assert dual.slow == "Harbour Lights was directed by Ada Quill. Where was Ada Quill born?"
    assert [fact.triple_id for fact in dual.because] == [2]
    assert dual.because[0].score is not None
    assert dual.because[0].score >= 0.5


def test_where_the_best_bridge_is_unsure_the_slow_thought_follows_the_next() -> None:
    passages = [Passage(1, "h", "Harbour Lights", "")]
    triples = [
        Triple(1, 1, "Harbour Lights", "was photographed by", "Ada Quill"),
        Triple(2, 1, "Harbour Lights", "was lit by", "Bo Hale"),
    ]
    dual = ask(DualThoughtsRequest(passages, triples, QUESTION, ()))
    (fact,) = dual.because
    assert fact.score is not None
    assert 0.1 <= fact.score < 0.5
    assert dual.sure == (fact.score >= 0.25)
    first, second = (fact.object, *({"Ada Quill", "Bo Hale"} - {fact.object}))
    assert dual.fast.startswith("Where was ")
    assert first in dual.fast
    assert second in dual.slow
    assert first not in dual.slow
