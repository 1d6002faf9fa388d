"""The phrase around a name, without a parser."""

from __future__ import annotations

import pytest

from gear_app.language.phrases import asks_one_thing, compared_names, phrase_around, text_of
from gear_app.language.query import Query


@pytest.mark.parametrize(
    ("question", "name", "phrase", "head"),
    [
        (
            "Who led the association which published Psyche Quarterly?",
            "Psyche Quarterly",
            "the association which published Psyche Quarterly",
            "association",
        ),
        (
            "What is the waterfall in the country where the Bubye River is found?",
            "Bubye River",
            "the country where the Bubye River is found",
            "country",
        ),
        (
            "What is the snowfall in the city where the performers of Brother were formed?",
            "Brother",
            "the performers of Brother",
            "performers",
        ),
        (
            "Which hotel is best in Gisvi's city of birth?",
            "Gisvi",
            "Gisvi's city of birth",
            "city of birth",
        ),
        ("When did Lothair II's mother die?", "Lothair II", "Lothair II's mother", "mother"),
        ("Who was Ada Quill's mother's husband?", "Ada Quill", "Ada Quill's mother", "mother"),
        (
            "Where was the director of Harbour Lights born?",
            "Harbour Lights",
            "the director of Harbour Lights",
            "director",
        ),
        (
            "What is the airport in the birth place of the director of Harbour Lights?",
            "Harbour Lights",
            "the director of Harbour Lights",
            "director",
        ),
        (
            "Humboldt Peak, in the state where Silverton is located, is part of what range?",
            "Silverton",
            "the state where Silverton is located",
            "state",
        ),
        (
            "Where was the designer of the bridge nicknamed Galloping Gertie born?",
            "Galloping Gertie",
            "the bridge nicknamed Galloping Gertie",
            "bridge",
        ),
        (
            "Who discovered the star whose pulses are on Unknown Pleasures?",
            "Unknown Pleasures",
            "the star whose pulses are on Unknown Pleasures",
            "star",
        ),
        ("Who was born first, Bo Hale or Ada Quill?", "Ada Quill", "Ada Quill", ""),
        ("When did Lorn open?", "Lorn", "Lorn", ""),
    ],
)
def test_the_innermost_phrase_around_a_name(
    question: str, name: str, phrase: str, head: str
) -> None:
    query = Query(question, [name])
    anchor = next(a for a in query.anchors if text_of(query, a.first, a.last) == name)
    found = phrase_around(query, anchor)
    assert (text_of(query, found.first, found.last), found.head) == (phrase, head)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Where was Ada Quill born?", True),
        ("Who was the first president of Psyche Union?", True),
        ("What is the name of the waterfall in Zimbabwe?", True),
        ("Where was the director of Harbour Lights born?", False),
        ("What runs through the town where Ada Quill was born?", False),
        ("What is the longest river?", False),
    ],
)
def test_a_query_is_final_when_one_thing_is_left_to_ask(question: str, expected: bool) -> None:
    assert asks_one_thing(Query(question, [])) is expected


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
