"""Rows, from CSV or JSON: what a field is called, and what a value has to be."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from gear_app.errors import BadInput
from gear_app.ingest.batch import derived_key
from gear_app.ingest.contents import AS_IT_IS, Contents, add_passage, long_passage, table
from gear_app.ingest.decode import storable
from gear_app.text import count

Row = Mapping[str, Any]

TEXT = ("text", "paragraph_text", "content", "contents", "body", "passage", "paragraph")
TITLE = ("title", "name", "heading")
ID = ("id", "_id")
# Raised by taking apart a row that is not what it looked like: a missing field, a list where a word
# should be.
WRONG_SHAPE = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError)
# words; a passage with an id stands as it is up to here (the longest of the known data sets has
# 1,066)
LONGEST = 1500
_FIELD_CHARACTERS = 50_000_000


def words(value: object) -> str:
    """The value as text, stripped; numbers are written out. Raises TypeError for anything else."""
    if isinstance(value, str):
        return storable(value).strip()
    if isinstance(value, int | float):
        return str(value)
    raise TypeError(f"expected words, not {type(value).__name__}")


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


def read_corpus(rows: list[Row], title: str, source: str, *, listed: bool = False) -> Contents:
    """Rows with a text: a corpus where all have ids (or `listed`: a JSON array), else a table that
    is one document.
    """
    texts = [(first(row, ID), first(row, TITLE), first(row, TEXT)) for row in rows]
    full = [row for row in texts if row[2]]
    if listed or all(key for key, _, _ in full):
        contents = Contents()
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
    if len(full) < len(rows):
        contents.notes.append(f"{count(len(rows) - len(full), 'row')} without a text left out")
    return contents


def read_csv(text: str, title: str, source: str) -> Contents:
    """A table: each row is a passage, its text column or else lines `column: value`. Formulas stay
    text.
    """
    records = _records(text)
    if len(records) < 2:
        raise BadInput("a table needs a line of column names and at least one row")
    names = [name.strip().lower() for name in records[0]]
    rows = [dict(zip(names, record, strict=False)) for record in records[1:]]
    if any(name in TEXT for name in names):
        texts = [(first(row, ID), first(row, TITLE), first(row, TEXT)) for row in rows]
    else:
        shown = [name.strip() for name in records[0]]
        texts = [
            (first(row, ID), first(row, TITLE), _spelled(shown, record))
            for row, record in zip(rows, records[1:], strict=True)
        ]
    full = [(key or None, row_title or title, words) for key, row_title, words in texts if words]
    contents = table(full, title, source)
    if len(full) < len(rows):
        contents.notes.append(f"{count(len(rows) - len(full), 'row')} without a text left out")
    return contents


def parse_json(text: str) -> tuple[Any, list[str]]:
    """A JSON value, or the list of a file's lines, and notes on lines that are not JSON. Raises
    BadInput.
    """
    try:
        return json.loads(text), []
    except RecursionError as error:
        raise BadInput("it is nested too deeply") from error
    except ValueError as error:
        values, bad = _lines(text)
        if not values:
            raise BadInput(f"it is not JSON: {error}") from error
        return values, (
            [f"{count(len(bad), 'line')} not JSON (the first is line {bad[0]})"] if bad else []
        )


def _lines(text: str) -> tuple[list[Any], list[int]]:
    values: list[Any] = []
    bad: list[int] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                values.append(json.loads(line))
            except (ValueError, RecursionError):
                bad.append(number)
    return values, bad


def _key(title: str, text: str) -> str | None:
    return derived_key(title, text) if title and len(text.split()) <= AS_IT_IS else None


def _spelled(names: list[str], record: list[str]) -> str:
    pairs = ((name, value.strip()) for name, value in zip(names, record, strict=False))
    return "\n".join(f"{name}: {value}" if name else value for name, value in pairs if value)


def _records(text: str) -> list[list[str]]:
    csv.field_size_limit(_FIELD_CHARACTERS)  # the module's own limit, 131,072, is a long chapter
    head = text.lstrip("\ufeff\r\n").split("\n", 1)[0]
    delimiter = max(",;\t|", key=head.count)
    try:
        records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise BadInput(f"the table cannot be read: {error}") from error
    return [record for record in records if any(cell.strip() for cell in record)]
