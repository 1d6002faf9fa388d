"""A collection written in the formats of others, and read back."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from gear_app.cli import main
from gear_app.workspace.workspace import Workspace
from tests.documents.reports import read_path


def exported(films: Workspace, *arguments: str) -> int:
    files = ["--workspace", str(films.path)]
    return main(["export", "--collection", "films", *arguments, *files])


def test_a_beir_data_set_comes_back_as_it_was(films: Workspace, tmp_path: Path) -> None:
    assert exported(films, "--beir", str(tmp_path / "beir")) == 0
    batch = read_path(tmp_path / "beir")
    films.imports.do(tmp_path / "beir", "again")
    there = list(films.collections["films"].every_passage())
    assert [(p.key, p.title, p.text) for p in batch.passages] == [
        (p.key, p.title, p.text) for p in there
    ]
    questions = films.collections["films"].questions()
    again = films.collections["again"].questions()
    assert again == [replace(q, decomposition=()) for q in questions]
    assert any(question.supporting_keys for question in questions)


def test_an_openie_file_comes_back_with_the_same_triples(films: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "openie_results_ner_ours.json"
    assert exported(films, "--openie", str(file), "--triples", "curated") == 0
    batch = read_path(file)
    of = {p.key: p.text for p in batch.passages}
    texts = {p.id: p.text for p in films.collections["films"].every_passage()}
    assert [
        (of[t.passage_key], t.subject, t.predicate, t.object) for t in batch.triples["ours"]
    ] == [
        (texts[t.passage_id], t.subject, t.predicate, t.object)
        for t in films.collections["films"].triples("curated", limit=1000)
    ]


@pytest.mark.parametrize("form", ["beir", "mteb"])
def test_a_copy_is_no_easier_and_has_the_same_ids(
    films: Workspace, tmp_path: Path, form: str
) -> None:
    keys = ["a b\tc", "0012", "12", "id,with,commas", "1e5", "NULL", 'say "x"']
    rows = [{"_id": key, "title": "", "text": f"Text {key}."} for key in keys]
    gold = {"q 1": [*keys[:2], "gone"], "007": keys[2:4], "7": keys[4:]}
    pack = tmp_path / "odd"
    (pack / "qrels").mkdir(parents=True)
    for name, lines in (
        ("corpus.jsonl", rows),
        ("queries.jsonl", [{"_id": id_, "text": f"Which {id_}?"} for id_ in gold]),
    ):
        (pack / name).write_text("\n".join(map(json.dumps, lines)))
    with (pack / "qrels" / "test.tsv").open("w", newline="") as file:
        judged = [(id_, key, 2) for id_, of in gold.items() for key in of]
        csv.writer(file, delimiter="\t").writerows([("query-id", "corpus-id", "score"), *judged])
    films.imports.do(pack, "odd")
    copy = tmp_path / "copy"
    command = ["export", "--collection", "odd", f"--{form}", str(copy)]
    assert main([*command, "--workspace", str(films.path)]) == 0
    films.imports.do(copy, "copy")
    original, copied = (
        {one.id: one.grades for one in films.collections[name].questions()}
        for name in ("odd", "copy")
    )
    assert copied == original == {id_: dict.fromkeys(of, 2) for id_, of in gold.items()}


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
