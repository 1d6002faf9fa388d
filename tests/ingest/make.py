"""Small real files for the tests: PDF, Word and zip, made in memory."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject

_OPEN = "http://schemas.openxmlformats.org"
_WORD = f"{_OPEN}/wordprocessingml/2006/main"


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
    heading: str = "",
    paragraphs: Sequence[str] = (),
    table: Sequence[Sequence[str]] = (),
    title: str = "",
) -> bytes:
    """A heading, paragraphs, then a table; `title` is the one it states."""
    parts = [_paragraph(heading, "berschrift1")] if heading else []
    parts += map(_paragraph, paragraphs)
    if table:
        rows = ("".join(map(_cell, cells)) for cells in table)
        parts.append("<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>")
    return make_word("".join(parts).encode(), title)


def make_word(body: bytes, title: str = "") -> bytes:
    """A Word file with this body, as Word lays one out; its heading style is called as in a German
    Word, where only the names of styles are English.
    """
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{id_}"><w:name w:val="{name}"/></w:style>'
        for id_, name in (("Standard", "Normal"), ("berschrift1", "heading 1"))
    )
    return make_zip(
        {
            "[Content_Types].xml": f'<Types xmlns="{_OPEN}/package/2006/content-types">'
            '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-'
            'officedocument.wordprocessingml.document.main+xml"/></Types>'.encode(),
            "_rels/.rels": f'<Relationships xmlns="{_OPEN}/package/2006/relationships">'
            f'<Relationship Id="rId1" Type="{_OPEN}/officeDocument/2006/relationships/'
            'officeDocument" Target="word/document.xml"/>'
            f'<Relationship Id="rId2" Type="{_OPEN}/package/2006/relationships/metadata/'
            'core-properties" Target="docProps/core.xml"/></Relationships>'.encode(),
            "docProps/core.xml": f'<cp:coreProperties xmlns:cp="{_OPEN}/package/2006/metadata/'
            'core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">'
            f"<dc:title>{escape(title)}</dc:title><dc:creator>Ada</dc:creator>"
            "</cp:coreProperties>".encode(),
            "word/styles.xml": f'<w:styles xmlns:w="{_WORD}">{styles}</w:styles>'.encode(),
            "word/document.xml": f'<w:document xmlns:w="{_WORD}"><w:body>'.encode()
            + body
            + b"<w:sectPr/></w:body></w:document>",
        }
    )


def _paragraph(text: str, style: str = "") -> str:
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    run = f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>' if text else "<w:r/>"
    return f"<w:p>{properties}{run}</w:p>"


def _cell(text: str) -> str:
    width = '<w:tcPr><w:tcW w:type="dxa" w:w="4320"/></w:tcPr>'
    return f"<w:tc>{width}{_paragraph(text)}</w:tc>"


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
