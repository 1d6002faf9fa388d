"""What a fact covers of a question, followed through made-up questions of several hops."""

from __future__ import annotations

import pytest

from gear_app.core.types import ProximalTriple
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader.gist_memory import ChainNode, follow
from gear_app.models.reader.next_bridge import fits
from gear_app.models.reader.roles import REASON, REWRITE, ReaderRequest
from gear_app.models.reader.rules import ENGLISH_ONLY
from tests.models.reader.asking import ask

FITS = fits(HashingEmbedder())


def chain(question: str, *facts: tuple[str, str, str]) -> ChainNode:
    return follow([ProximalTriple(*fact) for fact in facts], question, FITS).last


@pytest.mark.parametrize(
    ("question", "fact", "answer"),
    [
        ("Into which lake did the cart of Bo Hale fall?",
         ("Bo Hale", "died in a cart that fell into", "Lake Orm"), "Lake Orm"),

        ("Which river is crossed by the Orm Viaduct?", ("Orm Viaduct", "crosses", "Sel"), "Sel"),

        ("Of which country was Bo Hale consul?", ("Bo Hale", "was", "consul of Norway"), "Norway"),
    ],
)  # fmt: skip
def test_a_fact_that_tells_what_is_left_is_the_answer(
    question: str, fact: tuple[str, str, str], answer: str
) -> None:
    last = chain(question, fact)
    assert last.answer == answer
    assert last.query == question  # the answer is not written into the question


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("In which country was Bo Hale born?", ("Bo Hale", "was born in", "Lorn")),

        ("Who received the Sel Prize earlier, Bo Hale or another?",
         ("Bo Hale", "received the Sel Prize in", "1902")),


        ("Where was the father of Bo Hale born?", ("Bo Hale", "was born in", "Lorn")),
    ],
)  # fmt: skip
def test_a_fact_of_another_kind_than_asked_for_is_no_answer(
    question: str, fact: tuple[str, str, str]
) -> None:
    assert chain(question, fact).answer == ""


def test_a_question_in_another_language_is_answered_with_a_sentence_that_says_so() -> None:
    question = "Wo wurde der Regisseur von Harbour Lights geboren?"
    assert ask(ReaderRequest(REASON, question)).reason == ENGLISH_ONLY
    assert ask(ReaderRequest(REWRITE, question)).query == ""
