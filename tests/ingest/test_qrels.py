"""BEIR's queries and judgments, and TREC's judgments."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from gear_app.errors import BadInput
from gear_app.exports.trec import qrels_lines
from gear_app.ingest import read_path
from gear_app.ingest.qrels import is_qrels, read_qrels
from gear_app.types import Question

CORPUS = (
    '{"_id": "harbour", "title": "Harbour Lights", "text": "It was directed by Ada Quill."}\n'
    '{"_id": "quill", "title": "Ada Quill", "text": "Ada Quill was born in Port Mira."}\n'
)
QUERIES = (
    '{"_id": "q1", "text": "Where was the director born?", "metadata": {"answer": "Port Mira"}}\n'
    '{"_id": "q2", "text": "Who is never judged?", "metadata": {}}\n'
)


def beir(folder: Path) -> Path:
    (folder / "qrels").mkdir()
    (folder / "corpus.jsonl").write_text(CORPUS)
    (folder / "queries.jsonl").write_text(QUERIES)
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq1\tquill\t1\n")
    (folder / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nq1\tharbour\t2\nq1\tquill\t1\nq9\tquill\t1\n"
    )
    (folder / "README.txt").write_text("no part of the data set")
    return folder


def test_a_beir_folder_becomes_passages_and_questions_with_gold(tmp_path: Path) -> None:
    batch = read_path(beir(tmp_path))
    assert [passage.key for passage in batch.passages] == ["harbour", "quill"]
    one, other = batch.questions
    assert (one.id, one.question, one.answers) == (
        "q1",
        "Where was the director born?",
        ("Port Mira",),
    )
    assert (one.supporting_keys, one.relevance) == (("quill", "harbour"), (1, 2))
    assert (other.supporting_keys, other.answers) == ((), ())
    assert batch.gold == {"q9": {"quill": 1}}
    assert [report.status for report in batch.reports if "README" in report.name] == ["skipped"]


@pytest.mark.parametrize(
    ("line", "gold"),
    [
        ("q1 0 a 1", {"q1": [("a", 1)]}),  # TREC
        ("q1\t0\ta\t1", {"q1": [("a", 1)]}),
        ("q1\ta\t1", {"q1": [("a", 1)]}),  # BEIR without its heading
        ("a question\tsome passage\t1", {"a question": [("some passage", 1)]}),
        ("q1 0 a 3.0", {"q1": [("a", 3)]}),
        ("q1 0 a -1", {"q1": [("a", -1)]}),
        ("my%20question 0 50%25%20off 1", {"my question": [("50% off", 1)]}),
        ("q1\t50%25\t1", {"q1": [("50%25", 1)]}),  # BEIR encodes nothing
    ],
)
def test_a_line_is_a_judgment_with_its_grade(
    line: str, gold: dict[str, list[tuple[str, int]]]
) -> None:
    assert read_qrels(line).gold == gold


def test_judgments_that_were_exported_come_back(tmp_path: Path) -> None:
    key, id_ = "a passage\twith 100% blanks", "the question: 5 %"
    lines = qrels_lines([Question(id_, "Who?", supporting_keys=(key,), relevance=(3,))])
    assert read_qrels("".join(lines)).gold == {id_: [(key, 3)]}


def test_lines_that_are_no_judgments_are_counted() -> None:
    contents = read_qrels("q1 0 a 1\nwhat is this\nq1 0 b nan\nq1 0 c 0.5\nq1 0 d 1e300")
    assert contents.gold == {"q1": [("a", 1)]}
    assert [*contents.notes.sentences()] == ["4 lines not a judgment (the first is line 2)"]


def test_a_file_without_judgments_is_refused() -> None:
    with pytest.raises(BadInput, match="no line has question, passage and relevance"):
        read_qrels("one\ntwo three\n")


@pytest.mark.parametrize(
    ("name", "judged"),
    [
        ("qrels/test.tsv", True),
        ("qrels.dev.tsv", True),
        ("dev.qrels", True),
        ("my_qrels.txt", True),
        ("qrels/readme.md", False),
        ("notes.txt", False),
        ("qrelsome.txt", False),
    ],
)
def test_judgments_are_known_by_their_name(name: str, judged: bool) -> None:
    assert is_qrels(PurePosixPath(name)) is judged
