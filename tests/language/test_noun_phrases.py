"""Noun phrases that lie in one another, and clauses put back to their nouns."""

from __future__ import annotations

import pytest

from gear_app.language.noun_phrases import levels
from gear_app.language.query import Query, asked_noun, compared_names, straightened, text_of


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
        (
            "Where does the painter whose barge was sunk by the Nixe live?",
            "Nixe",
            ["whose barge was sunk by the Nixe", "the painter whose barge was sunk by the Nixe"],
        ),
        (  # a list in a clause
            "Who is the skipper of the cutter that brought oil and the mail from Ostwick?",
            "Ostwick",
            [
                "the mail from Ostwick",
                "the cutter that brought oil and the mail from Ostwick",
                "the skipper of the cutter that brought oil and the mail from Ostwick",
            ],
        ),
    ],
)
def test_noun_phrases_around_a_name_innermost_first(
    question: str, name: str, expected: list[str]
) -> None:
    assert phrases(question, name) == expected


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
