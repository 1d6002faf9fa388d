"""Spreadsheets to blocks: each sheet a heading and a table."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from python_calamine import (
    CalamineError,
    CalamineSheet,
    CalamineWorkbook,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from gear_app.errors import Refused
from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.files import broken

MOST_CELLS = 5_000_000  # of a sheet
# Cells whose formula nobody has calculated, and cell formats that calamine does not give.
_UNCALCULATED = re.compile(rb"<f[^<>]*>[^<>]*</f>\s*(?:<v\s*/>|<v></v>)?\s*</c>")
_FORMATTED = re.compile(rb'formatCode="[^"]*(?:%|\xe2\x82\xac|\$|\xc2\xa3)[^"]*"')
_PERCENTAGES = re.compile(rb'numFmtId="(?:9|10)"')  # built in

_CELL = re.compile(rb"""<c\b[^<>]{0,200}?\br=["']([A-Z]{1,3})(\d{1,7})["']""")

Value = int | float | str | bool | datetime.time | datetime.date | datetime.timedelta


def read_sheets(content: bytes) -> ReadDocument:
    """A spreadsheet. Raises BadInput where it is broken, Refused where it is too large."""
    document = ReadDocument()
    _check_reach(content)
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(content)) as book:
            for number, about in enumerate(book.sheets_metadata):
                if about.typ != SheetTypeEnum.WorkSheet:
                    document.left_out["chart or macro sheet"] += 1
                elif about.visible != SheetVisibleEnum.Visible:
                    document.left_out["hidden sheet"] += 1
                else:
                    _add_sheet(document, about.name, book.get_sheet_by_index(number))
    except (CalamineError, OSError, ValueError, zipfile.BadZipFile) as error:
        raise broken("spreadsheet") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of Rust; it cannot be imported
            raise broken("spreadsheet") from error
        raise
    if zipfile.is_zipfile(io.BytesIO(content)):
        _add_remarks(document, content)
    return document


def _check_reach(content: bytes) -> None:
    """Raise Refused where cells of a sheet are so far apart that calamine, which keeps all cells
    between them, would fill the memory.
    """
    if not zipfile.is_zipfile(io.BytesIO(content)):
        return
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if "worksheets/" not in name or not name.endswith(".xml"):
                continue
            xml = archive.read(name)
            columns = [_column(letters) for letters in {cell[1] for cell in _CELL.finditer(xml)}]
            rows = {int(cell[2]) for cell in _CELL.finditer(xml)}
            if rows and _reach(rows) * _reach(columns) > MOST_CELLS:
                raise _too_far("a sheet", _reach(rows), _reach(columns))


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _reach(numbers: Collection[int]) -> int:
    return max(numbers) - min(numbers) + 1


def _too_far(sheet: str, rows: int, columns: int) -> Refused:
    return Refused(
        f"{sheet} reaches over {rows:,} rows and {columns:,} columns; at most {MOST_CELLS:,} cells"
        " are read; save its parts as CSV"
    )


def _add_remarks(document: ReadDocument, content: bytes) -> None:
    """Count what calamine does not give: formulas without a value, formats of numbers."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            if "/worksheets/sheet" in name and name.endswith(".xml"):
                uncalculated = len(_UNCALCULATED.findall(archive.read(name)))
                document.left_out["formula that was never calculated"] += uncalculated
            elif name.endswith("/styles.xml"):
                styles = archive.read(name)
                formats = _PERCENTAGES.search(styles) or _FORMATTED.search(styles)
                if formats:
                    document.notes.append("numbers are read without % and signs of currencies")


def _add_sheet(document: ReadDocument, name: str, sheet: CalamineSheet) -> None:
    """Add the rows of a sheet, without empty rows and columns."""
    if sheet.height * sheet.width > MOST_CELLS:
        raise _too_far(f"the sheet {name!r}", sheet.height, sheet.width)
    values = sheet.to_python()
    for row, above, column in _merged(sheet):
        values[row][column] = values[above][column]
    rows = [[_shown(value) for value in row] for row in values]
    full = [number for number, row in enumerate(rows) if any(row)]
    if not full:
        return
    document.add(BlockKind.HEADING, name, level=1)
    titles = _title_rows([rows[number] for number in full])
    for number in full[:titles]:
        document.add(BlockKind.PARAGRAPH, " ".join(filter(None, rows[number])))
    top, *others = full[titles:]
    columns = [n for n in range(sheet.width) if any(rows[row][n] for row in (top, *others))]
    names = all(isinstance(values[top][n], str) and rows[top][n] for n in columns)
    typed = any(not isinstance(values[row][n], str) for row in others for n in columns)
    table = [([rows[row][n] for n in columns], False) for row in (top, *others)]
    table[0] = table[0][0], names and typed
    document.add_table(table)


def _merged(sheet: CalamineSheet) -> Iterator[tuple[int, int, int]]:
    """Cells of merged ones below their first: each its row, the row of the first, its column."""
    if sheet.start is None:
        return
    top, side = sheet.start
    ranges = sheet.merged_cell_ranges or []
    for (first, column), (last, _) in ranges:
        if first >= top and side <= column < side + sheet.width:
            for row in range(first + 1, min(last + 1, top + sheet.height)):
                yield row - top, first - top, column - side


def _title_rows(rows: Sequence[Sequence[str]]) -> int:
    """Number of rows above a table: those before the first that is as full as most."""
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
