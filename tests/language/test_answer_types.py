"""What a question asks for, and what can answer it."""

from __future__ import annotations

import pytest

from gear_app.language.relations import answer_type, is_date, is_number, related


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("When did Bo Hale die?", "date"),
        ("Who was born first, Bo Hale or Ada Quill?", "date"),
        ("Who was the first president of the union?", "person"),
        ("Where was Ada Quill born?", "place"),
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
        ("22,513 students", False, True),
        ("April Jones", False, False),
        ("Port Mira", False, False),
        ("", False, False),
    ],
)
def test_dates_and_numbers(entity: str, date: bool, number: bool) -> None:
    assert (is_date(entity), is_number(entity)) == (date, number)


def test_related_ways_of_speaking() -> None:
    assert related("the director of film", "was directed by")
    assert related("the wife of", "married")
    assert related("father", "is son of")
    assert not related("the director of film", "was born in")
    assert not related("the wife of", "is son of")
    assert not related("the mouth of", "is capital of")
