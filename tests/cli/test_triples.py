"""The command `triples`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gear_app.cli import main
from gear_app.workspace import Workspace
from tests.workspaces import filled


class Triples:
    """Runs the command on the small collection."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._of = ["--workspace", str(path), "--collection", "films"]
        self._capsys = capsys

    def __call__(self, action: str, *words: str) -> Any:
        assert main(["triples", action, *words, *self._of, "--json"]) == 0
        return json.loads(self._capsys.readouterr().out)

    def refused(self, action: str, *words: str) -> str:
        assert main(["triples", action, *words, *self._of]) == 2
        return self._capsys.readouterr().err

    def written(self, action: str, *words: str) -> str:
        assert main(["triples", action, *words, *self._of]) == 0
        return self._capsys.readouterr().out


@pytest.fixture
def films(tmp_path: Path) -> Workspace:
    return filled(tmp_path)


@pytest.fixture
def triples(
    films: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Triples:
    monkeypatch.setenv("GEAR_EMBEDDER", "hashing")
    return Triples(films.path, capsys)


def test_a_triple_is_added_edited_deleted_and_everything_undone(triples: Triples) -> None:
    added = triples("add", "vane", "Tom Vane", "knew", "Ada Quill", "--author", "Ada")
    assert (added["kind"], added["author"], added["size"]) == ("add", "Ada", 1)
    (one,) = triples("list", "--search", "knew")
    edited = triples("edit", str(one["id"]), "--predicate", "met")
    assert edited["changes"][0]["after"]["predicate"] == "met"
    assert edited["changes"][0]["after"]["object"] == "Ada Quill"
    (one,) = triples("list", "--search", "Tom Vane met")
    triples("delete", str(one["id"]))
    assert triples("list", "--search", "Tom Vane met") == []
    assert [triples("undo")["of"] for _ in range(3)] == [3, 2, 1]
    assert triples("redo")["of"] == 1
    assert [step["kind"] for step in triples("history", "--limit", "3")] == ["redo", "undo", "undo"]
    assert "Added “Tom Vane · knew · Ada Quill”." in triples.written("history")


def test_deleting_an_entity_says_how_many_triples_it_has_and_asks_for_yes(
    triples: Triples,
) -> None:
    assert "3 triples of 'films' name 'Tom Vane'. Add --yes" in triples.refused(
        "delete", "--entity", "Tom Vane"
    )
    assert triples("delete", "--entity", "Tom Vane", "--yes")["size"] == 3
    assert "by their ids, or --entity NAME" in triples.refused("delete")


def test_names_are_merged_and_mistakes_are_refused(triples: Triples) -> None:
    merged = triples("merge", "Tom Vane", "Bo Hale", "--into", "T. Vane")
    assert merged["size"] == 6 and merged["entities"] == ["Tom Vane", "Bo Hale"]
    assert "Unknown entity 'Tom Vane'" in triples.refused("merge", "Tom Vane", "--into", "X")
    assert "The predicate is blank" in triples.refused("add", "vane", "A", " ", "B")


def test_another_extractor_is_compared_and_changes_nothing(triples: Triples) -> None:
    found = triples("compare", "quill")
    assert found["passage"] == "quill" and found["triples"] == "curated"
    born = ["Ada Quill", "was born in", "Port Mira"]
    assert born in found["same"]
    assert len(triples("list")) == 14 and triples("history") == []


def test_an_export_has_the_triples_as_they_are_now(
    films: Workspace, triples: Triples, tmp_path: Path
) -> None:
    triples("merge", "Tom Vane", "--into", "T. Vane")
    file = tmp_path / "openie.json"
    of = ["--workspace", str(films.path), "--collection", "films"]
    assert main(["export", *of, "--openie", str(file)]) == 0
    docs = json.loads(file.read_text(encoding="utf-8"))["docs"]
    names = {name for doc in docs for name in doc["extracted_entities"]}
    assert "T. Vane" in names and "Tom Vane" not in names
