"""Named entities: what the graph knows, what capitals say, and what neither makes a name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.core.text import normalise_entity
from gear_app.models.reader.query_entities import named_entities, names_title

KNOWN = frozenset(
    (
        "harbour lights, ada quill, port mira, lorn, film, director, country, who, in, the storm,"
        " the who, fox, the fox and the lark, casey, willy vane, sel bridge, place of birth, 2017,"
        " reign of terror, quill s, quill"
    ).split(", ")
)


@pytest.mark.parametrize(
    ("name", "title", "same"),
    [
        ("Harbour Lights", "HARBOUR  lights", True),
        ("The Storm", "Storm", True),
        ("Storm", "The Storm (1951 film)", True),
        ("Casey", "Levi Casey", False),
        ("The Who", "Who", False),  # no word of either tells anything
        ("(film)", "Storm (film)", False),
    ],
)
def test_a_name_is_a_title_in_all_words_that_tell(name: str, title: str, same: bool) -> None:
    assert names_title(name, title) is same


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Where was the director of Harbour Lights born?", ["Harbour Lights"]),
        (
            "Which film has the older director, Harbour Lights or Winter Lights?",
            ["Harbour Lights", "Winter Lights"],
        ),
        (
            "In which country is Port Mira?",
            ["Port Mira"],
        ),  # neither "In", "which" nor "country", though all are nodes
        ("What is the place of birth of Ada Quill's father?", ["Ada Quill"]),
        ("Where is Quill's grave?", ["Quill"]),  # the node "Quill's" is a slip of an extractor
        ("Who directed The Storm?", ["The Storm"]),
        ("Where was Levi Casey born?", ["Levi Casey"]),  # not "Casey"
        ("Who voiced Tod in Fox and the Lark?", ["Tod", "Fox and the Lark"]),
        ("When was Harbour Lights (2017 Film) released?", ["Harbour Lights"]),
        ("Besides Ada Quill, who lived in Lorn?", ["Ada Quill", "Lorn"]),
        (
            "There is a town by a lake. Who ruled it in 2017?",
            [],
        ),  # a sentence begins with a capital; a number is no name
        ("Who led France during the reign of terror?", ["France", "reign of terror"]),
        ("Where did I meet Ada Quill?", ["Ada Quill"]),  # a pronoun is no name
        ("Who fought in World War I?", ["World War I"]),  # a number is one
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
        ("WHERE WAS THE DIRECTOR OF HARBOUR LIGHTS BORN?", ["HARBOUR LIGHTS"]),
        ("Where Was The Director Of Harbour Lights Born?", ["Harbour Lights"]),
        ("what is the place of birth of ada quill?", ["ada quill"]),  # one asks by "place of birth"
        ("which river runs through lorn?", ["lorn"]),  # the only word that could be meant
        ("did the fox reach lorn?", []),  # two words that could be: no telling which are names
        ("which film won?", []),
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


@pytest.mark.parametrize(
    ("question", "known", "names"),
    [
        ("Who wrote A Lark's Morning?", {"lark", "morning"}, ("A Lark's Morning",)),
        ("Who wrote Winter's Edge?", {"winter", "edge"}, ("Winter's Edge",)),
        ("Who builds the Orm 146?", {"orm", "146"}, ("Orm 146",)),
    ],
)
def test_a_title_with_a_possessive_and_a_type_with_a_number_are_one_name(
    question: str, known: set[str], names: tuple[str, ...]
) -> None:
    assert named_entities(question, known) == names
