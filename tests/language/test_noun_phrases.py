"""Noun phrases that lie in one another, and clauses put back to their nouns."""

from __future__ import annotations

import pytest

from gear_app.language.noun_phrases import levels
from gear_app.language.query import Query, text_of
from gear_app.language.questions import asked_noun, compared_names, straightened


def phrases(question: str, name: str) -> list[str]:
    query = Query(question, [name])
    anchor = next(a for a in query.anchors if text_of(query, a.first, a.last) == name)
    return [text_of(query, level.first, level.last) for level in levels(query, anchor)]


@pytest.mark.parametrize(
    ("question", "name", "expected"),
    [
        (
            "Where was the owner of the mill that burned down in Ostwick born?",
            "Ostwick",
            [
                "the mill that burned down in Ostwick",
                "the owner of the mill that burned down in Ostwick",
            ],
        ),
        (
            "Which canal is drained by the pump that was drawn by the woman who first measured"
            " Mount Sorrel?",
            "Mount Sorrel",
            [
                "the woman who first measured Mount Sorrel",
                "the pump that was drawn by the woman who first measured Mount Sorrel",
            ],
        ),
        (  # the verb of the clause follows its subject
            "Which abbey was named after a psalm by the monk whom Edda Varn first taught?",
            "Edda Varn",
            [
                "the monk whom Edda Varn first taught",
                "a psalm by the monk whom Edda Varn first taught",
            ],
        ),
        (  # a clause without its "that"
            "Who sells the salve that heals the rash Edda Varn described?",
            "Edda Varn",
            ["the rash Edda Varn described", "the salve that heals the rash Edda Varn described"],
        ),
        (  # two verbs in a row end two clauses
            "When was the yacht after which the café in Ostwick is named built?",
            "Ostwick",
            ["the café in Ostwick", "the yacht after which the café in Ostwick is named"],
        ),
        (
            "Where does the painter whose barge was sunk by the Nixe live?",
            "Nixe",
            ["whose barge was sunk by the Nixe", "the painter whose barge was sunk by the Nixe"],
        ),
        (
            "What is the place of birth of the author of Winter Lights?",
            "Winter Lights",
            ["the author of Winter Lights", "the place of birth of the author of Winter Lights"],
        ),
    ],
)
def test_noun_phrases_around_a_name_innermost_first(
    question: str, name: str, expected: list[str]
) -> None:
    assert phrases(question, name) == expected


@pytest.mark.parametrize(
    ("question", "name", "expected"),
    [
        (
            "When did the county where the Ostwick mill is found become part of the union?",
            "Ostwick",
            ["the Ostwick mill", "the county where the Ostwick mill is found"],
        ),
        (
            "When did the league of Ada Quill's team dissolve?",
            "Ada Quill",
            ["Ada Quill's team", "the league of Ada Quill's team"],
        ),
        (
            "When did the town where the Psalm Games were held fall?",
            "Psalm Games",
            ["the town where the Psalm Games were held"],
        ),
        (  # the last word is a noun: the verb is the infinitive before it
            "When did the town where Ada Quill died become its own country?",
            "Ada Quill",
            ["the town where Ada Quill died"],
        ),
        (
            "What did the man who drew the Orm Tower use as a ground for his new beliefs?",
            "Orm Tower",
            ["the man who drew the Orm Tower"],
        ),
        (
            "When did the country containing Ostwick leave the union?",
            "Ostwick",
            ["the country containing Ostwick"],
        ),
        (  # which may have no object
            "When did the man who drew the Orm Tower train abdicate?",
            "Orm Tower",
            ["the Orm Tower train", "the man who drew the Orm Tower train"],
        ),
        (  # what the county does belongs to it
            "Did the seat of the county sharing a border with the county of Ostwick burn?",
            "Ostwick",
            [
                "the county of Ostwick",
                "a border with the county of Ostwick",
                "the county sharing a border with the county of Ostwick",
                "the seat of the county sharing a border with the county of Ostwick",
            ],
        ),
        (  # a star is no verb where one follows
            "Where did the film star Ada Quill met live?",
            "Ada Quill",
            ["the film star Ada Quill met"],
        ),
        (
            "In which part of the land where the mouth of the Orle is seen did the famine begin?",
            "Orle",
            ["the mouth of the Orle", "the land where the mouth of the Orle is seen"],
        ),
        (
            "Who rules the state that has the birthplace of Edda Varn as its capital?",
            "Edda Varn",
            [
                "the birthplace of Edda Varn",
                "the state that has the birthplace of Edda Varn as its capital",
            ],
        ),
        (
            "The county where Edda Varn died has how many mills?",
            "Edda Varn",
            ["The county where Edda Varn died"],
        ),
    ],
)
def test_the_verb_of_the_question_is_in_no_phrase_of_its_subject(
    question: str, name: str, expected: list[str]
) -> None:
    assert phrases(question, name) == expected


@pytest.mark.parametrize(
    ("question", "compound"),
    [
        ("When did the country containing Ostwick leave the union?", False),
        ("Who owns the oil painting Ostwick Mill?", True),  # nouns for all their endings
        ("Who directed the award winning Ostwick Mill?", True),
        ("Who leads the city planning office Ostwick?", True),
    ],
)
def test_what_a_noun_does_to_a_name_is_no_part_of_the_noun(question: str, compound: bool) -> None:
    query = Query(question, ())
    (level, *_) = levels(query, query.anchors[0])
    assert level.compound is compound


def test_a_name_with_a_noun_beside_it_is_one_compound() -> None:
    query = Query("Who is the broker of the Ghent scanners?", ["Ghent"])
    inner, outer = levels(query, query.anchors[0])
    assert text_of(query, inner.first, inner.last) == "the Ghent scanners"
    assert inner.compound and not outer.compound
    assert outer.head == "broker"


@pytest.mark.parametrize(
    ("question", "straight"),
    [
        (
            "In which town was the potter born who glazed the dome of Lorn?",
            "In which town was the potter who glazed the dome of Lorn born?",
        ),
        (
            "Where did the keeper of the inn grow up that faces Port Mira?",
            "Where did the keeper of the inn that faces Port Mira grow up?",
        ),
        (
            "In whose school had the girl been trained who mapped Lorn?",
            "In whose school had the girl who mapped Lorn been trained?",
        ),
        ("Who was born in the town that burned?", "Who was born in the town that burned?"),
        ("Where was Ada Quill born?", "Where was Ada Quill born?"),
    ],
)
def test_a_clause_behind_the_verb_is_put_back_to_its_noun(question: str, straight: str) -> None:
    assert straightened(question) == straight


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("Into which lake did the cart fall?", "lake"),
        ("Which local paper was edited by Bo Hale?", "local paper"),
        ("Which town lies on the same river as Port Mira?", "town"),
        ("Which rowing club in Lorn has a boat?", "rowing club"),
        ("Who edited the paper?", ""),
    ],
)
def test_the_noun_a_question_asks_by(question: str, noun: str) -> None:
    assert asked_noun(Query(question, [])) == noun


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who was born first, Bo Hale or Ada Quill?", ["Bo Hale", "Ada Quill"]),
        ("Are both Lorn and Port Mira in the same country?", ["Lorn", "Port Mira"]),
        (
            "Is the director of film Harbour Lights and director of film Winter Lights the same?",
            ["Harbour Lights", "Winter Lights"],
        ),
        ("Who directed Harbour Lights in the town where Bo Hale was born?", []),
    ],
)
def test_compared_names(question: str, names: list[str]) -> None:
    query = Query(question, names)
    assert [text_of(query, a.first, a.last) for a in compared_names(query)] == names
