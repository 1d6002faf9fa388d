"""Tables and JSON: bounds on what they hold, and rows of a wrong shape."""

from __future__ import annotations

import json

import pytest

from gear_app.ingest import read_files
from gear_app.ingest.rows import JsonLines, parse_json
from tests.ingest.reports import failure, json_lines, report


@pytest.mark.parametrize(
    ("limit", "most", "good", "bad", "message"),
    [
        (
            "MOST_ROWS",
            2,
            b"a,b\n1,2\n3,4",
            b"a,b\n1,2\n3,4\n5,6",
            "it has more than 2 rows; split it",
        ),
        ("MOST_CELLS", 2, b"a,b\n1,2", b"a,b\n1,2\n3,4", "it has more than 2 cells; split it"),
        (
            "MOST_COLUMNS",
            2,
            b"a,b\n1,2,3",
            b"c,a,b\n1,2,3",
            "it has more than 2 columns; keep those that ",
        ),
        (
            "MOST_OF_A_CELL",
            5,
            b"a,b\nwords,2",
            b"a,b\nwords,2\nwords!",
            "a cell has more than 5 characters: ",
        ),
    ],
)
def test_a_table_has_bounds(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int, good: bytes, bad: bytes, message: str
) -> None:
    monkeypatch.setattr(f"gear_app.ingest.tables.{limit}", most)
    assert report("a.csv", good).status == "accepted"
    assert failure("a.csv", bad).startswith(message)


@pytest.mark.parametrize("content", [b"text\n", b"just one line", b"\n\n,,\n"])
def test_tables_without_rows(content: bytes) -> None:
    assert report("a.csv", content).status == "failed"


@pytest.mark.parametrize(
    "content",
    [
        *(b"[" * 100_000, b'{"a":' * 100_000, b"{", b"nonsense", b"[1" + b"0" * 5000 + b"]"),
        *(b"[]", b"{}", b"null", b"3", b"[[1]]", b'[{"x": 1}]'),
    ],
)
def test_json_of_no_use_fails_with_a_sentence(content: bytes) -> None:
    assert failure("a.json", content)


@pytest.mark.parametrize(
    "row",
    [
        {"question": "Q?", "paragraphs": 3},
        {"question": "Q?", "paragraphs": [{"title": [], "paragraph_text": {}}]},
        {"question": ["Q?"], "supporting_ids": []},
        {"question": "Q?", "supporting_ids": 7},
        {"question": "Q?", "context": [["only a title"]]},
        {"question": "Q?", "context": {"title": ["a"]}},
        {"question": " "},
        {"passage_id": "a", "subject": {}, "predicate": "p", "object": "o"},
        {"passage_id": "a", "entities": 3},
        {"docs": [{"passage": []}, 7, {}]},
    ],
)
def test_rows_of_a_wrong_shape_fail_with_a_sentence(row: object) -> None:
    content = json.dumps([row] if "docs" not in str(row) else row).encode()
    assert "can be used" in failure("a.json", content)


