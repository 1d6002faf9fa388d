"""Rows of JSON, CSV and Parquet files as a stream of objects, and the values in them.

Only a file that is one JSON value is in memory at once; all others are read row by row.
"""

from __future__ import annotations

import ast
import csv
import itertools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from html import unescape
from typing import Any, TextIO
from urllib.parse import unquote

from gear_app.core.errors import BadInput
from gear_app.core.text import storable
from gear_app.documents.blocks import rows_above
from gear_app.documents.files import Source
from gear_app.documents.items import MEGABYTE, Notes
from gear_app.documents.names import NAMES

TABLES = (".csv", ".tsv")
Row = Mapping[str, Any]
# Errors of taking apart a row that is not in the format it looked like.
WRONG_SHAPE = (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


# Values


def words(value: object) -> str:
    """A value as text, stripped. Raises TypeError for what is neither text nor a number."""
    if not isinstance(value, str | int | float):
        raise TypeError(f"expected words, not {type(value).__name__}")
    return storable(str(value)).strip()


def grade(value: object) -> int:
    """Grade of a judgement. Raises ValueError for what is no whole number."""
    return max(-1_000_000, min(1_000_000, int(str(value).removesuffix(".0"))))


def first(row: Row, names: Iterable[str]) -> str:
    """The first of the named fields that holds words, else ""."""
    values = (row[name] for name in names if isinstance(row.get(name), str | int | float))
    return next(filter(None, map(words, values)), "")


def objects(value: object) -> list[Row]:
    """Objects in a value: itself, those of a list, or the rows of columns of one length."""
    inner = unpacked(value)
    if isinstance(inner, Mapping):
        lengths = [len(part) if isinstance(part, list) else None for part in inner.values()]
        if lengths.count(None) or len(set(lengths)) != 1:
            return [inner]
        inner = [dict(zip(inner, row, strict=True)) for row in zip(*inner.values(), strict=True)]
    return [part for part in inner if isinstance(part, Mapping)] if isinstance(inner, list) else []


def joined(value: object) -> str:
    """A text, or sentences or a table joined; sentences of HotpotQA begin with a blank."""
    sentences = [
        " | ".join(map(str, part)) if isinstance(part, list) else str(part)
        for part in (value if isinstance(value, list) else [words(value)])
    ]
    blanks = any(sentence.startswith(" ") for sentence in sentences)
    return words(("" if blanks else " ").join(sentences))


def plain_row(row: Row) -> dict[str, Any]:
    """A row and the objects in it that hold fields of its own, by the names of fields in small
    letters, with `_` for other signs.
    """
    plain = {plain_name(name): value for name, value in row.items()}
    for name in NAMES["fields of its own"]:
        inner = unpacked(plain.get(name))
        if isinstance(inner, Mapping):
            plain = {plain_name(str(name)): value for name, value in inner.items()} | plain
    return plain


@lru_cache(maxsize=10_000)
def plain_name(name: str) -> str:
    """The name of a field in small letters, with `_` for other signs."""
    return re.sub(r"\W+", "_", name.strip().lower())


def unpacked(value: object) -> Any:  # noqa: ANN401
    """A list or object that was written into a text, as JSON, Python or numpy write it; anything
    else as it is.
    """
    if not isinstance(value, str) or value[:1] not in ("[", "{"):
        return value
    with suppress(ValueError, RecursionError):
        return json.loads(value)
    if len(value) <= 10_000:  # Python takes its time
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            # Commas between texts, which numpy leaves out.
            return ast.literal_eval(re.sub(r"(['\"])\s+(?=['\"])", r"\1, ", value))
    return value


# Files


def json_value(text: TextIO, source: Source, notes: Notes) -> Any:  # noqa: ANN401
    """The value of a JSON file; of JSON lines an iterator. Raises ValueError."""
    lines = ((number, line) for number, line in enumerate(text, start=1) if line.strip())
    top = list(itertools.islice(lines, 2))
    if len(top) > 1 and (source.ending == ".jsonl" or _loaded(top[0][1]) is not None):
        return _json_lines(itertools.chain(top, lines), notes)
    return json.loads("".join(line for _, line in top) + text.read())


def _json_lines(lines: Iterable[tuple[int, str]], notes: Notes) -> Iterator[Any]:
    for number, line in lines:
        if (value := _loaded(line)) is not None:
            yield value
        else:
            notes.count("line", "not JSON", example=f"the first is line {number}")


def _loaded(line: str) -> Any:  # noqa: ANN401
    with suppress(ValueError, RecursionError):
        return json.loads(line)
    return None


def parquet_rows(source: Source) -> Iterator[Row]:
    """Rows of a Parquet file."""
    from pyarrow import parquet  # late: it takes a while, and few import such files

    with source.open() as file:
        for batch in parquet.ParquetFile(file, buffer_size=MEGABYTE).iter_batches(1000):
            yield from batch.to_pylist()


# Tables as text


def table_rows(text: TextIO, second: str) -> Iterator[Row]:
    """Rows of a table that are not blank, below its first as long as most, which names the columns;
    further cells of a row are joined to its last column. The separator is stated (`sep=;`), or
    gives most rows the same number of cells. Columns without names are those of MS MARCO, the
    second of which holds what `second` says, or DPR's. Raises BadInput.
    """
    csv.field_size_limit(10 * MEGABYTE)
    head = text.readlines(MEGABYTE)  # says the form of the table
    stated = re.fullmatch(r"(?i)\"?sep=([^\r\n\"])\"?\s*", head[0])
    # Of those that fit equally well the first: commas are in texts, too.
    delimiter = stated[1] if stated else max(";\t,|^~", key=lambda mark: _fit(head, mark))
    lines = itertools.chain(head[1:] if stated else head, text)
    records = csv.reader(lines, delimiter=delimiter)
    full = filter(any, ([cell.strip() for cell in record] for record in records))
    top = list(itertools.islice(full, 200))
    top = top[rows_above(top) :]
    names = top[0] if top else []
    if len(names) == 2 and (
        names[1][:1] == "[" or (re.search(r"\d", names[0]) and " " in names[1])
    ):
        names = ["question", "answers"] if names[1][:1] == "[" else ["id", second]
    elif len(names) == 4 and names[1].startswith("http"):
        names = ["id", "url", "title", "text"]
    elif len(top) < 2:
        raise BadInput("a table needs a line of column names and at least one row")
    else:
        top = top[1:]
    for record in itertools.chain(top, full):
        cells = [*record[: len(names) - 1], delimiter.join(record[len(names) - 1 :])]
        yield dict(zip(names, cells, strict=False))


def _fit(head: Sequence[str], delimiter: str) -> tuple[int, int]:
    counts = Counter(filter(None, (line.count(delimiter) for line in head)))
    delimiters, lines = counts.most_common(1)[0] if counts else (0, 0)
    return lines, delimiters


# Topics and documents of TREC, in SGML or XML

TAGGED = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<[\w-]+[^>]*>\s*)?<(?:top|topic|query|doc)[\s>]", re.IGNORECASE
)


