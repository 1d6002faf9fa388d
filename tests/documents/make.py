"""Small real files for the tests: PDF, Word and zip, made in memory."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

_OPEN = "http://schemas.openxmlformats.org"
_WORD = f"{_OPEN}/wordprocessingml/2006/main"


def make_pdf(pages: Sequence[str], title: str = "") -> bytes:
    """One page a text, one line a line."""
    drawn = []
    for text in pages:
        lines = b" ".join(b"(" + line.encode("cp1252") + b") '" for line in text.split("\n"))
        drawn.append(b"BT /F1 12 Tf 72 720 Td 14 TL " + lines + b" ET" if text else b"")
    return draw_pdf(drawn, title)


def draw_pdf(pages: Sequence[bytes], title: str = "") -> bytes:
    """A PDF file with these instructions for its pages; the font F1 is plain, F2 bold."""
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b"", b"<</Title(%s)>>" % title.encode("cp1252")]
    objects += [
        b"<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding>>" % name
        for name in (b"Helvetica", b"Helvetica-Bold")
    ]
    kids = []
    for page in pages:
        data = zlib.compress(page)
        number = len(objects) + 1
        head = b"<</Filter/FlateDecode/Length %d>>stream\n" % len(data)
        objects.append(head + data + b"\nendstream")
        fonts = b"<</Font<</F1 4 0 R/F2 5 0 R>>>>"
        head = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources" + fonts
        objects.append(head + b"/Contents %d 0 R>>" % number)
        kids.append(b"%d 0 R" % (number + 1))
    objects[1] = b"<</Type/Pages/Count %d/Kids [ %s ]>>" % (len(kids), b" ".join(kids))
    return pdf_of(objects, b"/Info 3 0 R" if title else b"")


def pdf_of(objects: Sequence[bytes], more: bytes = b"") -> bytes:
    """A PDF file of these objects, the first its root; `more` is for its trailer."""
    out, places = b"%PDF-1.5\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table
    trailer = b"trailer<</Size %d/Root 1 0 R%s>>\n" % (len(objects) + 1, more)
    return out + table + trailer + b"startxref\n%d\n%%%%EOF" % len(out)


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


def make_zip(files: Mapping[str, bytes]) -> bytes:
    """A compressed archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def members(content: bytes) -> dict[str, bytes]:
    """What is in an archive, by its name."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
