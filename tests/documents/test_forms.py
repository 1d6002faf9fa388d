"""Question sets and corpora in the layouts in which they are published, with content of our own."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from gear_app.documents.files import Origin
from gear_app.documents.read import read_origin
from tests.documents.reports import Import, json_lines, read_path

FILM, QUILL, LORN = (
    "Harbour Lights is a film of 1988. It was directed by Ada Quill.",
    "Ada Quill was born in Port Mira. She studied law.",
    "Lorn has a brewery. It was founded by Karl Aust.",
)
TEXTS = {"Harbour Lights": FILM, "Ada Quill": QUILL, "Lorn": LORN}
ASKED = "Where was the director of Harbour Lights born?"
GOLD = ["Harbour Lights", "Ada Quill"]


_LINES = Path(__file__).with_name("published_forms.jsonl").read_text(encoding="utf-8").splitlines()
CASES = {case["name"]: case for case in map(json.loads, _LINES)}


def write(file: Path, rows: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), file)
    elif file.suffix == ".jsonl":
        file.write_bytes(json_lines(*rows))
    elif isinstance(rows, str):
        file.write_text(rows)
    elif file.suffix in (".csv", ".tsv"):
        text = io.StringIO()
        delimiter = "," if file.suffix == ".csv" else "\t"
        table = csv.DictWriter(text, list(rows[0]), delimiter=delimiter)
        table.writeheader()
        table.writerows(rows)
        file.write_text(text.getvalue())
    else:
        file.write_text(json.dumps(rows))


def read(folder: Path, files: dict[str, Any]) -> Import:
    for name, rows in files.items():
        write(folder / name, rows)
    return read_path(folder)


def test_steps_of_a_question_are_kept_with_their_passages(tmp_path: Path) -> None:
    (question,) = read(tmp_path, CASES["MuSiQue"]["files"]).questions
    assert [hop.answer for hop in question.decomposition] == ["Ada Quill", "Port Mira"]
    assert tuple(hop.supporting_key for hop in question.decomposition) == question.supporting_keys


def test_grades_beside_ids_are_kept_and_zero_is_no_gold(tmp_path: Path) -> None:
    corpus = [{"id": id_, "text": text} for id_, text in zip("abc", TEXTS.values(), strict=True)]
    asked = {"query": ASKED, "answer": "Port Mira", "relevant_docs": {"a": 3, "b": 1, "c": 0}}
    (question,) = read(tmp_path, {"c.jsonl": corpus, "q.jsonl": [asked]}).questions
    assert question.grades == {"a": 3, "b": 1}


def test_gold_that_is_nowhere_counts_all_the_same(tmp_path: Path) -> None:
    (asked,) = CASES["HotpotQA"]["files"]["dev.json"]
    facts = [*asked["supporting_facts"], ["Missing Page", 0]]
    batch = read(tmp_path, {"h.json": [asked | {"supporting_facts": facts}]})
    assert len(batch.questions[0].supporting_keys) == 3
    assert [title for title, _ in batch.clues.values()] == ["Missing Page"]


@pytest.mark.parametrize("name", ["q.jsonl", "q.csv", "q.parquet"])
def test_somebody_may_say_which_field_is_which(tmp_path: Path, name: str) -> None:
    rows = [{"nr": 7, "frage": ASKED, "antwort": "Port Mira", "stelle": FILM, "titel": "Film"}]
    write(tmp_path / name, rows)
    fields = {"question": "frage", "answers": "antwort", "text": "stelle", "gold": "stelle"}
    told = tuple({**fields, "title": "titel", "id": "nr"}.items())
    (batch,) = read_origin(Origin(path=str(tmp_path / name), fields=told))
    (question,) = batch.questions
    assert (question.id, question.question, question.answers) == ("7", ASKED, ("Port Mira",))
    assert [(p.key, p.title, p.text) for p in batch.passages] == [
        (question.supporting_keys[0], "Film", FILM)
    ]


def test_corpora_with_the_title_in_the_text(tmp_path: Path) -> None:
    rows = [
        {"id": "0", "contents": f'"Harbour Lights"\n{FILM}'},
        {"id": "2", "contents": LORN.replace(" It", "\nIt")},
        {"id": "3", "contents": '"""Lights"" (song)"\nA song.'},
    ]
    batch = read(tmp_path, {"wiki.jsonl": rows})
    assert [p.title for p in batch.passages] == [
        "Harbour Lights",
        "",
        '"Lights" (song)',
    ]
    assert batch.passages[0].text == FILM