@pytest.mark.parametrize("value", ["[]", "{}", "1,1"])
def test_json_has_only_so_many_values(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    row = '{"text": "Some words.", "other": [' + ",".join([value] * 10) + "]}"
    monkeypatch.setattr("gear_app.ingest.rows.MOST_JSON_BYTES", 5_000)
    assert report("a.json", row.encode()).status == "accepted"
    monkeypatch.setattr("gear_app.ingest.rows.MOST_JSON_BYTES", 800)
    assert failure("a.json", row.encode()).startswith("it holds too many values to be read at once")


def test_json_has_only_so_many_rows_or_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.rows.MOST_ROWS", 2)
    monkeypatch.setattr("gear_app.ingest.datasets.MOST_ROWS", 2)
    rows = [{"id": f"k{n}", "text": f"Row {n}."} for n in range(3)]
    assert report("a.json", json.dumps(rows[:2]).encode()).status == "accepted"
    assert report("a.jsonl", json_lines(*rows[:2])).status == "accepted"
    assert failure("a.json", json.dumps(rows).encode()) == "it has more than 2 rows; split it"
    assert failure("a.jsonl", json_lines(*rows)) == "it has more than 2 lines; split it"


def test_lines_are_parsed_one_by_one() -> None:
    lines = parse_json('{"id": "a"}\nno JSON\n{"id": "b"}\n')
    assert isinstance(lines, JsonLines)
    values = iter(lines)
    assert next(values) == {"id": "a"} and [*lines.notes.sentences()] == []
    assert list(values) == [{"id": "b"}]
    assert [*lines.notes.sentences()] == ["1 line not JSON (the first is line 2)"]
    assert parse_json('[{"id": "a"}]') == [{"id": "a"}]


def rows(text: str | bytes, name: str = "a.csv") -> list[str]:
    """The passages of a table, each in one line."""
    content = text.encode() if isinstance(text, str) else text
    return [p.text.replace("\n", " / ") for p in read_files([(name, content)]).passages]


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        ("sep=;\nboat;keeper\nBlue, old;Ida\n", ["boat: Blue, old / keeper: Ida"]),
        ('"sep=\t"\nboat\tkeeper\nBlue\tIda\n', ["boat: Blue / keeper: Ida"]),
        (
            "boat;price\nBlue, old;3,50\nGreen;4,25\n",
            ["boat: Blue, old / price: 3,50", "boat: Green / price: 4,25"],
        ),
        ("boat;price\nBlue;3,50, or 4\n", ["boat: Blue / price: 3,50, or 4"]),
        ("boat, old;price\nBlue, wet;3\n", ["boat, old: Blue, wet / price: 3"]),
        ("boat, old\tprice\nBlue, wet\t3\n", ["boat, old: Blue, wet / price: 3"]),
        ("boat|keeper\nBlue|Ida; Bo\n", ["boat: Blue / keeper: Ida; Bo"]),
        ("one\nfish, salt\nropes\n", ["one: fish, salt", "one: ropes"]),
        (
            "Boats of Lorn\nas of May\n\nboat,keeper,since\nBlue,Ida,1998\nGreen,Bo,2001\n",
            ["Boats of Lorn / as of May", "boat: Blue / keeper: Ida / since: 1998",
             "boat: Green / keeper: Bo / since: 2001"],
        ),
        ("1,Rope,3.5\n2,Lamp,12\n3,Oar,7\n", ["1, Rope, 3.5", "2, Lamp, 12", "3, Oar, 7"]),
        (
            "town,1990,2000\nLorn,4,5\nMira,5,6\n",
            ["town: Lorn / 1990: 4 / 2000: 5", "town: Mira / 1990: 5 / 2000: 6"],
        ),
        (",boat,keeper\n0,Blue,Ida\n1,Green,Bo\n", ["0 / boat: Blue / keeper: Ida", "1 / boat: Green / keeper: Bo"]),
    ],
)  # fmt: skip
def test_the_form_of_a_table_is_found(text: str, passages: list[str]) -> None:
    assert rows(text) == passages


@pytest.mark.parametrize(
    ("text", "passages"),
    [
        (
            'boat\tnote\nBlue\t"old, they say\nGreen\t"new"\nRed\t5" deck\n',
            [
                'boat: Blue / note: "old, they say',
                "boat: Green / note: new",
                'boat: Red / note: 5" deck',
            ],
        ),
        ('a,b\n1,"one\n2,two\n', ['a: 1 / b: "one', "a: 2 / b: two"]),
        ('a\tb\n1\t"one\ntwo"\n2\tx\n', ["a: 1 / b: one two", "a: 2 / b: x"]),
        ('a,b\n1,"one, \ntwo, three"\n', ["a: 1 / b: one, two, three"]),
    ],
)
def test_a_lone_quotation_mark_swallows_no_rows(text: str, passages: list[str]) -> None:
    assert rows(text) == passages


def test_cells_beyond_the_columns_are_kept_and_told() -> None:
    text = "name;note\nIda;keeps the key; lives here\nBo;mends;ropes;sails\nCy;rows;;\n"
    notes = [one.partition("note: ")[2] for one in rows(text)]
    assert notes == ["keeps the key; lives here", "mends;ropes;sails", "rows"]
    told = report("a.csv", text.encode()).message
    assert told.endswith("2 rows with more cells than columns, joined to the last")


