"""PDF files to blocks, by pdfium, the engine that Chrome shows such files with.

The tags of a page say what is a heading, an item, a row; they are read as HTML. Pages without tags
are read by the places of their lines (`pdf_lines`).
"""

from __future__ import annotations

import ctypes
import re
from collections import defaultdict
from dataclasses import replace
from html import escape
from typing import Any, NamedTuple

import pypdfium2
from pypdfium2 import raw

from gear_app.core.errors import BadInput, Refused
from gear_app.documents.blocks import BlockKind, ReadBlock, ReadDocument
from gear_app.documents.html import add_html
from gear_app.documents.pdf_lines import (
    ENDS,
    HYPHENS,
    ITEM,
    LEADERS,
    Row,
    Usual,
    add_page,
    drop_running_heads,
    rows_of,
)

MOST_PAGES = 5_000
_UNKNOWN = 0.3  # of a page's letters; with more that are no characters it cannot be read
_SAMPLE = 200  # letters of a page
_SCAN = "no text found; it may be a scan: run OCR on it and import what that gives"
_NO_LETTERS = (
    "its letters cannot be read: the file does not say which characters they are; export it anew,"
    " or run OCR on it"
)
# A word from its beginning; within a long one no other place is tried.
_DIVIDED = re.compile(rf"((?<!\w)\w++|)[{HYPHENS}]\s*(\w*)")
_ARABIC = re.compile("[\u0600-\u06ff\ufb50-\ufefc]")
_WITH_HYPHEN = re.compile(r"\w+-\w+")
# Elements of HTML by the tags; what is in no list is a block, what is in a line has no element.
_ELEMENTS = {"Title": "h1", "H": "h1", "L": "ul", "LI": "li", "Table": "table", "TR": "tr"}
_ELEMENTS |= {"TD": "td", "TH": "th", "Caption": "caption"}
_ELEMENTS |= {f"H{level}": f"h{level}" for level in range(1, 7)}
_INLINE = frozenset(
    "Span Link Quote Reference Annot BibEntry Em Strong Sub Code Ruby RB RT RP Warichu WT WP Lbl"
    " Formula NonStruct THead TBody TFoot".split()
)
_LEAST = 0.5  # of a page's letters are in its tree where it is used
_DEEPEST = 60


class _Page(NamedTuple):
    """Content of a page: blocks, and rows of lines where it is not tagged."""

    blocks: list[ReadBlock]
    rows: list[Row]


def read_pdf(content: bytes) -> ReadDocument:
    """A PDF file. Raises BadInput where it is broken, encrypted or has no text, Refused where it
    has too many pages.
    """
    try:
        pdf = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        locked = error.err_code in (raw.FPDF_ERR_PASSWORD, raw.FPDF_ERR_SECURITY)
        reason = (
            "encrypted; save a copy without a password" if locked else "broken and cannot be read"
        )
        raise BadInput(f"the PDF file is {reason}") from error
    document = ReadDocument()
    try:
        _add_pages(document, pdf)
    finally:
        pdf.close()
    _join_pages(document)
    _join_words(document)
    if any(_ARABIC.search(block.text) for block in document.blocks):
        document.notes.append("Arabic letters may be in another order than they are read in")
    return document


def _add_pages(document: ReadDocument, pdf: pypdfium2.PdfDocument) -> None:
    if len(pdf) > MOST_PAGES:
        raise Refused(f"the PDF file has more than {MOST_PAGES:,} pages; split it")
    if pdf.get_formtype():
        pdf.init_forms()
    try:
        document.title = pdf.get_metadata_value("Title")
    except UnicodeDecodeError:  # halves of characters
        document.title = ""
    pages: dict[int, _Page] = {}
    skipped: dict[str, list[str]] = defaultdict(list)
    for number in range(1, len(pdf) + 1):
        try:
            page = _read_page(document, pdf, number)
        except pypdfium2.PdfiumError:
            page = "damage"
        if isinstance(page, str):
            skipped[page].append(str(number))
        else:
            pages[number] = page
    if len(skipped["damage"]) == len(pdf):
        raise BadInput("the PDF file is broken and cannot be read")
    document.left_out["running head"] += drop_running_heads([page.rows for page in pages.values()])
    usual = Usual([line for page in pages.values() for row in page.rows for line in row])
    for document.page, page in pages.items():
        document.blocks += page.blocks
        add_page(document, page.rows, usual)
    if not document.blocks:
        raise BadInput(_NO_LETTERS if skipped["unknown letters"] else _SCAN)
    for reason, numbers in skipped.items():
        if numbers:
            listed = ", ".join(numbers[:10]) + (" and more" if len(numbers) > 10 else "")
            document.notes.append(f"not read because of {reason}: page {listed}")


