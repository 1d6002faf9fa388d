"""Slides: titles, levels, tables, groups and notes, what is left out, and damaged files."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

from lxml import etree
from pptx import Presentation

from gear_app.documents.blocks import Kind, ReadDocument
from gear_app.documents.formats.office import read_slides
from tests.documents.make import make_zip, members

_SPACES = {
    "p": "http://schemas.openxmlformats.org/presentationml/2006/main",
    "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
}


def deck(fill: Callable[[Any], None], title: str = "") -> bytes:
    """A presentation that `fill` has filled."""
    made = Presentation()
    made.core_properties.title = title
    fill(made)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def one_slide(fill: Callable[[Any], None], layout: int = 6) -> bytes:
    """A presentation of one slide, an empty one."""
    return deck(lambda made: fill(made.slides.add_slide(made.slide_layouts[layout])))


def told(document: ReadDocument) -> list[tuple[str, str, int, int]]:
    return [(block.kind, block.text, block.level, block.page) for block in document.blocks]


def shape(content: str) -> Any:
    spaces = " ".join(f'xmlns:{name}="{space}"' for name, space in _SPACES.items())
    return etree.fromstring(content.replace(">", f" {spaces}>", 1))


def drawn(text: str, more: str = "") -> str:
    return (
        '<p:sp><p:nvSpPr><p:cNvPr id="77" name="x"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>'
        f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r>{more}</a:p></p:txBody></p:sp>"
    )


def test_a_title_is_a_heading_and_texts_are_items_with_their_level() -> None:
    def fill(slide: Any) -> None:
        slide.shapes.title.text = "Harbour\vDay"
        body = slide.placeholders[1].text_frame
        body.text = "Boats"
        deeper = body.add_paragraph()
        deeper.text, deeper.level = "Lena\vof Lorn", 1

    assert told(read_slides(one_slide(fill, layout=1))) == [
        (Kind.HEADING, "Harbour Day", 1, 1),
        (Kind.ITEM, "Boats", 0, 1),
        (Kind.ITEM, "Lena\nof Lorn", 1, 1),
    ]


def test_a_slide_that_a_file_names_20_000_times_is_read_once() -> None:
    def fill(made: Any) -> None:
        made.slides.add_slide(made.slide_layouts[0]).shapes.title.text = "Harbour Day"
        made.slides.add_slide(made.slide_layouts[0]).shapes.title.text = "Boats"
        names = made.slides._sldIdLst
        for _ in range(20_000):
            names.insert(1, copy.copy(names[0]))

    assert told(read_slides(deck(fill))) == [
        (Kind.HEADING, "Harbour Day", 1, 1),
        (Kind.HEADING, "Boats", 1, 2),
    ]


def test_entities_are_not_replaced() -> None:
    parts = members(one_slide(lambda slide: slide.shapes.element.append(shape(drawn("here")))))
    page = parts["ppt/slides/slide1.xml"].partition(b"?>")[2].replace(b"here", b"here &b;")
    declared = b'<!DOCTYPE x [<!ENTITY a "word "><!ENTITY b "' + b"&a;" * 1000 + b'">]>'
    document = read_slides(make_zip({**parts, "ppt/slides/slide1.xml": declared + page}))
    assert "word" not in document.text
