"""Rows of JSON, CSV and Parquet files as a stream of objects, and the values in them.

Only a file that is one JSON value is in memory at once; all others are read row by row.
"""

from __future__ import annotations

import ast
import csv
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from io import TextIOWrapper
from typing import Any, NamedTuple, TextIO

from gear_app.core.errors import BadInput, Refused
from gear_app.documents.decode import encoding_of, storable
from gear_app.documents.files import DAMAGE, Source, check_ratio
from gear_app.documents.items import MEGABYTE, Limits, Notes, Skipped

Row = Mapping[str, Any]
# Errors of taking apart a row that is not in the format it looked like.
WRONG_SHAPE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
# Names of fields, in the spelling of `plain_row`.
TEXT = ("text", "paragraph_text", "content", "contents", "body", "passage", "paragraph")
TITLE = ("title", "name", "heading")
ID = ("id", "_id")
HIGHEST_GRADE = 1_000_000
_DEEPEST = 10  # objects in each other whose fields have names of several words
_METADATA = ("metadata", "meta_data", "meta", "additional_metadata")


# Values


def words(value: object) -> str:
    """A value as text, stripped. Raises TypeError for what is neither text nor a number."""
    if isinstance(value, str):
        return storable(value).strip()
    if isinstance(value, int | float):
        return str(value)
    raise TypeError(f"expected words, not {type(value).__name__}")


def grade(value: str | float) -> int:
    """Grade of a judgement. Raises ValueError for what is no whole number, or huge."""
    number = float(value)
    if not number.is_integer() or abs(number) > HIGHEST_GRADE:
        raise ValueError("no grade")
    return int(number)


def first(row: Row, names: Iterable[str]) -> str:
    """The first of the named fields that holds words, else ""."""
    for name in names:
        value = row.get(name)
        if isinstance(value, str | int | float) and str(value).strip():
            return words(value)
    return ""


def plain_row(row: Row) -> dict[str, Any]:
    """A row and its metadata by the names of fields in small letters, with `_` for other signs."""
    plain = {plain_name(name): value for name, value in row.items()}
    for name in _METADATA:
        inner = unpacked(plain.get(name))
        if isinstance(inner, Mapping):
            plain = {plain_name(str(name)): value for name, value in inner.items()} | plain
    return plain


@lru_cache(maxsize=10_000)
def plain_name(name: str) -> str:
    """The name of a field in small letters, with `_` for other signs."""
    return re.sub(r"\W+", "_", name.strip().lower())


