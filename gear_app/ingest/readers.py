"""Which files are read as documents, by their endings, and what to do with others.

The browser's field for files and the command line take both lists from here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import NamedTuple

from gear_app.ingest.blocks import ReadDocument


class FileReader(NamedTuple):
    """How files of an ending are read, and what they are. `packed`: they are zips, which
    archive.checked has to see first; `light`: text that is cheap enough to read in the same
    process; `pictures`: most of such a file are pictures, so a larger one is taken.
    """

    read: Callable[[bytes], ReadDocument]
    packed: bool = False
    light: bool = False
    pictures: bool = False
    what: str = ""


def _read(module: str, function: str, content: bytes) -> ReadDocument:
    """Read a file by a function whose libraries are loaded when they are needed."""
    read: Callable[[bytes], ReadDocument]
    read = getattr(import_module(f"gear_app.ingest.{module}"), function)
    return read(content)


def _reader(what: str, module: str, function: str, flags: str = "") -> FileReader:
    read = partial(_read, module, function)
    return FileReader(read, **dict.fromkeys(flags.split(), True), what=what)


_MARKDOWN = _reader("Markdown", "markdown", "read_markdown", "light")
_PAGE = _reader("a web page", "html", "read_html")
_SAVED_PAGE = _reader("a saved web page", "mail", "read_mhtml", "pictures")
_SHEETS = _reader("a spreadsheet", "sheets", "read_sheets", "packed pictures")
_SLIDES = _reader("slides", "slides", "read_slides", "packed pictures")

DOCUMENTS: dict[str, FileReader] = {
    **dict.fromkeys((".md", ".markdown"), _MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml"), _PAGE),
    **dict.fromkeys((".mhtml", ".mht"), _SAVED_PAGE),
    ".pdf": _reader("a PDF file", "pdf", "read_pdf", "pictures"),
    ".docx": _reader("a Word document", "word", "read_docx", "packed pictures"),
    **dict.fromkeys((".pptx", ".pptm"), _SLIDES),
    **dict.fromkeys((".xlsx", ".xlsm", ".xlsb", ".ods"), _SHEETS),
    ".xls": _reader("a spreadsheet", "sheets", "read_xls"),
    ".epub": _reader("a book", "book", "read_book", "packed pictures"),
    ".eml": _reader("a mail", "mail", "read_mail", "pictures"),
    ".ipynb": _reader("a notebook", "markdown", "read_notebook"),
}
# Read as they are; files without an ending are, too, where they hold text.
TEXTS = (".txt", ".text", ".log", ".rst", ".srt", ".vtt", ".tex", ".org", ".adoc")

_SEVERAL = {
    "save it as .docx or PDF": ".doc .dot .rtf .odt .pages .wpd .wps .hwp .abw",
    "save it as .pptx or PDF": ".ppt .ppsx .odp .key",
    "save it as .xlsx or CSV": ".numbers",
    "save it as .eml": ".msg",
    "save its mails as .eml": ".mbox .pst",
    "save its pages as .docx or PDF": ".one",
    "save what it says as CSV, JSON or text": ".xml",
    "save it as .txt or JSON": ".yaml .yml",
    "save it as a PDF with text, by OCR": ".djvu",
    "save it as .epub": ".mobi .azw3 .fb2",
    "save it as PDF": ".ps .xps",
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
# By ending what to do with files that are not read.
ADVICE = {ending: what for what, endings in _SEVERAL.items() for ending in endings.split()}


def advice(ending: str) -> str:
    """Why a file of an ending is not read, and what to do with it."""
    way = ADVICE.get(ending.lower(), "save it as PDF, .docx or text")
    return f"{ending or 'a file without an ending'} is not read; {way}"
