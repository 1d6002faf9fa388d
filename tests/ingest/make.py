"""Small real files for the tests: PDF, Word and zip, made in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence

import docx
from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject


def make_pdf(pages: Sequence[str], title: str = "", password: str | None = None) -> bytes:
    """One page a text, one line a line."""
    writer = PdfWriter()
    font = {
        "/Type": "/Font",
        "/Subtype": "/Type1",
        "/BaseFont": "/Helvetica",
        "/Encoding": "/WinAnsiEncoding",
    }
    face = writer._add_object(
        DictionaryObject({NameObject(k): NameObject(v) for k, v in font.items()})
    )
    for text in pages:
        page = writer.add_blank_page(612, 792)
        fonts = DictionaryObject({NameObject("/F1"): face})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        shown = b" ".join(b"(" + line.encode("cp1252") + b") '" for line in text.split("\n"))
        content = StreamObject()
        content.set_data(b"BT /F1 12 Tf 72 720 Td 14 TL " + shown + b" ET")
        page[NameObject("/Contents")] = writer._add_object(content.flate_encode())
    if title:
        writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    return _written(writer)


def make_docx(
    heading: str = "", paragraphs: Sequence[str] = (), table: Sequence[Sequence[str]] = ()
) -> bytes:
    """A heading, paragraphs, then a table; no title of its own."""
    document = docx.Document()
    document.core_properties.title = ""
    if heading:
        document.add_heading(heading, 1)
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    if table:
        grid = document.add_table(len(table), len(table[0]))
        for row, cells in zip(grid.rows, table, strict=True):
            for cell, text in zip(row.cells, cells, strict=True):
                cell.text = text
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def make_zip(members: Mapping[str, bytes]) -> bytes:
    """A compressed archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _written(writer: PdfWriter) -> bytes:
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()