@pytest.mark.parametrize(
    "value",
    [
        {"version": 1, "samples": [{"user_input": ASKED, "reference": "Port Mira"}]},
        {"q1": {"question": ASKED, "answer": "Port Mira"}},
    ],
    ids=["beside other things", "by id"],
)
def test_rows_in_an_object(tmp_path: Path, value: object) -> None:
    (question,) = read(tmp_path, {"t.json": value}).questions
    assert (question.question, question.answers) == (ASKED, ("Port Mira",))


@pytest.mark.parametrize(
    ("marks", "gold"),
    [
        ((True, None, False), ["Harbour Lights"]),
        ((None, None, False), GOLD),  # HippoRAG marks only what is not
        ((None, None, None), []),
    ],
)
def test_paragraphs_without_a_mark(
    tmp_path: Path, marks: tuple[bool | None, ...], gold: list[str]
) -> None:
    beside = [
        {"title": title, "text": text} | ({} if mark is None else {"is_supporting": mark})
        for (title, text), mark in zip(TEXTS.items(), marks, strict=True)
    ]
    batch = read(tmp_path, {"q.json": [{"question": ASKED, "paragraphs": beside}]})
    titles = {p.key: p.title for p in batch.passages}
    assert [titles[key] for key in batch.questions[0].supporting_keys] == gold


def test_gold_in_a_cell_is_ids_apart_by_marks_or_a_text(tmp_path: Path) -> None:
    corpus = [{"id": id_, "text": text} for id_, text in zip("abc", TEXTS.values(), strict=True)]
    asked = [
        {"question": "One?", "answer": "x", "gold": "a; c"},
        {"question": "Two?", "answer": "x", "gold": "It was founded by Karl Aust, in Lorn."},
        {"question": "Three?", "answer": "x", "gold": "She studied law."},
    ]
    batch = read(tmp_path, {"c.jsonl": corpus, "q.csv": asked})
    assert [one.supporting_keys for one in batch.questions] == [
        ("a", "c"),
        ("It was founded by Karl Aust, in Lorn.",),
        ("b",),
    ]


@pytest.mark.parametrize(
    ("named", "gold"),
    [
        ("Lorn, on the Sel", ["Lorn, on the Sel"]),
        ("Lorn, on the Sel; Ada Quill", ["Lorn, on the Sel", "Ada Quill"]),
    ],
)
def test_marks_between_names_part_them_and_a_comma_in_a_title_does_not(
    tmp_path: Path, named: str, gold: list[str]
) -> None:
    titles = ["Harbour Lights", "Ada Quill", "Lorn, on the Sel"]
    corpus = [{"id": name, "title": name, "text": f"A passage on {name}."} for name in titles]
    asked = [{"question": "One?", "answer": "x", "gold": named}]
    batch = read(tmp_path, {"c.jsonl": corpus, "q.csv": asked})
    assert sorted(batch.questions[0].supporting_keys) == sorted(gold)


@pytest.mark.parametrize("name", CASES)
def test_a_published_form_gives_its_question_with_answers_and_gold(
    tmp_path: Path, name: str
) -> None:
    case = CASES[name]
    batch = read(tmp_path, case["files"])
    assert {one.status for one in batch.reports} == {"accepted"}, batch.reports
    (question,) = batch.questions
    called = {p.key: p.title or p.text for p in batch.passages}
    if name in ("AutoRAG", "LlamaIndex"):
        called = {p.key: p.key for p in batch.passages}
    assert question.question == ASKED
    assert list(question.answers) == case["answers"]
    assert [called[key] for key in question.supporting_keys] == case["gold"]
    assert len(batch.passages) == case["passages"]
    assert batch.clues == {}
