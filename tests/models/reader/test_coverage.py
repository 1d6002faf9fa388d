"""What a fact covers of a question, followed through made-up questions of several hops."""

from __future__ import annotations

import pytest

from gear_app.core.types import ProximalTriple
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.models.reader.gist_memory import ChainNode, follow
from gear_app.models.reader.next_bridge import fits
from gear_app.models.reader.roles import ReasonRequest, RewriteRequest
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
        ("Which paper was edited by Bo Hale?", ("Bo Hale", "edited", "The Lantern"), "The Lantern"),
        ("Which river is crossed by the Orm Viaduct?", ("Orm Viaduct", "crosses", "Sel"), "Sel"),
        ("Of which isle was Bo Hale later warden?", ("Bo Hale", "was warden of", "Skerry"), "Skerry"),
        ("Of which country was Bo Hale consul?", ("Bo Hale", "was", "consul of Norway"), "Norway"),
    ],
)  # fmt: skip
def test_a_fact_that_tells_what_is_left_is_the_answer(
    question: str, fact: tuple[str, str, str], answer: str
) -> None:
    last = chain(question, fact)
    assert last.answer == answer
    assert last.query == question  # the answer is not written into the question


def test_a_fact_gives_way_as_far_out_as_its_words_reach() -> None:
    last = chain(
        "Who found the stone whose carved runes are on the sleeve of Winter Lights?",
        ("Orm Stone", "has its carved runes on the sleeve of", "Winter Lights"),
    )
    assert last.query == "Who found Orm Stone?"


@pytest.mark.parametrize(
    ("question", "left"),
    [
        (
            "Who played the singer of Nixe in Harbour Lights?",
            "Who played Bo Hale in Harbour Lights?",
        ),
        ("Who played the singer of Nixe in 1978?", "Who played Bo Hale?"),  # no names
        ("What play is by the singer of Nixe in Orm?", "What play is by Bo Hale?"),  # no verbs
        (
            "Is Mohammed Vane the son of the singer of Nixe in Orm?",
            "Is Mohammed Vane the son of Bo Hale?",
        ),
        # a nearer one
        ("Who played the man by whom Nixe was sung in Orm?", "Who played Bo Hale?"),
        ("Who is the wife of the singer of Nixe in Harbour Lights?", "Who is the wife of Bo Hale?"),
        ("Who played the singer of Nixe in Sunge?", "Who played Bo Hale?"),  # the fact tells it
    ],
)
def test_a_name_at_the_end_that_the_fact_does_not_tell_may_belong_to_the_verb(
    question: str, left: str
) -> None:
    assert chain(question, ("Nixe", "was sung in Sunge by", "Bo Hale")).query == left


def test_what_an_owner_owns_is_put_behind_of() -> None:
    last = chain(
        "In which city was the drummer born whose troupe was formed by Ada Quill?",
        ("Ada Quill", "formed", "The Larks"),
    )
    assert last.query == "In which city was the drummer of The Larks born?"


def test_another_name_of_a_thing_replaces_the_name_alone() -> None:
    last = chain(
        "Who is the son of the man who built the Old Mill of Lorn?",
        ("Sailmoor", "is called", "Old Mill of Lorn"),
    )
    assert last.query == "Who is the son of the man who built the Sailmoor?"


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("In which country was Bo Hale born?", ("Bo Hale", "was born in", "Lorn")),
        ("Near which town was Bo Hale born?", ("Bo Hale", "was born at", "Orm Farm")),
        ("Who received the Sel Prize earlier, Bo Hale or another?",
         ("Bo Hale", "received the Sel Prize in", "1902")),
        ("Who is Bo Hale's mother?", ("Bo Hale", "father", "Tom Vane")),
        ("What religion is the director of Winter Lights?",
         ("Winter Lights", "was directed by", "Bo Hale")),
        ("Where was the father of Bo Hale born?", ("Bo Hale", "was born in", "Lorn")),
    ],
)  # fmt: skip
def test_a_fact_of_another_kind_than_asked_for_is_no_answer(
    question: str, fact: tuple[str, str, str]
) -> None:
    assert chain(question, fact).answer == ""


def test_what_the_inner_noun_names_is_not_what_is_said_of_it_further_out() -> None:
    last = chain(
        "Which town lies on the same river as Port Mira?", ("Port Mira", "lies on", "river Sel")
    )
    assert (last.query, last.answer) == ("Which town lies on river Sel?", "")


@pytest.mark.parametrize(("town", "answer"), [("Lorn", "yes"), ("Port Mira", "no")])
def test_two_places_are_compared(town: str, answer: str) -> None:
    last = chain(
        "Were Ada Quill and Bo Hale born in the same town?",
        ("Ada Quill", "was born in", "Lorn"),
        ("Bo Hale", "was born in", town),
    )
    assert last.answer == answer


def test_of_two_works_the_one_in_the_question_is_the_answer() -> None:
    last = chain(
        "Which film has the director who died later, Harbour Lights or Winter Lights?",
        ("Harbour Lights", "was directed by", "Ada Quill"),
        ("Winter Lights", "was directed by", "Bo Hale"),
        ("Ada Quill", "died on", "3 May 1950"),
        ("Bo Hale", "died in", "1949"),
    )
    assert last.answer == "Harbour Lights"


def test_a_question_in_another_language_is_answered_with_a_sentence_that_says_so() -> None:
    question = "Wo wurde der Regisseur von Harbour Lights geboren?"
    assert ask(ReasonRequest((), question)).reason == ENGLISH_ONLY
    assert ask(RewriteRequest((), question, "")).query == ""
