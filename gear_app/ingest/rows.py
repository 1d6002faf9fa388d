"""Rows, from CSV or JSON: what a field is called, and what a value has to be."""

from __future__ import annotations

import io
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple

from gear_app.errors import BadInput, Refused
from gear_app.ingest.batch import MEGABYTE, admit, derived_key
from gear_app.ingest.contents import (
    AS_IT_IS,
    SHOWN,
    Contents,
    Notes,
    add_passage,
    long_passage,
    table,
)
from gear_app.ingest.decode import BAD_BYTES, faults_in_utf8, storable
from gear_app.text import cut, section_title

Row = Mapping[str, Any]


def _spelled(names: str) -> tuple[str, ...]:
    """Names of fields, each also with a capital and in capitals."""
    return tuple(word for name in names.split() for word in (name, name.capitalize(), name.upper()))


TEXT = _spelled("text paragraph_text content contents body passage paragraph")
TITLE = _spelled("title name heading")
ID = _spelled("id _id")
_MEANING = (TEXT, TITLE, ID)
CORPUS, TABLE = "corpus", "table"  # as which rows with texts are read
# Raised by taking apart a row that is not what it looked like: a missing field, a list where a word
# should be.
WRONG_SHAPE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
# words; a passage with an id stands as it is up to here (the longest of the known data sets has
# 1,066)
LONGEST = 1500
MOST_ROWS = 500_000
_NAMED = 20  # fields in a note
_WITHOUT = "without a text left out"
_DEEPEST = 10  # objects in each other, of which fields are called by the names
HIGHEST_GRADE = 1_000_000
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
        contents.notes.say(f"passages of more than {LONGEST:,} words are cut into parts")
    else:
        add_passage(contents, key, title, text)


class Said(NamedTuple):
    """What a row says: its id and title, "" where it has none, its text, and its other fields, each
    in one line.
    """

    key: str
    title: str
    text: str
    beside: tuple[tuple[str, str], ...]


def said(row: Row, *, spelled: bool = False) -> Said:
    """What a row says; `spelled`: it has no text, and all its fields are told. Raises Refused."""
    used = [next((name for name in names if first(row, [name])), "") for names in _MEANING]
    told: list[tuple[str, str]] = []
    characters = 0
    for name, value in row.items():
        for pair in pairs(name, value) if spelled or name not in used else ():
            told.append(pair)
            characters += sum(map(len, pair))
            admit(characters)  # the name of an object comes with all of its fields
    text = "" if spelled else first(row, TEXT)
    return Said(first(row, ID), first(row, TITLE), text, tuple(told))


def pairs(name: str, value: object, depth: int = 0) -> Iterator[tuple[str, str]]:
    """What a field says: of an object its fields, called by both names, of a list its words, apart
    by commas. What lies very deep is one list.
    """
    parts = value if isinstance(value, list) else [value]
    if depth == _DEEPEST:
        parts = list(_leaves(value))
    plain = [_plain(part) for part in parts if not isinstance(part, Mapping | list)]
    if line := " ".join(", ".join(filter(None, plain)).split()):
        yield name, line
    for part in parts:
        if isinstance(part, Mapping):
            for inner, of_inner in part.items():
                yield from pairs(f"{name}.{inner}", of_inner, depth + 1)
        elif isinstance(part, list):
            yield from pairs(name, part, depth + 1)


def _leaves(value: object) -> Iterator[object]:
    """What is in a value that is neither an object nor a list, in order."""
    values = [value]
    while values:
        value = values.pop()
        if isinstance(value, Mapping | list):
            inner = value.values() if isinstance(value, Mapping) else value
            values += reversed(list(inner))
        else:
            yield value


def _plain(value: object) -> str:
    """A value in words; Parquet has days and exact numbers, too."""
    if value is None or isinstance(value, bytes):
        return ""
    return words(value if isinstance(value, str | int | float) else str(value))


