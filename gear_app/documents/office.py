"""Word files, slides, spreadsheets and books to blocks, by mammoth, python-pptx, calamine and the
pages that a book consists of.
"""

from __future__ import annotations

import datetime
import io
import posixpath
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree

from gear_app.core.errors import BadInput, Refused
from gear_app.documents.blocks import BlockKind, ReadDocument, visible
from gear_app.documents.files import DAMAGE, broken, parse_xml
from gear_app.documents.html import add_html, page_text

_ERRORS = (*DAMAGE, LookupError, AttributeError, TypeError, AssertionError, etree.LxmlError)
Tree = Any  # lxml says nothing of its types

# Word: mammoth makes HTML

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_STRICT = {
    b"http://purl.oclc.org/ooxml/wordprocessingml/main": _W[1:-1].encode(),
    b"http://purl.oclc.org/ooxml/officeDocument/math": _M[1:-1].encode(),
    b"http://purl.oclc.org/ooxml/officeDocument/relationships": (
        b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    ),
}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_COMMENTS, _CORE = "word/comments.xml", "docProps/core.xml"
_TEXTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")
_EDGE = re.compile(r"word/(?:header|footer|hdr|ftr)\d*\.xml")
_AROUND_RUNS = [_W + name for name in ("fldSimple", "bdo", "dir", "customXml", "smartTag")]
_STYLE_MAP = "p[style-name='Title'] => h1:fresh\np[style-name='Subtitle'] => h2:fresh"


def read_docx(content: bytes) -> ReadDocument:
    """A Word file, insertions included; comments, deletions and pictures are counted. Numbers that
    Word counts by itself are left out of headings. Raises BadInput where it is broken, Refused
    where it is nested too deeply.
    """
    document = ReadDocument()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = [n for n in archive.namelist() if n.endswith((".xml", ".rels"))]
            parts = {name: archive.read(name) for name in names}
        add_html(document, _html(parts, document))
        edges = dict[str, str]()  # words of headers and footers by their letters
        for name in filter(_EDGE.fullmatch, parts):
            for paragraph in parse_xml(parts[name]).iter(_W + "p"):
                words = visible("".join(paragraph.itertext(_W + "t")))
                edges.setdefault("".join(filter(str.isalpha, words)), words)
        for letters, words in edges.items():
            if len(letters) > 1:  # not "1 / 3"
                document.add(BlockKind.PARAGRAPH, words)
    except RecursionError as error:
        raise Refused("the Word file's tables are nested too deeply; save it as PDF") from error
    except _ERRORS as error:
        raise broken("Word file") from error
    return document


def _html(parts: dict[str, bytes], document: ReadDocument) -> str:
    import mammoth  # late: as the other libraries, used for files of one kind

    for name in parts:
        for strict, usual in _STRICT.items():
            parts[name] = parts[name].replace(strict, usual)
    if _CORE in parts:
        titles = parse_xml(parts[_CORE]).xpath("//*[local-name()='title']/text()")
        document.title = "".join(titles)
    comments = parts.pop(_COMMENTS, b"")
    document.left_out["comment"] += comments.count(b"<w:comment ")
    for name in _TEXTS:
        if name in parts:
            tree = parse_xml(parts[name])
            _make_plain(tree, document.left_out)
            parts[name] = etree.tostring(tree)
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w", zipfile.ZIP_STORED) as target:
        for name, part in parts.items():
            target.writestr(name, part)
    no_image = mammoth.images.img_element(lambda _: {"src": ""})
    result = mammoth.convert_to_html(plain, style_map=_STYLE_MAP, convert_image=no_image)
    return str(result.value)


def _make_plain(tree: Tree, left_out: Counter[str]) -> None:
    """Write the formulas, text boxes and fields that mammoth passes over as text, and count what is
    left out.
    """
    for again in list(tree.iter(_FALLBACK)):
        again.getparent().remove(again)
    for box in list(tree.iter(_W + "txbxContent")):
        for paragraph in list(box.iterancestors(_W + "p"))[:1]:
            for inner in reversed(list(box)):
                paragraph.addnext(inner)
    for formula in list(tree.iter(_M + "oMath")):
        run = etree.Element(_W + "r")
        etree.SubElement(run, _W + "t").text = _linear(formula)
        formula.getparent().replace(formula, run)
    for around in list(tree.iter(*_AROUND_RUNS, _M + "oMathPara")):
        for child in list(around):
            around.addprevious(child)
        around.getparent().remove(around)
    left_out["deletion"] += sum(1 for _ in tree.iter(_W + "delText"))
    left_out["picture"] += sum(1 for _ in tree.iter(_W + "drawing", _W + "pict", _W + "object"))
    for mark in list(tree.iter(_W + "vanish")):
        run = mark.getparent().getparent()
        if mark.get(_W + "val") not in ("0", "false", "off") and run.tag == _W + "r":
            run.getparent().remove(run)
            left_out["hidden text"] += 1


