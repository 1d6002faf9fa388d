"""PDF files to blocks, by pdfium, the engine that Chrome shows such files with.

Pages whose file says what is a heading, an item, a row are read by these tags (`pdf_tags`), others
by the places of their lines (`pdf_lines`).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import pypdfium2
from pypdfium2 import raw

from gear_app.errors import BadInput, Refused
from gear_app.ingest.blocks import BlockKind, ReadBlock, ReadDocument
from gear_app.ingest.pdf_lines import (
    ENDS,
    HYPHENS,
    Row,
    Usual,
    add_page,
    drop_running_heads,
    rows_of,
)
from gear_app.ingest.pdf_tags import read_tags

MOST_PAGES = 5_000
_UNKNOWN = 0.3  # of a page's letters; with more that are no characters it cannot be read
_SAMPLE = 200  # letters of a page
_LOOKED_AT = 10  # tagged pages whose lines show the usual sizes, too
_SCAN = "no text found; it may be a scan: run OCR on it and import what that gives"
_NO_LETTERS = (
    "its letters cannot be read: the file does not say which characters they are; export it anew,"
    " or run OCR on it"
)
# A word from its beginning; within a long one no other place is tried.
_DIVIDED = re.compile(rf"((?<!\w)\w++|)[{HYPHENS}]\s*(\w*)")
_ARABIC = re.compile("[\u0600-\u06ff\ufb50-\ufefc]")
_WITH_HYPHEN = re.compile(r"\w+-\w+")


class _Page(NamedTuple):
    """Content of a page: blocks where it is tagged, else rows of lines; `sample` are rows that show
    what is usual in the document.
    """

    number: int
    blocks: list[ReadBlock]
    rows: list[Row]
    sample: list[Row]


def read_pdf(content: bytes) -> ReadDocument:
    """A PDF file. Raises BadInput where it is broken, encrypted or has no text, Refused where it
    has too many pages.
    """
    try:
        pdf = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        what = (
            "encrypted; save a copy without a password" if locked else "broken and cannot be read"
        )
        raise BadInput(f"the PDF file is {what}") from error
    try:
        document = ReadDocument(title=_title(pdf))
        unknown = _add_pages(document, pdf)
    finally:
        pdf.close()
    if not document.blocks:
        raise BadInput(_NO_LETTERS if unknown else _SCAN)
    _join_pages(document)
    _join_words(document)
    if any(_ARABIC.search(block.text) for block in document.blocks):
        document.notes.append("Arabic letters may be in another order than they are read in")
    return document


def _title(pdf: pypdfium2.PdfDocument) -> str:
    try:
        title: str = pdf.get_metadata_value("Title")
    except UnicodeDecodeError:  # halves of characters
        return ""
    return title


def _add_pages(document: ReadDocument, pdf: pypdfium2.PdfDocument) -> int:
    """Add all pages; the number of those whose letters are no characters."""
    if len(pdf) > MOST_PAGES:
        raise Refused(f"the PDF file has more than {MOST_PAGES:,} pages; split it")
    if pdf.get_formtype():
        pdf.init_forms()
    pages: list[_Page] = []
    skipped: dict[str, list[int]] = {"no text": [], "unknown letters": [], "damage": []}
    for number in range(1, len(pdf) + 1):
        try:
            page = _read_page(document, pdf, number)
        except pypdfium2.PdfiumError:
            page = "damage"
        if isinstance(page, str):
            skipped[page].append(number)
        elif page is not None:
            pages.append(page)
    if len(skipped["damage"]) == len(pdf):
        raise BadInput("the PDF file is broken and cannot be read")
    document.left_out["running head"] += drop_running_heads([page.rows for page in pages])
    usual = Usual.of([line for page in pages for row in page.sample for line in row])
    for page in pages:
        document.page = page.number
        document.blocks += page.blocks
        add_page(document, page.rows, usual)
    for what, numbers in skipped.items():
        if numbers:
            listed = ", ".join(map(str, numbers[:10])) + (" and more" if len(numbers) > 10 else "")
            document.notes.append(f"not read because of {what}: page {listed}")
    return len(skipped["unknown letters"])


def _read_page(
    document: ReadDocument, pdf: pypdfium2.PdfDocument, number: int
) -> _Page | str | None:
    """A page, None where it is empty, or the reason why it cannot be read."""
    page = pdf[number - 1]
    if pdf.formenv and page.flatten() == raw.FLATTEN_SUCCESS:  # what is filled in becomes text
        page.close()
        page = pdf[number - 1]
    text = page.get_textpage()
    letters = _letters(text)
    if not letters.strip():
        return "no text" if raw.FPDFPage_CountObjects(page.raw) else None
    sample = range(0, len(letters), max(1, len(letters) // _SAMPLE))
    unknown = sum(raw.FPDFText_HasUnicodeMapError(text.raw, index) == 1 for index in sample)
    if unknown > _UNKNOWN * len(sample):
        return "unknown letters"
    if page.get_rotation():
        return _Page(number, [_rotated(letters, number)], [], [])
    tagged = read_tags(page, text, letters, number)
    rows = rows_of(text, letters) if tagged is None or number <= _LOOKED_AT else []
    text.close()
    page.close()
    if tagged is None:
        return _Page(number, [], rows, rows)
    document.left_out.update(tagged.left_out)
    return _Page(number, tagged.blocks, [], rows)


def _rotated(letters: str, number: int) -> ReadBlock:
    """A turned page as the lines that pdfium finds."""
    lines = filter(None, (" ".join(line.split()) for line in letters.splitlines()))
    return ReadBlock(BlockKind.PARAGRAPH, "\n".join(lines), page=number)


def _letters(text: pypdfium2.PdfTextPage) -> str:
    """Letters of a page, each at its number in pdfium; a blank for each that is no character."""
    codes = (raw.FPDFText_GetUnicode(text.raw, index) for index in range(text.count_chars()))
    return "".join(
        chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else " " for code in codes
    )


def _join_pages(document: ReadDocument) -> None:
    """Put together a text that the end of a page divides: it does not end there, and the next
    begins small.
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
    texts = (BlockKind.PARAGRAPH, BlockKind.ITEM)
    runs = before.kind in texts and block.kind is BlockKind.PARAGRAPH and block.text[0].islower()
    return runs and not ENDS.search(before.text)


def _join_words(document: ReadDocument) -> None:
    """Put words together that were divided at a line's end, unless the document has them with a
    hyphen elsewhere, or they have digits.
    """
    hyphenated = {
        word.lower() for block in document.blocks for word in _WITH_HYPHEN.findall(block.text)
    }

    def joined(word: re.Match[str]) -> str:
        with_hyphen = f"{word[1]}-{word[2]}"
        stays = not word[1].isalpha() or not word[2][:1].islower()
        return with_hyphen if stays or with_hyphen.lower() in hyphenated else word[1] + word[2]

    document.blocks = [
        replace(block, text=_DIVIDED.sub(joined, block.text)) for block in document.blocks
    ]
