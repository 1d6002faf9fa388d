"""Tables as text: what parts their cells, which row names the columns, and what stands above it."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from gear_app.errors import BadInput, Refused
from gear_app.ingest.rows import MOST_ROWS

MOST_COLUMNS, MOST_CELLS = 10_000, 5_000_000
MOST_OF_A_CELL = 10_000_000
_DELIMITERS = ";\t,|"  # of those that fit equally well the first: commas stand in texts, too
_LOOKED_AT = 200  # rows
HEAD = 1_000_000  # characters in which its form is looked for
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")  # of a table, its end included
_STATED = re.compile(r"\"?sep=([^\r\n\"])\"?[^\S\t]*(?:\r\n|\r|\n)", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d[\d.,' ]*%?")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_MOSTLY = 0.8  # of a column's cells


class CsvTable(NamedTuple):
    """A table's rows by the names of their columns, what stands above its head, how many rows have
    more cells than columns, and what parts cells, in words.
    """

    rows: list[dict[str, str]]
    preamble: str
    longer: int
    parted_by: str


class Form(NamedTuple):
    """How a table is written: what parts its cells, after how many characters of a line that says
    so its rows begin, how many of them stand above its head, the names in that, none where it has
    no head, and whether quotation marks hold cells together.
    """

    delimiter: str
    start: int
    above: int
    names: list[str]
    quoted: bool

    @property
    def leading(self) -> int:
        """The rows before those of data, with the line that says what parts cells."""
        return bool(self.start) + self.above + bool(self.names)


def form_of(text: str) -> Form:
    """The form of a table that begins with this text. What parts its cells is told by its first
    line (`sep=;`), or is what gives most of its rows the same number of them.
    """
    csv.field_size_limit(MOST_OF_A_CELL)  # the module's own limit, 131,072, is a long chapter
    stated = _STATED.match(text)
    start = stated.end() if stated else 0
    delimiter = stated[1] if stated else _delimiter(text[start:])
    lines = _LINE.findall(text, start)
    quoted = _is_quoted(lines, delimiter)
    head = list(itertools.islice(records(lines, delimiter, quoted=quoted), _LOOKED_AT))
    above = _above(head)
    return Form(delimiter, start, above, [] if _are_data(head[above:]) else head[above], quoted)


def _is_quoted(lines: list[str], delimiter: str) -> bool:
    """Whether quotation marks hold cells together. They are marks of inches, or of a word, where
    they make rows of several lines, and all lines have the same number of cells without them;
    between commas, which stand in texts, too, only where they are never closed as well.
    """
    lines = [line for line in lines if line.strip()]
    lines[_LOOKED_AT:] = lines[_LOOKED_AT:-1]  # the last may be cut

    def rows(**form: Any) -> list[int]:  # noqa: ANN401
        return list(map(len, csv.reader(lines, delimiter=delimiter, **form)))

    try:
        cells = set(rows(quoting=csv.QUOTE_NONE))
        if len(cells) > 1 or cells <= {1} or len(rows()) == len(lines):
            return True
        return delimiter == "," and bool(rows(strict=True))
    except csv.Error:
        return False


def csv_table(text: str) -> CsvTable:
    """The rows of a table. Raises BadInput, Refused."""
    text = text.lstrip("\ufeff\r\n")
    form = form_of(text[:HEAD])
    names = form.names
    if text.count(form.delimiter) > MOST_CELLS:
        raise Refused(f"it has more than {MOST_CELLS:,} cells; split it")
    if len(names) > MOST_COLUMNS:
        raise Refused(f"it has more than {MOST_COLUMNS:,} columns; keep those that hold text")
    lines = (line[0] for line in _LINE.finditer(text, form.start))
    found = records(lines, form.delimiter, quoted=form.quoted)
    above = list(itertools.islice(found, form.above + bool(names)))[: form.above]
    rows: list[dict[str, str]] = []
    longer = 0
    for number, record in enumerate(found, start=1):
        if number > MOST_ROWS:
            raise Refused(f"it has more than {MOST_ROWS:,} rows; split it")
        if names and any(map(str.strip, record[len(names) :])):
            longer += 1
            record[len(names) - 1 :] = [form.delimiter.join(record[len(names) - 1 :])]
        rows.append(_row(names, record))
    if not rows:
        raise BadInput("a table needs a line of column names and at least one row")
    preamble = "\n".join(" ".join(filter(None, record)).strip() for record in above)
    parted_by = {",": "commas", "\t": "tabs"}.get(form.delimiter, form.delimiter)
    return CsvTable(rows, preamble, longer, parted_by)


def _row(names: list[str], record: list[str]) -> dict[str, str]:
    """A row's cells by their columns' names; of columns with the same name those of all."""
    row: dict[str, str] = {}
    for number, cell in enumerate(record):
        name = names[number].strip() if number < len(names) else ""
        if value := cell.strip():
            row[name] = f"{row[name]}, {value}" if name in row else value
    return row


def _above(records: list[list[str]]) -> int:
    """How many rows stand above a table's head: of one cell each, where most have more."""
    usual = Counter(map(len, records)).most_common(1)[0][0] if records else 0

    def is_above(record: list[str]) -> bool:
        return sum(map(bool, map(str.strip, record))) < 2 and (usual > 2 or len(record) < usual)

    return sum(1 for _ in itertools.takewhile(is_above, records[:-1]))


def _are_data(records: list[list[str]]) -> bool:
    """Whether a table's first row is one of data: it has a number, other than a year, in a column
    of numbers.
    """
    if not records:
        return True
    first, *rest = records
    for number, cell in enumerate(first):
        if _NUMBER.fullmatch(cell.strip()) and not _YEAR.fullmatch(cell.strip()):
            column = [record[number].strip() for record in rest if number < len(record)]
            numbers = sum(_NUMBER.fullmatch(value) is not None for value in column)
            if numbers > _MOSTLY * len(column) > 1:
                return True
    return False


def _delimiter(text: str) -> str:
    """What parts a table's cells: what gives most of its first rows the same number of them, and
    then more; a comma where nothing does.
    """

    def fits(delimiter: str) -> tuple[int, int]:
        lines = (line[0] for line in _LINE.finditer(text, 0, HEAD))
        lengths: Counter[int] = Counter()
        with suppress(csv.Error):
            for record in itertools.islice(csv.reader(lines, delimiter=delimiter), _LOOKED_AT):
                lengths[len(record)] += len(record) > 1
        cells, rows = max(lengths.items(), key=lambda item: item[1], default=(0, 0))
        return rows, cells

    return max(_DELIMITERS, key=fits)


def records(lines: Iterable[str], delimiter: str, *, quoted: bool = True) -> Iterator[list[str]]:
    """The rows of a table that are not blank, each once its lines were taken. Raises BadInput,
    Refused.
    """
    csv.field_size_limit(MOST_OF_A_CELL)
    try:
        marks: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
        for record in csv.reader(lines, delimiter=delimiter, quoting=marks):
            if any(map(str.strip, record)):
                yield record if quoted else [_unquoted(cell) for cell in record]
    except csv.Error as error:
        if "field limit" in str(error):
            raise Refused(
                f"a cell has more than {MOST_OF_A_CELL:,} characters: either a quotation mark is"
                " never closed, or the text should be a file of its own"
            ) from error
        raise BadInput(f"the table cannot be read: {error}") from error


def _unquoted(cell: str) -> str:
    """A cell without the quotation marks that are around all of it."""
    around = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if around else cell
