"""A collection written in the formats of others, and read back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gear_app.cli import main
from gear_app.cli.export import FORMS
from gear_app.exports.collection import openie_pieces, parts_of, qrels_lines
from gear_app.ingest import read_path
from gear_app.types import Passage, Question, Triple
from gear_app.workspace import Workspace


def exported(films: Workspace, *arguments: str) -> int:
    files = ["--workspace", str(films.path)]
    return main(["export", "--collection", "films", *arguments, *files])


def test_a_beir_data_set_comes_back_as_it_was(films: Workspace, tmp_path: Path) -> None:
    assert exported(films, "--beir", str(tmp_path / "beir")) == 0
    batch = read_path(tmp_path / "beir")
    there = list(films.collections.every_passage("films"))
    assert [(p.key, p.title, p.text) for p in batch.passages] == [
        (p.key, p.title, p.text) for p in there
    ]
    questions = films.collections.questions("films")
    assert list(batch.questions) == [replace(q, decomposition=()) for q in questions]
    assert any(question.supporting_keys for question in questions)


def test_an_openie_file_comes_back_with_the_same_triples(films: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "openie_results_ner_ours.json"
    assert exported(films, "--openie", str(file), "--triples", "curated") == 0
    batch = read_path(file)
    of = {p.key: p.text for p in batch.passages}
    texts = {p.id: p.text for p in films.collections.every_passage("films")}
    assert [
        (of[t.passage_key], t.subject, t.predicate, t.object) for t in batch.triple_sets["ours"]
    ] == [
        (texts[t.passage_id], t.subject, t.predicate, t.object)
        for t in films.collections.triples("films", "curated", limit=1000)
    ]


def test_the_means_of_an_openie_file_are_those_of_its_entities() -> None:
    passage = Passage(1, "p", "T", "x")
    triples = [Triple(1, 1, "Ada Quill", "wrote", "it"), Triple(2, 1, "it", "is", "Ada Quill")]
    written = json.loads("".join(openie_pieces([(passage, triples), (passage, [])])))
    assert written["docs"][0]["extracted_entities"] == ["Ada Quill", "it"]
    assert written["docs"][0]["idx"] == "chunk-c138dfcf2db1c3aa04e70bf9ce7a73f5"
    assert written["docs"][1]["extracted_triples"] == []
    assert (written["avg_ent_chars"], written["avg_ent_words"]) == (5.5, 1.5)


def test_an_empty_set_is_still_a_file() -> None:
    assert json.loads("".join(openie_pieces([])))["docs"] == []


def test_every_part_of_a_gold_document_is_gold() -> None:
    question = Question("q", "?", supporting_keys=("d", "a", "gone"))
    lines = list(qrels_lines([question], parts_of(["a", "d#1", "d#2"])))
    assert lines[1:] == ["q\td#1\t1\n", "q\td#2\t1\n", "q\ta\t1\n"]


def test_files_that_are_there_are_kept_unless_forced(
    films: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "openie.json"
    file.write_text("mine")
    assert exported(films, "--openie", str(file)) == 2
    assert "--force" in capsys.readouterr().err
    assert file.read_text() == "mine"
    assert exported(films, "--openie", str(file), "--force") == 0
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["abcd"],
        ["--collection", "films"],
        ["abcd", "--beir", "x"],
        ["--collection", "films", "--otlp", "x"],
        ["abcd", "--otlp", "x", "--ragas", "y"],
        ["abcd", "--otlp", "x", "--html", "y"],
    ],
)
def test_an_export_says_what_can_be_said(
    films: Workspace, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", *arguments, "--workspace", str(films.path)]) == 2
    said = capsys.readouterr().err
    assert all(f"--{name.replace('_', '-')} {form.metavar}" in said for name, form in FORMS.items())
