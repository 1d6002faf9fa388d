"""Each of these files once took minutes or gigabytes. It is read in a process of its own, with 20
seconds of computing and 500 MB, and ends accepted, or refused with a sentence.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.ingest.bombs import gzip_bomb, large_word, raw_pdf, understating
from tests.ingest.make import make_word, make_zip

pytest.importorskip("resource")

SECONDS, MEGABYTES = 20, 500
CHILD = """
import json, re, resource, sys
from pathlib import Path
from gear_app.ingest import Origin, read_origin
resource.setrlimit(resource.RLIMIT_CPU, (int(sys.argv[2]), int(sys.argv[2])))
reports = ()
for batch in read_origin(Origin(path=sys.argv[1])):
    reports = batch.reports  # of one file, that of the last slice tells all
status = Path("/proc/self/status")
if status.exists():
    kilobytes = int(re.search("VmHWM:\\\\s+(\\\\d+)", status.read_text())[1])
else:
    kilobytes = 0  # elsewhere, what is measured includes the process that started this one
print(json.dumps([[(r.status, r.message) for r in reports], kilobytes]))
"""
ROOT = Path(__file__).parents[2]


def outcome(file: Path) -> tuple[str, str]:
    """The status and the message of the only report on the file."""
    command = [sys.executable, "-P", "-c", CHILD, str(file), str(SECONDS)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={"PYTHONPATH": str(ROOT)}, check=False
    )
    assert done.returncode == 0, f"ended by {done.returncode}: {done.stderr[-300:]}"
    reports, kilobytes = json.loads(done.stdout)
    assert kilobytes < MEGABYTES * 1000
    ((status, message),) = reports
    return status, message


HELLO = b"<p>Hello."
BROKEN = "it is broken in the archive and cannot be read"
LONG_LINE = "a line of it has more than 110 MB; break it up"
VALUES = "it holds too many values to be read at once; split it"


def text(number: int = 255_000) -> bytes:
    """So many sentences, by themselves 15 MB."""
    told = (f"Boat {n} lies in the harbour of Lorn, and nobody asks why." for n in range(number))
    return " ".join(told).encode()


def attributes(size: int) -> bytes:
    names = "".join(f" a{n}=1" for n in range(size // 9))
    return f"<html><body><p{names}>Hello there.</p></body></html>".encode()


def paragraphs(number: int) -> bytes:
    run = "<w:p><w:r><w:t>Paragraph {} says that boats lie here.</w:t></w:r></w:p>"
    return "".join(map(run.format, range(number))).encode()


def rows(number: int) -> str:
    return "".join(f"k{n},Title {n},Row {n} says that boats lie here.\n" for n in range(number))


def line(words: int) -> bytes:
    return b'{"id": "a", "text": "' + b"word " * words + b'"}'


def entities(number: int) -> bytes:
    row = '{{"passage_id": "p", "entities": ["n{}"]}}\n'
    return "".join(map(row.format, range(number))).encode()


def wide(number: int) -> bytes:
    return ",".join(f"c{n}" for n in range(number)).encode() + b"\n" + b"x," * number


def long_lines(megabytes: int, mark: str = "") -> bytes:
    """Lines of a kilobyte each."""
    row = '{{"id": "{1}{0:08}", "title": "Title {0}", "text": "{1} {2}"}}\n'
    text = "Boats lie in the harbour of Lorn, and nobody asks why. " * 17
    one = row.format(0, mark, "").encode()
    fill = text[: 1000 - len(one) - 4]
    return "".join(row.format(n, mark, fill) for n in range(megabytes * 1000)).encode()


def emoji(number: int) -> bytes:
    """So many lines of about a kilobyte with an emoji each."""
    return b"".join(
        long_lines(-(-number // 1000), "\N{SAILBOAT}\N{GRINNING FACE}").splitlines(True)[:number]
    )


def page(drawn: bytes) -> bytes:
    return b"BT /F1 12 Tf 72 720 Td (Hello there.) Tj ET " + drawn


Made = dict[str, tuple[str, Callable[[], bytes], str]]
ACCEPTED: Made = {
    "15 MB of text": ("a.txt", text, "1 document"),
    "15 MB in one line without an end": ("a.txt", lambda: text().replace(b".", b""), "1 document"),
    "a million lines": ("a.txt", lambda: b"ab\n" * 1_000_000, "2 documents, "),
    "3 million marks on one letter": (
        "a.txt",
        lambda: ("a" + "\u0315\u0300" * 1_500_000).encode(),
        "1 document",
    ),
    "a title of 3 MB": ("a.md", lambda: b"# " + b"x" * 3_000_000 + b"\n\n" + text(50_000), "1 doc"),
    "9.9 MB of attributes": ("a.html", lambda: attributes(9_900_000), "1 passage"),
    "900,000 comments that never end": ("a.html", lambda: HELLO + b"<!-- " * 900_000, "1 passage"),
    "900,000 declarations": ("a.html", lambda: HELLO + b"<!x" * 900_000, "1 passage"),
    "13 MB of equals signs in a tag": (
        "a.html",
        lambda: b"<p a" + b"=" * 13_000_000 + b">Hello.",
        "1 passage",
    ),
    "60,000 Word paragraphs": ("a.docx", lambda: make_word(paragraphs(59_000)), "1 document"),
    "10,000 rows": ("a.csv", lambda: f"id,title,text\n{rows(10_000)}".encode(), "10,000 p"),
    "100 MB of lines, one with an emoji": (
        "a.jsonl",
        lambda: emoji(1) + long_lines(99),
        "99,001 p",
    ),
    "150 MB of lines, each with an emoji": ("a.jsonl", lambda: emoji(150_000), "150,000 passages"),
    "40,000 times the entities of one passage": (
        "entities.a.jsonl",
        lambda: entities(40_000),
        "entities of 40,000 passages",
    ),
    "a PDF page of 7 MB of instructions": (
        "a.pdf",
        lambda: raw_pdf([page(b"1 0 Td (a) Tj " * 500_000), page(b"")]),
        "1 document",
    ),
    "a PDF page that shows one form 2,000 times": (
        "a.pdf",
        lambda: raw_pdf([page(b"/X Do " * 2000)], {"X": b"BT /F1 12 Tf (a) Tj ET " * 300}),
        "1 document",
    ),
}
REFUSED: Made = {
    "7 million sentences": ("a.txt", lambda: b". " * 7_500_000, "500,000 sentences; split it"),
    "60 MB of text": ("a.txt", lambda: b"word " * 12_000_000, "characters of text; split"),
    "510,000 open paragraphs": ("a.html", lambda: b"<p>x" * 510_000, "500,000 sentences; split it"),
    "5 million tags": ("a.html", lambda: b"<b>" * 4_600_000, "tags; split it"),
    "375 MB of Word's XML": ("a.docx", lambda: large_word(375), "16 MB are taken; split"),
    "500 MB of Word's XML that says it is 1 kB": (
        "a.docx",
        lambda: large_word(500, stated=1000),
        "the Word file is broken",
    ),
    "a member of 2 GB that says it is 2 kB": ("a.zip", lambda: understating("a.txt"), BROKEN),
    "the same in an archive in an archive": (
        "a.zip",
        lambda: make_zip({"b.zip": understating("a.txt", 50_000_000)}),
        "an archive inside an archive; unpack it first",
    ),
    "a gzip file that expands to 2 GB": ("a.txt.gz", lambda: gzip_bomb(2_000_000_000), LONG_LINE),
    "a cell of 30 MB": ("a.csv", lambda: b"text\n" + b"word " * 6_000_000, "a cell has"),
    "200,000 columns": ("a.csv", lambda: wide(200_000), "it has more than 10,000 columns; keep"),
    "15 million cells": ("a.csv", lambda: b"a,b\n" + b"x," * 7_500_000, "cells; split it"),
    "3 million values on each of two lines": (
        "a.jsonl",
        lambda: b"\n".join([b'{"a": [' + b"{}," * 3_000_000 + b"{}]}"] * 2),
        VALUES,
    ),
    "a line of 120 MB": ("a.jsonl", lambda: line(24_000_000), LONG_LINE),
    "a line of 21 MB": ("a.jsonl", lambda: line(4_200_000), "20,000,000 characters of text; split"),
    "60 million lists in each other": ("a.json", lambda: b"[" * 60_000_000, VALUES),
    "a million lists in each other": ("a.json", lambda: b"[" * 1_000_000, "nested too deeply"),
    "7 million empty objects": ("a.json", lambda: b"[" + b"{}," * 7_000_000 + b"{}]", VALUES),
    "PDF pages of 70 MB each": ("a.pdf", lambda: raw_pdf([b" " * 70_000_000] * 8), "may be a scan"),
}


@pytest.mark.parametrize(
    ("status", "case"),
    [*(("accepted", case) for case in ACCEPTED), *(("failed", case) for case in REFUSED)],
)
def test_it_ends_within_its_bounds(tmp_path: Path, status: str, case: str) -> None:
    name, make, message = (ACCEPTED if status == "accepted" else REFUSED)[case]
    file = tmp_path / name
    file.write_bytes(make())
    found = outcome(file)
    assert (found[0], message in found[1]) == (status, True), found
