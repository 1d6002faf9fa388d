"""Files to batches. Errors of a file end up in its report."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TextIO

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
from gear_app.documents.passages import add_document, add_text, first_heading
from gear_app.documents.questions import judgements
from gear_app.documents.rows import (
    WRONG_SHAPE,
    Row,
    json_value,
    parquet_rows,
    plain_row,
    table_rows,
)

# Endings, the name in reports, and the module and function that read such files.
_KINDS = (
    (".md .markdown", "Markdown", "markdown", "read_markdown"),
    (".html .htm .xhtml", "a web page", "html", "read_html"),
    (".vtt .srt", "a transcript", "mail", "read_speech"),
    (".ipynb", "a notebook", "markdown", "read_notebook"),
    (".mhtml .mht", "a saved web page", "mail", "read_mail"),
    (".eml", "a mail", "mail", "read_mail"),
    (".pdf", "a PDF file", "pdf", "read_pdf"),
    (".docx", "a Word document", "office", "read_docx"),
    (".pptx .pptm", "slides", "office", "read_slides"),
    (".xlsx .xlsm .xlsb .ods .xls", "a spreadsheet", "office", "read_sheets"),
    (".epub", "a book", "office", "read_book"),
)
DOCUMENTS = {ending: kind for endings, *kind in _KINDS for ending in endings.split()}
# Read as they are.
TEXTS = ("", ".txt", ".text", ".log", ".rst", ".tex", ".org", ".adoc")
TABLES = (".csv", ".tsv")
ROWS = (*TABLES, ".jsonl", ".json", ".qrels", ".parquet")

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

_ROWS_A_PART = 50_000
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
    """Pasted text. Without a title it gets its heading, else its first words. Raises Refused where
    it is too long.
    """
    batch = Batch(PASTED, read_as="plain text")
    name = title.strip() or first_heading(text) or " ".join(text.split(None, 8)[:8])[:80]
    if text.strip():
        add_text(batch, name, text)
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
    endings = {source.path.suffix.lower() for source in files}
    return endings <= {*TEXTS, *ROWS} and sum(source.size for source in files) <= MEGABYTE


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
            if ending in TEXTS and not is_qrels(source.path):
                yield _text(source, text, batch)
                return
            rows: Iterator[Row]
            if is_qrels(source.path):
                rows = judgements(text)
            elif ending in TABLES:
                rows = table_rows(text, "question" if is_queries(source.path) else "text")
            else:
                rows = unfold(json_value(text, source, limits, batch.notes))
            yield from _rows(source, rows, batch, limits, fields)
    else:
        way_out = ADVICE.get(ending, "save it as PDF, .docx or text")
        raise Skipped(f"{ending} is not read; {way_out}")


def _title(source: Source) -> str:
    return " ".join(source.path.stem.replace("_", " ").split())


def _document(source: Source, limits: Limits) -> Batch:
    name, module, function = DOCUMENTS[source.ending]
    content = load(source, limits)
    if source.ending != ".xls":
        check_office(content, limits)
    document: ReadDocument = getattr(import_module(f"gear_app.documents.{module}"), function)(
        content
    )
    if not document.blocks:
        raise Skipped("; ".join(["there is no text in it", *document.remarks()]))
    batch = Batch(source.name, read_as=name)
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


def _rows(
    source: Source, rows: Iterator[Row], batch: Batch, limits: Limits, fields: Fields
) -> Iterator[Batch]:
    """Rows of the form that the fields of the first say; a table of another is a document."""
    head = next(rows, {})
    rename = renaming(plain_row(head), fields, source.path)
    form = form_of(rename(plain_row(head)))
    rows = itertools.chain([head], rows)
    if form is not None:
        yield from _parts((rename(plain_row(row)) for row in rows), form, batch, limits)
    elif source.ending in TABLES:
        document = ReadDocument()
        document.add_table([list(head), *(list(row.values()) for row in rows)], head=True)
        add_document(batch, document, _title(source))
        batch.read_as = "a table"
        yield batch
    else:
        raise BadInput(f"it is of no known form. {fields_needed(head)}")


def _parts(rows: Iterable[Row], form: RowForm, batch: Batch, limits: Limits) -> Iterator[Batch]:
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
