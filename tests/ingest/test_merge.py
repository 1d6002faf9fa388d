"""Files that share texts or ids: each text is stored once and none is lost, and what names an id
means what its own file brought.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.ingest import Batch, read_files, read_path
from tests.ingest.make import make_zip
from tests.ingest.reports import json_lines

TEXT = b"Anna was born in Oslo."


def question(id_: str, gold: str, words: str = "Which?") -> dict[str, object]:
    return {"id": id_, "question": words, "supporting_ids": [gold]}


def texts(batch: Batch) -> dict[str | None, str]:
    return {passage.key: passage.text for passage in batch.passages}


@pytest.mark.parametrize(
    "files",
    [
        [("report.txt", TEXT), ("report (copy).txt", TEXT)],
        [("both.zip", make_zip({"report.txt": TEXT, "old/report 2.txt": TEXT}))],
        [("a.csv", b"text\n" + TEXT), ("b.jsonl", json_lines({"text": TEXT.decode()}))],
    ],
)
def test_a_text_that_comes_twice_is_one_document_whatever_the_files_are_called(
    files: list[tuple[str, bytes]],
) -> None:
    batch = read_files(files)
    assert [(len(batch.documents), len(batch.passages))] == [(1, 1)]
    first, second = batch.reports
    assert (first.status, second.status) == ("accepted", "skipped")
    assert second.message == f"the same text as {first.name}; stored once"


def test_the_ids_of_a_text_that_comes_again_mean_the_one_that_is_kept() -> None:
    copy = b"id,text\n7,Anna was born in Oslo.\n8,Oslo lies on a fjord.\n"
    batch = read_files(
        [
            ("a.csv", copy.replace(b"7", b"1").replace(b"8", b"2")),
            ("b.csv", copy),
            ("q.jsonl", json_lines(question("q", "8"))),
        ]
    )
    assert list(texts(batch)) == ["1", "2"]
    assert batch.questions[0].supporting_keys == ("2",)
    assert batch.aliases == {"7": "1", "8": "2"}


def test_two_tables_that_count_from_one_keep_all_their_rows() -> None:
    batch = read_files(
        [
            ("a.csv", b"id,title,text\n1,A,first words\n"),
            ("b.csv", b"id,title,text\n1,A,other words\n2,B,third words\n"),
        ]
    )
    assert texts(batch) == {"1": "first words", "b.csv:1": "other words", "2": "third words"}
    assert "1 passage with the id of another, kept as 'b.csv:1'" in batch.reports[1].message


@pytest.mark.parametrize("judged", ["setB/qrels/test.tsv", "setB/a_qrels.tsv"])
def test_what_names_an_id_means_what_lies_beside_it(tmp_path: Path, judged: str) -> None:
    """Two data sets side by side, each with passages and questions 1; the names of some files sort
    before what they refer to.
    """
    for name in ("setA", "setB"):
        folder = tmp_path / name
        (folder / "qrels").mkdir(parents=True)
        (folder / "corpus.jsonl").write_bytes(
            json_lines({"id": "1", "text": f"Of {name}."}, {"id": "2", "text": f"Other of {name}."})
        )
        (folder / "queries.jsonl").write_bytes(
            json_lines({"_id": "1", "text": f"What is in {name}?"})
        )
        (folder / "triples.s.jsonl").write_bytes(
            json_lines({"passage_id": "2", "subject": name, "predicate": "is", "object": "here"})
        )
    (tmp_path / "setA" / "qrels" / "test.tsv").write_text("1\t2\t1\n")
    (tmp_path / judged).write_text("1\t2\t3\n")
    batch = read_path(tmp_path)
    assert len(batch.passages) == 4
    first, second = batch.questions
    assert (first.id, first.question, first.grades) == ("1", "What is in setA?", {"2": 1})
    assert (second.id, second.question) == ("setB/queries.jsonl:1", "What is in setB?")
    assert second.grades == {"setB/corpus.jsonl:2": 3}
    assert [(one.passage_key, one.subject) for one in batch.triple_sets["s"]] == [
        ("2", "setA"),
        ("setB/corpus.jsonl:2", "setB"),
    ]


def test_a_judgment_that_says_otherwise_later_counts_and_is_told() -> None:
    rows = "q 0 a 1\nq 0 b 2\nq 0 a 0\nq 0 c -1\n"
    (report,) = (batch := read_files([("x.qrels", rows.encode())])).reports
    assert batch.gold == {"q": {"a": 0, "b": 2, "c": -1}}
    assert "1 judgment other than before on the same passage: the last one counts" in report.message
