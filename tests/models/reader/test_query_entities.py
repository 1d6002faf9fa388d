"""Named entities: what the graph knows, what capitals say, and what neither makes a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.core.text import normalise_entity
from gear_app.models.reader.query_entities import named_entities

KNOWN = frozenset(
    (
        "harbour lights, ada quill, port mira, lorn, film, director, country, who, in, the storm,"
        " the who, fox, the fox and the lark, casey, willy vane, sel bridge, place of birth, 2017,"
        " reign of terror, quill s, quill"
    ).split(", ")
)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Where was the director of Harbour Lights born?", ["Harbour Lights"]),
        (
            "Which film has the older director, Harbour Lights or Winter Lights?",
            ["Harbour Lights", "Winter Lights"],
        ),
        ("What is the place of birth of Ada Quill's father?", ["Ada Quill"]),
        ("Who directed The Storm?", ["The Storm"]),
        ("Who plays Ann in Fox and the Lark?", ["Ann", "Fox and the Lark"]),  # known with "the"
        ("Where was Levi Casey born?", ["Levi Casey"]),  # not "Casey"
        ("Who led France during the reign of terror?", ["France", "reign of terror"]),
    ],
)
def test_the_names_of_a_question(question: str, names: list[str]) -> None:
    assert list(named_entities(question, KNOWN)) == names


@pytest.mark.parametrize(
    ("question", "names"),
    [
        (
            "where was the director of harbour lights born?",
            ["harbour lights"],
        ),  # not "director" too
        ("what is the place of birth of ada quill?", ["ada quill"]),  # one asks by "place of birth"
        ("did the fox reach lorn?", []),  # two words that could be: no telling which are names
    ],
)
def test_without_capitals_only_what_is_surely_a_name(question: str, names: list[str]) -> None:
    assert list(named_entities(question, KNOWN)) == names


words = st.sampled_from(
    ["Who", "the", "Harbour", "Lights", "lights", "'s", "(", ")", ".", "?", "1951", "ß", "İ", "Ⅷ"]
)
texts = st.lists(words, max_size=12).map(" ".join) | st.text(max_size=25)


@given(texts, st.frozensets(texts.map(normalise_entity), max_size=4))
def test_names_are_stretches_of_the_question_in_its_order_and_each_once(
    text: str, known: frozenset[str]
) -> None:
    found = named_entities(text, known)
    assert found == named_entities(text, known)
    assert len({normalise_entity(name) for name in found}) == len(found)
    place = 0
    for name in found:
        assert normalise_entity(name)
        place = text.index(name, place) + len(name)