def _linear(formula: Tree) -> str:
    """A formula in one line: `(a)/(b)`, `a^2`, `sqrt(a)`."""
    kind = etree.QName(formula).localname
    if kind == "t":
        return formula.text or ""
    parts = {etree.QName(child).localname: _linear(child) for child in formula}
    if kind == "f":
        return f"({parts.get('num', '')})/({parts.get('den', '')})"
    if kind == "rad":
        return f"sqrt({parts.get('e', '')})"
    marks = {"sub": "_", "sup": "^"} if kind in ("sSup", "sSub", "sSubSup") else {}
    return "".join(
        marks.get(etree.QName(child).localname, "") + _linear(child) for child in formula
    )


# Slides


def read_slides(content: bytes) -> ReadDocument:
    """A .pptx file: titles as headings, texts as items, tables, notes; without dates, numbers and
    footers. Raises BadInput where it is broken, Refused where it is nested too deeply.
    """
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    document = ReadDocument()
    try:
        deck = Presentation(io.BytesIO(content))
        title = deck.core_properties.title
        document.title = "" if "powerpoint" in title.lower() else title  # PowerPoint's own
        slides = {slide.part.partname: slide for slide in deck.slides}  # each once
        for document.page, slide in enumerate(slides.values(), start=1):
            _add_slide(document, slide)
    except RecursionError as error:
        raise Refused("the slides' parts lie too deep in each other; save it as PDF") from error
    except (PythonPptxError, *_ERRORS) as error:
        raise broken("presentation") from error
    return document


def _add_slide(document: ReadDocument, slide: Any) -> None:  # noqa: ANN401
    document.left_out["formula"] += sum(1 for _ in slide.shapes.element.iter(_M + "oMath"))
    title = slide.shapes.title
    words = " ".join(title.text.split()) if title is not None else ""
    document.add(BlockKind.HEADING, words or f"Slide {document.page}", level=1)
    for shape in _shapes(slide.shapes):
        if title is None or shape.element is not title.element:
            _add_shape(document, shape)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text
        document.add(BlockKind.PARAGRAPH, notes.replace("\v", "\n"))


def _shapes(shapes: Any) -> Iterator[Any]:  # noqa: ANN401
    for shape in shapes:
        yield from _shapes(shape.shapes) if hasattr(shape, "shapes") else [shape]


def _add_shape(document: ReadDocument, shape: Any) -> None:  # noqa: ANN401
    from pptx.enum.shapes import PP_PLACEHOLDER

    repeated = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)
    if shape.is_placeholder and shape.placeholder_format.type in repeated:
        return
    if shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            text = paragraph.text.replace("\v", "\n")  # a line break of python-pptx
            document.add(BlockKind.ITEM, text, level=paragraph.level)
    elif getattr(shape, "has_table", False):
        rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
        document.add_table(rows, head=bool(shape.table.first_row))
    elif etree.QName(shape.element).localname in ("pic", "graphicFrame", "contentPart"):
        chart = getattr(shape, "has_chart", False)
        document.left_out["chart" if chart else "picture"] += 1


# Spreadsheets: each sheet a heading and a table

# Cells whose formula nobody has calculated, and cell formats that calamine does not give.
_UNCALCULATED = re.compile(rb"<f[^<>]*>[^<>]*</f>\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_FORMATTED = re.compile(
    rb'formatCode="[^"]*(?:%|\xe2\x82\xac|\$|\xc2\xa3)[^"]*"|numFmtId="(?:9|10)"'
)


def read_sheets(content: bytes) -> ReadDocument:
    """A spreadsheet. Raises BadInput where it is broken. One with a cell far away takes more memory
    than the process may have.
    """
    from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    document = ReadDocument()
    try:
        if zipfile.is_zipfile(io.BytesIO(content)):
            _count_left_out(document, content)
        with CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
            for number, about in enumerate(book.sheets_metadata):
                if about.typ != SheetTypeEnum.WorkSheet:
                    document.left_out["chart or macro sheet"] += 1
                elif about.visible != SheetVisibleEnum.Visible:
                    document.left_out["hidden sheet"] += 1
                else:
                    _add_sheet(document, about.name, book.get_sheet_by_index(number))
    except (CalamineError, *DAMAGE) as error:
        raise broken("spreadsheet") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of Rust; it cannot be imported
            raise broken("spreadsheet") from error
        raise
    return document


