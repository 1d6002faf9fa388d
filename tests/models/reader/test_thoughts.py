"""Thoughts on eight passages."""

from __future__ import annotations

from gear_app.core.types import ProximalTriple, Thinking
from gear_app.models.reader.roles import DualThoughtsRequest, ThinkRequest
from tests.models.reader.asking import ask
from tests.small import QUESTION, SmallWorld


def thought(*because: ProximalTriple) -> Thinking:
    return Thinking("whatever it said", because=because)


def test_a_comparison_is_thought_of_from_both_sides(small: SmallWorld) -> None:
    question = "Which film has the older director, Harbour Lights or Winter Lights?"
    both = ask(ThinkRequest(small.passages, small.triples, question, (), "ircot"))
    assert (
        both.text
        == "Harbour Lights was directed by Ada Quill. Winter Lights was directed by Bo Hale."
        " Which film has the older director, Ada Quill or Bo Hale?"
    )


def test_the_fast_thought_asks_and_the_slow_one_says_the_bridge_first(small: SmallWorld) -> None:
    dual = ask(DualThoughtsRequest(small.passages, small.triples, QUESTION, ()))
    assert dual.fast == "Where was Ada Quill born?"
    assert dual.slow == "Harbour Lights was directed by Ada Quill. Where was Ada Quill born?"
    assert [fact.triple_id for fact in dual.because] == [2]
    assert dual.because[0].score is not None
    assert dual.because[0].score >= 0.5
