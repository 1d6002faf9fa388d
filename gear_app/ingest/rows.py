"""Rows of JSON, CSV and Parquet files as a stream of objects, and the values in them.

Only a file that is one JSON value is in memory at once; all others are read row by row.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Literal, NamedTuple, TextIO

from gear_app.errors import BadInput, Refused
from gear_app.ingest.decode import encoding_of, storable
from gear_app.ingest.files import DAMAGE, Source, check_ratio
from gear_app.ingest.items import MEGABYTE, Limits, Notes, Skipped

Row = Mapping[str, Any]
# Errors of taking apart a row that is not in the format it looked like.
WRONG_SHAPE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
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


def flat(row: Row) -> Row:
    """A row with the fields of its metadata."""
    inner = [unpacked(row[name]) for name in _METADATA if name in row]
    return {**{k: v for part in inner if isinstance(part, Mapping) for k, v in part.items()}, **row}


def pairs(name: str, value: object, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Fields of a value as text: of an object each by both names, of a list its words."""
    parts = value if isinstance(value, list) else [value]
    plain = [_plain(part) for part in parts if depth == _DEEPEST or not _is_nested(part)]
    if line := " ".join(", ".join(filter(None, plain)).split()):
        yield name, line
    for part in parts if depth < _DEEPEST else ():
        if isinstance(part, Mapping):
            for inner_name, inner in part.items():
                yield from pairs(f"{name}.{inner_name}", inner, depth + 1)
        elif isinstance(part, list):
            yield from pairs(name, part, depth + 1)


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping | list)


def _plain(value: object) -> str:
    if value is None or isinstance(value, bytes):
        return ""
    return words(value if isinstance(value, str | int | float) else str(value))


_PYTHON_TEXT = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_PYTHON_VALUE = re.compile(rf"({_PYTHON_TEXT})|\b(None|nan|True|False)\b", re.DOTALL)
_LONGEST_PYTHON = 10_000  # characters: a quotation mark that is never closed takes the square
_ESCAPED, _ESCAPES = re.compile(r"\\(.)", re.DOTALL), {"n": "\n", "t": "\t"}
_BETWEEN_TEXTS = re.compile(r"\s*,?\s*")  # as numpy writes lists


def unpacked(value: object) -> Any:  # noqa: ANN401
    """A list or object that was written into a text, as JSON, Python or numpy write it; anything
    else as it is.
    """
    if not isinstance(value, str) or value[:1] not in ("[", "{"):
        return value
    if len(value) > _LONGEST_PYTHON:
        with suppress(ValueError, RecursionError):
            return json.loads(value)
        return value
    for text in (value, _PYTHON_VALUE.sub(_as_json, value)):
        with suppress(ValueError, RecursionError):
            return json.loads(text)
    texts = list(_PYTHON_VALUE.finditer(value))
    if texts and not _BETWEEN_TEXTS.sub("", _PYTHON_VALUE.sub("", value)).strip("[]"):
        return [json.loads(_as_json(text)) for text in texts]
    return value


def _as_json(match: re.Match[str]) -> str:
    if not match[1]:
        return {"True": "true", "False": "false"}.get(match[2], "null")
    return json.dumps(_ESCAPED.sub(lambda mark: _ESCAPES.get(mark[1], mark[1]), match[1][1:-1]))


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
            with io.TextIOWrapper(file, encoding.name, "replace", newline="") as text:
                yield text
    except DAMAGE as error:
        if isinstance(error, ValueError) and not isinstance(error, UnicodeError):
            raise
        raise BadInput("it is broken and cannot be unpacked or read") from error


def json_rows(text: TextIO, source: Source, limits: Limits, notes: Notes) -> tuple[Any, bool]:
    """The value of a JSON file; of JSON lines an iterator, and True. Raises BadInput, Refused."""
    lines = enumerate(text, start=1)
    number, head = next((n, line) for n, line in lines if line.strip())
    second = next((item for item in lines if item[1].strip()), None)
    is_lines = second is not None and (_loaded(head) is not None or source.ending == ".jsonl")
    if is_lines and (_loaded(head) is not None or head.strip() not in "[{"):
        rest = itertools.chain([(number, head), second or (0, "")], lines)
        return _json_lines(rest, notes), True
    content = head + (second[1] if second else "") + text.read(limits.text_bytes + 1)
    if len(content) > limits.text_bytes:
        raise Refused(
            f"it is too large: at most {limits.text_bytes // MEGABYTE} MB of JSON are read at once;"
            " make it JSON lines (.jsonl), which may be of any size"
        )
    try:
        return json.loads(content), False
    except RecursionError as error:
        raise BadInput("it is nested too deeply") from error
    except ValueError as error:
        digits = not isinstance(error, json.JSONDecodeError)
        what = "a number has thousands of digits" if digits else str(error)
        raise BadInput(f"it is not JSON: {what}") from error


def _json_lines(lines: Iterable[tuple[int, str]], notes: Notes) -> Iterator[Any]:
    for number, line in lines:
        if line.strip():
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
_STATED = re.compile(r"\ufeff?\"?sep=([^\r\n\"])\"?[^\S\t]*(?:\r\n|\r|\n)", re.IGNORECASE)
_LONGEST_CELL = 10_000_000  # characters
_MOST_MISSING = 1_000_000  # cells that rows have fewer than the head
_NUMBER = re.compile(r"[-+]?\d[\d.,' ]*%?")
_YEAR = re.compile(r"(?:1[89]|20)\d\d")
_MOSTLY = 0.8  # of a column's cells