def test_what_stands_beside_a_text_is_in_its_passage() -> None:
    text = "when,who,where,text\nMay,Ida,pier,It is wet.\nJune,Bo,pier,It is dry.\n"
    dry = "when: June / who: Bo /  / It is dry."
    assert rows(text) == ["when: May / who: Ida /  / It is wet.", dry]
    told = report("a.csv", text.encode()).message
    assert "the same in all rows, left out: where (pier)" in told
    lines = '{"text": "It is wet.", "who": ["Ida", "Bo"], "n": 3}\n{"text": "Dry.", "n": 4}\n'
    assert rows(lines, "a.jsonl") == ["who: Ida, Bo / n: 3 /  / It is wet.", "n: 4 /  / Dry."]


NESTED = [
    {"text": "It is wet.", "meta": {"author": "Ida", "tags": ["a", 2], "in": {"year": 1934}}},
    {"text": "Dry.", "by": [{"name": "Bo"}, {"name": "Cy"}], "at": [[1, 2], [3]], "no": None},
]


def test_what_is_nested_is_in_the_passage_too() -> None:
    assert rows(json_lines(*NESTED), "a.jsonl") == [
        "meta.author: Ida / meta.tags: a, 2 / meta.in.year: 1934 /  / It is wet.",
        "by.name: Bo / by.name: Cy / at: 1, 2 / at: 3 /  / Dry.",
    ]
    told = read_files([("a.json", json.dumps(NESTED).encode())]).reports[0].message
    assert told.endswith("left out: meta.author, meta.tags, meta.in.year, by.name, at")
    deep = '{"text": "Wet.", "a": ' + '{"b": [' * 200 + '"Ida", "Bo"' + "]}" * 200 + "}"
    assert rows(deep, "a.json")[0].endswith(".b: Ida, Bo /  / Wet.")


def test_rows_that_are_no_objects_are_texts_or_told() -> None:
    given = [{"text": "It is wet."}, "It is dry.", [1, 2], None, 3]
    for name, content in (("a.json", json.dumps(given).encode()), ("a.jsonl", json_lines(*given))):
        assert rows(content, name) == ["It is wet.", "It is dry."]
        told = report(name, content).message
        assert told.endswith("3 rows left out: neither an object nor words, as [1, 2]")


def test_of_a_corpus_the_texts_stay_and_other_fields_are_told() -> None:
    wet = {"id": "a", "text": "It is wet.", "who": "Ida", "metadata": {}}
    lines = json_lines(wet, {"id": "b", "text": "Dry."})
    assert rows(lines, "a.jsonl") == ["It is wet.", "Dry."]
    assert report("a.jsonl", lines).message == "2 passages; fields left out: who"


@pytest.mark.parametrize(
    ("text", "id_", "gold"),
    [
        ("Question,Answer\nWho rows?,Ida\n", None, ()),
        ("question,ground_truth,answer\nWho rows?,Ida,A wrong one\n", None, ()),
        ("query;ground_truth;Question ID\nWho rows?;Ida;q9\n", "q9", ()),
        ('id,Question Text,answers,gold\nq1,Who rows?,Ida,"a, b"\n', "q1", ("a", "b")),
    ],
)
def test_a_table_of_questions_is_no_document(
    text: str, id_: str | None, gold: tuple[str, ...]
) -> None:
    batch = read_files([("a.csv", text.encode())])
    (question,) = batch.questions
    assert (question.question, question.answers) == ("Who rows?", ("Ida",))
    assert question.supporting_keys == gold and id_ in (None, question.id)
    assert not batch.passages


def test_a_table_with_questions_and_without_answers_is_a_document() -> None:
    text = "question,date\nWho rows?,May\nWho swims?,June\n"
    assert rows(text)[0] == "question: Who rows? / date: May"


def test_a_lone_quotation_mark_is_seen_in_a_long_table_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.tables.HEAD", 3_000)
    text = "boat\tnote\n" + 'Blue\t"old\n' + "Green\tnew and dry\n" * 400
    assert rows(text) == ['boat: Blue / note: "old', "boat: Green / note: new and dry"]
