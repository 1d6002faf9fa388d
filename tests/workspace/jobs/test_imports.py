"""Imports as jobs: done by whoever comes, stopped at once, finished or undone after an end."""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from gear_app.core.errors import NotReady
from gear_app.documents.files import Origin
from gear_app.documents.items import Limits
from gear_app.documents.read import BatchFiles, read_apart
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.jobs.service import import_folder
from gear_app.workspace.workspace import Workspace
from tests.documents.reports import joined
from tests.waiting import finish
from tests.workspaces import corpus_of, documents, filled, workspace


def folder_of(made: Workspace, job: int) -> Path:
    return import_folder(made.path, made.store.tasks.job(job))


def _work(made: Workspace) -> None:
    turns = made.worker()
    finish(turns)


def _read(path: Path, folder: Path, limits: Limits) -> BatchFiles:
    for _ in read_apart(Origin(path=str(path)), folder, limits, 0.1):
        pass
    return BatchFiles(folder)


def _zipped(path: Path, texts: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in texts.items():
            archive.writestr(name, text)
    return path


def test_what_was_uploaded_is_imported_by_another_process_and_its_folder_goes(
    tmp_path: Path,
) -> None:
    asked = workspace(tmp_path)
    asked.store.collections.create("c")
    files = [("a.txt", b"Ada Quill was born in Port Mira."), ("b.txt", b"")]
    job = asked.imports.enqueue(files, "c", extract=True)
    asked.close()

    made = workspace(tmp_path)  # as the worker opens it, whatever became of who asked
    folder = folder_of(made, job)
    assert len(list(folder.iterdir())) == 2
    assert [at.stat().st_mode & 0o777 for at in (folder, folder.parent)] == [0o700, 0o700]
    _work(made)
    assert [passage.text for passage in made.collections["c"].passages()] == [
        "Ada Quill was born in Port Mira."
    ]
    assert [(r.name, r.status) for r in made.imports.reports(job)] == [
        ("a.txt", "accepted"),
        ("b.txt", "skipped"),
    ]
    assert made.store.tasks.job(job).message == "1 of 2 files taken: 1 new passage."
    assert {j.kind: j.state for j in made.jobs.recent("c")}["extraction"] == "done"
    assert not folder.exists()


def test_a_file_that_takes_too_long_is_left_out_and_the_others_are_read(
    tmp_path: Path,
) -> None:
    limits = Limits(file_s=1, file_s_a_megabyte=0)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Some words.")
    (tmp_path / "in" / "heavy.txt").write_text(("Many words " * 90 + "end. ") * 19_000)
    (tmp_path / "in" / "z.txt").write_text("Other words.")
    batches = _read(tmp_path / "in", tmp_path, limits)
    a, left_out, z = joined(batches).reports
    assert (a.status, z.status) == ("accepted", "accepted")
    assert "reading it takes too long" in left_out.message
    texts = [passage.text for passage in joined(batches).passages]
    assert (texts[0], texts[-1]) == ("Some words.", "Other words.")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_the_process_that_reads_may_take_so_much_memory_and_no_more(tmp_path: Path) -> None:
    heavy = tmp_path / "heavy.json"
    heavy.write_text(json.dumps([{"text": "Many words " * 90}] * 50_000))
    batches = _read(heavy, tmp_path, Limits(memory_bytes=220_000_000))
    (report,) = joined(batches).reports
    assert report.status == "failed"
    assert "reading it takes more than 220 MB of memory" in report.message


def test_a_cancelled_import_stops_reading_at_once(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.store.collections.create("c")
    job = made.imports.enqueue(_zipped(tmp_path / "a.zip", {"x.txt": "Words."}), "c")
    turns = made.worker()
    turns.slice()
    made.jobs.cancel(job)
    turns.slice()
    assert made.store.tasks.job(job).state == "cancelled"
    assert [found.id for found in made.collections.get("c").unfinished_imports] == [job]


def test_undoing_takes_out_what_the_import_stored_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = filled(tmp_path)
    before = made.collections.get("films")
    folder = tmp_path / "more"
    folder.mkdir()
    corpus_of(folder, 30)
    (folder / "questions.jsonl").write_text(
        json.dumps({"id": "new", "question": "Who?", "answers": [], "supporting_ids": ["p1"]})
    )
    triple = {"passage_id": "p1", "subject": "A", "predicate": "knows", "object": "B"}
    old = {"passage_id": "quill", "subject": "C", "predicate": "knows", "object": "D"}
    (folder / "triples.jsonl").write_text(
        "\n".join(json.dumps({**t, "source": s}) for t in (triple, old) for s in ("curated", "new"))
    )
    made.imports.do(folder, "films")
    assert made.collections.get("films").passages == before.passages + 30
    assert [s.name for s in made.collections.get("films").triple_sets] == ["curated", "new"]
    (job,) = [j.id for j in made.jobs.recent("films") if j.kind == "import"][:1]
    made.imports.undo(job)
    after = made.collections.get("films")
    assert (after.passages, after.questions) == (before.passages, before.questions)
    assert [(s.name, s.triples) for s in after.triple_sets] == [
        (s.name, s.triples) for s in before.triple_sets
    ]
    assert [p.key for p in made.collections["films"].passages("Person")] == []
    assert made.collections.get("films").unfinished_imports == []


def test_a_running_import_is_stopped_before_it_is_undone(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    made.store.collections.create("c")
    job = made.imports.enqueue(_zipped(tmp_path / "a.zip", {"x.txt": "Words."}), "c")
    turns = made.worker()
    with made.alive():
        turns.slice()
        with pytest.raises(NotReady, match=f"being stopped: process {os.getpid()} has been at it"):
            made.imports.undo(job)
        turns.slice()
        made.imports.undo(job)
    assert made.collections.get("c").unfinished_imports == [] and not folder_of(made, job).exists()


def _sets(folder: Path) -> Path:
    """A folder of files of every kind that names passages, some by ids that came again."""
    folder.mkdir()
    passages = [{"id": f"p{n}", "title": f"Boat {n}", "text": f"On pier {n}."} for n in range(40)]
    again = [{**one, "id": f"again{n}"} for n, one in enumerate(passages[30:])]
    asked = [
        {"id": f"q{n}", "question": f"Where is {n}?", "supporting_ids": [f"p{n}", f"again{n % 10}"]}
        for n in range(20)
    ]
    triples = [
        {"passage_id": f"p{n}", "subject": f"Boat {n}", "predicate": "on", "object": f"Pier {n}"}
        for n in range(40)
    ]
    files: dict[str, Sequence[object]] = {
        "corpus": passages + again,
        "questions": asked,
        "triples.a": triples,
    }
    for name, rows in files.items():
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    judged = "".join(f"q{n}\tp{n + 1}\t2\n" for n in range(20))
    (folder / "qrels.tsv").write_text(judged)
    return folder


def _contents(made: Workspace) -> list[object]:
    """What a collection holds."""
    return [
        [(p.key, p.title, p.text) for p in made.collections["c"].passages(limit=99)],
        [(q.id, q.grades) for q in made.collections["c"].questions()],
        [(t.subject, t.passage_id) for t in made.collections["c"].triples("a", limit=99)],
    ]


def test_ids_of_others_are_changed_over_all_slices_and_mean_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that the collection has, and one that stands twice in the file, far apart."""
    folder = _sets(tmp_path / "in")
    rows = (folder / "corpus.jsonl").read_text().splitlines()
    rows.insert(20, json.dumps({"id": "p0", "title": "Other boat", "text": "On another pier."}))
    (folder / "corpus.jsonl").write_text("\n".join(rows))
    whole, cut = workspace(tmp_path / "whole.db"), workspace(tmp_path / "cut.db")
    for made, limits in ((whole, Limits()), (cut, Limits(part_characters=400))):
        before = json.dumps({"id": "p3", "title": "Raft", "text": "It sank."})
        made.imports.do([("raft.jsonl", before.encode())], "c")
        monkeypatch.setattr("gear_app.workspace.collections.importer.LIMITS", limits)
        made.imports.do(folder, "c")
    assert _contents(cut) == _contents(whole)
    (boat,) = cut.collections["c"].passages("p3-")
    assert boat.title == "Boat 3" and cut.collections["c"].questions()[3].grades[boat.key] == 1


def _import_rows(path: str, name: str, first: int, start: object) -> None:
    made = Workspace(path)
    file = Path(path).parent / f"{name}.jsonl"
    rows = [
        {"id": f"p{n}", "title": f"Person{n}", "text": f"Words of {n}."}
        for n in range(first, first + 3000)
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    start.wait()  # type: ignore[attr-defined]
    made.imports.do(file, "c")


def test_two_imports_at_once_that_overlap_both_succeed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A test of a page leaves its script as the main module, which new processes would run.
    monkeypatch.setitem(sys.modules, "__main__", ModuleType("__main__"))
    path = str(tmp_path / "workspace.db")
    made = workspace(tmp_path)
    made.store.collections.create("c")
    processes = multiprocessing.get_context("spawn")
    start = processes.Barrier(2)
    both = [
        processes.Process(target=_import_rows, args=(path, name, first, start))
        for name, first in (("one", 0), ("two", 1500))
    ]
    for one in both:
        one.start()
    for one in both:
        one.join(60)
    assert [one.exitcode for one in both] == [0, 0]
    assert sorted(p.key for p in made.collections["c"].passages(limit=9999)) == sorted(
        f"p{n}" for n in range(4500)
    )


def test_the_report_names_an_older_text_of_the_same_file(tmp_path: Path) -> None:
    made = workspace(tmp_path)
    for text in ("The pier is open.", "The pier is closed."):
        reports = made.imports.do([("notes/pier.md", text.encode())], "c")
    assert "an older text of this name is there" in reports[0].message
    for text in ("One.", "Two."):
        reports = made.imports.do(Pasted("Pasted", text), "c")
    assert "an older text" not in reports[0].message
    again = made.imports.do([("other/pier.md", b"Another pier.")], "c")
    assert "an older text" not in again[0].message


def test_an_import_that_broke_off_does_not_report_its_own_first_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = Limits(part_characters=100)
    monkeypatch.setattr("gear_app.workspace.collections.importer.LIMITS", limits)
    made = workspace(tmp_path)
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("The pier is open.")
    rows = [{"title": f"Boat {n}", "text": f"Word {n} is said. " * 400} for n in range(3)]
    (folder / "b.jsonl").write_text("\n".join(map(json.dumps, rows)))
    job = made.imports.enqueue(folder, "c")
    turns = made.worker()
    while len(documents(made, "c")) < 2:
        turns.slice()
    made.jobs.cancel(job)
    turns.slice()
    assert made.store.tasks.job(job).state == "cancelled" and len(documents(made, "c")) < 4
    messages = [report.message for report in made.imports.do(folder, "c")]
    assert len(documents(made, "c")) == 4
    assert not [m for m in messages if "the same text" in m or "an older text" in m]
