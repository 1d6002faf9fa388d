"""Files to batches. Errors of a file end up in its report."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

from gear_app.core.errors import BadInput, Refused
from gear_app.core.text import count, cut
from gear_app.core.types import PASTED
from gear_app.documents.blocks import ReadDocument, plain_document
from gear_app.documents.files import Origin, Source, is_qrels, load, open_text, sources
from gear_app.documents.forms import (
    FORMS,
    RowForm,
    fields_needed,
    is_queries,
    renaming,
    unfold,
)
from gear_app.documents.items import (
    MEGABYTE,
    NO_FIELDS,
    Batch,
    Fields,
    Limits,
    Notes,
    Skipped,
    refused,
)
from gear_app.documents.passages import add_document
from gear_app.documents.questions import judgements
from gear_app.documents.rows import (
    WRONG_SHAPE,
    Row,
    json_value,
    parquet_rows,
    plain_row,
    table_rows,
)

_TABLES = (".csv", ".tsv")
_ROWS = (*_TABLES, ".jsonl", ".json", ".qrels", ".parquet")
_LIGHT = (*_ROWS, "", ".txt", ".text", ".log")

_ADVICE = {
    "save it as .docx or PDF": ".doc .dot .rtf .odt .pages .wpd .wps .hwp .abw .one",
    "save it as .pptx or PDF": ".ppt .ppsx .odp .key",
    "save it as .xlsx or CSV": ".numbers",
    "save it as .eml": ".msg .mbox .pst",
    "save what it says as CSV, JSON or text": ".xml .yaml .yml",
    "save its edges as CSV with columns subject, predicate, object": ".graphml .gexf .ttl .nt .rdf",
    "save it as a PDF with text, by OCR": ".djvu",
    "save it as .epub or PDF": ".mobi .azw3 .fb2 .ps .xps",
    "unpack it first, or pack it as .zip": ".rar .7z .tar .tgz .bz2 .xz .zst",
    "it is a picture: run OCR on it first and save the text": (
        ".png .jpg .jpeg .gif .bmp .tif .tiff .webp .heic .svg"
    ),
    "it is a recording: make a transcript of it first and save that as text": (
        ".mp3 .m4a .wav .ogg .flac .mp4 .mov .avi .mkv .webm"
    ),
    "it is a database: save its tables as CSV": ".db .sqlite .sqlite3 .mdb .accdb",
    "it is a program, not a document": ".exe .dll .msi .dmg .apk .iso .bin .so",
}
ADVICE = {ending: advice for advice, endings in _ADVICE.items() for ending in endings.split()}

_ROW = 160  # characters that a row counts in memory besides its passages


def read_origin(origin: Origin, limits: Limits | None = None) -> Iterator[Batch]:
    """All files of an origin. Raises BadInput where nothing is at its path."""
    if origin.text:
        yield read_text(origin.title, Path(origin.text).read_text(encoding="utf-8"))
        return
    for source in sources(origin, limits or Limits()):
        yield from read_source(source, limits or Limits(), dict(origin.fields))


def read_text(title: str, text: str) -> Batch:
    """Pasted text. Without a title it gets its heading, else its first words. Raises Refused where
    it is too long.
    """
    batch, document = Batch(PASTED, read_as="plain text"), plain_document(text)
    name = title.strip() or document.named(" ".join(text.split(None, 8)[:8])[:80])
    if document.blocks:
        add_document(batch, document, name)
    batch.name = name or PASTED
    return batch


def is_light(origin: Origin) -> bool:
    """Whether reading it costs little: plain text and rows of a megabyte at most. Raises BadInput
    where nothing is at its path.
    """
    names = [name for name, _ in origin.files] or [origin.path]
    if origin.text or any(name.lower().endswith(".zip") for name in names):
        return bool(origin.text)
    files = list(sources(origin, Limits()))
    size = sum(source.size for source in files)
    return size <= MEGABYTE and all(source.ending in _LIGHT for source in files)


def read_source(source: Source, limits: Limits, fields: Fields = NO_FIELDS) -> Iterator[Batch]:
    """A file, in parts where it is large."""
    part = 0
    try:
        if source.error is not None:
            raise source.error
        for part, batch in enumerate(_read(source, limits, fields), start=1):
            batch.name, batch.part = source.name, part
            yield batch
    except BadInput as error:
        yield refused(source.name, error, part + 1)
    except RecursionError:
        yield refused(source.name, Refused("it is nested too deeply"), part + 1)
    except MemoryError:
        yield refused(source.name, Refused(too_much_memory(limits)), part + 1)
    except Exception as error:  # parsers raise what they like
        reason = f"it cannot be read: {cut(str(error), 200) or type(error).__name__}"
        yield refused(source.name, BadInput(reason), part + 1)


def too_much_memory(limits: Limits) -> str:
    """Reason why a file that needs more memory than the limit is left out."""
    most = limits.memory_bytes // MEGABYTE
    return f"reading it takes more than {most:,} MB of memory; import it in parts"


def _read(source: Source, limits: Limits, fields: Fields) -> Iterator[Batch]:
    from gear_app.documents.formats import DOCUMENT_FORMATS  # late: many libraries

    if source.ending in _ROWS or is_qrels(source.path):
        yield from _read_rows(source, limits, fields)
        return
    if source.ending not in DOCUMENT_FORMATS:
        way_out = ADVICE.get(source.ending, "save it as PDF, .docx or text")
        raise Skipped(f"{source.ending} is not read; {way_out}")
    name, reader = DOCUMENT_FORMATS[source.ending]
    document = reader(load(source, limits))
    if not document.blocks:
        raise Skipped("; ".join(["there is no text in it", *document.remarks()]))
    yield _document_batch(source, document, name)


def _document_batch(source: Source, document: ReadDocument, read_as: str) -> Batch:
    batch = Batch(source.name, read_as=read_as)
    title = " ".join(source.path.stem.replace("_", " ").split())
    add_document(batch, document, document.named(title))
    return batch


def _rows(source: Source, limits: Limits, notes: Notes) -> Iterator[Row]:
    if source.ending == ".parquet":
        yield from parquet_rows(source)
        return
    with open_text(source, limits, notes) as text:
        if is_qrels(source.path):
            yield from judgements(text)
        elif source.ending in _TABLES:
            yield from table_rows(text, "question" if is_queries(source.path) else "text")
        else:
            yield from unfold(json_value(text, source, limits, notes))


def _read_rows(source: Source, limits: Limits, fields: Fields) -> Iterator[Batch]:
    """Rows of the form that the fields of the first say; a table of another is a document."""
    batch = Batch(source.name)
    rows = _rows(source, limits, batch.notes)
    head = next(rows, {})
    rename = renaming(plain_row(head), fields, source.path)
    form = next((form for form in FORMS if form.fits(rename(plain_row(head)))), None)
    rows = itertools.chain([head], rows)
    if form is not None:
        yield from _parts((rename(plain_row(row)) for row in rows), form, batch, limits)
    elif source.ending in _TABLES:
        document = ReadDocument(notes=batch.notes.sentences())
        document.add_table([list(head), *(list(row.values()) for row in rows)], head=True)
        yield _document_batch(source, document, "a table")
    else:
        raise BadInput(f"it is of no known form. {fields_needed(head)}")


def _parts(rows: Iterable[Row], form: RowForm, batch: Batch, limits: Limits) -> Iterator[Batch]:
    batch.read_as = form.name
    row: Row = {}
    size = number = wrong = 0
    for number, row in enumerate(rows, start=1):
        before = len(batch.passages)
        try:
            form.add(batch, row)
        except WRONG_SHAPE:
            wrong += 1
            first = f"the first is number {number}"
            batch.notes.count("row", f"not in the form of {form.name}", example=first)
        size += _ROW + sum(len(passage.text) for passage in batch.passages[before:])
        if size > limits.part_characters:
            yield batch
            batch, size = Batch(batch.name, read_as=batch.read_as), 0
    if wrong == number:
        raise BadInput(
            f"it looks like {form.name}, but none of its {count(number, 'row')} can be used."
            f" {fields_needed(row)}"
        )
    yield batch
