"""Following the gist memory from the question's names."""

from __future__ import annotations

import pytest

from gear_app.core.types import ProximalTriple, Substitution
from gear_app.language.noun_phrases import AskedRelation
from gear_app.models.reader.gist_memory import follow

QUESTION = "Where was the director of Harbour Lights born?"
DIRECTED = ProximalTriple("Harbour Lights", "was directed by", "Ada Quill")
BORN = ProximalTriple("Ada Quill", "was born in", "Port Mira")


def always(asks: AskedRelation, predicate: str, new: str) -> bool:
    return True


def never(asks: AskedRelation, predicate: str, new: str) -> bool:
    return False


def test_the_whole_phrase_gives_way_where_the_triple_answers_it() -> None:
    last = follow([DIRECTED], QUESTION, always).last
    assert last.query == "Where was Ada Quill born?"
    assert last.substitutions == (
        Substitution(
            "the director of Harbour Lights",
            "Ada Quill",
            "Harbour Lights was directed by Ada Quill",
        ),
    )
    assert last.answer == ""


def test_only_the_name_gives_way_where_the_triple_does_not_answer() -> None:
    related = ProximalTriple("Harbour Lights", "is listed beside", "Winter Lights")
    last = follow([related], QUESTION, never).last
    assert last.query == "Where was the director of Winter Lights born?"


def test_the_chain_ends_in_the_answer() -> None:
    chain = follow([DIRECTED, BORN], QUESTION, always)
    assert chain.last.answer == "Port Mira"
    assert [step.inserted for step in chain.last.substitutions] == ["Ada Quill", "Port Mira"]
    assert chain.seen == {"harbour lights", "ada quill", "port mira"}


def test_an_answer_of_the_wrong_kind_is_none() -> None:
    wrong = ProximalTriple("Ada Quill", "was born on", "2 May 1910")
    raised = ProximalTriple(
        "Ada Quill", "was raised by", "Tom Vane"
    )  # a place only if it leads there
    when = QUESTION.replace("Where", "When")
    assert follow([DIRECTED, wrong], QUESTION, always).last.answer == ""
    assert follow([DIRECTED, raised], QUESTION, always).last.answer == ""
    assert follow([DIRECTED, wrong], when, always).last.answer == "2 May 1910"


def test_a_triple_can_be_followed_from_its_object_and_one_about_something_else_is_passed_by() -> (
    None
):
    directed = ProximalTriple("Ada Quill", "directed", "Harbour Lights")
    assert follow([directed], QUESTION, always).last.query == "Where was Ada Quill born?"
    other = ProximalTriple("Lorn", "lies on", "Sel")
    assert follow([other], QUESTION, always).last.query == QUESTION


def test_both_sides_of_a_comparison_are_replaced_in_one_query() -> None:
    question = "Which film has the older director, Harbour Lights or Winter Lights?"
    other = ProximalTriple("Winter Lights", "was directed by", "Bo Hale")
    last = follow([DIRECTED, other], question, always).last
    assert last.query == "Which film has the older director, Ada Quill or Bo Hale?"
    assert last.answer == ""  # two names are no answer to a question about age


def test_two_dates_decide_a_comparison_and_one_does_not() -> None:
    question = "Who was born first, Ada Quill or Bo Hale?"
    dates = [
        ProximalTriple("Ada Quill", "was born on", "2 May 1910"),
        ProximalTriple("Bo Hale", "was born in", "1921"),
    ]
    assert follow(dates[:1], question, always).last.answer == ""
    assert follow(dates, question, always).last.answer == "Ada Quill"
    assert follow(dates, question.replace("first", "later"), always).last.answer == "Bo Hale"


def test_once_only_the_answer_is_left_to_ask_no_other_fact_leads_on() -> None:
    studied = ProximalTriple("Ada Quill", "studied law at", "Lorn College")
    last = follow([DIRECTED, studied], QUESTION, never).last
    assert (last.query, last.answer) == ("Where was Ada Quill born?", "")
    assert follow([DIRECTED, studied, BORN], QUESTION, always).last.answer == "Port Mira"


def test_while_something_has_to_be_found_first_no_other_name_leads_on() -> None:
    question = "When did the country of the singer of Nixe leave Lorn?"
    left = ProximalTriple("Orrin", "left", "Lorn")
    sung = ProximalTriple("Nixe", "was sung by", "Ada Quill")
    only, last = (follow(memory, question, always).last for memory in ([left], [left, sung]))
    assert only.query == question
    assert last.query == "When did the country of Ada Quill leave Lorn?"


@pytest.mark.parametrize(
    ("asked", "place", "put"),
    [
        ("state", "Hinds County, Mira", "Mira"),
        ("county", "Hinds County, Mira", "Hinds County, Mira"),
        ("state", "Hinds County", "Hinds County"),
        ("country", "Port Hale, Norway", "Norway"),
        ("country", "Port Hale, Mira", "Port Hale, Mira"),
        ("state", "Port Hale, since 1990", "Port Hale, since 1990"),
    ],
)
def test_a_state_gives_way_to_the_state_of_a_place(asked: str, place: str, put: str) -> None:
    fact = ProximalTriple("Quill Mounds", "is located in", place)
    question = f"When did the {asked} where Quill Mounds is located join the union?"
    last = follow([fact], question, always).last
    assert last.query == f"When did {put} join the union?"
    assert last.substitutions[0].inserted == put
    answered = follow([fact], f"In which {asked} is Quill Mounds located?", always).last.answer
    assert answered == ("" if (asked, put) == ("country", place) else put)
