"""What the local reader answers from triples: where its chain ends, or nothing."""

from __future__ import annotations

import pytest

from gear_app.core.types import ProximalTriple
from gear_app.models.reader.roles import REASON, ReaderRequest
from tests.models.reader.asking import ask


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("What is the founder of Brightway?", ("Brightway", "founder", "1987")),
        ("Who is the contact of Brightway?", ("Brightway", "contact", "020-7946-0123")),
        ("How many rooms has the Anchor?", ("Anchor", "has", "seven beds")),
        ("How many rooms has the Anchor?", ("Anchor", "not has", "seven rooms")),
        ("Which play did Quill write, a drama?", ("Quill", "write", "seven plays")),
    ],
)
def test_a_value_of_something_else_is_no_answer(question: str, fact: tuple[str, str, str]) -> None:
    assert not ask(ReaderRequest(REASON, question, memory=[ProximalTriple(*fact)])).answer


CREW = (
    ("Oskar Lind", "is captain of", "Petrel"),
    ("Oskar Lind", "is afraid of", "thunderstorms"),
    ("Oskar Lind", "repaired", "lantern of the Heron"),
    ("Petrel", "was built by", "Tom Vane"),
    ("Ms Vane", "sails on", "Gull"),
    ("Heron", "was built in", "1911"),
    ("Petrel", "was built in", "1925"),
)
CAPTAIN, REPAIRER = CREW[0], CREW[2]


@pytest.mark.parametrize(
    ("facts", "question", "expected"),
    [
        (CREW[:2], "What is the captain of the Petrel afraid of?", "thunderstorms"),
        (
            (REPAIRER, CREW[1]),
            "What is the man afraid of who repaired the lantern of the Heron?",
            "thunderstorms",
        ),
        (CREW[:1], "Who is the captain of the Petrel?", "Oskar Lind"),
    ],
)
def test_a_name_that_is_asked_for_is_answered_also_where_the_question_has_it(
    facts: tuple[tuple[str, str, str], ...], question: str, expected: str
) -> None:
    memory = [ProximalTriple(*fact) for fact in facts]
    assert ask(ReaderRequest(REASON, question, memory=memory)).answer == expected


DATES = (
    ("Bo Hale", "was born on", "3 May 1902"),
    ("Ada Quill", "was born on", "12 April 1902"),
    ("Harbour Lights", "was directed by", "Bo Hale"),
    ("Winter Lights", "was directed by", "Ada Quill"),
    ("Bo Hale", "was born in", "Lorn"),
    ("Ada Quill", "was born in", "Ostwick"),
    ("Bo Hale", "was born in", "1902"),
)


@pytest.mark.parametrize(
    ("facts", "question", "expected"),
    [
        (DATES[:2], "Who was born first, Bo Hale or Ada Quill?", "Ada Quill"),
        (DATES[:2], "Who is younger, Bo Hale or Ada Quill?", "Bo Hale"),
        (DATES[:2], "Was Bo Hale born before Ada Quill?", "no"),
        (DATES[:2], "Was Bo Hale born after Ada Quill?", "yes"),
        (
            (*DATES[2:4], *DATES[:2]),
            "Which film has the older director, Harbour Lights or Winter Lights?",
            "Winter Lights",
        ),
        (DATES[4:6], "Were Bo Hale and Ada Quill born in the same town?", "no"),
        # the years are the same, a date of another event, one date of two
        ((DATES[6], DATES[1]), "Who was born first, Bo Hale or Ada Quill?", ""),
        (DATES[:2], "Who died first, Bo Hale or Ada Quill?", ""),
        (DATES[:1], "Who was born first, Bo Hale or Ada Quill?", ""),
    ],
)
def test_two_dates_choose_one_of_two_names(
    facts: tuple[tuple[str, str, str], ...], question: str, expected: str
) -> None:
    memory = [ProximalTriple(*fact) for fact in facts]
    assert ask(ReaderRequest(REASON, question, memory=memory)).answer == expected


DESIGNERS = (
    ("C++", "was designed by", "Bo Hale"),
    ("C", "was designed by", "Karl Aust"),
    ("C#", "was designed by", "Ida Brand"),
    ("Canal+", "was designed by", "Tom Vane"),
    ("Canal", "was designed by", "Ada Quill"),
)


@pytest.mark.parametrize(("name", "answer"), [(name, who) for name, _, who in DESIGNERS])
def test_a_name_that_differs_in_signs_is_another(name: str, answer: str) -> None:
    memory = [ProximalTriple(*fact) for fact in DESIGNERS]
    question = f"Who designed {name}?"
    assert ask(ReaderRequest(REASON, question, memory=memory)).answer == answer


DENIED = (
    ("Mara Holt", "not founded", "Orle Brewery"),
    ("Karl Aust", "never founded", "Orle Brewery"),
    ("Ida Brand", "could not found", "Orle Brewery"),
)


@pytest.mark.parametrize("fact", DENIED)
def test_what_a_fact_denies_is_no_answer(fact: tuple[str, str, str]) -> None:
    request = ReaderRequest(REASON, "Who founded the Orle Brewery?", memory=[ProximalTriple(*fact)])
    assert not ask(request).answer
