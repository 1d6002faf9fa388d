"""Word files: cells that span others, bounds, and damaged or hostile parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.ingest import read_files
from gear_app.ingest.archive import broken
from tests.ingest.make import make_docx, make_word, make_zip, members
from tests.ingest.reports import report


def with_document(content: bytes, old: bytes, new: bytes) -> bytes:
    """The Word file with one thing in its text changed."""
    parts = members(content)
    assert old in parts["word/document.xml"]
    parts["word/document.xml"] = parts["word/document.xml"].replace(old, new, 1)
    return make_zip(parts)


def test_a_cell_that_spans_more_columns_than_there_are_comes_once() -> None:
    plain = make_docx("Lorn", [], [["Year", "People"], ["1911", "700"]])
    spanning = with_document(plain, b"<w:tcPr>", b'<w:tcPr><w:gridSpan w:val="100000000"/>')
    (document,) = read_files([("a.docx", spanning)]).documents
    assert document.text == "Lorn\n\nYear | People\n1911 | 700"


def test_a_cell_that_spans_rows_is_in_each() -> None:
    plain = make_docx("", [], [["Year", "People"], ["", "700"]])
    first = with_document(plain, b"</w:tcPr>", b'<w:vMerge w:val="restart"/></w:tcPr>')
    merged = with_document(first, b"</w:tcPr><w:p><w:r/>", b"<w:vMerge/></w:tcPr><w:p><w:r/>")
    (document,) = read_files([("a.docx", merged)]).documents
    assert document.text == "Year | People\nYear | 700"


@pytest.mark.parametrize(
    "part", ["word/document.xml", "[Content_Types].xml", "_rels/.rels", "word/styles.xml"]
)
@pytest.mark.parametrize(
    "change", [(b"<w:p>", b"<w:p"), (b"http", b"htp"), (b"Target", b"Tarot"), (b"main+xml", b"x")]
)
def test_a_word_file_with_damaged_parts(part: str, change: tuple[bytes, bytes]) -> None:
    parts = members(make_docx("Lorn", ["Text."]))
    parts[part] = parts[part].replace(*change)
    assert report("a.docx", make_zip(parts)).message in (
        str(broken("Word file")),
        "there is no text in it",
        "1 document, 1 passage",
    )


def test_a_word_file_that_is_a_bomb_or_expands_entities() -> None:
    bomb = make_zip({"[Content_Types].xml": b"<Types/>", "word/document.xml": b" " * 5_000_000})
    assert report("a.docx", bomb).message == (
        "word/document.xml expands more than 100-fold; that looks like a zip bomb"
    )
    entity = b'<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]><w:document'
    content = with_document(make_docx("Lorn", ["Text."]), b"<w:document", entity)
    batch = read_files([("a.docx", with_document(content, b"Text.", b"&x;"))])
    host = Path("/etc/hostname")
    name = host.read_text(encoding="utf-8").strip() if host.exists() else "host"
    assert all(name not in document.text for document in batch.documents)


@pytest.mark.parametrize(
    ("body", "limit", "message"),
    [
        (b"<w:p/>" * 3, "MOST_PARAGRAPHS", "the Word file has more than 2 paragraphs; split it"),
        (b"<w:tbl>" + b"<w:tr/>" * 3 + b"</w:tbl>", "MOST_PARAGRAPHS", "more than 2 paragraphs"),
        (b"<w:x/>" * 3, "MOST_ELEMENTS", "the Word file has more than 2 elements; split it"),
        (b"<w:p/>" * 3, "MOST_XML", "0.0 MB of XML; at most 0.0 MB are taken; split it"),
    ],
)
def test_a_word_file_has_bounds(
    monkeypatch: pytest.MonkeyPatch, body: bytes, limit: str, message: str
) -> None:
    content = make_word(b"<w:p><w:r><w:t>Lorn.</w:t></w:r></w:p>" + body)
    assert report("a.docx", content).status == "accepted"
    monkeypatch.setattr(f"gear_app.ingest.word.{limit}", 2)
    found = report("a.docx", content)
    assert (found.status, message in found.message) == ("failed", True), found
