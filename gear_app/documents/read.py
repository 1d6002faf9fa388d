"""Files to batches. Errors of a file end up in its report."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from gear_app.core.errors import BadInput, Refused
from gear_app.core.text import count, cut
from gear_app.core.types import PASTED
from gear_app.documents.blocks import ReadDocument
from gear_app.documents.files import (
    Origin,
    Source,
    check_office,
    is_qrels,
    load,
    open_text,
    sources,
)
from gear_app.documents.forms import (
    CORPUS,
    JUDGEMENTS,
    TABLE_OF_TEXTS,
    RowForm,
    fields_needed,
    form_of,
    is_queries,
    renaming,
    unfold,
)
from gear_app.documents.items import (
    MEGABYTE,
    MOST_CHARACTERS,
    NO_FIELDS,
    Batch,
    Fields,
    Limits,
    Skipped,
    refused,
)
from gear_app.documents.kinds import DOCUMENTS, ROWS, TEXTS, advice
from gear_app.documents.passages import add_document, add_text, first_heading
from gear_app.documents.questions import judgements
from gear_app.documents.rows import (
    WRONG_SHAPE,
    Row,
    json_rows,
    parquet_rows,
    plain_row,
    table_rows,
)

_ROWS_A_PART = 50_000
_LIGHT_BYTES = 5_000  # of documents: a parser may take the square
# Base64 as mails and pages embed pictures.
_DATA = re.compile(
    r"(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/]{200,}={0,2}(?:\s+[A-Za-z0-9+/=]{40,})*"
)


def read_origin(origin: Origin, limits: Limits | None = None) -> Iterator[Batch]:
    """All files of an origin. Raises BadInput where nothing is at its path."""
    if origin.text:
        yield read_text(origin.title, Path(origin.text).read_text(encoding="utf-8"))
        return
    for source in sources(origin, limits or Limits()):
        yield from read_source(source, limits or Limits(), dict(origin.fields))


def read_text(title: str, text: str) -> Batch:
    """Pasted text. Without a title it gets its heading, else its first words."""
    name = title.strip() or first_heading(text) or " ".join(text.split(None, 8)[:8])[:80]
    try:
        if not text.strip():
            raise Skipped("it is empty")
        batch = Batch(PASTED, read_as="plain text")
        add_text(batch, name, text)
        batch.name = name
    except BadInput as error:
        return refused(name or PASTED, error)
    return batch


def is_light(origin: Origin) -> bool:
    """Whether reading it costs little: a megabyte of text and rows at most, or a short page."""
    parsed = {ending for ending, kind in DOCUMENTS.items() if kind.text}
    try:
        if origin.text:
            return Path(origin.text).stat().st_size <= MEGABYTE
        if any(name.lower().endswith(".zip") for name in (origin.path, *dict(origin.files))):
            return False
        files = list(sources(origin, Limits()))
    except (BadInput, OSError):
        return True  # which the reading will say
    most = _LIGHT_BYTES if any(source.ending in parsed for source in files) else MEGABYTE
    small = sum(source.size for source in files) <= most
    light = {*TEXTS, *ROWS, *parsed}
    return small and all(source.ending in light and not source.packed for source in files)


def read_source(source: Source, limits: Limits, fields: Fields = NO_FIELDS) -> Iterator[Batch]:
    """A file, in parts where it is large."""
    part = 1
    try:
        if source.error is not None:
            raise source.error
        for batch in _read(source, limits, fields):
            batch.name, batch.part = source.name, part
            part += 1
            yield batch
    except BadInput as error:
        yield refused(source.name, error, part)
    except RecursionError:
        yield refused(source.name, Refused("it is nested too deeply"), part)
    except MemoryError:
        yield refused(source.name, Refused(too_much_memory(limits)), part)
    except Exception as error:  # parsers raise what they like
        reason = cut(str(error), 200) or type(error).__name__
        yield refused(source.name, BadInput(f"it is broken and cannot be read: {reason}"), part)


def too_much_memory(limits: Limits) -> str:
    """Reason why a file that needs more memory than the limit is left out."""
    most = limits.memory_bytes // MEGABYTE
    return f"reading it takes more than {most:,} MB of memory; import it in parts"


def _read(source: Source, limits: Limits, fields: Fields) -> Iterator[Batch]:
    batch, ending = Batch(source.name), source.ending
    if ending in DOCUMENTS:
        yield _document(source, limits)
    elif ending == ".parquet":
        yield from _rows(source, parquet_rows(source), batch, limits, fields)
    elif ending in ROWS or ending in TEXTS:
        with open_text(source, limits, batch.notes) as text:
            if is_qrels(source.path):
                yield from _parts(judgements(text), JUDGEMENTS, batch, limits)
            elif ending in (".json", ".jsonl"):
                value = unfold(json_rows(text, source, limits, batch.notes))
                yield from _rows(source, value, batch, limits, fields)
            elif ending in (".csv", ".tsv"):
                yield from _table(source, text, batch, limits, fields)
            else:
                yield _text(source, text, batch)
    else:
        raise Skipped(advice(ending))


def _title(source: Source) -> str:
    """Title by the name of the file."""
    return " ".join(source.path.stem.replace("_", " ").split())


def _document(source: Source, limits: Limits) -> Batch:
    kind = DOCUMENTS[source.ending]
    content = load(source, limits.text_bytes if kind.text else limits.file_bytes, limits)
    if kind.office:
        check_office(content, limits)
    document = kind.read(content)
    if not document.blocks:
        raise Skipped("; ".join(["there is no text in it", *document.remarks()]))
    batch = Batch(source.name, read_as=kind.name)
    add_document(batch, document, _title(source))
    return batch


def _text(source: Source, text: TextIO, batch: Batch) -> Batch:
    content, number = _DATA.subn("", text.read(MOST_CHARACTERS + 1))
    batch.read_as = "plain text"
    batch.notes.count("embedded file", "left out", number)
    if content.strip():
        add_text(batch, first_heading(content) or _title(source), content)
    return batch


# Rows


def _table(
    source: Source, text: TextIO, batch: Batch, limits: Limits, fields: Fields
) -> Iterator[Batch]:
    """A table: of a form of rows where its columns say so, else a document."""
    records = table_rows(text)
    names = next(records)
    if len(names) == 2 and names[0].isdigit() and " " in names[1]:  # MS MARCO's have no names
        records = itertools.chain([names], records)
        names = ["id", "question" if is_queries(source.path) else "text"]
    head = next(records)
    records = itertools.chain([head], records)
    rows = (plain_row(dict(zip(names, record, strict=False))) for record in records)
    plain = plain_row(dict(zip(names, head, strict=False)))
    rename = renaming(plain, fields, source.path)
    form = form_of(rename(plain))
    if form is not None:
        form = TABLE_OF_TEXTS if form is CORPUS else form
        yield from _parts(map(rename, rows), form, batch, limits)
        return
    for part in itertools.count(1):
        some = list(itertools.islice(records, _ROWS_A_PART))
        if not some:
            return
        document = ReadDocument()
        document.add_table([names, *some], head=True)
        title = f"{_title(source)} (part {part})" if part > 1 else _title(source)
        add_document(batch, document, title)
        batch.read_as = "a table"
        yield batch
        batch = Batch(source.name)


def _rows(
    source: Source,
    values: Any,  # noqa: ANN401
    batch: Batch,
    limits: Limits,
    fields: Fields,
) -> Iterator[Batch]:
    """Batches of the rows in a value; what they are is decided by the first."""
    if isinstance(values, str | Mapping) or not hasattr(values, "__iter__"):
        raise BadInput(f"it is of no known form. {fields_needed(values)}")
    rows = (
        plain_row({"text": value} if isinstance(value, str) else value)
        for value in values
        if isinstance(value, str | Mapping)
    )
    head = next(rows, {})
    rename = renaming(head, fields, source.path)
    form = form_of(rename(head))
    if form is None:
        raise BadInput(f"it is of no known form. {fields_needed(head)}")
    yield from _parts(map(rename, itertools.chain([head], rows)), form, batch, limits)


def _parts(rows: Iterable[Row], form: RowForm, batch: Batch, limits: Limits) -> Iterator[Batch]:
    """Batches of rows of one form. Raises BadInput where no row can be used."""
    batch.read_as = form.name
    row: Row = {}
    size = wrong = number = 0
    for number, row in enumerate(rows, start=1):
        before = len(batch.passages)
        try:
            form.add(batch, row)
        except WRONG_SHAPE:
            wrong += 1
            first = f"the first is number {number}"
            batch.notes.count("row", f"not in the form of {form.name}", example=first)
        size += sum(len(passage.text) for passage in batch.passages[before:])
        if size > limits.part_characters or number % _ROWS_A_PART == 0:
            yield batch
            batch, size = Batch(batch.name, read_as=batch.read_as), 0
    if wrong == number:
        raise BadInput(
            f"it looks like {form.name}, but none of its {count(number, 'row')} can be used."
            f" {fields_needed(row)}"
        )
    yield batch
