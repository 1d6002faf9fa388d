"""Slides to blocks: each one's title a heading, its texts items, tables rows, speaker notes notes.

Dates, slide numbers and footers, which are the same on every slide, are not read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError

from gear_app.errors import Refused
from gear_app.ingest.archive import broken, unpacked
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.text import count

MOST_DEEP = 20  # groups in groups
_COMPATIBLE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_FORMULA = "{http://schemas.openxmlformats.org/officeDocument/2006/math}oMath"
_DRAWN = "{http://schemas.openxmlformats.org/drawingml/2006/main}graphicData"
_REPEATED = (PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER)
# What programs call slides that nobody gave a title, in all languages.
_PROGRAM = "powerpoint"
# What python-pptx raises for parts that are missing or not what they should be.
_DAMAGE = (
    PythonPptxError,
    etree.LxmlError,
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    AssertionError,
    OSError,
)


def read_slides(content: bytes) -> ReadDocument:
    """A .pptx file. Raises BadInput where it is broken, Refused where it is too large."""
    document = ReadDocument()
    packed = unpacked(content, "presentation")
    try:
        deck = Presentation(packed)
        title = deck.core_properties.title
        document.title = "" if _PROGRAM in title.lower() else title
        hidden = 0
        slides = {slide.part.partname: slide for slide in deck.slides}  # each once
        for document.page, slide in enumerate(slides.values(), start=1):
            hidden += slide.element.get("show") in ("0", "false")
            _add_slide(document, slide)
    except RecursionError as error:
        raise Refused("the presentation's parts lie too deep in each other; save it as PDF") from (
            error
        )
    except _DAMAGE as error:
        raise broken("presentation") from error
    if hidden:
        document.notes.append(f"{count(hidden, 'hidden slide')} taken, too")
    return document


def _add_slide(document: ReadDocument, slide: Any) -> None:  # noqa: ANN401
    _choose(slide.shapes.element)
    document.left_out["formula"] += sum(1 for _ in slide.shapes.element.iter(_FORMULA))
    title = slide.shapes.title
    named = " ".join(title.text.split()) if title is not None else ""
    document.add(BlockKind.HEADING, named or f"Slide {document.page}", level=1)
    for shape in _shapes(slide.shapes):
        if title is None or shape.element is not title.element:
            _add_shape(document, shape)
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None:
        document.add(BlockKind.NOTE, _text(notes.text))


def _choose(tree: Any) -> None:  # noqa: ANN401
    """Put what newer programs show of a shape in the place of its versions."""
    for versions in list(tree.iter(f"{_COMPATIBLE}AlternateContent")):
        choice = versions.find(f"{_COMPATIBLE}Choice")
        for shape in [] if choice is None else list(choice):
            versions.addprevious(shape)
        versions.getparent().remove(versions)


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
        document.add_table(_rows(shape.table))
    elif what := _picture(shape):
        document.left_out[what] += 1


def _picture(shape: Any) -> str:  # noqa: ANN401
    """What a shape without text is that says something, "" for lines and the like."""
    drawn = next((node.get("uri", "") for node in shape.element.iter(_DRAWN)), "")
    if getattr(shape, "has_chart", False) or drawn.endswith("/chartex"):
        return "chart"
    if drawn.endswith("/diagram"):
        return "diagram"
    if drawn.endswith("/ole"):
        return "embedded file"
    tag = etree.QName(shape.element).localname
    return (
        "picture" if tag == "pic" else "drawing" if tag in ("contentPart", "graphicFrame") else ""
    )


def _rows(table: Any) -> list[tuple[list[str], bool]]:  # noqa: ANN401
    """A table's rows, each its cells and whether it names the columns. A cell of several rows is in
    all of them.
    """
    rows: list[tuple[list[str], bool]] = []
    for row in table.rows:
        cells = [_text(cell.text) for cell in row.cells]
        if rows:
            above = rows[-1][0]
            for column, cell in enumerate(row.cells):
                if cell.is_spanned and cell._tc.vMerge and column < len(above):
                    cells[column] = above[column]
        rows.append((cells, not rows and bool(table.first_row)))
    return rows


def _text(text: str) -> str:
    """A text with its line breaks, which python-pptx gives as vertical tabs."""
    return text.replace("\v", "\n")
