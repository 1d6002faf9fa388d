"""Replies as data: what is forgiven, what is dropped, and that nothing is made up."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.llm.reply_parser import (
    MAX_REPAIR,
    MAX_REPLY,
    Parsed,
    Unparsed,
    entities,
    fields,
    groups,
    listed_entities,
    reply_text,
    says_none,
    triples,
    values,
)
from gear_app.reader.replies import answer, reason

AB = (("Ada Quill", "was born in", "Port Mira"),)
TWO = (*AB, ("Port Mira", "lies on", "Sel"))
A = '["Ada Quill", "was born in", "Port Mira"]'
B = '["Port Mira", "lies on", "Sel"]'
PLACES = '[{"name": "Lorn", "type": "town"}, {"name": "Mira"}, {"name": "Sel"}]'
SEEN = tuple(("Ada Quill", "saw", place) for place in ("Lorn", "Mira", "Sel"))
BY_THE_SEA = (("Lorn", "lie by", "the sea"), ("Sel", "lie by", "the sea"))
FLAT = '{"subject": "Ada Quill", "predicate": "was born in", "object": "Port Mira"}'
NESTED = (
    '{"subject": {"name": "Ada Quill", "type": "Person"}, "predicate": "was born in",'
    ' "object": {"name": "Port Mira", "in": ["Lorn", "by", "Sel"]}, "evidence": ["a", "b", "c"]}'
)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        # as asked for
        (f'{{"named_entities": ["Ada Quill"], "triples": [{A}, {B}]}}', TWO),
        ('("Ada Quill", "was born in", "Port Mira")\n("Port Mira", "lies on", "Sel")', TWO),
        # around it
        (f'```json\n{{"triples": [{A}, {B}]}}\n```', TWO),
        (
            (
                f'Sure! Here is the graph (as JSON):\n\n{{"triples": [{A}, {B}]}}\n\nI hope this'
                " helps (really)."
            ),
            TWO,
        ),
        (f'<think>Maybe ["x", "y", "z"]?</think>[{A}, {B}]', TWO),
        (f'<think>It never ends ["x", "y", "z"] </think>\n~~~\n[{A}]\n~~~', AB),
        (f"Facts: {A}; {B}", TWO),
        # other brackets and quotes
        (f"[{A}, {B}]", TWO),
        (f"{A}\n{B}", TWO),
        ("[('Ada Quill', 'was born in', 'Port Mira'), ('Port Mira', 'lies on', 'Sel')]", TWO),
        ("{'triples': [['Ada Quill', 'was born in', 'Port Mira']]}", AB),
        (
            "[['Ada O'Quill', 'was born in', 'Mira's Port']]",
            (("Ada O'Quill", "was born in", "Mira's Port"),),
        ),
        (
            '[["Ada "the Pen" Quill", "lies", "by Sel"]]',
            (('Ada "the Pen" Quill', "lies", "by Sel"),),
        ),
        ("[“Ada Quill”, “was born in”, “Port Mira”]", AB),
        ("⟨Ada Quill, was born in, Port Mira⟩", AB),
        ("(Ada Quill, was born in, Port Mira)", AB),
        ("- (Ada Quill, was born in, Port Mira)\n- (Port Mira, lies on, Sel)", TWO),
        ("1. (Ada Quill, was born in, Port Mira), (Port Mira, lies on, Sel)", TWO),
        ("[[Ada Quill, was born in, Port Mira]]", AB),
        ("Ada Quill | was born in | Port Mira\nPort Mira | lies on | Sel", TWO),
        (
            '("Lights (film)", "made by [sic]", "Bo {H}")',
            (("Lights (film)", "made by [sic]", "Bo {H}"),),
        ),
        # objects
        ('[{"subject": "Ada Quill", "predicate": "was born in", "object": "Port Mira"}]', AB),
        (
            '{"triples": [{"head": "Ada Quill", "relation": "was born in", "tail": "Port Mira"}]}',
            AB,
        ),
        ("{Subject: 'Ada Quill', Predicate: 'was born in', Object: 'Port Mira'}", AB),
        # commas, colons, comments
        (f'{{"triples": [{A}, {B},]}}', TWO),
        ('[["Ada Quill", "was born in", "Port Mira",], ]', AB),
        (f'{{"triples": [{A} {B}]}}', TWO),
        ('[["Ada Quill" "was born in", "Port Mira"]]', AB),
        (f'{{"triples" = [{A}, // where\n{B}]}}', TWO),
        (f"{{triples: [{A}, ...]}}", AB),
        # cut off, or with a bracket missing
        (f'{{"triples": [{A}, ["Port Mira", "lies on", "Se', AB),
        (f'{{"triples": [{A}, ["Port Mira", "lies', AB),
        (f'{{"triples": [{A}, [', AB),
        (f'{{"triples": [{A}', AB),
        (f'{{"triples": [{A}, {B[:-1]}', TWO),
        ('{"triples": [["Ada Quill", "was born in", "Port Mira"}', AB),
        ('[("Ada Quill", "was born in", "Port Mira"]', AB),
        # items that are no triples, beside one that is
        (f'{{"triples": [{A}, ["Port Mira", "lies on"]]}}', AB),
        (f'[{A}, ["Port Mira", "lies on", "Sel", "1951"]]', AB),
        (
            (
                f'[{A}, ["Port Mira", "", "Sel"], ["Port Mira", "lies on", null], [], ["-", "is",'
                ' "?"]]'
            ),
            AB,
        ),
        (f"[{A}, {A}, {A}]", AB),
        (
            '[["Harbour Lights", "is a film of", 1951]]',
            (("Harbour Lights", "is a film of", "1951"),),
        ),
        ("[['Sel', 'is long', 1e999, ]]", (("Sel", "is long", "1e999"),)),
        ('[["Caf\\u00e9 Sel", "lies in", "Port\\nMira"]]', (("Café Sel", "lies in", "Port Mira"),)),
        # a parenthesis in a sentence is no fact
        (f"In Lorn (Sel, Mira, 1951) he wrote, and (born, raised, buried) there:\n{A}", AB),
        # something nested in it
        ('{"triples": [["Ada Quill", "saw", ["Lorn", "Mira", "Sel"]], ' + A + "]}", (*SEEN, *AB)),
        ("[('Ada Quill', 'saw', ('Lorn', 'Mira', 'Sel'))]", SEEN),
        ('[[["Lorn", "Sel"], "lie by", "the sea"]]', BY_THE_SEA),
        ('[{"head": ["Lorn", "Sel"], "relation": "lie by", "tail": "the sea"}]', BY_THE_SEA),
        (f'[{{"head": "Ada Quill", "relation": "saw", "tail": {PLACES}}}]', SEEN),
        (f'{{"facts": [{{"triple": {NESTED}, "sure": 0.9}}]}}', AB),
        (f'[{{"metadata": {{"types": ["a", "b", "c"]}}, {FLAT[1:]}]', AB),
        (f"{FLAT[:-1]}, sources: [[1, 2, 3], [4, 5, 6]]}}", AB),
        (f'{{"title": "Ada", "note": ["of", "three", "words"], "triples": [{A}]}}', AB),
        ('[["Ada Quill", "was born in", {"name": "Port Mira", "aka": ["Mira", "M", "P"]}]]', AB),
        # a bracket that was forgotten
        (f'{{"triples": [{A[:-1]}, {B}]}}', TWO),
        (
            f"{{{FLAT[1:-1]}, {{'subject': 'Port Mira', 'predicate': 'lies on', 'object': 'Sel'}}}}",
            TWO,
        ),
        # nothing, said plainly
        ("none", ()),
        ("None.", ()),
        ("[]", ()),
        ('{"triples": []}', ()),
        ("N/A", ()),
        ('{"named_entities": ["Ada Quill"], "triples": []}', ()),
        ("The documents contain no new facts that help.", ()),
    ],
)
def test_triples_of_every_form(reply: str, expected: tuple[tuple[str, str, str], ...]) -> None:
    assert triples(reply).value == expected


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "  \n",
        "```\n```",
        "<think>only thinking, and it never ends",
        "Ada Quill was born in Port Mira.",
        '{"named_entities": ["Ada Quill"]}',
        '{"named_entities": [], "triples": ',
        '{"triples": [["Ada Quill", "was',
        "{}",
        '("subject", "predicate", "object")',
        '[["Ada Quill", "Port Mira"]]',
        "[[[[[[[[[[",
        "[" * 50_000,
        '{"a":' * 20_000,
        "In Lorn (Sel, Mira, 1951) he wrote.",
        "x" * (MAX_REPLY + 1),
        "Sorry, I cannot help with that.",
        "I can't answer questions about people.",
        '[["\\", "\\", "\\"]]',
    ],
)
def test_replies_without_triples_are_not_taken_for_none(reply: str) -> None:
    with pytest.raises(Unparsed):
        triples(reply)


def test_what_was_dropped_is_told_as_it_stands() -> None:
    reply = (
        f'[{A}, ["Port Mira", "lies on"], ["a", "b", "c", "d"], ["Sel", "is", null], ["half", "of'
    )
    assert triples(reply).dropped == (
        '"Port Mira", "lies on"',
        '"a", "b", "c", "d"',
        '"Sel", "is", null',
        '"half"',
    )


@pytest.mark.parametrize(
    "item",
    [
        '["Ada Quill", "saw", ["Lorn", "Mira", "Sel"], "1951"]',
        '["Ada Quill", ["saw", "left", "sold"], "Lorn"]',
        '["Ada Quill", ["saw", "Lorn", "Mira"]]',
        '["Ada Quill", "saw", [["Lorn", "Mira", "Sel"], ["x", "y", "z"]]]',
        '[["Ada", "Bo"], "saw", ["Lorn", "Mira", "Sel"]]',
        '{"subject": "Ada Quill", "predicate": "saw", "object": {"of": ["Lorn", "by", "Sel"]}}',
        '{"subject": "Ada Quill", "predicate": {"x": ["a", "b", "c"]}, "object": "Sel"}',
    ],
)
def test_a_list_within_a_triple_that_cannot_be_read_is_no_triple(item: str) -> None:
    parsed = triples(f"[{item}, {A}]")
    assert parsed.value == AB and len(parsed.dropped) == 1
    with pytest.raises(Unparsed, match="no triple of three items"):
        triples(f'{{"triples": [{item}]}}')


def test_a_long_broken_item_is_dropped_and_not_repaired() -> None:
    """The repair library takes minutes for what a looping model writes."""
    broken = "('a' 'b'" * 200
    (group,) = groups(f"[{broken.replace('(', '')}]")
    assert len(group.text) > MAX_REPAIR and values(group) is None
    assert triples(f"[{A}, [{broken.replace('(', '')}]]").value == AB


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"named_entities": ["Ada Quill", "Sel"]}', ("Ada Quill", "Sel")),
        ('["Ada Quill", "Sel"]', ("Ada Quill", "Sel")),
        ("['Ada Quill', 'Sel',]", ("Ada Quill", "Sel")),
        ("{named_entities: [Ada Quill, Sel]}", ("Ada Quill", "Sel")),
        (
            '{"entities": [{"name": "Ada Quill", "type": "PERSON"}, {"name": "Sel"}]}',
            ("Ada Quill", "Sel"),
        ),
        ('{"named_entities": ["Ada Quill", "Se', ("Ada Quill",)),
        ('{"named_entities": ["Ada Quill", "Ada Quill", "Sel", ""]}', ("Ada Quill", "Sel")),
        ("The named entities are: ['Ada Quill', 'Sel']", ("Ada Quill", "Sel")),
        ("- Ada Quill\n- Sel\n", ("Ada Quill", "Sel")),
        ("1. Ada Quill\n2. Sel", ("Ada Quill", "Sel")),
        ('{"named_entities": [["Ada Quill"], ["Sel"]]}', ("Ada Quill", "Sel")),
        (
            '{"entities": [{"name": "Ada Quill", "aliases": ["A", "Q"]}, {"name": "Sel"}]}',
            ("Ada Quill", "Sel"),
        ),
        ('[{"name": "Ada Quill", "aka": ["A", "Q"]}, {"name": "Sel"}]', ("Ada Quill", "Sel")),
        ('{"text": "On Sel.", "named_entities": ["Ada Quill", "Sel"]}', ("Ada Quill", "Sel")),
        ('{"named_entities": []}', ()),
        ("none", ()),
        ("[]", ()),
    ],
)
def test_entities_of_every_form(reply: str, expected: tuple[str, ...]) -> None:
    assert entities(reply).value == expected


@pytest.mark.parametrize("reply", ["", "Ada Quill and Sel", "It is Sel (a river, long)."])
def test_prose_is_no_list_of_entities(reply: str) -> None:
    with pytest.raises(Unparsed):
        entities(reply)


def test_entities_beside_triples_are_only_those_under_their_name() -> None:
    assert listed_entities(
        f'{{"named_entities": ["Ada Quill", "Sel", "Lorn"], "triples": [{A}]}}'
    ).value[2:] == ("Lorn",)
    assert listed_entities(f"[{A}]") == Parsed(())


def test_fields_of_flat_objects() -> None:
    assert fields('So: {"Fast_Thought": "a", \'slow thought\': "b"} and {ok: true}') == {
        "fast thought": "a",
        "slow thought": "b",
        "ok": "True",
    }
    assert fields('{"answerable": true}') == {"answerable": "True"}
    assert fields('{"answerable": "No", "of": ["a", {"b": "c"}], "why": "d"}') == {
        "answerable": "No",
        "why": "d",
        "b": "c",
    }
    assert fields("no object") == {}


def test_words_that_say_nothing_and_words_that_do() -> None:
    assert all(map(says_none, ["none", "None.", "**N/A**", "[]", "null"]))
    assert not any(map(says_none, ["none of them", "Nonesuch", "0"]))
    assert reply_text("<THINKING>hm</THINKING>yes") == "yes"


PIECES = st.lists(
    st.sampled_from(
        [
            *"[](){}⟨⟩,:;\"'“”\\\n -|.",
            "Ada",
            "Sel",
            "born in",
            "1951",
            "null",
            "triples",
            "entities",
            "é",
        ]
    ),
    max_size=60,
).map("".join)


@given(PIECES)
def test_nothing_is_made_up(reply: str) -> None:
    """Every part of every triple and every entity stands in the reply, but for quotes, escapes and
    spaces.
    """

    def plain(text: str) -> str:
        return "".join(text.split()).translate({ord(c): None for c in "\\\"'“”"})

    for parse in (triples, entities):
        try:
            found = parse(reply).value
        except Unparsed:
            continue
        for words in found:
            for word in (words,) if isinstance(words, str) else words:
                assert plain(word.strip("`")) in plain(reply)


@given(
    st.lists(
        st.tuples(*[st.text("abc é'\"()[]{},:\\\n", min_size=1, max_size=9)] * 3),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_written_as_json_comes_back(facts: list[tuple[str, str, str]]) -> None:
    """Whatever stands in it, but for spaces and quotes at the ends, and items without words."""

    def bare(part: str) -> str:
        return " ".join(part.split()).strip(" \t\"'“”`")

    expected = dict.fromkeys(
        tuple(map(bare, f)) for f in facts if all(any(c.isalpha() for c in p) for p in f)
    )
    try:
        found = triples(json.dumps({"triples": facts})).value
    except Unparsed:
        found = ()
    assert found == tuple(expected)


GRAPH = {"named_entities": ["Ada", "Port Mira"], "triples": [["Ada", "was born in", "Port Mira"]]}
WRITTEN = json.dumps(GRAPH)


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(WRITTEN),
        json.dumps({"name": "extract_triples", "arguments": WRITTEN}),
        "｛“named_entities”：［“Ada”，“Port Mira”］，“triples”：［［“Ada”，“was born in”，“Port Mira”］］｝",
        '{"named_entities": ["Ada"，"Port Mira"]，"triples": [["Ada"，"was born in"，"Port Mira"]]}',
        WRITTEN + '\n\nWait. ["Port Mira", "was born in", "Ada"] would be wrong.',
        'Here is the format: {"triples": [["subject", "predicate", "object"]]}\n\n' + WRITTEN,
    ],
)
def test_json_in_odd_forms_is_read(reply: str) -> None:
    assert triples(reply).value == (("Ada", "was born in", "Port Mira"),)
    assert listed_entities(reply).value == ("Ada", "Port Mira")


def test_half_a_character_in_json_is_replaced() -> None:
    assert triples('[["Ada \\ud83d Quill", "was", "X\\u0000"]]').value == (
        ("Ada \ufffd Quill", "was", "X\ufffd"),
    )


@pytest.mark.parametrize(
    "reply",
    [
        "<refusal>Nein.</refusal>",
        "I'm sorry, but I can't help with that request.",
        "I'm sorry, I can't assist with that.",
        "I cannot comply with this.",
        "Unfortunately, I am unable to provide an answer.",
    ],
)
def test_a_refusal_is_no_answer(reply: str) -> None:
    for parse in (triples, answer, reason):
        with pytest.raises(Unparsed, match="is a refusal: "):
            parse(reply)


@pytest.mark.parametrize("reply", ["Sorry", "I Can't Help Myself", "I will not be moved"])
def test_titles_are_no_refusals(reply: str) -> None:
    assert answer(reply).value == reply


@pytest.mark.parametrize(
    "reply", ['"Lorn" by Ada', "他说：“Lorn”，“Sel”", '{"a": 1} {"b": 2}', "1954 it was"]
)
def test_text_with_quotes_is_left_as_it_is(reply: str) -> None:
    assert reply_text(reply) == reply
