"""What is in a workspace: questions, collections, imports and triples on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.workspace.workspace import Workspace
from tests.cli.printed import Run, result
from tests.small import QUESTION
from tests.workspaces import pack


def test_questions_prints_exactly_the_promised_fields(films: Run) -> None:
    assert result(films("questions", "--collection", "films", "--json")) == [
        {
            "id": "q1",
            "question": QUESTION,
            "type": "bridge",
            "hops": 2,
            "answers": ["Port Mira"],
            "supporting_ids": ["harbour", "quill"],
        }
    ]


def test_collections_say_what_is_there_and_what_to_do_where_nothing_is(
    run: Run, tmp_path: Path
) -> None:
    Workspace(tmp_path / "w.db").store.close()
    assert "No collections yet. Run: gear-app demo" in run("collections")[1]
    run("import", pack(tmp_path / "pack"), "--collection", "films")
    out = run("collections")[1]
    assert "films: 0 documents, 8 passages, 1 question\n" in out
    assert "curated: 14 triples, active" in out
    (info,) = result(run("collections", "--json"))
    assert (info["name"], info["passages"], info["triple_sets"][0]["triples"]) == ("films", 8, 14)


@pytest.mark.parametrize("json", [(), ("--json",)])
def test_an_import_of_which_a_file_is_refused_says_so_and_keeps_the_others(
    run: Run, tmp_path: Path, json: tuple[str, ...]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("Some words about one thing.")
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 garbage")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    status, _, errors = run("import", folder, "--collection", "c", *json)
    assert status == 1
    assert "1 of 3 files refused:\nbad.pdf: " in errors and "\npicture" not in errors
    assert result(run("collections", "--json"))[0]["passages"] == 1


def test_extract_makes_a_set_of_the_extractors_name(films: Run) -> None:
    status, out, _ = films("extract", "--collection", "films")
    assert status == 0
    assert "films, set local: 8 triples from 8 passages; 2 passages gave none." in out
    job = result(films("extract", "--collection", "films", "--triples", "mine", "--json"))
    assert (job["state"], job["triple_set"], job["done"]) == ("done", "mine", 8)
    names = [s["name"] for s in result(films("collections", "--json"))[0]["triple_sets"]]
    assert names == ["curated", "local", "mine"]
