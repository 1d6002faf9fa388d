"""Questions suggested from triples and fields, and by a language model: those a person would ask,
and those that are not made.
"""

from __future__ import annotations

import json
import tracemalloc

import pytest

from gear_app.core.types import Passage, Span, Triple
from gear_app.models.messages import Unparsed
from gear_app.models.reader.roles import SUGGEST, ReaderRequest
from gear_app.models.suggestions import joined, suggest

FILM = Passage(1, "film", "Red Harbour", "Red Harbour is a film. It was directed by Ada Quill.")
LIFE = Passage(2, "life", "Ada Quill", "Ada Quill was born in Port Mira. She studied law there.")
TOWER = Passage(3, "tower", "", "東京タワーは内藤多仲が設計した塔です。")


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


def asked(*rows: list[object]) -> list[tuple[str, str, tuple[str, ...]]]:
    """What is kept of a language model's reply with these rows: question, answer, gold."""
    request = ReaderRequest(SUGGEST, passages=(FILM, LIFE, TOWER))
    value = request.parse(json.dumps({"questions": rows}, ensure_ascii=False)).value
    return [(item.question, item.answer, item.keys) for item in value]


def test_a_models_question_needs_two_documents_one_of_which_states_its_answer() -> None:
    question = "Where was the director of Red Harbour born?"
    kept = (question, "Port Mira", ("film", "life"))
    tower = ("東京タワーを設計した人の出身地は?", "Port", ("life", "tower"))
    rows: list[list[object]] = [
        [question, "Port Mira", "2, 1"],
        [question, "Port Mira", "documents 1 and 9"],  # no such document
        [question, "Port Mira", "0, 1"],
        [question, "Port Mira", "2, 2"],
        [question, "Port Mira", "1, 2, 3"],
        [question, "Port Harbour", "1, 2"],  # its words stand in neither
        ["Was Ada Quill born in Port Mira?", "Port Mira", "1, 2"],  # the question has it
        ["Where was the architect of the Sagrada Família born?", "Reus", "1, 2"],  # the prompt's
        [tower[0], "Port", "2, 3"],
    ]
    assert asked(*rows) == [kept, tower]
    assert asked(["Ada Quillの国の塔は?", "東京タワー", "2, 3"])[0][2] == ("life", "tower")
    with pytest.raises(Unparsed, match="holds no question with an answer"):
        asked(*rows[1:8])
    assert asked() == []  # what the prompt asks for where no two belong together


def test_passages_that_share_an_entity_are_read_first_the_rarest_before_others() -> None:
    passages = [Passage(n, str(n), f"Title {n}", "Text") for n in range(1, 21)]
    rows = [(1, "a", "b"), (15, "東京", "c"), (16, "d", "東京"), (20, "d", "e"), (18, "f", "d")]
    triples = [Triple(n, p, s, "is", o) for n, (p, s, o) in enumerate(rows, start=1)]
    ids = [passage.id for passage in joined(triples, passages)]
    assert ids == [16, 15, 18, 20, 1, 2, 3, 4, 5, 6, 7, 8]
    assert joined([], passages[:3]) == passages[:3]


def test_an_entity_that_all_passages_share_takes_little_memory() -> None:
    triples = [Triple(n, n, "Alice", "met", "Alice") for n in range(1_500)]
    tracemalloc.start()
    joined(triples, [FILM])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000
