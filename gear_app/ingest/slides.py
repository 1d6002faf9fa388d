"""Slides to blocks: titles as headings, texts as items, tables as rows, speaker notes as notes.

Dates, slide numbers and footers, which are the same on every slide, are left out.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError

from gear_app.errors import Refused
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.files import DAMAGE, broken

MOST_DEEP = 20  # groups in groups
_FORMULA = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_REPEATED = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)
_PROGRAM = "powerpoint"  # title of a file without one, in all languages
_ERRORS = (PythonPptxError, etree.LxmlError, LookupError, TypeError, AttributeError, AssertionError)


def read_slides(content: bytes) -> ReadDocument:
    """A .pptx file. Raises BadInput where it is broken, Refused where it is nested too deeply."""
    document = ReadDocument()
    try:
        deck = Presentation(io.BytesIO(content))
        title = deck.core_properties.title
        document.title = "" if _PROGRAM in title.lower() else title
        slides = {slide.part.partname: slide for slide in deck.slides}  # each once
        for document.page, slide in enumerate(slides.values(), start=1):
            _add_slide(document, slide)
    except RecursionError as error:
        raise Refused("the slides' parts lie too deep in each other; save it as PDF") from error
    except (*_ERRORS, *DAMAGE) as error:
        raise broken("presentation") from error
    return document


def _add_slide(document: ReadDocument, slide: Any) -> None:  # noqa: ANN401
    document.left_out["formula"] += sum(1 for _ in slide.shapes.element.iter(_FORMULA))
    title = slide.shapes.title
    words = " ".join(title.text.split()) if title is not None else ""
    document.add(BlockKind.HEADING, words or f"Slide {document.page}", level=1)
    for shape in _shapes(slide.shapes):
        if title is None or shape.element is not title.element:
            _add_shape(document, shape)
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None:
        document.add(BlockKind.NOTE, _text(notes.text))


def _shapes(shapes: Any, depth: int = 0) -> Iterator[Any]:  # noqa: ANN401
    """Shapes in their order, those of groups, too."""
    if depth > MOST_DEEP:
        raise RecursionError
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes, depth + 1)
        else:
            yield shape


def _add_shape(document: ReadDocument, shape: Any) -> None:  # noqa: ANN401
    if shape.is_placeholder and shape.placeholder_format.type in _REPEATED:
        return
    if shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            document.add(BlockKind.ITEM, _text(paragraph.text), level=paragraph.level)
    elif getattr(shape, "has_table", False):
        document.add_table(list(_rows(shape.table)))
    elif getattr(shape, "has_chart", False):
        document.left_out["chart"] += 1
    elif etree.QName(shape.element).localname in ("pic", "graphicFrame", "contentPart"):
        document.left_out["picture"] += 1


def _rows(table: Any) -> Iterator[tuple[list[str], bool]]:  # noqa: ANN401
    """Rows of a table, each its cells and whether it names the columns. A cell of several rows is
    in all of them.
    """
    above: list[str] = []
    for number, row in enumerate(table.rows):
        cells = [_text(cell.text) for cell in row.cells]
        for column, cell in enumerate(row.cells):
            if cell.is_spanned and cell._tc.vMerge and column < len(above):
                cells[column] = above[column]
        yield cells, number == 0 and bool(table.first_row)
        above = cells


def _text(text: str) -> str:
    """A text with its line breaks, which python-pptx gives as vertical tabs."""
    return text.replace("\v", "\n")
