"""What is in a workspace: questions, collections, imports and triples on the command line."""

from __future__ import annotations

import json
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


def test_suggested_questions_come_with_answer_gold_and_triples(films: Run) -> None:
    first, *_ = result(films("questions", "--collection", "films", "--suggested", "--json"))
    assert first == {
        "question": QUESTION,
        "answers": ["Port Mira"],
        "supporting_ids": ["harbour", "quill"],
        "triples": [
            ["Harbour Lights", "was directed by", "Ada Quill"],
            ["Ada Quill", "was born in", "Port Mira"],
        ],
    }
    assert QUESTION in films("questions", "--collection", "films", "--suggested")[1]


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


def test_the_fields_of_a_file_of_no_known_form_can_be_told(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "q.jsonl"
    file.write_text('{"frage": "Who?", "antwort": ["Ada"], "beleg": "a"}')
    assert run("import", file, "--collection", "c")[0] == 1
    fields = "question=frage, answers=antwort,gold=beleg"
    assert run("import", file, "--collection", "c", "--fields", fields)[0] == 0
    (asked,) = result(run("questions", "--collection", "c", "--json"))
    assert (asked["question"], asked["answers"], asked["supporting_ids"]) == (
        "Who?",
        ["Ada"],
        ["a"],
    )


@pytest.mark.parametrize("fields", ["frage=question", "question", "answers=a", "question="])
def test_fields_that_say_nothing_are_refused(run: Run, tmp_path: Path, fields: str) -> None:
    assert run("import", tmp_path, "--collection", "c", "--fields", fields)[0] == 2


def test_import_tells_about_every_file(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words about one thing.")
    reports = result(run("import", tmp_path / "a.txt", "--collection", "c", "--json"))
    told = [(r["name"], r["status"], r["documents"], r["passages"], r["read_as"]) for r in reports]
    assert told == [("a.txt", "accepted", 1, 1, "plain text")]
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.7 garbage")
    status, out, _ = run("import", tmp_path / "bad.pdf", "--collection", "c")
    assert status == 1 and out.startswith("bad.pdf: failed: ") and "Traceback" not in out
    status, out, _ = run("import", tmp_path / "a.txt", "--collection", "c")
    assert status == 0 and out.startswith("a.txt: skipped: ")
    assert out.strip().endswith("; read as plain text")


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
    assert "1 of 3 files refused:\nbad.pdf: " in errors and "picture" not in errors
    assert result(run("collections", "--json"))[0]["passages"] == 1


def test_a_file_whose_documents_are_all_present_counts_as_used_whatever_is_said_of_it(
    run: Run, tmp_path: Path
) -> None:
    passage = {"id": "p", "title": "Lorn", "text": "Lorn is a town."}
    triple = {"passage_id": "gone", "subject": "Lorn", "predicate": "is", "object": "a town"}
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "corpus.jsonl").write_text(json.dumps(passage))
    assert run("import", pack, "--collection", "c")[0] == 0
    (pack / "triples.jsonl").write_text(json.dumps(triple))
    status, out, _ = run("import", pack, "--collection", "c", "--json")
    assert status == 0 and [one["present"] for one in json.loads(out)] == [True, False]
    (tmp_path / "there already.png").write_bytes(b"\x89PNG")
    assert run("import", tmp_path / "there already.png", "--collection", "c")[0] == 1


def test_undoing_an_import_is_told_in_json(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words about one thing.")
    run("import", tmp_path / "a.txt", "--collection", "c")
    assert result(run("import", "--undo", 1, "--json")) == {"undone": 1}
    assert result(run("collections", "--json"))[0]["passages"] == 0


def test_extract_makes_a_set_of_the_extractors_name(films: Run) -> None:
    status, out, _ = films("extract", "--collection", "films")
    assert status == 0
    assert "films, set local: 8 triples from 8 passages; 2 passages gave none." in out
    job = result(films("extract", "--collection", "films", "--triples", "mine", "--json"))
    assert (job["state"], job["triple_set"], job["done"]) == ("done", "mine", 8)
    names = [s["name"] for s in result(films("collections", "--json"))[0]["triple_sets"]]
    assert names == ["curated", "local", "mine"]