def _count_left_out(document: ReadDocument, content: bytes) -> None:
    """Count what calamine does not give: formulas without a value, formats of numbers."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if "/worksheets/" in name and name.endswith(".xml"):
                uncalculated = len(_UNCALCULATED.findall(archive.read(name)))
                document.left_out["uncalculated formula"] += uncalculated
            elif name.endswith("/styles.xml") and _FORMATTED.search(archive.read(name)):
                document.notes.append("numbers are read without % and signs of currencies")


def _add_sheet(document: ReadDocument, name: str, sheet: Any) -> None:  # noqa: ANN401
    """Add the rows of a sheet without empty rows and columns; rows above the table as text."""
    values = sheet.to_python()
    top, side = sheet.start or (0, 0)
    for (first, column), (last, _) in sheet.merged_cell_ranges or ():
        for row in range(max(first + 1, top), min(last + 1, top + sheet.height)):
            if first >= top and side <= column < side + sheet.width:
                values[row - top][column - side] = values[first - top][column - side]
    rows = [[_shown(value) for value in row] for row in values]
    columns = [number for number, column in enumerate(zip(*rows, strict=True)) if any(column)]
    full = [number for number, row in enumerate(rows) if any(row)]
    if not full:
        return
    document.add(BlockKind.HEADING, name, level=1)
    above = rows_above([rows[number] for number in full])
    for number in full[:above]:
        document.add(BlockKind.PARAGRAPH, " ".join(filter(None, rows[number])))
    full = full[above:]
    names = all(isinstance(values[full[0]][column], str) for column in columns)
    typed = any(not isinstance(values[row][n], str) for row in full[1:] for n in columns)
    table = [[rows[number][column] for column in columns] for number in full]
    document.add_table(table, head=names and typed and all(table[0]))


def rows_above(rows: Sequence[Sequence[str]]) -> int:
    """Number of rows above a table: those before the first that is as full as most."""
    counts = [sum(map(bool, row)) for row in rows]
    usual = Counter(counts).most_common(1)[0][0]
    enough = min(max(2, usual), max(counts))
    return next(number for number, cells in enumerate(counts) if cells >= enough)


def _shown(value: object) -> str:
    """A value as a sheet shows it; Excel counts with 15 digits."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ", "seconds").removesuffix(" 00:00:00")
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(value).strip()


# Books: chapters are web pages, in the order of reading

_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")


def read_book(content: bytes) -> ReadDocument:
    """Chapters of an .epub, without tables of contents. Raises BadInput where it is broken or
    protected.
    """
    document = ReadDocument()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _add_chapters(document, archive)
    except _ERRORS as error:
        raise broken("book") from error
    return document


def _add_chapters(document: ReadDocument, archive: zipfile.ZipFile) -> None:
    container = parse_xml(archive.read("META-INF/container.xml"))
    path = [*container.iter("{*}rootfile")][0].get("full-path", "")  # noqa: RUF015 - IndexError
    package = parse_xml(archive.read(path))
    titles, authors = (
        [" ".join("".join(node.itertext()).split()) for node in package.iter("{*}" + name)]
        for name in ("title", "creator")
    )
    document.title = (titles or [""])[0] or " "  # no chapter's title is the book's
    document.add_pair("Author", ", ".join(filter(None, authors)))
    encryption = "META-INF/encryption.xml"
    protected = archive.read(encryption) if encryption in archive.namelist() else b""
    items = {node.get("id", ""): node for node in package.iter("{*}item")}
    references = package.iter("{*}reference")
    lists = [_place(path, node) for node in references if node.get("type") == "toc"]
    chapters = (items.get(node.get("idref", "")) for node in package.iter("{*}itemref"))
    for node in [node for node in dict.fromkeys(chapters) if node is not None]:
        place = _place(path, node)
        if place in lists or "nav" in node.get("properties", ""):
            continue
        if place.encode() in protected:
            raise BadInput("the book is protected against copying; only one without that is read")
        if node.get("media-type") not in _PAGES:
            document.left_out["part"] += 1
        elif place not in archive.namelist():
            document.left_out["missing chapter"] += 1
        else:
            add_html(document, page_text(archive.read(place), xml=True)[0])
    document.title = document.title.strip()


def _place(package: str, node: Tree) -> str:
    """Member of the archive that an element of the package refers to."""
    link = unquote(urlsplit(node.get("href", "")).path)
    return posixpath.normpath(posixpath.join(posixpath.dirname(package), link))
