"""What a question asks for, and what can answer it."""

from __future__ import annotations

import pytest

from gear_app.language.answer_types import answer_type, is_date, is_number, suits
from gear_app.language.relations import direction, related


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did Bo Hale die?", "date"),
        ("What year did the company dissolve?", "date"),
        ("On which days is the old library open?", "date"),
        ("Who was born first, Bo Hale or Ada Quill?", "date"),
        ("Which film has the director who died later, Harbour Lights or Winter Lights?", "date"),
        ("Who was born first out of Bo Hale and Ada Quill?", "date"),
        ("Who was the first president of the union?", "person"),
        ("Where was Ada Quill born?", "place"),
        ("What county is Lorn in?", "place"),
        ("How many bridges cross the Sel?", "number"),
        ("What is the longest river?", "thing"),
    ],
)
def test_what_a_question_asks_for(question: str, kind: str) -> None:
    assert answer_type(question) == kind


@pytest.mark.parametrize(
    ("entity", "date", "number"),
    [
        ("30 July 1970", True, False),
        ("1991", True, False),
        ("the 12th century", True, False),
        ("September 1984", True, False),
        ("Tuesdays and Thursdays", True, False),
        ("Friday 11 October", True, False),
        ("22,513 students", False, True),
        ("161 males", False, True),
        ("April Jones", False, False),
        ("Port Mira", False, False),
        ("", False, False),
    ],
)
def test_dates_and_numbers(entity: str, date: bool, number: bool) -> None:
    assert (is_date(entity), is_number(entity)) == (date, number)


def test_a_date_answers_when_and_a_name_does_not() -> None:
    assert [suits(kind, "1991") for kind in ("date", "number", "person", "thing")] == [
        True,
        True,
        False,
        False,
    ]
    assert [suits(kind, "Ada Quill") for kind in ("date", "number", "person", "thing")] == [
        False,
        False,
        True,
        True,
    ]


def test_related_ways_of_speaking() -> None:
    assert related("the director of film", "was directed by")
    assert related("the wife of", "married")
    assert related("father", "is son of")
    assert not related("the director of film", "was born in")
    assert not related("the wife of", "is son of")
    assert not related("the mouth of", "is capital of")


def test_a_predicate_leads_to_someone_or_somewhere() -> None:
    assert direction("author", "was written by", forward=True) == 1
    assert direction("author", "wrote", forward=False) == 1
    assert direction("author", "was released in", forward=True) == -1
    assert direction("city", "was born in", forward=True) == 1
    assert direction("city", "was designed by", forward=True) == -1
    assert direction("thing", "was designed by", forward=True) == 0


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Did Bo Hale die before Ada Quill?", "date"),
        ("Which costs more, the oak or the palm?", "number"),
        ("Which magazine was started more recently, Harbour or Mill?", "date"),
    ],
)
def test_what_a_comparison_asks_for(question: str, kind: str) -> None:
    assert answer_type(question) == kind
