"""Spreadsheets to blocks: each sheet a heading and a table.

calamine reads Excel's and LibreOffice's formats and knows dates, hidden sheets and merged cells. It
makes room for every cell between the first and the last, and the program ends where that is more
than there is, so Excel's usual format is asked before how far a sheet reaches; for the others the
bound is that of the reading process (ingest.process).
"""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    SheetMetadata,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from gear_app.errors import BadInput, Refused
from gear_app.ingest import archive
from gear_app.ingest.archive import broken, unpacked
from gear_app.ingest.blocks import BlockKind, ReadDocument

MOST_ROWS, MOST_CELLS = 500_000, 5_000_000  # of a sheet; the cells of all sheets together, too
_ZIP = b"PK"
# A cell that holds something. One that is only formatted ends with its own tag, and costs nothing.
_CELL = re.compile(
    rb'<(?:\w++:)?c\s[^<>]{0,300}?\br="([A-Za-z]{1,3})(\d{1,7})"[^<>]{0,300}+(?<!/)>'
)
_LONGEST_TAG = 1000

Value = int | float | str | bool | datetime.time | datetime.date | datetime.timedelta


def read_xls(content: bytes) -> ReadDocument:
    """Excel's old format. Raises BadInput for another one by this name, as programs write them."""
    if content.startswith(_ZIP):
        raise BadInput("it is a file of Excel's newer format; rename it to .xlsx")
    return _document(io.BytesIO(content))


def read_sheets(content: bytes) -> ReadDocument:
    """The formats that are zips. Raises BadInput where it is broken, Refused where it is large."""
    packed = unpacked(content, "spreadsheet")
    with zipfile.ZipFile(packed) as opened:
        for info in opened.infolist():
            if "/worksheets/" in info.filename and info.filename.endswith(".xml"):
                _admit_cells(opened, info)
    packed.seek(0)
    return _document(packed)


def _document(file: io.BytesIO) -> ReadDocument:
    document = ReadDocument()
    left = MOST_CELLS
    try:
        with CalamineWorkbook.from_filelike(file) as book:
            for number, about in enumerate(book.sheets_metadata):
                if what := _left_out(about):
                    document.left_out[what] += 1
                    continue
                sheet = book.get_sheet_by_index(number)
                _admit(about.name, sheet.height, sheet.width, left)
                left -= sheet.height * sheet.width
                _add_sheet(document, about.name, sheet)
    except (CalamineError, OSError, ValueError) as error:
        raise broken("spreadsheet") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of Rust; it cannot be imported
            raise broken("spreadsheet") from error
        raise
    return document


def _left_out(about: SheetMetadata) -> str:
    """What a sheet is that is not read, "" where it is."""
    if about.typ == SheetTypeEnum.ChartSheet:
        return "chart"
    if about.typ != SheetTypeEnum.WorkSheet:
        return "macro sheet"
    return "" if about.visible == SheetVisibleEnum.Visible else "hidden sheet"


def _add_sheet(document: ReadDocument, name: str, sheet: CalamineSheet) -> None:
    """Add a sheet's rows, without those and without columns that are empty."""
    values = sheet.to_python()
    for row, above, column in _below(sheet):
        values[row][column] = values[above][column]
    rows = [[_shown(value) for value in row] for row in values]
    full = [number for number, row in enumerate(rows) if any(row)]
    if not full:
        return
    document.add(BlockKind.HEADING, name, level=1)
    first = _first([rows[number] for number in full])
    for number in full[:first]:
        document.add(BlockKind.PARAGRAPH, " ".join(filter(None, rows[number])))
    top, *others = full[first:]
    columns = [n for n in range(sheet.width) if any(rows[row][n] for row in (top, *others))]
    names = all(isinstance(values[top][n], str) and rows[top][n] for n in columns)
    typed = any(not isinstance(values[row][n], str) for row in others for n in columns)
    table = [([rows[row][n] for n in columns], False) for row in (top, *others)]
    table[0] = table[0][0], names and typed
    document.add_table(table)


def _below(sheet: CalamineSheet) -> Iterator[tuple[int, int, int]]:
    """The cells of merged ones below their first, each its row, the row of the first, and its
    column. A cell of several rows is in all of them.
    """
    if sheet.start is None:
        return
    top, side = sheet.start
    ranges = sheet.merged_cell_ranges or []
    if sum(last - first for (first, _), (last, _) in ranges) > MOST_CELLS:
        return
    for (first, column), (last, _) in ranges:
        if first >= top and side <= column < side + sheet.width:
            for row in range(first + 1, min(last + 1, top + sheet.height)):
                yield row - top, first - top, column - side


def _first(rows: Sequence[Sequence[str]]) -> int:
    """The number of titles above a table: of the rows before the first that is as full as most."""
    counts = [sum(map(bool, row)) for row in rows]
    usual = Counter(counts).most_common(1)[0][0]
    enough = min(max(2, usual), max(counts))
    return next(number for number, cells in enumerate(counts) if cells >= enough)


def _shown(value: Value) -> str:
    """A value as a sheet shows it; Excel counts with 15 digits."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return format(value, ".15g")
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time()
        return value.date().isoformat() if midnight else value.isoformat(" ", "seconds")
    if isinstance(value, datetime.timedelta):
        minutes, seconds = divmod(round(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    return str(value).strip()


def _admit_cells(opened: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
    """Raise Refused where a sheet of Excel's has cells too far from each other."""
    columns: set[bytes] = set()
    rows: list[int] = []
    rest = b""
    for piece in archive.pieces(opened, info):
        text = rest + piece
        places = [(match[1], int(match[2])) for match in _CELL.finditer(text)]
        columns.update(column for column, _ in places)
        numbers = [row for _, row in places] + rows
        rows = [min(numbers), max(numbers)] if numbers else []
        rest = text[max(text.rfind(b"<"), len(text) - _LONGEST_TAG) :]
    if rows:
        numbered = [_number(column) for column in columns]
        name = info.filename.rpartition("/")[2].removesuffix(".xml")
        _admit(name, rows[1] - rows[0] + 1, max(numbered) - min(numbered) + 1, MOST_CELLS)


def _number(column: bytes) -> int:
    """The number of a column: 1 for A, 27 for AA."""
    number = 0
    for letter in column.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _admit(name: str, rows: int, columns: int, cells: int) -> None:
    if rows > MOST_ROWS or rows * columns > cells:
        raise Refused(
            f"the sheet {name!r} reaches over {rows:,} rows and {columns:,} columns; at most"
            f" {MOST_ROWS:,} rows and {MOST_CELLS:,} cells are taken; delete what stands far"
            " outside, or save its parts as CSV"
        )
