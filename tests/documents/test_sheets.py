"""Spreadsheets: their values as a sheet shows them, what is left out, and files made to break it."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable

import xlsxwriter

from gear_app.documents.blocks import Kind
from gear_app.documents.formats.office import read_sheets


def workbook(fill: Callable[[xlsxwriter.Workbook], None]) -> bytes:
    """An Excel file that `fill` has filled."""
    file = io.BytesIO()
    book = xlsxwriter.Workbook(file)
    fill(book)
    book.close()
    return file.getvalue()


def sheet(*rows: tuple[object, ...]) -> bytes:
    """An Excel file with one sheet of these rows, called Boats."""

    def fill(book: xlsxwriter.Workbook) -> None:
        page = book.add_worksheet("Boats")
        for number, cells in enumerate(rows):
            page.write_row(number, 0, cells)

    return workbook(fill)


def text_of(content: bytes) -> str:
    return read_sheets(content).text


def test_values_are_written_as_a_sheet_shows_them() -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        page = book.add_worksheet("Boats")
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        span = book.add_format({"num_format": "[h]:mm:ss"})
        page.write_row(0, 0, ["Boat", "Built", "People", "Sails", "Seen", "At sea"])
        page.write_row(1, 0, ["Lena"])
        page.write_datetime(1, 1, datetime.datetime(1911, 3, 1), day)
        page.write_row(1, 2, [17, True])
        page.write_datetime(1, 4, datetime.datetime(2024, 3, 1, 14, 30), moment)
        page.write_datetime(1, 5, datetime.timedelta(hours=30, minutes=5), span)
        page.write_row(2, 0, ["Mara", "", 0.1 + 0.2, False])

    assert text_of(workbook(fill)) == (
        "Boats\n\nBoat: Lena\nBuilt: 1911-03-01\nPeople: 17\nSails: True\n"
        "Seen: 2024-03-01 14:30:00\nAt sea: 1 day, 6:05:00\n\n"
        "Boat: Mara\nPeople: 0.3\nSails: False"
    )


def test_titles_above_a_table_are_text_and_empty_rows_and_columns_are_not_there() -> None:
    content = sheet(
        ("Boats of Lorn",),
        (),
        ("As of 1911",),
        ("Boat", "", "Year", "Place"),
        ("Lena", "", 1911, "Lorn"),
        (),
        ("Mara", "", 1912, "Skarn"),
    )
    document = read_sheets(content)
    assert [(block.kind, block.text) for block in document.blocks] == [
        (Kind.HEADING, "Boats"),
        (Kind.PROSE, "Boats of Lorn"),
        (Kind.PROSE, "As of 1911"),
        (Kind.ROW, "Boat: Lena\nYear: 1911\nPlace: Lorn"),
        (Kind.ROW, "Boat: Mara\nYear: 1912\nPlace: Skarn"),
    ]
    assert [block.name for block in document.blocks] == ["", "", "", "Lena", "Mara"]


def test_hidden_sheets_and_charts_are_counted_and_empty_sheets_are_nothing() -> None:
    def fill(book: xlsxwriter.Workbook) -> None:
        book.add_worksheet("Empty")
        book.add_worksheet("Boats").write(0, 0, "Lena")
        secret = book.add_worksheet("Wages")
        secret.write(0, 0, "secret")
        secret.hide()
        deep = book.add_worksheet("Deep")
        deep.write(0, 0, "secret")
        deep.very_hidden()
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=Boats!$A$1"})
        book.add_chartsheet("Curve").set_chart(chart)

    document = read_sheets(workbook(fill))
    assert document.text == "Boats\n\nLena"
    assert document.remarks() == ["left out: 3 hidden sheets"]