def read_corpus(rows: Iterable[Row], title: str, source: str, kind: str = "") -> Contents | None:
    """Rows with a text: a corpus where all have ids or `kind` is CORPUS, whose texts stay as they
    are; else a table that is one document. None where no row has a text.
    """
    found = [said(row) for row in rows]
    full = [row for row in found if row.text]
    if not full:
        return None
    if kind == TABLE or not (kind or all(row.key for row in full)):
        return as_table(found, title, source)
    contents = Contents(kind=CORPUS)
    for row in full:
        key = row.key or derived_key(row.title, row.text)
        add_row(contents, key, row.title, row.text, source)
    beside = {name: None for row in full for name, _ in row.beside}
    contents.notes.say(f"fields left out: {listed(beside)}" if beside else "")
    contents.notes.count("row", _WITHOUT, len(found) - len(full))
    return contents


def as_table(rows: Sequence[Said], title: str, source: str, preamble: str = "") -> Contents:
    """Rows as one document: each its text under lines `field: value` of what else it says; or such
    lines alone, where no row has a text, under the table's name and its own. What all rows with a
    text say beside it is told in a note. Raises Refused.
    """
    with_text = any(row.text for row in rows)
    times = Counter(pair for row in rows for pair in set(row.beside)) if with_text else Counter()
    same = {pair for pair, number in times.items() if number == len(rows) > 1}
    full: list[tuple[str | None, str, str]] = [(None, title, preamble)] if preamble else []
    characters = 0
    for row in rows:
        lines = [": ".join(filter(None, pair)) for pair in row.beside if pair not in same]
        whole = "\n\n".join(filter(None, ["\n".join(lines), row.text]))
        if whole and (row.text or not with_text):
            short = row.title and len(whole.split()) <= AS_IT_IS
            key = row.key or (derived_key(row.title, whole) if short else None)
            named = section_title(title, [row.title]) if not with_text else row.title or title
            full.append((key, named, whole))
            characters += len(whole)
            admit(characters)  # before all is spelled out: names of columns come with every row
    contents = table(full, title, source)
    contents.kind = TABLE
    if same:
        told = listed(f"{name} ({cut(value, SHOWN)})" for name, value in sorted(same))
        contents.notes.say(f"the same in all rows, left out: {told}")
    contents.notes.count("row", _WITHOUT, len(rows) - len(full) + bool(preamble))
    return contents


def listed(names: Iterable[str]) -> str:
    """Names for a note: some, and how many more."""
    shown = [cut(" ".join(name.split()), 2 * SHOWN) for name in names]
    more = [f"and {len(shown) - _NAMED:,} more"] if len(shown) > _NAMED else []
    return ", ".join([*shown[:_NAMED], *more])


class JsonLines:
    """The values of a file of JSON lines, each when it is asked for: they are never all in memory.

    The lines that are not JSON are known once all were asked for. Iterating raises Refused, where a
    line holds too many values and where the texts of all would take too much memory.
    """

    def __init__(self, text: str | bytes, bad_bytes: int = 0) -> None:
        """Bytes are UTF-8, but for some: as text a single character can make a file take four bytes
        for each.
        """
        self._text, self._bad_bytes = text, bad_bytes
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
    def notes(self) -> Notes:
        """What is to be said of lines that are not JSON, and of bytes that are not UTF-8."""
        notes = Notes()
        for number in self._bad:
            notes.count("line", "not JSON", place=number)
        notes.count("byte", BAD_BYTES, self._bad_bytes)
        return notes


def json_lines(content: bytes) -> JsonLines | None:
    """The values of a file of JSON lines in UTF-8; None for any other file: one whose first line is
    no JSON value, or the only line.
    """
    lines = (line for line in _lines_of(content) if line.strip())
    head = next(lines, "")
    bad_bytes = None if next(lines, None) is None else faults_in_utf8(content)
    if bad_bytes is None:
        return None
    try:
        _check_values(head)
        json.loads(head)
    except (ValueError, RecursionError):
        return None
    return JsonLines(content, bad_bytes)


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


def _lines_of(text: str | bytes) -> Iterator[str]:
    """The lines without their ends; those of bytes are UTF-8, where a mark may stand first."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start) if isinstance(text, str) else text.find(b"\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        encoding = "utf-8" if start else "utf-8-sig"
        yield line if isinstance(line, str) else line.decode(encoding, "replace")
        start = end + 1
