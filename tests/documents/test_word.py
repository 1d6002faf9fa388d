"""Word files: cells that span others, bounds, and damaged or hostile parts."""

from __future__ import annotations

from tests.documents.make import make_docx, make_zip, members
from tests.documents.reports import read_files


def with_document(content: bytes, old: bytes, new: bytes) -> bytes:
    """The Word file with one thing in its text changed."""
    parts = members(content)
    assert old in parts["word/document.xml"]
    parts["word/document.xml"] = parts["word/document.xml"].replace(old, new, 1)
    return make_zip(parts)


def test_a_cell_that_spans_rows_is_in_each() -> None:
    plain = make_docx("", [], [["Year", "People"], ["", "700"]])
    first = with_document(plain, b"</w:tcPr>", b'<w:vMerge w:val="restart"/></w:tcPr>')
    merged = with_document(first, b"</w:tcPr><w:p><w:r/>", b"<w:vMerge/></w:tcPr><w:p><w:r/>")
    (document,) = read_files([("a.docx", merged)]).documents
    assert document.text == "Year: People\nYear: 700"