def pairs(name: str, value: object, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Fields of a value as text: of an object each by both names, of a list its words."""
    parts = value if isinstance(value, list) else [value]
    nested = [part for part in parts if isinstance(part, Mapping | list) and depth < _DEEPEST]
    plain = [_plain(part) for part in parts if not isinstance(part, Mapping | list) or not nested]
    if line := " ".join(", ".join(filter(None, plain)).split()):
        yield name, line
    for part in nested:
        inner = part.items() if isinstance(part, Mapping) else [("", part)]
        for inner_name, inner_value in inner:
            yield from pairs(".".join(filter(None, [name, inner_name])), inner_value, depth + 1)


def _plain(value: object) -> str:
    if value is None or isinstance(value, bytes):
        return ""
    return words(value if isinstance(value, str | int | float) else str(value))


_LONGEST_PYTHON = 10_000  # characters of a value that is read as Python's
_BETWEEN_TEXTS = re.compile(r"(['\"])\s+(?=['\"])")  # as numpy writes lists


def unpacked(value: object) -> Any:  # noqa: ANN401
    """A list or object that was written into a text, as JSON, Python or numpy write it; anything
    else as it is.
    """
    if not isinstance(value, str) or value[:1] not in ("[", "{"):
        return value
    with suppress(ValueError, RecursionError):
        return json.loads(value)
    if len(value) <= _LONGEST_PYTHON:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            return ast.literal_eval(_BETWEEN_TEXTS.sub(r"\1, ", value))
    return value


# Files


@contextmanager
def open_text(source: Source, limits: Limits, notes: Notes) -> Iterator[TextIO]:
    """A file as a stream of text. Raises BadInput for what is not text, Skipped where it is
    empty.
    """
    try:
        with source.open() as file:
            encoding = encoding_of(file)
            size = file.tell()
            if source.packed:
                check_ratio(size, source.size, limits)
            notes.add_sentence(encoding.note)
            file.seek(0)
            if not file.read(MEGABYTE).strip() and size < MEGABYTE:
                raise Skipped("it is empty")
            file.seek(0)
            with TextIOWrapper(file, encoding.name, "replace", newline="") as text:
                yield text
    except DAMAGE as error:
        if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
            raise
        raise BadInput("it is broken and cannot be unpacked or read") from error


def json_rows(text: TextIO, source: Source, limits: Limits, notes: Notes) -> tuple[Any, bool]:
    """The value of a JSON file; of JSON lines an iterator, and True. Raises BadInput, Refused."""
    lines = enumerate(text, start=1)
    content = (item for item in lines if item[1].strip())
    number, head = next(content)
    second = next(content, None)
    alone = _loaded(head) is not None
    if second and (alone or (source.ending == ".jsonl" and head.strip() not in "[{")):
        return _json_lines(itertools.chain([(number, head), second], content), notes), True
    rest = head + (second[1] if second else "") + text.read(limits.text_bytes + 1)
    if len(rest) > limits.text_bytes:
        raise Refused(
            f"it is too large: at most {limits.text_bytes // MEGABYTE} MB of JSON are read at once;"
            " make it JSON lines (.jsonl), which may be of any size"
        )
    try:
        return json.loads(rest), False
    except RecursionError as error:
        raise BadInput("it is nested too deeply") from error
    except ValueError as error:
        digits = not isinstance(error, json.JSONDecodeError)
        reason = "a number has thousands of digits" if digits else str(error)
        raise BadInput(f"it is not JSON: {reason}") from error


def _json_lines(lines: Iterable[tuple[int, str]], notes: Notes) -> Iterator[Any]:
    for number, line in lines:
        value = _loaded(line)
        if value is None:
            notes.count("line", "not JSON", example=f"the first is line {number}")
        else:
            yield value


def _loaded(line: str) -> Any:  # noqa: ANN401
    """The value of a line, None where it is not JSON."""
    with suppress(ValueError, RecursionError):
        return json.loads(line)
    return None


def parquet_rows(source: Source) -> Iterator[Row]:
    """Rows of a Parquet file. Raises BadInput."""
    import pyarrow  # late: it takes a while, and few import such files
    from pyarrow import parquet

    try:
        with source.open() as file:
            for batch in parquet.ParquetFile(file, buffer_size=MEGABYTE).iter_batches(1000):
                yield from batch.to_pylist()
    except (pyarrow.ArrowException, *DAMAGE) as error:
        raise BadInput(f"it is not Parquet: {[*str(error).splitlines(), ''][0]}") from error


# Tables as text: the separator of cells, the row that names the columns, and what is above it

_DELIMITERS = ";\t,|"  # of those that fit equally well the first: commas are in texts, too
_ROWS_IN_HEAD = 200
_HEAD = 1_000_000  # characters in which the form of a table is looked for
_STATED = re.compile(r"\ufeff?\"?sep=([^\r\n\"])\"?\s*", re.IGNORECASE)
_LONGEST_CELL = 10_000_000  # characters
_NUMBER = re.compile(r"[-+]?\d[\d.,' ]*%?")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_MOSTLY = 0.8  # of a column's cells


class Table(NamedTuple):
    """A table: names of its columns, [] without a head, the text above, its delimiter, the first of
    its rows, and all of them.
    """

    names: list[str]
    preamble: str
    delimiter: str
    top: list[list[str]]
    records: Iterator[list[str]]

    @property
    def read_as(self) -> str:
        """The table for the report."""
        single_cells = all(len(record) == 1 for record in self.top)
        delimiter = {",": "commas", "\t": "tabs"}.get(self.delimiter, self.delimiter)
        return f"a table with {'nothing' if single_cells else delimiter} between cells"

    def rows(self, notes: Notes) -> Iterator[dict[str, str]]:
        """Rows by the names of the columns; further cells are joined to the last."""
        last = len(self.names) - 1
        names = [  # made unique by blanks, which no consumer sees
            name + " " * self.names[:number].count(name) for number, name in enumerate(self.names)
        ]
        for record in self.records:
            if any(record[last + 1 :]):
                notes.count("row", "with more cells than columns, joined to the last")
                record[last:] = [self.delimiter.join(record[last:])]
            yield dict(zip(names, record, strict=False))


def read_table(text: TextIO) -> Table:
    """A table. Its separator is stated (`sep=;`), or gives most rows the same number of cells.
    Raises BadInput, Refused.
    """
    csv.field_size_limit(_LONGEST_CELL)
    head = text.readlines(_HEAD)
    stated = _STATED.fullmatch(head[0])
    head = head[1:] if stated else head
    delimiter = stated[1] if stated else max(_DELIMITERS, key=lambda mark: _fit(head, mark))
    records = _records(itertools.chain(head, text), delimiter)
    top = list(itertools.islice(records, _ROWS_IN_HEAD))
    usual = Counter(map(len, top)).most_common(1)[0][0] if top else 0

    def is_above(record: list[str]) -> bool:
        return sum(map(bool, record)) < 2 and (usual > 2 or len(record) < usual)

    above = list(itertools.takewhile(is_above, top[:-1]))
    rest = top[len(above) :]
    names = [] if not rest or _is_data(rest) else rest.pop(0)
    if not rest:
        raise BadInput("a table needs a line of column names and at least one row")
    preamble = "\n".join(" ".join(filter(None, record)).strip() for record in above)
    return Table(names, preamble, delimiter, rest, itertools.chain(rest, records))


def _fit(head: Sequence[str], delimiter: str) -> tuple[int, int]:
    """Number of the first rows with the same number of cells, and that number."""
    lengths: Counter[int] = Counter()
    with suppress(csv.Error):
        for record in itertools.islice(csv.reader(head, delimiter=delimiter), _ROWS_IN_HEAD):
            lengths[len(record)] += len(record) > 1
    cells, rows = max(lengths.items(), key=lambda item: item[1], default=(0, 0))
    return rows, cells


def _records(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Rows of a table that are not blank. Raises BadInput, Refused."""
    try:
        for record in csv.reader(lines, delimiter=delimiter):
            cells = [cell.strip() for cell in record]
            if any(cells):
                yield cells
    except csv.Error as error:
        if "field limit" in str(error):
            raise Refused(
                f"a cell has more than {_LONGEST_CELL:,} characters: either a quotation mark is"
                " never closed, or the text should be a file of its own"
            ) from error
        raise BadInput(f"the table cannot be read: {error}") from error


def _is_data(records: Sequence[list[str]]) -> bool:
    """Whether a table's first row is one of data: it has a number, other than a year, in a column
    of numbers.
    """
    head, *rest = records
    for number, cell in enumerate(head):
        if _NUMBER.fullmatch(cell) and not _YEAR.fullmatch(cell):
            column = [record[number] for record in rest if number < len(record)]
            numbers = sum(_NUMBER.fullmatch(value) is not None for value in column)
            if numbers and numbers > _MOSTLY * len(column):
                return True
    return False