class Table(NamedTuple):
    """A table: names of its columns, [] without a head, text above that, the separator in words,
    and its rows.
    """

    names: list[str]
    preamble: str
    separator: str
    records: Iterator[list[str]]
    delimiter: str

    def rows(self, notes: Notes) -> Iterator[dict[str, str]]:
        """Rows by the names of the columns; of columns with the same name those of all."""
        missing = 0
        for record in self.records:
            missing += max(0, len(self.names) - len(record))
            if missing > _MOST_MISSING:
                raise Refused("most of its rows have fewer cells than its head; mend its head")
            row = dict.fromkeys(self.names, "")
            if len(record) > len(self.names) and any(record[len(self.names) :]):
                notes.count("row", "with more cells than columns, joined to the last")
                last = len(self.names) - 1
                record[last:] = [self.delimiter.join(record[last:])]
            for name, cell in zip(self.names, record, strict=False):
                row[name] = ", ".join(filter(None, [row[name], cell]))
            yield row


def read_table(text: TextIO) -> Table:
    """A table. Its separator is stated (`sep=;`), or gives most rows the same number of cells.
    Raises BadInput, Refused.
    """
    csv.field_size_limit(_LONGEST_CELL)
    head = text.read(_HEAD)
    stated = _STATED.match(head)
    head = head[stated.end() if stated else 0 :]
    delimiter = stated[1] if stated else max(_DELIMITERS, key=lambda mark: _fit(head, mark))
    quoted = _is_quoted(head, delimiter)
    lines = itertools.chain(io.StringIO(head, newline=""), text)
    records = _records(_joined(lines, len(head)), delimiter, quoted=quoted)
    top = list(itertools.islice(records, _ROWS_IN_HEAD))
    if not top:
        raise BadInput("a table needs a line of column names and at least one row")
    above = _rows_above(top)
    names = [] if _is_data(top[above:]) else top[above]
    rows = top[above + bool(names) :]
    if not rows:
        raise BadInput("a table needs a line of column names and at least one row")
    preamble = "\n".join(" ".join(filter(None, record)).strip() for record in top[:above])
    separator = {",": "commas", "\t": "tabs"}.get(delimiter, delimiter)
    if all(len(row) == 1 for row in top):
        separator = "nothing"
    return Table(names, preamble, separator, itertools.chain(rows, records), delimiter)


def _joined(lines: Iterable[str], head: int) -> Iterator[str]:
    """Lines, the one that the end of the first `head` characters cut put together again."""
    rest = iter(lines)
    size = 0
    for line in rest:
        size += len(line)
        if size == head and line[-1] not in "\r\n":
            line += next(rest, "")
        yield line


def _fit(head: str, delimiter: str) -> tuple[int, int]:
    """Number of the first rows with the same number of cells, and that number."""
    lengths: Counter[int] = Counter()
    with suppress(csv.Error):
        reader = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
        for record in itertools.islice(reader, _ROWS_IN_HEAD):
            lengths[len(record)] += len(record) > 1
    cells, rows = max(lengths.items(), key=lambda item: item[1], default=(0, 0))
    return rows, cells


def _is_quoted(head: str, delimiter: str) -> bool:
    """Whether quotation marks hold cells together. They are marks of inches, or of a word, where
    they make rows of several lines, and all lines have the same number of cells without them.
    """
    lines = [line for line in io.StringIO(head, newline="") if line.strip()][:_ROWS_IN_HEAD]

    def count(**form: Any) -> list[int]:  # noqa: ANN401
        return list(map(len, csv.reader(lines, delimiter=delimiter, **form)))

    try:
        cells = set(count(quoting=csv.QUOTE_NONE))
        if len(cells) > 1 or cells <= {1} or len(count()) == len(lines):
            return True
        return delimiter == "," and bool(count(strict=True))
    except csv.Error:
        return False


def _records(lines: Iterable[str], delimiter: str, *, quoted: bool) -> Iterator[list[str]]:
    """Rows of a table that are not blank. Raises BadInput, Refused."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    try:
        for record in csv.reader(lines, delimiter=delimiter, quoting=quoting):
            cells = [cell.strip() for cell in record]
            if any(cells):
                yield cells if quoted else [_unquoted(cell) for cell in cells]
    except csv.Error as error:
        if "field limit" in str(error):
            raise Refused(
                f"a cell has more than {_LONGEST_CELL:,} characters: either a quotation mark is"
                " never closed, or the text should be a file of its own"
            ) from error
        raise BadInput(f"the table cannot be read: {error}") from error


def _unquoted(cell: str) -> str:
    around = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if around else cell


def _rows_above(records: Sequence[list[str]]) -> int:
    """Number of rows above a table's head: of one cell each, where most have more."""
    usual = Counter(map(len, records)).most_common(1)[0][0]

    def is_above(record: list[str]) -> bool:
        return sum(map(bool, record)) < 2 and (usual > 2 or len(record) < usual)

    return sum(1 for _ in itertools.takewhile(is_above, records[:-1]))


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
