"""Questions suggested from triples and fields: those a person would ask, and those that are not made."""

from __future__ import annotations

import pytest

from gear_app.core.types import Passage, Span, Triple
from gear_app.models.suggestions import suggest

FILM = Passage(1, "film", "Red Harbour", "Red Harbour is a film. It was directed by Ada Quill.")
LIFE = Passage(2, "life", "Ada Quill", "Ada Quill was born in Port Mira. She studied law there.")


def triple(passage: Passage, subject: str, predicate: str, object_: str) -> Triple:
    """A triple whose sentence is the passage's first one with its object."""
    at = passage.text.find(object_)
    start = passage.text.rfind(". ", 0, at) + 2 if ". " in passage.text[:at] else 0
    end = passage.text.find(".", at) + 1
    return Triple(passage.id * 10, passage.id, subject, predicate, object_, Span(start, end))


DIRECTED = triple(FILM, "Red Harbour", "was directed by", "Ada Quill")
BORN = triple(LIFE, "Ada Quill", "was born in", "Port Mira")


def two_hop(*triples: Triple, passages: tuple[Passage, ...] = (FILM, LIFE)) -> list[str]:
    return [item.question for item in suggest(triples, passages) if len(item.keys) == 2]


def test_two_triples_that_share_an_entity_make_a_question_with_answer_and_gold() -> None:
    first, *_ = suggest([DIRECTED, BORN], [FILM, LIFE])
    assert first.question == "Where was the director of Red Harbour born?"
    assert (first.answer, first.topic, first.keys) == ("Port Mira", "Ada Quill", ("film", "life"))
    assert first.triples == (DIRECTED, BORN)


@pytest.mark.parametrize(
    ("text", "predicate", "answer", "question"),
    [
        ("Ann Lee was written by Bo Ray.", "was written by", "Bo Ray", "Who wrote Ann Lee?"),
        ("Ann Lee died in 1951.", "died in", "1951", "When did Ann Lee die?"),
        ("Ann Lee designed Sel Bridge.", "designed", "Sel Bridge", "What did Ann Lee design?"),
    ],
)
def test_each_template_makes_a_question_of_one_passage(
    text: str, predicate: str, answer: str, question: str
) -> None:
    passage = Passage(3, "p", "Ann Lee", text)
    (suggested,) = suggest([triple(passage, "Ann Lee", predicate, answer)], [passage])
    assert (suggested.question, suggested.keys) == (question, ("p",))


@pytest.mark.parametrize(
    ("text", "born"),
    [
        ("Ada Quill was born in Port Mira. She made Red Harbour.", "Port Mira"),  # answers it alone
        ("Ada Quill was born in Harbour.", "Harbour"),  # the question names it
        ("Ada Quill was born in Port Mira Heights.", "Port Mira"),  # cut out of a longer name
        ("The school of Ada Quill was born in Port Mira.", "Port Mira"),  # another subject's verb
    ],
)
def test_a_question_that_does_not_need_both_passages_is_not_made(text: str, born: str) -> None:
    life = Passage(2, "life", "Ada Quill", text)
    born_in = triple(life, "Ada Quill", "was born in", born)
    assert two_hop(DIRECTED, born_in, passages=(FILM, life)) == []


def test_fields_make_questions_about_the_title_and_lead_to_another_passage() -> None:
    job = Passage(1, "job", "J-7", "Part: P-88\nReceived: 2 May\nItem: a radio")
    part = Passage(2, "part", "P-88", "Supplier: Capstan\nBin: under the stairs")
    (first,) = suggest([], [job, part])
    assert first.question == "What is the supplier of the part of J-7?"
    assert (first.answer, first.topic, first.keys) == ("Capstan", "P-88", ("job", "part"))
    span = first.triples[1].span
    assert span is not None and part.text[slice(*span)] == "Supplier: Capstan"
