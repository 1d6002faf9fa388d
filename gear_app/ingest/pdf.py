"""A PDF file to a title and a text."""

from __future__ import annotations

import io
import itertools
import logging
import re
import struct
import time
import zlib
from collections import Counter
from typing import Any

import pypdf
from pypdf.errors import (
    DependencyError,
    DeprecationError,
    FileNotDecryptedError,
    LimitReachedError,
    PyPdfError,
)
from pypdf.generic import DictionaryObject, PdfObject, StreamObject

from gear_app.errors import BadInput, Refused
from gear_app.ingest.archive import megabytes
from gear_app.ingest.batch import MEGABYTE
from gear_app.ingest.blocks import BlockKind, ReadDocument

# What pypdf lets through on damaged files besides its own errors: the ordinary ones below, found by
# feeding it thousands of damaged copies. It does not promise to wrap them ("broken PDF files might
# cause other exceptions"), so they are named here, around the calls into the library and nothing
# else.
_STUMBLES = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)

MOST_PAGES = 5_000
# Few bytes can show the same text on many pages: beyond the first number of characters, this many a
# byte are taken.
_CHARACTERS, _PER_BYTE = 200_000, 50
_MOST_CHARACTERS = 20_000_000
# A megabyte of instructions takes pypdf up to four seconds; a page of text has some thousand bytes.
MOST_INSTRUCTIONS = MEGABYTE
MOST_SECONDS = 15  # of computing
# A font costs as much as so many bytes of instructions, and a part of those of its character map.
_FONT, _OF_CHARACTER_MAP = 50, 1 / 8
_DEEPEST = 20  # forms in forms
_LIMITS = pypdf.Configuration(
    zlib_maximum_output_length=20 * MEGABYTE,
    lzw_maximum_output_length=20 * MEGABYTE,
    run_length_maximum_output_length=20 * MEGABYTE,
    array_based_stream_maximum_output_length=20 * MEGABYTE,
    stream_decoding_work_maximum_length=60 * MEGABYTE,
)
_MOST_UNPACKED = 100 * MEGABYTE
_SHOWS_TEXT = re.compile(rb"T[jJ]|Do|['\"]")
_NAME = rb"/([^\s\0()<>\[\]{}/%]+)[\s\0]*+"
_DRAWS = re.compile(_NAME + b"Do")  # a form or a picture
_BEFORE_COMMENT = re.compile(_NAME + b"%")  # what comes behind it is not looked for


def read_pdf(content: bytes) -> ReadDocument:
    """The text of a PDF file, pages apart by a blank line; the title is the one it states,
    where that is no file's name, else a heading it begins with.
    """
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it has to say goes into the report
    try:
        with pypdf.apply_configuration(_LIMITS):
            reader = pypdf.PdfReader(io.BytesIO(content))
            most = min(_MOST_CHARACTERS, max(_CHARACTERS, _PER_BYTE * len(content)))
            texts, note = _texts(_pages(reader), most)
            stated = reader.metadata.title if reader.metadata else None
    except (FileNotDecryptedError, DependencyError) as error:
        raise BadInput("the PDF file is encrypted; save a copy without a password") from error
    except LimitReachedError as error:
        raise Refused(f"the PDF file expands beyond what is sensible: {error}") from error
    except (PyPdfError, DeprecationError, *_STUMBLES) as error:
        raise BadInput("the PDF file is broken and cannot be read") from error
    text = _joined_hyphens("\n\n".join(texts).replace("\x00", ""))
    if not text.strip():
        raise BadInput(note or "no text found; it may be a scan")
    document = ReadDocument(title=str(stated or ""), notes=[note] if note else [])
    for part in text.split("\n\n"):
        document.add(BlockKind.PARAGRAPH, part)
    return document


def _pages(reader: Any) -> list[pypdf.PageObject]:  # noqa: ANN401
    """The pages. Raises Refused for too many, and for one that comes twice."""
    pages = list(itertools.islice(reader.pages, MOST_PAGES + 1))
    if len(pages) > MOST_PAGES:
        raise Refused(f"the PDF file has more than {MOST_PAGES:,} pages; split it")
    places = [
        (page.indirect_reference.idnum, page.indirect_reference.generation)
        for page in pages
        if page.indirect_reference
    ]
    if len(set(places)) < len(places):
        raise Refused("the PDF file shows one page several times; that looks like a bomb")
    return pages


