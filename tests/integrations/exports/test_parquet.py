"""Collections as Parquet: read back by pyarrow, and by our own import."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq

from gear_app.workspace.workspace import Workspace
from tests.documents.reports import read_path
from tests.integrations.exports.test_collection import exported


def test_a_folder_of_mteb_comes_back_with_the_same_passages_questions_and_gold(
    films: Workspace, tmp_path: Path
) -> None:
    assert exported(films, "--mteb", str(tmp_path / "mteb")) == 0
    batch = read_path(tmp_path / "mteb")
    films.import_path(tmp_path / "mteb", "again")
    there = list(films.collections.every_passage("films"))
    assert {(p.key, p.title, p.text) for p in batch.passages} == {
        (p.key, p.title, p.text) for p in there
    }
    assert not batch.documents
    questions = films.collections.questions("films")
    again = films.collections.questions("again")
    assert again == [replace(q, decomposition=()) for q in questions]
    assert any(question.supporting_keys for question in questions)


def test_the_columns_of_mteb_are_those_of_its_data_sets(films: Workspace, tmp_path: Path) -> None:
    assert exported(films, "--mteb", str(tmp_path)) == 0
    corpus = tmp_path / "corpus/corpus-00000-of-00001.parquet"
    qrels = tmp_path / "qrels/test-00000-of-00001.parquet"
    assert pq.read_schema(corpus).names == ["_id", "title", "text"]
    assert pq.read_table(qrels).to_pylist() == [
        {"query-id": "q1", "corpus-id": key, "score": 1} for key in ("harbour", "quill")
    ]
    assert (tmp_path / "README.md").read_text().count("path: ") == 3
    assert exported(films, "--mteb", str(tmp_path)) == 2  # never over files that are there
