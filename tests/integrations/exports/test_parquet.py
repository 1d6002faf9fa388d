"""Collections as Parquet: read back by pyarrow, and by our own import."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gear_app.workspace.workspace import Workspace
from tests.documents.reports import read_path
from tests.integrations.exports.test_collection import exported


def test_a_folder_of_mteb_comes_back_with_the_same_passages_questions_and_gold(
    films: Workspace, tmp_path: Path
) -> None:
    assert exported(films, "--mteb", str(tmp_path / "mteb")) == 0
    batch = read_path(tmp_path / "mteb")
    films.imports.do(tmp_path / "mteb", "again")
    there = list(films.collections["films"].every_passage())
    assert {(p.key, p.title, p.text) for p in batch.passages} == {
        (p.key, p.title, p.text) for p in there
    }
    assert not batch.documents
    questions = films.collections["films"].questions()
    again = films.collections["again"].questions()
    assert again == [replace(q, decomposition=()) for q in questions]
    assert any(question.supporting_keys for question in questions)
