"""Which files are read as documents, by their endings, and what to do with others."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from gear_app.documents.blocks import ReadDocument


class FileKind(NamedTuple):
    """A kind of documents: its name in reports, and the function that reads its files. `office`: a
    zip that files.check_office has to see first; `text`: nothing but text.
    """

    name: str
    module: str
    function: str
    office: bool = False
    text: bool = False

    def read(self, content: bytes) -> ReadDocument:
        """Read a file; the library is imported when it is needed. Raises BadInput, Refused."""
        module = import_module(f"gear_app.documents.{self.module}")
        document: ReadDocument = getattr(module, self.function)(content)
        return document


_KINDS = {
    ".md .markdown": FileKind("Markdown", "markdown", "read_markdown", text=True),
    ".html .htm .xhtml": FileKind("a web page", "html", "read_html", text=True),
    ".vtt .srt": FileKind("a transcript", "speech", "read_speech", text=True),
    ".ipynb": FileKind("a notebook", "markdown", "read_notebook", text=True),
    ".mhtml .mht": FileKind("a saved web page", "mail", "read_mhtml"),
    ".eml": FileKind("a mail", "mail", "read_mail"),
    ".pdf": FileKind("a PDF file", "pdf", "read_pdf"),
    ".docx": FileKind("a Word document", "office", "read_docx", office=True),
    ".pptx .pptm": FileKind("slides", "office", "read_slides", office=True),
    ".xlsx .xlsm .xlsb .ods": FileKind("a spreadsheet", "office", "read_sheets", office=True),
    ".xls": FileKind("a spreadsheet", "office", "read_sheets"),
    ".epub": FileKind("a book", "office", "read_book", office=True),
}
DOCUMENTS = {ending: kind for endings, kind in _KINDS.items() for ending in endings.split()}
# Read as they are.
TEXTS = ("", ".txt", ".text", ".log", ".rst", ".tex", ".org", ".adoc")
ROWS = (".csv", ".tsv", ".jsonl", ".json", ".qrels", ".parquet")

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


def advice(ending: str) -> str:
    """Reason why a file with this ending is not read, and what to do with it."""
    return f"{ending} is not read; {ADVICE.get(ending, 'save it as PDF, .docx or text')}"
