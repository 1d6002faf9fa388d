"""Questions made of two triples: one that a person would ask, and those that are not made."""

from __future__ import annotations

import pytest

from gear_app.suggestions import suggest
from gear_app.suggestions.wording import clause, role
from gear_app.types import Passage, Span, Triple

FILM = Passage(1, "film", "Red Harbour", "Red Harbour is a film. It was directed by Ada Quill.")
LIFE = Passage(2, "life", "Ada Quill", "Ada Quill was born in Port Mira. She studied law there.")


def triple(passage: Passage, subject: str, predicate: str, object_: str) -> Triple:
    """A triple whose sentence is the one of the passage that has its object."""
    end = passage.text.find(".", passage.text.find(object_)) + 1
    before = passage.text[: passage.text.find(object_)]
    start = before.rfind(". ") + 2 if ". " in before else 0
    return Triple(passage.id * 10, passage.id, subject, predicate, object_, Span(start, end))


DIRECTED = triple(FILM, "Red Harbour", "was directed by", "Ada Quill")
BORN = triple(LIFE, "Ada Quill", "was born in", "Port Mira")


def asked(*triples: Triple, passages: tuple[Passage, ...] = (FILM, LIFE)) -> list[str]:
    return [one.question for one in suggest(triples, passages) if len(one.keys) == 2]


def test_two_triples_that_share_an_entity_make_a_question_with_its_answer_and_gold() -> None:
    first, *_ = suggest([DIRECTED, BORN], [FILM, LIFE])
    assert first.question == "Where was the director of Red Harbour born?"
    assert (first.answer, first.bridge, first.keys) == ("Port Mira", "Ada Quill", ("film", "life"))
    assert first.triples == (DIRECTED, BORN)


@pytest.mark.parametrize(
    ("text", "born"),
    [
        ("Ada Quill was born in Port Mira. She made Red Harbour.", "Port Mira"),  # answers it alone
        ("Ada Quill was born in Harbour Town.", "Harbour Town"),  # the question has it
        ("Ada Quill was born in Port Mira Heights.", "Port Mira"),  # a name cut out of a longer one
    ],
)
def test_a_question_that_needs_no_two_passages_is_not_made(text: str, born: str) -> None:
    life = Passage(2, "life", "Ada Quill", text)
    told = triple(life, "Ada Quill", "was born in", born)
    assert asked(DIRECTED, told, passages=(FILM, life)) == []
    both = Passage(1, "film", "Red Harbour", f"{FILM.text} {LIFE.text}")
    told = triple(both, "Ada Quill", "was born in", "Port Mira")
    assert asked(DIRECTED, told, passages=(both,)) == []


def test_an_entity_that_many_passages_name_is_no_bridge() -> None:
    others = [
        Passage(n, f"p{n}", f"Film {n}", f"Film {n} was seen by Ada Quill.") for n in range(3, 13)
    ]
    seen = [triple(one, one.title, "was seen by", "Ada Quill") for one in others]
    assert asked(DIRECTED, BORN, *seen, passages=(FILM, LIFE, *others)) == []


@pytest.mark.parametrize("name", ["film", "somebody", "Monday", "12 May 1951", "The Chapter: one"])
def test_what_is_no_specific_name_describes_nothing(name: str) -> None:
    film = Passage(1, "film", name, f"{name} was directed by Ada Quill.")
    directed = triple(film, name, "was directed by", "Ada Quill")
    assert asked(directed, BORN, passages=(film, LIFE)) == []


def test_an_answer_that_is_one_of_several_is_not_asked_for() -> None:
    other = Passage(3, "other", "Life", "Ada Quill was born in Lorn.")
    lorn = triple(other, "Ada Quill", "was born in", "Lorn")
    assert asked(DIRECTED, BORN, lorn, passages=(FILM, LIFE, other)) == []


def test_the_verb_of_another_subject_makes_no_question() -> None:
    life = Passage(2, "life", "Ada Quill", "The school of Ada Quill opened in Port Mira.")
    opened = triple(life, "Ada Quill", "opened in", "Port Mira")
    assert asked(DIRECTED, opened, passages=(FILM, life)) == []


