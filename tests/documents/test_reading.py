"""Files that are refused or read in part, and the sentence about each."""

from __future__ import annotations

import gzip
import io
import sys
import time
import zipfile
from pathlib import Path

import pyarrow
import pytest
import xlsxwriter
from pptx import Presentation
from pyarrow import parquet

from gear_app.documents.files import Origin
from gear_app.documents.formats.text import read_speech
from gear_app.documents.items import Limits
from gear_app.documents.read import BatchFiles, read_apart
from gear_app.documents.rows import unpacked
from tests.documents.make import make_docx, make_pdf, make_zip, members
from tests.documents.reports import joined, json_lines, read_files, report

SMALL = Limits(members=5, expanded_bytes=3_000_000, file_bytes=100_000)


def packed(name: str, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def test_texts_that_look_like_lists_and_voices_without_end_take_no_time() -> None:
    began = time.process_time()
    text = "['" + "a\\'" * 300_000
    assert unpacked(text) == text
    read_speech(b"00:01.000 --> 00:02.000\n" + b"<v." * 60_000)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b" \n", "it is empty"),
        ("a.md", b"text\x00text", "it is not text: it contains binary data"),
        ("a.doc", b"MZ", ".doc is not read; save it as .docx or PDF"),
        ("a.graphml", b"<graphml/>", ".graphml is not read; save its edges as CSV"),
        ("a.json", b"[" * 90_000, "it is nested too deeply"),
        ("a.txt", b"x" * 100_001, "it is too large"),
        ("a.json", b'{"odd": 1}', "it is of no known form. Its fields: odd. Needed: a text"),
        ("a.parquet", b"PAR1", "it cannot be read: Parquet"),
        ("a.pdf", b"%PDF-1.4", "it cannot be read: Failed to load document"),
        ("a.xlsx", b"\xd0\xcf\x11\xe0", "the file has a password"),
        ("a.eml", b"words", "it is not a mail"),
        ("a.csv", b"name\n", "a table needs a line of column names and at least one row"),
        ("kg.tsv", b"head\trelation\ttail\nA\tis\tB\n", "it looks like triples, but none of its"),
        ("a.zip", b"PK\x03\x04", "the archive is broken"),
        ("a.zip", packed("a.txt", b"x" * 2_000_000), "it expands more than 100-fold"),
        ("a.docx", packed("a.xml", b"x" * 2_000_000), "it expands more than 100-fold"),
        (
            "a.zip",
            make_zip({f"{n}.txt": b"x" for n in range(6)}),
            "the folder or archive holds more than 5 files",
        ),
        ("a.zip", packed("b.zip", b"x"), "an archive inside an archive"),
        ("a.csv.gz", gzip.compress(b"x" * 3_000_000), "it expands more than 100-fold"),
    ],
    ids=lambda value: value if isinstance(value, str) else "content",
)
def test_the_report_of_a_file_that_cannot_be_read_says_why(
    name: str, content: bytes, message: str
) -> None:
    result = report(name, content, SMALL)
    assert result.message.startswith(message)
    assert (result.status != "accepted", result.passages) == (True, 0)


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.jsonl", json_lines(*({"text": f"Row {n} says it."} for n in range(90))), 90),
        ("a.csv", b"id,text\n" + b"".join(b"%d,Row %d.\n" % (n, n) for n in range(90)), 90),
    ],
)
def test_a_large_file_is_read_in_parts_with_the_same_texts(
    name: str, content: bytes, texts: int
) -> None:
    once = read_files([(name, content)])
    parts = read_files([(name, content)], Limits(part_characters=500))
    assert len(once.passages) == texts
    words = [" ".join(p.text for p in batch.passages).split() for batch in (once, parts)]
    assert words[0] == words[1]
    (result,) = parts.reports
    assert (result.passages, result.status) == (len(parts.passages), "accepted")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_sheet_with_one_cell_far_away_costs_itself_alone(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    with xlsxwriter.Workbook(str(folder / "b.xlsx")) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "Ada")
        sheet.write(1_048_575, 16_383, "far")
    for name in ("a.txt", "c.txt"):
        (folder / name).write_text(f"Words of {name}.")
    for _ in read_apart(Origin(path=str(folder)), tmp_path, Limits(), 1):
        pass
    first, sheet_report, last = joined(BatchFiles(tmp_path)).reports
    assert (first.status, sheet_report.status, last.status) == ("accepted", "failed", "accepted")
    assert "takes more than 4,000 MB of memory" in sheet_report.message


def _damaged() -> list[tuple[str, bytes]]:
    page = b"<html xmlns='x'><p>Lorn lies on the river Sel.</p></html>"
    rows = pyarrow.Table.from_pylist([{"text": "Lorn lies on the river Sel."}])
    table = io.BytesIO()
    parquet.write_table(rows, table)
    deck = io.BytesIO()
    Presentation().save(deck)
    sheet = io.BytesIO()
    with xlsxwriter.Workbook(sheet) as book:
        book.add_worksheet().write(0, 0, "Ada")
    return [
        ("a.docx", make_docx("Lorn", ["It lies on the Sel."], [["Year", "People"], ["1911", "7"]])),
        ("a.xlsx", sheet.getvalue()),
        ("a.pptx", deck.getvalue()),
        ("a.pdf", make_pdf(["Lorn lies on the river Sel."])),
        ("a.zip", make_zip({"a.html": page})),
        ("a.parquet", table.getvalue()),
        ("a.eml", b"Subject: Lorn\r\nContent-Type: text/html; charset=x\r\n\r\n" + page),
        ("a.ipynb", b'{"cells": [{"cell_type": "code", "source": ["x"]}]}'),
        ("a.csv", b"name;text\nLorn;'It lies; on the Sel'\n"),
    ]


@pytest.mark.parametrize(("name", "content"), _damaged(), ids=[name for name, _ in _damaged()])
def test_a_damaged_file_is_a_line_of_the_report_and_no_exception(name: str, content: bytes) -> None:
    members_ = members(content) if name in ("a.docx", "a.xlsx", "a.pptx") else {"": content}
    for member, part in members_.items():
        for place in range(0, len(part), max(1, len(part) // 8)):
            broken = part[:place] + b"9" + part[place + 1 :]
            whole = make_zip(members_ | {member: broken}) if member else broken
            for file in (whole, whole[:place]):
                assert read_files([(name, file)]).reports
