"""Slides: titles, levels, tables, groups and notes, what is left out, and damaged files."""

from __future__ import annotations

import copy
import io
from collections.abc import Callable
from typing import Any

from lxml import etree
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from gear_app.documents.blocks import Kind, ReadDocument, lay_out
from gear_app.documents.office import read_slides
from tests.documents.make import make_zip, members

_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8ffff3f"
    "0005fe02fedccc59e70000000049454e44ae426082"
)
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


def test_rows_of_a_table_name_their_columns() -> None:
    def fill(slide: Any) -> None:
        table = slide.shapes.add_table(3, 2, 0, 0, Inches(3), Inches(3)).table
        for row, cells in enumerate((("Boat", "Year"), ("Lena", "1911"), ("Mara", "1912"))):
            for column, text in enumerate(cells):
                table.cell(row, column).text = text

    text = lay_out(read_slides(one_slide(fill)).blocks)[0]
    assert text == "Slide 1\n\nBoat: Lena\nYear: 1911\n\nBoat: Mara\nYear: 1912"


def test_groups_are_opened_and_pictures_and_charts_counted() -> None:
    def fill(slide: Any) -> None:
        group = slide.shapes.add_group_shape().shapes.add_group_shape()
        group.shapes.add_textbox(0, 0, 9, 9).text_frame.text = "In groups"
        group.shapes.add_picture(io.BytesIO(_PIXEL), 0, 0)
        data = CategoryChartData()
        data.categories = ["a"]
        data.add_series("s", (1,))
        slide.shapes.add_chart(XL_CHART_TYPE.LINE, 0, 0, 99, 99, data)
        slide.shapes.add_connector(1, 0, 0, 9, 9)

    document = read_slides(one_slide(fill))
    assert [block.text for block in document.blocks] == ["Slide 1", "In groups"]
    assert document.remarks() == ["left out: 1 chart, 1 picture"]


def test_entities_are_not_replaced() -> None:
    parts = members(one_slide(lambda slide: slide.shapes.element.append(shape(drawn("here")))))
    page = parts["ppt/slides/slide1.xml"].partition(b"?>")[2].replace(b"here", b"here &b;")
    declared = b'<!DOCTYPE x [<!ENTITY a "word "><!ENTITY b "' + b"&a;" * 1000 + b'">]>'
    document = read_slides(make_zip({**parts, "ppt/slides/slide1.xml": declared + page}))
    assert "word" not in lay_out(document.blocks)[0]
