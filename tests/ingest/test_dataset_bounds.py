"""Data sets: how long ids, names and passages may be, and how many there may be."""

from __future__ import annotations

import pytest

from gear_app.ingest import derived_key, read_files
from tests.ingest.reports import failure, json_lines

LONG = "word " * 1501
PARAGRAPHS = (("T", LONG), ("S", "Short."))


def triple(key: str, subject: str) -> dict[str, str]:
    return {"passage_id": key, "subject": subject, "predicate": "is", "object": "O"}


def test_an_id_that_is_too_long_to_be_repeated_names_no_parts() -> None:
    text = "word " * 1600
    rows = [{"id": "k" * size, "text": f"{text}{size}"} for size in (2000, 2001)]
    batch = read_files([("a.jsonl", json_lines(*rows))])
    keys = [p.key for p in batch.passages]
    assert keys[0] == "k" * 2000 + "#1"
    assert keys[-1] is None


def test_names_of_triples_and_entities_have_a_length() -> None:
    rows = [triple("p", "x" * size) for size in (1000, 1001)]
    named = json_lines({"passage_id": "p", "entities": ["x" * 1000, "x" * 1001]})
    batch = read_files([("triples.a.jsonl", json_lines(*rows)), ("entities.a.jsonl", named)])
    assert [len(t.subject) for t in batch.triple_sets["a"]] == [1000]
    assert [len(name) for name in batch.entities["a"][0].names] == [1000]
    told = batch.reports[0].message
    assert told.endswith("1 triple dropped: a name of more than 1,000 characters")


def test_a_passage_has_only_so_many_triples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.merge.MOST_TRIPLES", 2)
    words = [("p", "S1"), ("p", "S2"), ("p", "S2"), ("p", "S3"), ("q", "S3")]
    rows = json_lines(*(triple(*one) for one in words))
    (found,) = (batch := read_files([("triples.a.jsonl", rows)])).reports
    kept = [(t.passage_key, t.subject) for t in batch.triple_sets["a"]]
    assert kept == [("p", "S1"), ("p", "S2"), ("q", "S3")]
    assert "1 triple left out: a passage may have " in found.message


def test_the_entities_of_one_passage_are_joined_over_many_lines() -> None:
    rows = [{"passage_id": "p", "entities": [f"N{n}", "Ada"]} for n in range(3)]
    (found,) = read_files([("entities.a.jsonl", json_lines(*rows))]).entities["a"]
    assert (found.passage_key, found.names) == ("p", ("N0", "Ada", "N1", "N2"))


@pytest.mark.parametrize(
    ("hops", "kept"),
    [
        ("2", 2),
        ("99", 99),
        *((odd, None) for odd in ("100", "-1", "1e400", "-Infinity", "1" + "0" * 400)),
    ],
)
def test_a_number_of_hops_that_makes_no_sense_is_left_out(hops: str, kept: int | None) -> None:
    batch = read_files([("q.jsonl", b'{"id": "q", "question": "Q?", "hops": %s}' % hops.encode())])
    assert [(q.id, q.hops) for q in batch.questions] == [("q", kept)]


@pytest.mark.parametrize(
    "row",
    [
        {"paragraphs": [{"title": t, "paragraph_text": text} for t, text in PARAGRAPHS]},
        {"context": [[title, [text]] for title, text in PARAGRAPHS]},
    ],
    ids=["musique", "hotpot"],
)
def test_a_paragraph_of_a_question_that_is_too_long_is_cut(row: dict[str, object]) -> None:
    batch = read_files([("q.jsonl", json_lines({"id": "q", "question": "Q?", **row}))])
    assert [q.id for q in batch.questions] == ["q"]
    assert max(len(p.text.split()) for p in batch.passages) <= 125
    assert batch.passages[0].key == derived_key("T", LONG.strip()) + "#1"
    assert batch.passages[-1].text == "Short."
    told = batch.reports[0].message
    assert told.endswith("; passages of more than 1,500 words are cut into parts")


def test_a_passage_of_an_openie_file_that_is_too_long_is_left_out_with_its_triples() -> None:
    told = {"extracted_entities": ["X"], "extracted_triples": [["X", "is", "Y"]]}
    docs = [{"passage": f"T\n{text}", **told} for text in (LONG, "Short.")]
    batch = read_files([("o.json", json_lines({"docs": docs}))])
    assert [p.text for p in batch.passages] == ["Short."]
    assert [t.passage_key for t in batch.triple_sets["o"]] == [derived_key("T", "Short.")]
    left_out = "1 passage of more than 1,500 words left out, with all triples"
    assert left_out in batch.reports[0].message
    assert failure("o.json", json_lines({"docs": docs[:1]})) == (
        f"it looks like an OpenIE file, but none of its passages can be used: {left_out}"
    )
