"""What the local reader answers from triples: where its chain ends, or nothing."""

from __future__ import annotations

import pytest

from gear_app.core.types import ProximalTriple
from gear_app.models.reader.roles import ReasonRequest
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
    assert not ask(ReasonRequest([ProximalTriple(*fact)], question)).answer


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
    assert ask(ReasonRequest(memory, question)).answer == expected