def _read_page(document: ReadDocument, pdf: pypdfium2.PdfDocument, number: int) -> _Page | str:
    """A page, or the reason why it cannot be read."""
    page = pdf[number - 1]
    if pdf.formenv and page.flatten() == raw.FLATTEN_SUCCESS:  # what is filled in becomes text
        page = pdf[number - 1]
    text = page.get_textpage()
    codes = (raw.FPDFText_GetUnicode(text.raw, index) for index in range(text.count_chars()))
    letters = "".join(
        chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else " " for code in codes
    )
    if not letters.strip():
        return "no text" if raw.FPDFPage_CountObjects(page.raw) else _Page([], [])
    sample = range(0, len(letters), max(1, len(letters) // _SAMPLE))
    unknown = sum(raw.FPDFText_HasUnicodeMapError(text.raw, index) == 1 for index in sample)
    if unknown > _UNKNOWN * len(sample):
        return "unknown letters"
    if page.get_rotation():  # the lines that pdfium finds
        lines = filter(None, (" ".join(line.split()) for line in letters.splitlines()))
        return _Page([ReadBlock(BlockKind.PARAGRAPH, "\n".join(lines), page=number)], [])
    tagged = _read_tags(page, text, letters, number)
    if tagged is None:
        return _Page([], rows_of(text, letters))
    document.left_out.update(tagged.left_out)
    return _Page(tagged.blocks, [])


def _join_pages(document: ReadDocument) -> None:
    """Join a text that the end of a page divides: it does not end there, and the next begins
    small.
    """
    joined: list[ReadBlock] = []
    page = 0  # on which the last block ends
    for block in document.blocks:
        before = joined[-1] if joined and block.page > page else None
        runs = before is not None and before.kind in (BlockKind.PARAGRAPH, BlockKind.ITEM)
        small = block.kind is BlockKind.PARAGRAPH and block.text[0].islower()
        if before and runs and small and not ENDS.search(before.text):
            gap = "" if before.text[-1] in HYPHENS else " "
            joined[-1] = replace(before, text=before.text + gap + block.text)
        else:
            joined.append(block)
        page = block.page
    document.blocks = joined


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


# Tags: letters of a page are marked with numbers, which the elements of its tree name


def _read_tags(
    page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage, letters: str, number: int
) -> ReadDocument | None:
    """The blocks of a page, None where it has no tree, or one with few of its letters."""
    tree = raw.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return None
    marked: dict[int, str] = defaultdict(str)
    mark = -1
    for index, letter in enumerate(letters):
        drawn = raw.FPDFText_GetTextObject(text.raw, index)
        mark = raw.FPDFPageObj_GetMarkedContentID(drawn) if drawn else mark
        marked[mark] += letter
    html = "".join(
        _html(raw.FPDF_StructTree_GetChildAtIndex(tree, index), marked)
        for index in range(raw.FPDF_StructTree_CountChildren(tree))
    )
    raw.FPDF_StructTree_Close(tree)
    # What was taken is gone; the rest are heads and feet of the page.
    rest = [line for text in marked.values() for line in text.splitlines() if line.strip()]
    if sum(map(len, rest)) > (1 - _LEAST) * len(letters):
        return None
    document = add_html(ReadDocument(page=number), html)
    document.blocks = list(map(_without_mark, document.blocks))
    document.left_out["untagged line"] += len(rest)
    return document


def _html(element: Any, marked: dict[int, str], depth: int = 0) -> str:  # noqa: ANN401
    if not element or depth > _DEEPEST:
        return ""
    kind = _string(raw.FPDF_StructElement_GetType, element)
    inner = ""
    for index in range(raw.FPDF_StructElement_CountChildren(element)):
        number = raw.FPDF_StructElement_GetChildMarkedContentID(element, index)
        inner += escape(marked.pop(number, "")) if number >= 0 else ""
        inner += _html(raw.FPDF_StructElement_GetChildAtIndex(element, index), marked, depth + 1)
    if kind == "Figure":
        inner += f" {escape(_string(raw.FPDF_StructElement_GetAltText, element))} "
    name = _ELEMENTS.get(kind, "" if kind in _INLINE else "div")
    return f"<{name}>{inner}</{name}>" if name else inner


def _string(function: Any, element: Any) -> str:  # noqa: ANN401
    size = max(2, function(element, None, 0))
    buffer = ctypes.create_string_buffer(size)
    function(element, buffer, size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")


def _without_mark(block: ReadBlock) -> ReadBlock:
    """A block in one line; an item without its mark."""
    text = block.text if block.kind is BlockKind.ROW else " ".join(block.text.split())
    text = LEADERS.sub(" … ", text)
    item = ITEM.match(text) if block.kind is BlockKind.ITEM else None
    if item is None:
        return replace(block, text=text)
    number = item[1] if any(map(str.isalnum, item[1])) else ""
    return replace(block, text=text[item.end() :], number=number)
