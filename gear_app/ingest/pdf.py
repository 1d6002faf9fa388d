"""A PDF file to blocks, by pdfium, the engine that Chrome shows such files with.

Pages whose file says what is a heading, an item, a row are read by these tags (`pdf_tags`), the
others by where their lines stand (`pdf_lines`). pdfium cannot be stopped within a page: the time is
looked at between pages, and a page without end is ended with the process that reads.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any, NamedTuple

import pypdfium2
from pypdfium2 import raw

from gear_app.errors import BadInput, Refused
from gear_app.ingest.blocks import BlockKind, ReadBlock, ReadDocument
from gear_app.ingest.pdf_layout import ENDS, Usual, add_page
from gear_app.ingest.pdf_lines import HYPHENS, Row, rows_of, take_running_heads
from gear_app.ingest.pdf_tags import read_tags

MOST_PAGES = 5_000
MOST_SECONDS = 15  # of computing
# Few bytes can show the same text on many pages: beyond the first number of characters, this many a
# byte are taken.
_CHARACTERS, _PER_BYTE = 200_000, 50
_MOST_CHARACTERS = 20_000_000
_UNKNOWN = 0.3  # of a page's letters; with more that are no characters it cannot be read
_LOOKED_AT = 10  # tagged pages of which the lines are looked at, too
_TRIED = 200  # letters of a page
_SCAN = "no text found; it may be a scan: run OCR on it and import what that gives"
_NO_LETTERS = (
    "its letters cannot be read: the file does not say which characters they are; export it anew,"
    " or run OCR on it"
)
# A word from its beginning; within a long one no other place is tried.
_DIVIDED = re.compile(rf"((?<!\w)\w++|)[{HYPHENS}]\s*(\w*)")
_WITH_HYPHEN = re.compile(r"\w+-\w+")


class _Page(NamedTuple):
    """What was found on a page: blocks where it is tagged, else rows of lines. `usual` are lines
    that tell what is usual in the document, of some tagged pages, too.
    """

    number: int
    blocks: list[ReadBlock]
    rows: list[Row]
    usual: list[Row]


def read_pdf(content: bytes) -> ReadDocument:
    """What a PDF file says, and the title that it states. Raises BadInput where it is broken,
    encrypted or shows no text, Refused beyond the bounds.
    """
    try:
        pdf = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise _unopened(error) from error
    try:
        document = ReadDocument(title=_title(pdf))
        most = min(_MOST_CHARACTERS, max(_CHARACTERS, _PER_BYTE * len(content)))
        pages = _Pages(document, most=most)
        _add(document, list(pages.of(pdf)))
        pages.note()
    finally:
        pdf.close()
    if not document.blocks:
        raise BadInput(_NO_LETTERS if pages.unknown else _SCAN)
    _join_pages(document)
    _join_words(document)
    return document


def _unopened(error: pypdfium2.PdfiumError) -> BadInput:
    if error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY):
        return BadInput("the PDF file is encrypted; save a copy without a password")
    return BadInput("the PDF file is broken and cannot be read")


def _title(pdf: pypdfium2.PdfDocument) -> str:
    try:
        title: str = pdf.get_metadata_value("Title")
    except UnicodeDecodeError:  # halves of characters
        return ""
    return title


class _Pages:
    """Goes over the pages, and keeps the numbers of those that nothing can be read of."""

    def __init__(self, document: ReadDocument, *, most: int) -> None:
        self._document, self._most = document, most
        self._characters = 0
        self._broken: list[int] = []
        self._pictures: list[int] = []
        self.unknown: list[int] = []

    def of(self, pdf: pypdfium2.PdfDocument) -> Iterator[_Page]:
        """The pages with text. Raises Refused for too many, for too many characters, and where it
        takes too long.
        """
        began, pages = time.thread_time(), len(pdf)
        if pages > MOST_PAGES:
            raise Refused(f"the PDF file has more than {MOST_PAGES:,} pages; split it")
        for number in range(1, pages + 1):
            try:
                page = pdf[number - 1]
                text = page.get_textpage()
            except pypdfium2.PdfiumError:
                self._broken.append(number)
                continue
            yield from self._read(page, text, number)
            text.close()
            page.close()
            if time.thread_time() - began > MOST_SECONDS and number < pages:
                raise Refused(
                    f"the first {number:,} of the PDF file's {pages:,} pages took"
                    f" {MOST_SECONDS} seconds of computing; split it"
                )
        if len(self._broken) == pages:
            raise BadInput("the PDF file is broken and cannot be read")

    def note(self) -> None:
        """Say which pages were not read."""
        for numbers, one, more in (
            (self._pictures, "shows pictures only", "show pictures only"),
            (self.unknown, "has letters that cannot be read", "have letters that cannot be read"),
            (self._broken, "is broken", "are broken"),
        ):
            if numbers:
                what = one if len(numbers) == 1 else more
                self._document.notes.append(f"{_listed(numbers)} {what}")

    def _read(
        self, page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage, number: int
    ) -> Iterator[_Page]:
        letters = self._letters(text)
        if not letters.strip():
            if raw.FPDFPage_CountObjects(page.raw):
                self._pictures.append(number)
        elif _are_unknown(text, letters):
            self.unknown.append(number)
        else:
            tagged = read_tags(page, text, letters, number)
            rows = rows_of(text, letters) if tagged is None or number <= _LOOKED_AT else []
            if tagged is None:
                yield _Page(number, [], rows, rows)
            else:
                self._document.left_out.update(tagged.left_out)
                yield _Page(number, tagged.blocks, [], rows)

    def _letters(self, text: pypdfium2.PdfTextPage) -> str:
        """The letters of a page, each at its number in pdfium."""
        number = text.count_chars()
        self._characters += number
        if self._characters > self._most:
            raise Refused(
                f"the PDF file expands to more than {self._most:,} characters, too many for a file"
                " of its size"
            )
        codes = (raw.FPDFText_GetUnicode(text.raw, index) for index in range(number))
        # What has no number, or is half a character, is a blank.
        return "".join(
            chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else " " for code in codes
        )


def _are_unknown(text: Any, letters: str) -> bool:  # noqa: ANN401
    """Whether most of a page's letters are numbers of shapes, and which characters they are is not
    known.
    """
    tried = range(0, len(letters), max(1, len(letters) // _TRIED))
    unknown = [index for index in tried if raw.FPDFText_HasUnicodeMapError(text.raw, index) == 1]
    return len(unknown) > _UNKNOWN * len(tried)


def _listed(numbers: list[int]) -> str:
    """`page 3`, or `pages 1–3, 7 and 9`."""
    if len(numbers) == 1:
        return f"page {numbers[0]}"
    runs: list[str] = []
    for _, run in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        some = [number for _, number in run]
        runs += [f"{some[0]}–{some[-1]}"] if len(some) > 2 else map(str, some)
    last = runs.pop()
    return f"pages {', '.join(runs)} and {last}" if runs else f"pages {last}"


def _add(document: ReadDocument, pages: list[_Page]) -> None:
    """Add the blocks of the pages, those of lines by what is usual in all of them."""
    document.left_out["running head"] += take_running_heads([page.rows for page in pages])
    usual = Usual.of([line for page in pages for row in page.usual for line in row])
    remarks: dict[str, list[int]] = defaultdict(list)
    for page in pages:
        document.page = page.number
        document.blocks += page.blocks
        for remark in add_page(document, page.rows, usual):
            remarks[remark].append(page.number)
    document.notes += (f"{_listed(numbers)}: {what}" for what, numbers in sorted(remarks.items()))


def _join_pages(document: ReadDocument) -> None:
    """Put together a text that the end of a page divides: it does not end there, and what comes
    next begins small.
    """
    joined: list[ReadBlock] = []
    last, page = -1, 0  # the last text in `joined`, notes not counted, and the page it ends on
    for block in document.blocks:
        if last >= 0 and page < block.page and _runs_on(joined[last], block):
            before = joined[last]
            gap = "" if before.text[-1] in HYPHENS else " "
            joined[last] = replace(before, text=before.text + gap + block.text)
        else:
            joined.append(block)
            last = last if block.kind is BlockKind.NOTE else len(joined) - 1
        page = page if block.kind is BlockKind.NOTE else block.page
    document.blocks = joined


def _runs_on(before: ReadBlock, block: ReadBlock) -> bool:
    texts = (
        before.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM) and block.kind is BlockKind.PARAGRAPH
    )
    return texts and block.text[0].islower() and not ENDS.search(before.text)


def _join_words(document: ReadDocument) -> None:
    """Put words together that were divided at a line's end, unless the document has them with a
    hyphen elsewhere.
    """
    hyphenated = {
        word.lower() for block in document.blocks for word in _WITH_HYPHEN.findall(block.text)
    }

    def joined(word: re.Match[str]) -> str:
        with_hyphen = f"{word[1]}-{word[2]}"
        keeps = not word[1].isalpha() or not word[2][:1].islower()
        return with_hyphen if keeps or with_hyphen.lower() in hyphenated else word[1] + word[2]

    document.blocks = [
        replace(block, text=_DIVIDED.sub(joined, block.text)) for block in document.blocks
    ]
