"""Word files, slides, spreadsheets and books to blocks, by mammoth, python-pptx, calamine and the
pages that a book consists of.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from gear_app.documents.blocks import ReadDocument, rows_above
from gear_app.documents.formats import document_format
from gear_app.documents.formats.web import add_html
from gear_app.language.blocks import Kind


@document_format("a Word document", ".docx")
def read_docx(content: bytes) -> ReadDocument:
    """A Word file as mammoth gives it: deletions, comments, headers and footers are left out, and
    elements that mammoth does not know are counted.
    """
    import mammoth  # late: as the other libraries, used for files of one kind

    page = mammoth.convert_to_html(
        io.BytesIO(content),
        style_map="p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => h2:fresh",
        convert_image=mammoth.images.img_element(lambda _: {"src": ""}),
    )
    document = add_html(ReadDocument(), str(page.value))
    document.left_out["picture"] = page.value.count("<img")
    for message in page.messages:
        if ignored := re.search(r"unrecognised element was ignored: .*?(\w+)$", message.message):
            document.left_out["formula" if ignored[1].startswith("oMath") else ignored[1]] += 1
    return document


# Slides


@document_format("slides", ".pptx", ".pptm")
def read_slides(content: bytes) -> ReadDocument:
    """A .pptx file: titles as headings, texts as items, tables, notes; without dates, numbers and
    footers. A slide that is named several times is read once.
    """
    from pptx import Presentation

    deck = Presentation(io.BytesIO(content))
    document = ReadDocument(title=deck.core_properties.title)
    slides = {slide.part.partname: slide for slide in deck.slides}
    for document.page, slide in enumerate(slides.values(), start=1):
        title = slide.shapes.title
        words = " ".join(title.text.split()) if title is not None else ""
        document.add(Kind.HEADING, words or f"Slide {document.page}", level=1)
        for shape in _shapes(slide.shapes):
            _add_shape(document, shape)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            document.add(Kind.PROSE, slide.notes_slide.notes_text_frame.text)
    return document


def _shapes(shapes: Any) -> Iterator[Any]:  # noqa: ANN401
    for shape in shapes:
        yield from _shapes(shape.shapes) if hasattr(shape, "shapes") else [shape]


def _add_shape(document: ReadDocument, shape: Any) -> None:  # noqa: ANN401
    # Placeholders that are read as headings, or not at all.
    if shape.is_placeholder and shape.placeholder_format.type.name in (
        *("TITLE", "CENTER_TITLE", "VERTICAL_TITLE", "DATE", "FOOTER", "SLIDE_NUMBER"),
    ):
        return
    if shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            # \v is a line break of python-pptx.
            document.add(Kind.ITEM, paragraph.text.replace("\v", "\n"), level=paragraph.level)
    elif getattr(shape, "has_table", False):
        rows = ([cell.text for cell in row.cells] for row in shape.table.rows)
        document.add_table(rows, head=bool(shape.table.first_row))
    elif not shape.element.tag.endswith("cxnSp"):  # a line
        document.left_out["chart" if getattr(shape, "has_chart", False) else "picture"] += 1


# Spreadsheets: each sheet a heading and a table

# Cells whose formula nobody has calculated, and cell formats that calamine does not give.
_UNCALCULATED = re.compile(rb"<f[^<>]*>[^<>]*</f>\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_FORMATTED = re.compile(rb'formatCode="[^"]*(?:%|\xe2\x82\xac|\$|\xc2\xa3)[^"]*"')


@document_format("a spreadsheet", ".xlsx", ".xlsm", ".xlsb", ".ods", ".xls")
def read_sheets(content: bytes) -> ReadDocument:
    """The visible sheets of a spreadsheet. One with a cell far away takes more memory than the
    process may have.
    """
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    document = ReadDocument()
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            xml = b"".join(archive.read(n) for n in archive.namelist() if n.endswith(".xml"))
        document.left_out["uncalculated formula"] = len(_UNCALCULATED.findall(xml))
        if _FORMATTED.search(xml):
            document.notes.append("numbers are read without % and signs of currencies")
    with CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
        for number, about in enumerate(book.sheets_metadata):
            if about.typ != SheetTypeEnum.WorkSheet or about.visible != SheetVisibleEnum.Visible:
                document.left_out["hidden sheet"] += 1
            else:
                _add_sheet(document, about.name, book.get_sheet_by_index(number))
    return document


def _add_sheet(document: ReadDocument, name: str, sheet: Any) -> None:  # noqa: ANN401
    values = sheet.to_python()
    top, side = sheet.start or (0, 0)
    for (first, column), (last, _) in sheet.merged_cell_ranges or ():
        if first >= top and 0 <= column - side < sheet.width:  # not empty
            for row in values[first + 1 - top : last + 1 - top]:
                row[column - side] = values[first - top][column - side]
    columns = [[_shown(value) for value in column] for column in zip(*values, strict=True)]
    rows = list(filter(any, zip(*filter(any, columns), strict=True)))
    if rows:
        document.add(Kind.HEADING, name, level=1)
        above = rows_above(rows)
        for row in rows[:above]:
            document.add(Kind.PROSE, " ".join(filter(None, row)))
        # A row of words alone is above rows with numbers or days.
        kinds = [{type(value) for value in row if value != ""} for row in values if any(row)]
        document.add_table(rows[above:], head={str} in kinds[:1] and any(k != {str} for k in kinds))


def _shown(value: object) -> str:
    text = format(value, ".15g") if isinstance(value, float) else str(value)
    return text.strip().removesuffix(" 00:00:00")


# Books: chapters are web pages, in the order of reading


@document_format("a book", ".epub")
def read_book(content: bytes) -> ReadDocument:
    """Chapters of an .epub, without its tables of contents."""
    document = ReadDocument()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        container = _parse_xml(archive.read("META-INF/container.xml"))
        package = container.find(".//{*}rootfile").get("full-path", "")
        tree = _parse_xml(archive.read(package))
        document.title = "".join(next(tree.iter("{*}title")).itertext())
        document.add_pair(
            "Author", ", ".join("".join(n.itertext()) for n in tree.iter("{*}creator"))
        )
        items = {node.get("id"): node for node in tree.iter("{*}item")}
        chapters = dict.fromkeys(node.get("idref") for node in tree.iter("{*}itemref"))
        for item in (items[id_] for id_ in chapters if id_ in items):
            if "html" in item.get("media-type", "") and "nav" not in item.get("properties", ""):
                place = posixpath.join(posixpath.dirname(package), unquote(item.get("href")))
                add_html(document, archive.read(posixpath.normpath(place)))
    return document


def _parse_xml(part: bytes) -> Any:  # noqa: ANN401 - lxml says nothing of its types
    from lxml import etree

    # Entities are not replaced: a few can stand for gigabytes, or for other files.
    return etree.fromstring(
        part, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    )
