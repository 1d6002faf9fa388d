"""A large file of lines is read slice by slice and comes out as in one piece."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pyarrow
import pytest
from pyarrow import parquet

from gear_app.ingest import Limits, Origin, read_origin, read_path
from gear_app.ingest.slices import slices
from tests.ingest.make import make_zip

ROWS = [
    {"id": f"r{n}", "title": f"Boat {n}", "text": f'The "boat" {n}, of Lorn,\nlies on pier {n}.'}
    for n in range(60)
]
SLICE = 700


def jsonl(rows: list[dict[str, str]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def table(delimiter: str) -> bytes:
    text = io.StringIO()
    made = csv.DictWriter(text, ["id", "title", "text"], delimiter=delimiter)
    made.writeheader()
    made.writerows(ROWS)
    return text.getvalue().encode()


def columns() -> bytes:
    file = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(ROWS), file, row_group_size=25)
    return file.getvalue()


KINDS: dict[str, tuple[Callable[[], bytes], int]] = {
    "corpus.jsonl": (lambda: jsonl(ROWS), SLICE),
    "corpus.jsonl.gz": (lambda: gzip.compress(jsonl(ROWS)), SLICE),
    "notes.jsonl": (lambda: jsonl([{"text": row["text"]} for row in ROWS]), SLICE),
    "boats.csv": (lambda: table(","), SLICE),
    "boats.tsv": (lambda: table("\t"), SLICE),
    "corpus.parquet": (columns, 5_000),
}


@pytest.mark.parametrize("name", KINDS)
def test_slices_hold_what_the_file_holds_and_make_one_report(tmp_path: Path, name: str) -> None:
    make, size = KINDS[name]
    path = tmp_path / name
    path.write_bytes(make())
    whole = read_path(path)
    batches = list(read_origin(Origin(path=str(path)), Limits(slice_bytes=size)))
    assert [batch.part for batch in batches] == list(range(1, len(batches) + 1))
    assert len(batches) > 3
    found = [(p.key, p.title, p.text) for batch in batches for p in batch.passages]
    assert found == [(p.key, p.title, p.text) for p in whole.passages]
    for batch in batches:
        for passage in batch.passages:
            if passage.document is not None:
                document = batch.documents[passage.document]
                assert passage.text == document.text[passage.start : passage.end]
    ((report,),) = (batches[-1].reports,)
    ((of_whole,),) = (whole.reports,)
    assert (report.status, report.passages) == ("accepted", of_whole.passages)
    assert report.documents == (len(batches) if of_whole.documents else 0)


def test_a_text_is_cut_between_paragraphs_into_documents_of_one_title(tmp_path: Path) -> None:
    words = "Boats lie in the harbour of Lorn, and nobody asks why. " * 20
    text = "Harbour log\n\n" + "\n\n".join(f"Day {n}. {words}" for n in range(20))
    (tmp_path / "log.txt").write_text(text)
    batches = list(read_origin(Origin(path=str(tmp_path / "log.txt")), Limits(slice_bytes=5_000)))
    documents = [batch.documents[0] for batch in batches]
    assert len(documents) > 4 and "".join(one.text for one in documents) == text
    assert [one.title for one in documents][1:3] == ["Harbour log (part 2)", "Harbour log (part 3)"]
    assert all(one.text.strip().startswith("Day") for one in documents[1:])
    assert {p.title for batch in batches for p in batch.passages} == {"Harbour log"}


def test_what_is_wrong_with_rows_is_counted_over_the_slices(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    lines = jsonl(ROWS).splitlines()
    for place in (45, 50, 58):
        lines[place] = b"no json"
    path.write_bytes(b"\n".join(lines))
    *_, last = read_origin(Origin(path=str(path)), Limits(slice_bytes=SLICE))
    (report,) = last.reports
    assert report.message == "57 passages; 3 lines not JSON (the first is line 46)"
    assert report.message == read_path(path).reports[0].message


def test_a_later_slice_that_cannot_be_read_is_left_out_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_bytes(jsonl(ROWS[:20]) + b"x" * 5000 + b"\n" + jsonl(ROWS[20:]))
    *_, last = read_origin(Origin(path=str(path)), Limits(slice_bytes=SLICE, text_bytes=4000))
    (report,) = last.reports
    assert report.status == "accepted" and report.passages == 20
    assert "all from part 4 on left out: a line of it has more than" in report.message
    path.write_bytes(b"x" * 5000 + b"\n" + jsonl(ROWS))
    (batch,) = read_origin(Origin(path=str(path)), Limits(slice_bytes=SLICE, text_bytes=4000))
    assert batch.reports[0].status == "failed" and batch.passages == ()


def test_small_files_stay_together_beside_a_large_one(tmp_path: Path) -> None:
    triple = {"passage_id": "r1", "subject": "A", "predicate": "is", "object": "B"}
    rows = {"entities": {"passage_id": "r1", "entities": ["A"]}, "triples.a": triple}
    (tmp_path / "corpus.jsonl").write_bytes(jsonl(ROWS))
    for name, row in rows.items():
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row))
    *parts, rest = read_origin(Origin(path=str(tmp_path)), Limits(slice_bytes=SLICE))
    assert all(batch.part for batch in parts) and rest.part == 0
    assert list(rest.entities) == ["a"]
    assert [one.name for one in rest.reports] == ["entities.jsonl", "triples.a.jsonl"]


def test_a_large_file_in_an_archive_is_read_slice_by_slice(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(make_zip({"corpus.jsonl": jsonl(ROWS), "log.md": b"# Log"}))
    *parts, rest = read_origin(Origin(path=str(tmp_path / "a.zip")), Limits(slice_bytes=SLICE))
    assert sum(len(batch.passages) for batch in parts) == len(ROWS)
    names = [one.name for one in (*parts[-1].reports, *rest.reports)]
    assert names == ["a.zip/corpus.jsonl", "a.zip/log.md"]


def test_what_has_to_be_read_whole_says_what_to_do(tmp_path: Path) -> None:
    for name, way in (
        ("a.json", "make it JSON lines (.jsonl), which may be of any size"),
        ("a.zip", "unpack it: a folder may be larger"),
        ("a.md", "split it"),
    ):
        (tmp_path / name).write_bytes(b"x" * 3000)
        limits = Limits(text_bytes=2000, file_bytes=2000)
        (batch,) = read_origin(Origin(path=str(tmp_path / name)), limits)
        assert batch.reports[0].message.endswith(f"are taken; {way}")


def test_many_small_files_are_several_batches(tmp_path: Path) -> None:
    for name in "abcd":
        (tmp_path / f"{name}.txt").write_text(f"{name} " * 30)
    batches = list(read_origin(Origin(path=str(tmp_path)), Limits(characters=130)))
    assert [len(batch.documents) for batch in batches] == [2, 2]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_table_is_cut_between_rows_whatever_ends_them(end: str) -> None:
    rows = [f'{n},"Line one{end}line two of {n}"' for n in range(50)]
    content = end.join(["id,text", *rows]).encode()
    path = PurePosixPath("a.csv")
    cut = list(slices(path, io.BytesIO(content), Limits(slice_bytes=200)))
    assert len(cut) > 5
    header = f"id,text{end}".encode()
    assert all(one.startswith(header) for one in cut)
    assert header + b"".join(one.removeprefix(header) for one in cut) == content
    assert all(one.count(b'"') % 2 == 0 for one in cut)


def test_texts_whose_characters_are_wider_than_a_byte_stay_whole() -> None:
    content = "id,text\n1,One.\n2,Two.\n".encode("utf-16")
    found = list(slices(PurePosixPath("a.csv"), io.BytesIO(content), Limits(slice_bytes=9)))
    assert found == [content]
