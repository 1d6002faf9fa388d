"""Rows, from CSV or JSON: what a field is called, and what a value has to be."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

from gear_app.errors import BadInput, Refused
from gear_app.ingest.batch import MEGABYTE, admit, derived_key
from gear_app.ingest.contents import (
    AS_IT_IS,
    Contents,
    add_passage,
    long_passage,
    table,
)
from gear_app.ingest.decode import is_utf8, storable
from gear_app.text import count

Row = Mapping[str, Any]

TEXT = ("text", "paragraph_text", "content", "contents", "body", "passage", "paragraph")
TITLE = ("title", "name", "heading")
ID = ("id", "_id")
CORPUS, TABLE = "corpus", "table"  # as which rows with texts are read
# Raised by taking apart a row that is not what it looked like: a missing field, a list where a word
# should be.
WRONG_SHAPE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
# words; a passage with an id stands as it is up to here (the longest of the known data sets has
# 1,066)
LONGEST = 1500
MOST_ROWS = 500_000
HIGHEST_GRADE = 1_000_000
MOST_COLUMNS, MOST_CELLS = 10_000, 5_000_000
MOST_OF_A_CELL = 10_000_000
HEAD = 1_000_000  # characters in which the line of column names is looked for
_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")  # of a table, its end included
# About the bytes that the values of a JSON file take, beside its text: the most of an object, of a
# list, and of a text or number, each of which a comma parts from the one before.
_OBJECT_BYTES, _LIST_BYTES, _VALUE_BYTES = 200, 90, 60
MOST_JSON_BYTES = 380 * MEGABYTE
# A file of JSON lines with the texts of all its lines, which may all be kept.
MOST_LINES_BYTES = 400 * MEGABYTE


def words(value: object) -> str:
    """The value as text, stripped; numbers are written out. Raises TypeError for anything else."""
    if isinstance(value, str):
        return storable(value).strip()
    if isinstance(value, int | float):
        return str(value)
    raise TypeError(f"expected words, not {type(value).__name__}")


def grade(value: str | float) -> int:
    """How relevant something is judged. Raises ValueError for what is no whole number, or huge."""
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


def has(row: object, *names: str) -> bool:
    """Whether it is a row with all these fields."""
    return isinstance(row, Mapping) and all(name in row for name in names)


def is_long(text: str) -> bool:
    """Whether it is too much for one passage; words of more than ten characters on average count by
    length.
    """
    return len(text) > 10 * LONGEST or len(text.split()) > LONGEST


def add_row(contents: Contents, key: str, title: str, text: str, source: str) -> None:
    """A passage with a key, as it stands, or in parts where it is too long."""
    if is_long(text):
        long_passage(contents, key, title, text, source)
        contents.notes[:] = dict.fromkeys(
            [*contents.notes, f"passages of more than {LONGEST:,} words are cut into parts"]
        )
    else:
        add_passage(contents, key, title, text)


def read_corpus(rows: Iterable[Row], title: str, source: str, kind: str = "") -> Contents | None:
    """Rows with a text: a corpus where all have ids or `kind` is CORPUS, else a table that is one
    document; None where no row has a text.
    """
    texts = [(first(row, ID), first(row, TITLE), first(row, TEXT)) for row in rows]
    full = [row for row in texts if row[2]]
    if not full:
        return None
    if kind == CORPUS or (kind != TABLE and all(key for key, _, _ in full)):
        contents = Contents(kind=CORPUS)
        for key, row_title, text in full:
            add_row(contents, key or derived_key(row_title, text), row_title, text, source)
    else:
        contents = table(
            [
                (key or _key(row_title, text), row_title or title, text)
                for key, row_title, text in full
            ],
            title,
            source,
        )
        contents.kind = TABLE
    if len(full) < len(texts):
        contents.notes.append(f"{count(len(texts) - len(full), 'row')} without a text left out")
    return contents


def read_csv(text: str, title: str, source: str) -> Contents:
    """A table: each row is a passage, its text column or else lines `column: value`. Formulas stay
    text. Raises BadInput, Refused.
    """
    records = _records(text)
    header = next(records, [])
    if len(header) > MOST_COLUMNS:
        raise Refused(f"it has more than {MOST_COLUMNS:,} columns; keep those that hold text")
    shown = [name.strip() for name in header]
    names = [name.lower() for name in shown]
    spelled = not any(name in TEXT for name in names)
    full: list[tuple[str | None, str, str]] = []
    number = characters = 0
    for number, record in enumerate(records, start=1):  # noqa: B007
        row = dict(zip(names, record, strict=False))
        words = _spelled(shown, record) if spelled else first(row, TEXT)
        if words:
            full.append((first(row, ID) or None, first(row, TITLE) or title, words))
            characters += len(words)
            admit(characters)  # before all is spelled out: names of columns come with every row
    if not number:
        raise BadInput("a table needs a line of column names and at least one row")
    contents = table(full, title, source)
    contents.kind = TABLE
    if len(full) < number:
        contents.notes.append(f"{count(number - len(full), 'row')} without a text left out")
    return contents


class JsonLines:
    """The values of a file of JSON lines, each when it is asked for: they are never all in memory.

    The lines that are not JSON are known once all were asked for. Iterating raises Refused, where a
    line holds too many values and where the texts of all would take too much memory.
    """

    def __init__(self, text: str | bytes) -> None:
        """Nothing is parsed yet. Bytes are UTF-8: as text a single character can make a file take
        four bytes for each.
        """
        self._text = text
        self._bad: list[int] = []

    def __iter__(self) -> Iterator[Any]:
        """The values, in order."""
        self._bad.clear()
        taken = sys.getsizeof(self._text)
        for number, line in enumerate(_lines_of(self._text), start=1):
            if number > MOST_ROWS:
                raise Refused(f"it has more than {MOST_ROWS:,} lines; split it")
            if line.strip():
                taken += sys.getsizeof(line)
                if taken > MOST_LINES_BYTES:
                    raise Refused("its texts take too much memory; split it")
                _check_values(line)
                try:
                    yield json.loads(line)
                except (ValueError, RecursionError):
                    self._bad.append(number)

    @property
    def notes(self) -> list[str]:
        """What is to be said of lines that are not JSON."""
        bad = self._bad
        return [f"{count(len(bad), 'line')} not JSON (the first is line {bad[0]})"] if bad else []


def json_lines(content: bytes) -> JsonLines | None:
    """The values of a file of JSON lines in UTF-8; None for any other file: one whose first line is
    no JSON value, or the only line.
    """
    lines = (line for line in _lines_of(content) if line.strip())
    head = next(lines, "")
    if next(lines, None) is None or not is_utf8(content):
        return None
    try:
        _check_values(head)
        json.loads(head)
    except (ValueError, RecursionError):
        return None
    return JsonLines(content)


def _check_values(text: str) -> None:
    """Raises Refused for text whose values would take too much memory, were they read at once."""
    taken = sys.getsizeof(text)  # four bytes a character where a single one needs so many
    taken += text.count("{") * _OBJECT_BYTES + text.count("[") * _LIST_BYTES
    if taken + text.count(",") * _VALUE_BYTES > MOST_JSON_BYTES:
        raise Refused("it holds too many values to be read at once; split it")


def parse_json(text: str) -> Any:  # noqa: ANN401
    """A JSON value, or the JsonLines of a file that has any. Raises BadInput, Refused."""
    _check_values(text)
    try:
        return json.loads(text)
    except RecursionError as error:
        raise BadInput("it is nested too deeply") from error
    except ValueError as error:
        lines = JsonLines(text)
        if next(iter(lines), lines) is lines:
            digits = not isinstance(error, json.JSONDecodeError)
            what = "a number has thousands of digits" if digits else str(error)
            raise BadInput(f"it is not JSON: {what}") from error
        return lines


def parquet_rows(content: bytes) -> list[Any]:
    """The rows of a Parquet file, as objects. Raises BadInput, Refused."""
    with _parquet(io.BytesIO(content)) as file:
        if _parquet_bytes(file) > MOST_JSON_BYTES:
            raise Refused("it holds too many values to be read at once; split it")
        rows: list[Any] = file.read().to_pylist()
    return rows


def parquet_slices(file: BinaryIO, slice_bytes: int) -> Iterator[bytes]:
    """Parquet files with some rows of one each; the file itself where it is small. Raises
    BadInput.
    """
    import pyarrow
    from pyarrow import parquet

    with _parquet(file) as opened:
        rows = opened.metadata.num_rows
        most = min(MOST_ROWS, rows * slice_bytes // max(1, _parquet_bytes(opened)))
        if rows <= most:
            file.seek(0)
            yield file.read()
            return
        for some in opened.iter_batches(max(1, most)):
            result = io.BytesIO()
            parquet.write_table(pyarrow.Table.from_batches([some]), result)
            yield result.getvalue()


@contextmanager
def _parquet(file: BinaryIO) -> Iterator[Any]:
    """The file, opened; what is wrong with it is BadInput."""
    # Loading it takes a while, and few import such files.
    import pyarrow
    from pyarrow import parquet

    try:
        yield parquet.ParquetFile(file, buffer_size=MEGABYTE)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise BadInput(f"it is not Parquet: {str(error).splitlines()[0]}") from error


def _parquet_bytes(file: Any) -> int:  # noqa: ANN401
    """About what its values take in memory, all at once."""
    told = file.metadata
    groups = (told.row_group(number) for number in range(told.num_row_groups))
    values = told.num_rows * told.num_columns * _VALUE_BYTES
    return int(sum(group.total_byte_size for group in groups) + values)


def _key(title: str, text: str) -> str | None:
    return derived_key(title, text) if title and len(text.split()) <= AS_IT_IS else None


def _spelled(names: list[str], record: list[str]) -> str:
    pairs = ((name, value.strip()) for name, value in zip(names, record, strict=False))
    return "\n".join(f"{name}: {value}" if name else value for name, value in pairs if value)


def _records(text: str) -> Iterator[list[str]]:
    """The rows of a table that are not blank. Raises BadInput, Refused."""
    delimiter = delimiter_of(text[:HEAD])
    if text.count(delimiter) > MOST_CELLS:
        raise Refused(f"it has more than {MOST_CELLS:,} cells; split it")
    lines = (line[0] for line in _LINE.finditer(text))
    for number, record in enumerate(records(lines, delimiter)):
        if number > MOST_ROWS:
            raise Refused(f"it has more than {MOST_ROWS:,} rows; split it")
        yield record


def delimiter_of(head: str) -> str:
    """What parts the cells of a table that begins so."""
    return max(",;\t|", key=head.lstrip("\ufeff\r\n").split("\n", 1)[0].count)


def records(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """The rows of a table that are not blank, each once its lines were taken. Raises BadInput,
    Refused.
    """
    csv.field_size_limit(MOST_OF_A_CELL)  # the module's own limit, 131,072, is a long chapter
    try:
        for record in csv.reader(lines, delimiter=delimiter):
            if any(map(str.strip, record)):
                yield record
    except csv.Error as error:
        if "field limit" in str(error):
            raise Refused(
                f"a cell has more than {MOST_OF_A_CELL:,} characters: either a quotation mark is"
                " never closed, or the text should be a file of its own"
            ) from error
        raise BadInput(f"the table cannot be read: {error}") from error


def _lines_of(text: str | bytes) -> Iterator[str]:
    """The lines without their ends; those of bytes are UTF-8, where a mark may stand first."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start) if isinstance(text, str) else text.find(b"\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        yield line if isinstance(line, str) else _decoded(line, start)
        start = end + 1


def _decoded(line: bytes, start: int) -> str:
    return line.decode("utf-8-sig" if start == 0 else "utf-8", "replace")