def test_text_that_is_not_english_makes_none() -> None:
    words = "Ada Quill was born in Port Mira und die Stadt ist nicht mit der Brücke von dem Fluss"
    german = Passage(2, "life", "Ada Quill", f"{words} auf")
    born = Triple(20, 2, "Ada Quill", "was born in", "Port Mira", Span(0, len(words)))
    assert asked(DIRECTED, born, passages=(FILM, german)) == []


@pytest.mark.parametrize(
    "predicate",
    ["mentions", "is", "led expedition of", "for query reads", "", "built a studio at", "Subject"],
)
def test_a_predicate_that_makes_no_clause_is_no_relation(predicate: str) -> None:
    assert clause(predicate) is None


@pytest.mark.parametrize(
    ("predicate", "kind", "finite"),
    [
        ("was directed by", "passive", "was directed by"),
        ("born in", "state", "was born in"),
        ("designed", "action", "designed"),
        ("lies on", "action", "lies on"),
    ],
)
def test_a_predicate_is_understood(predicate: str, kind: str, finite: str) -> None:
    found = clause(predicate)
    assert found is not None
    assert (found.kind, found.finite) == (kind, finite)


def test_what_is_english_of_a_mixed_collection_makes_questions_and_its_forms_none() -> None:
    words = "und die Stadt ist nicht mit der Brücke von dem Fluss auf einer Seite " * 20
    german = [Passage(n, f"g{n}", "Stadt", f"{words}\nOrt: Mira\nLeiter: Ada") for n in range(3, 9)]
    assert asked(DIRECTED, BORN, passages=(FILM, LIFE, *german)) == asked(DIRECTED, BORN)


def test_a_role_and_a_relative_are_told_by_their_noun() -> None:
    predicates = ("was the son of", "mother", "designer of", "sons of", "is")
    assert list(map(role, predicates)) == ["son", "mother", "designer", "", ""]


def test_forms_of_questions() -> None:
    text = "Kestrel Works is a shipyard. It was founded by Ada Quill."
    firm = Passage(3, "firm", "Kestrel Works", text)
    founded = triple(firm, "Kestrel Works", "was founded by", "Ada Quill")
    studied = triple(LIFE, "Ada Quill", "studied", "law")
    (question,) = asked(founded, studied, passages=(firm, LIFE))
    assert question == "What did the founder of Kestrel Works study?"
    bridge = Passage(4, "bridge", "Sel Bridge", "Sel Bridge was built by Kestrel Works in 1951.")
    built = triple(bridge, "Sel Bridge", "was built by", "Kestrel Works")
    (question,) = asked(built, founded, passages=(firm, bridge))
    assert question == "Who founded the builder of Sel Bridge?"


# Of one passage


MILL = Passage(
    3, "mill", "Mill House", "The Mill House was built in 1887 by Henry Ward. It stands in Orrin."
)


def test_what_one_triple_says_makes_a_question_that_one_passage_answers() -> None:
    built = triple(MILL, "Mill House", "was built by", "Henry Ward")
    when = triple(MILL, "Mill House", "was built in", "1887")
    where = triple(MILL, "Mill House", "stands in", "Orrin")
    found = suggest([built, when, where], [MILL])
    assert [(one.question, one.answer) for one in found] == [
        ("When was the Mill House built?", "1887"),
        ("Where does the Mill House stand?", "Orrin"),
    ], "by whom it was built is not said in these words"
    assert (found[0].keys, found[0].triples) == (("mill",), (when,))
    (only,) = suggest([where], [MILL])
    assert (only.question, only.answer) == ("Where does the Mill House stand?", "Orrin")


def test_a_single_question_has_one_answer_and_does_not_hold_it() -> None:
    born = triple(LIFE, "Ada Quill", "was born in", "Port Mira")
    other = triple(LIFE, "Ada Quill", "was born in", "Lorn")
    assert [one.question for one in suggest([born], [LIFE])] == ["Where was Ada Quill born?"]
    assert suggest([born, other], [LIFE]) == []
    mentions = triple(LIFE, "Ada Quill", "mentions", "Port Mira")
    assert suggest([mentions], [LIFE]) == []