def tagged_rows(text: str) -> Iterator[Row]:
    """Topics as questions, documents as texts; what stands before the first is left out."""
    kind = re.findall(r"(?i)<(top|topic|query|doc)(?=[\s>])", text)[0]
    _, *pieces = re.split(rf"(?i)<{kind}(?=[\s>])([^<>]*)>", text)
    for attributes, content in zip(pieces[::2], pieces[1::2], strict=True):
        parts = defaultdict[str, str](str)
        for name, words in re.findall(r"<(\w+)[^<>]*>([^<]*)", content):  # some have no end
            parts[name.lower()] += f" {_plain(words)}"
        name, role = ("text",) * 2 if kind.lower() == "doc" else ("question", "topic")
        yield {
            "id": first(parts, NAMES["tagged id"])
            or next(iter(re.findall(r"\b(?:number|id)\s*=\s*[\"']?([^\"'\s>]+)", attributes)), ""),
            "title": first(parts, NAMES["corpus title"]),
            name: first(parts, NAMES[role]) or _plain(content),
        }


def _plain(text: str) -> str:
    words = re.sub(r"<[^<>]*>|^\s*(?:Number|Topic|Description):", " ", text)
    return " ".join(unescape(words).split())


# Judgements ("qrels") of BEIR and TREC


def judgements(lines: Iterator[str]) -> Iterator[Row]:
    """Lines of BEIR's tables or of a TREC file as rows."""
    for number, line in enumerate(lines, start=1):
        cells = next(csv.reader([line.strip()], delimiter="\t")) if "\t" in line else line.split()
        if len(cells) == 4:
            cells = [unquote(cells[0]), unquote(cells[2]), cells[3]]
        if cells and not (number == 1 and not cells[-1].lstrip("-").isdigit()):
            yield dict(zip(("query_id", "corpus_id", "score"), cells, strict=False))