def _texts(pages: list[pypdf.PageObject], most: int) -> tuple[list[str], str]:
    """The pages' texts, and a sentence on what was left out. Raises Refused for more than `most`
    characters, and where it takes too long.
    """
    began = time.thread_time()
    instructions = _Instructions()
    texts: list[str] = []
    characters = left_out = 0
    for number, page in enumerate(pages, start=1):
        if instructions.of(page) > MOST_INSTRUCTIONS:
            left_out += 1
            continue
        texts.append(page.extract_text())
        characters += len(texts[-1])
        if characters > most:
            raise Refused(
                f"the PDF file expands to more than {most:,} characters, too many for a file of its"
                " size"
            )
        if time.thread_time() - began > MOST_SECONDS and number < len(pages):
            raise Refused(
                f"the first {number:,} of the PDF file's {len(pages):,} pages took"
                f" {MOST_SECONDS} seconds of computing; split it"
            )
    note = f"pages or drawings too large to be read, left out: {left_out + instructions.left_out:,}"
    return texts, note if left_out or instructions.left_out else ""


class _Instructions:
    """How many bytes of instructions pypdf works through to find a page's text.

    A form is a drawing that a page, or another form, shows by its name, as often as it likes; pypdf
    reads it each time.
    """

    def __init__(self) -> None:
        self.left_out = 0  # forms
        self._unpacked = 0  # bytes
        self._of_form: dict[int, int] = {}
        self._of_map: dict[int, int] = {}

    def of(self, page: pypdf.PageObject) -> int:
        """Of a page, without those of its forms with which it would be too many: they are taken out
        of it.
        """
        contents = page.get_contents()
        data = b"" if contents is None else contents.get_data()
        return self._count(data, _entries(page, "/Resources"), 0)

    def _count(self, data: bytes, resources: DictionaryObject, depth: int) -> int:
        self._unpacked += len(data)
        if self._unpacked > _MOST_UNPACKED:
            raise Refused(
                f"the PDF file's pages expand to more than {megabytes(_MOST_UNPACKED)}; split it"
            )
        number = sum(map(self._count_font, _entries(resources, "/Font").values()))
        if not _SHOWS_TEXT.search(data):
            return number  # pypdf does not look at it any further
        number += len(data)
        forms = _entries(resources, "/XObject")
        drawn = Counter(map(_name, _DRAWS.findall(data)))
        drawn.update(dict.fromkeys(map(_name, _BEFORE_COMMENT.findall(data)), data.count(b"Do")))
        for name, times in drawn.items():
            of_form = times * self._count_form(forms, name, resources, depth)
            if number + of_form > MOST_INSTRUCTIONS:
                forms.pop(name, None)
                self.left_out += 1
            else:
                number += of_form
        return number

    def _count_font(self, font: PdfObject) -> int:
        characters = _entry(font.get_object(), "/ToUnicode")
        if not isinstance(characters, StreamObject):
            return _FONT
        if id(characters) not in self._of_map:
            self._of_map[id(characters)] = int(len(characters.get_data()) * _OF_CHARACTER_MAP)
        return _FONT + self._of_map[id(characters)]

    def _count_form(
        self, forms: DictionaryObject, name: str, resources: DictionaryObject, depth: int
    ) -> int:
        form = _entry(forms, name)
        if not isinstance(form, StreamObject) or form.get("/Subtype") != "/Form":
            return 0
        if depth > _DEEPEST:
            return MOST_INSTRUCTIONS
        if id(form) not in self._of_form:
            self._of_form[id(form)] = 0  # where it shows itself, pypdf does not follow
            own = _entries(form, "/Resources") or resources
            self._of_form[id(form)] = self._count(form.get_data(), own, depth + 1)
        return self._of_form[id(form)]


def _entries(holder: PdfObject, name: str) -> DictionaryObject:
    """The dictionary of that name, an empty one where there is none."""
    found = _entry(holder, name)
    return found if isinstance(found, DictionaryObject) else DictionaryObject()


def _entry(holder: PdfObject | None, name: str) -> PdfObject | None:
    found = holder.get(name) if isinstance(holder, DictionaryObject) else None
    return None if found is None else found.get_object()


def _name(written: bytes) -> str:
    """A name as pypdf knows it: characters may be written as `#` and two digits."""
    plain = re.sub(rb"#([0-9a-fA-F]{2})", lambda code: bytes([int(code[1], 16)]), written)
    return "/" + plain.decode("utf-8", "replace")


def _joined_hyphens(text: str) -> str:
    """Words divided at a line's end are put together, unless the text has them with a hyphen
    elsewhere.
    """

    def joined(word: re.Match[str]) -> str:
        return (
            f"{word[1]}-{word[2]}"
            if f"{word[1]}-{word[2]}" in hyphenated
            else f"{word[1]}{word[2]}"
        )

    hyphenated = set(re.findall(r"\b[^\W\d_]+-[^\W\d_]+\b", text))
    return re.sub(r"\b([^\W\d_]+)-\n([a-z][^\W\d_]*)", joined, text)
