"""Files and folders before anything of them is read: kinds, sizes, links."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from gear_app.errors import BadInput
from gear_app.ingest import Batch, FileReport, Limits, read_files, read_path
from gear_app.ingest.readers import ADVICE, DOCUMENTS, TEXTS
from tests.ingest.make import make_docx, make_pdf
from tests.ingest.reports import report


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.csv", "a.jsonl", "a.json"])
@pytest.mark.parametrize(
    "content", [random.Random(1).randbytes(5000), b"text\x00text", b"\x01\x02\x03\x04" * 50]
)
def test_binary_garbage_named_as_text(name: str, content: bytes) -> None:
    found = report(name, content)
    assert found.status == "failed"
    assert found.message.startswith("it is not text")


@pytest.mark.parametrize("name", ["a.txt", "a.pdf", "a.docx", "a.zip", "a.jsonl"])
def test_empty_files_are_skipped(name: str) -> None:
    assert report(name, b" \n")[1:3] == ("skipped", "it is empty")


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("a.exe", "a program"),
        ("a.doc", "save it as .docx"),
        ("a.msg", "save it as .eml"),
        ("a.7z", "unpack it first"),
        ("a.JPG", "OCR"),
        ("a.mp3", "transcript"),
        ("a.q", "save it as PDF, .docx or text"),
    ],
)
def test_of_other_kinds_it_is_said_what_to_do(name: str, way: str) -> None:
    found = report(name, b"MZ")
    assert found.status == "skipped"
    assert found.message.startswith(f"{name[1:].lower()} is not read; ")
    assert way in found.message


def test_no_ending_is_read_and_advised_against() -> None:
    read = [*DOCUMENTS, *TEXTS]
    assert len(set(read)) == len(read)
    assert not set(read) & set(ADVICE)
    assert all(ending == ending.lower() and ending[0] == "." for ending in (*read, *ADVICE))


@pytest.mark.parametrize(
    ("name", "megabytes", "most"),
    [("huge.md", 111, 110), ("huge.html", 111, 110), ("a.pdf", 201, 200)],
)
def test_an_oversize_file_is_not_even_loaded(
    tmp_path: Path, name: str, megabytes: int, most: int
) -> None:
    message = f"it is too large: {megabytes} MB; at most {most} MB are taken; split it"
    file = tmp_path / name
    with file.open("wb") as sparse:
        sparse.truncate(megabytes * 1_000_000)
    assert read_path(file).reports == (FileReport(name, "failed", message),)
    assert report("a.txt", b"x" * 3_000_001, Limits(file_bytes=3_000_000)).status == "failed"


def test_one_bad_file_does_not_spoil_the_others() -> None:
    batch = read_files([("a.pdf", b"%PDF-1.7 broken"), ("b.txt", b"Fine.")])
    assert [(r.name, r.status) for r in batch.reports] == [
        ("a.pdf", "failed"),
        ("b.txt", "accepted"),
    ]
    assert [d.title for d in batch.documents] == ["b"]


def test_folders_links_and_pipes(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("Hello.", encoding="utf-8")
    (tmp_path / ".hidden.txt").write_text("no", encoding="utf-8")
    (tmp_path / "link.txt").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "pipe.txt")
    assert [r.name for r in read_path(tmp_path).reports] == ["sub/a.txt"]


def test_an_empty_folder_and_no_such_path(tmp_path: Path) -> None:
    empty = FileReport(tmp_path.name, "skipped", "the folder is empty")
    assert read_path(tmp_path) == Batch(reports=(empty,))
    with pytest.raises(BadInput, match="No such file or folder"):
        read_path(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("limits", "why"),
    [
        (Limits(members=2), "holds more than 2 files"),
        (Limits(folder_bytes=1_400_000), "holds 1.5 MB; at most 1.4 MB are taken"),
    ],
)
def test_a_folder_of_too_many_files_or_bytes_is_refused_whole(
    tmp_path: Path, limits: Limits, why: str
) -> None:
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{name} {'x' * 500_000}", encoding="utf-8")
    assert len(read_path(tmp_path, Limits(members=3, folder_bytes=1_600_000)).documents) == 3
    message = f"the folder {why}; import its parts one by one"
    assert read_path(tmp_path, limits) == Batch(
        reports=(FileReport(tmp_path.name, "failed", message),)
    )


def test_files_without_a_size_are_read_no_further_than_the_limit(tmp_path: Path) -> None:
    if not Path("/proc/self/maps").is_file():
        pytest.skip("this system has no files without a size")
    special = tmp_path / "maps.txt"
    special.symlink_to("/proc/self/maps")
    (found,) = read_path(special, Limits(file_bytes=100)).reports
    assert found.message.startswith("it is too large: 0.0 MB; at most 0.0 MB are taken; ")
    (found,) = read_path(special, Limits(expanded_bytes=100)).reports
    assert found.message == "it is larger than it was said to be; at most 0.0 MB are taken"


@pytest.mark.parametrize(
    ("name", "whole"),
    [
        ("a.pdf", make_pdf(["Tom Vane built bridges."])),
        ("a.docx", make_docx("Lorn", ["Text."], [["a", "b"]])),
    ],
)
def test_damaged_files_fail_with_a_sentence(name: str, whole: bytes) -> None:
    chance = random.Random(3)
    statuses = set()
    for _ in range(150):
        damaged = bytearray(whole)
        start = chance.randrange(len(damaged))
        damaged[start : start + chance.randrange(40)] = chance.randbytes(chance.randrange(20))
        statuses.add(report(name, bytes(damaged[: chance.choice([len(damaged), start])])).status)
    assert "failed" in statuses


@pytest.mark.parametrize(
    ("name", "content", "read_as"),
    [
        ("a.txt", b"It rains.", "plain text"),
        ("a.docx", make_docx("Lorn", ["It rains."]), "a Word document"),
        ("a.csv", b"boat;keeper\nBlue;Ida\n", "a table with ; between cells"),
        ("a.tsv", b"boat\tkeeper\nBlue\tIda\n", "a table with tabs between cells"),
        ("a.csv", b"question,answer\nWho?,Ida\n", "a table of questions with commas between cells"),
        ("a.jsonl", b'{"text": "It rains."}\n{"text": "It snows."}\n', "JSON, a table"),
        ("a.json", b'[{"text": "It rains."}]', "JSON, a corpus"),
        ("a.json", b'{"question": "Who?", "answer": "Ida"}', "JSON, questions"),
        ("qrels.tsv", b"q1\ta\t1\n", "relevance judgments"),
        ("a.png", b"PNG", ""),
    ],
)
def test_the_report_says_as_what_a_file_was_read(name: str, content: bytes, read_as: str) -> None:
    assert report(name, content).read_as == read_as
