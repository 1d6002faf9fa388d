"""PDF files to blocks, by pdfium, the engine that Chrome shows such files with.

pdfium gives the letters of a page line by line as they were drawn. Sizes of letters say what is a
heading, distances of lines and their ends what is a paragraph.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import pypdfium2
from pypdfium2 import raw

from gear_app.core.errors import BadInput
from gear_app.documents.blocks import BlockKind, ReadDocument

_HYPHENS = "\x02\ufffe"  # pdfium's signs for one at a line's end
_ENDS = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$")
_ITEM = re.compile(
    r"([•‣◦▪▫●○■□–—*·∙⁃➢✓-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\(?[A-Z]\)"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?)\s+(?=\S)"
)
_LINE = re.compile(rf"[^\r\n{_HYPHENS}]+[{_HYPHENS}]?")
_DIVIDED = re.compile(rf"(\w*)(?:[{_HYPHENS}]\s?|-(?<=\w-) (?=\w))(\w?)")
_ARABIC = re.compile("[\u0600-\u06ff\ufb50-\ufefc]")
_UNKNOWN = 0.3  # of a page's letters; with more that are no characters it cannot be read
_EDGE = 2  # lines at the top and the foot of a page that may be running heads
_OFTEN, _LEAST_PAGES = 0.4, 3  # of the pages that have a running head
_LARGER = 1.08  # than the letters of the text: a heading
_LONGEST_HEADING = 200  # characters
_AROUND, _FEW = 8, 8  # lines
_APART = 1.3  # of the usual distance: lines of two blocks


class Line(NamedTuple):
    """A line; `base` is its height on the page, `size` that of its letters (points)."""

    text: str
    left: float
    right: float
    base: float
    size: float
    page: int


def read_pdf(content: bytes) -> ReadDocument:
    """A PDF file. Raises BadInput where it has a password or no text."""
    document = ReadDocument()
    try:
        pdf = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise BadInput(f"the PDF file is encrypted or broken: {error}") from error
    with pdf:
        pdf.init_forms()
        document.title = pdf.get_metadata_value("Title")
        pages = [_lines(document, pdf, number) for number in range(1, len(pdf) + 1)]
    _drop_running_heads(document, pages)
    _add_lines(document, [line for page in pages for line in page])
    if not document.blocks:
        raise BadInput("no text found; it may be a scan: run OCR on it and import what that gives")
    if any(_ARABIC.search(block.text) for block in document.blocks):
        document.notes.append("Arabic letters may be in another order than they are read in")
    return document


def _lines(document: ReadDocument, pdf: pypdfium2.PdfDocument, number: int) -> list[Line]:
    """Lines of a page in the order they were drawn in, [] where it cannot be read."""
    try:
        page = pdf[number - 1]
        if pdf.formenv and page.flatten() == raw.FLATTEN_SUCCESS:  # what is filled in becomes text
            page = pdf[number - 1]
        text = page.get_textpage()
    except pypdfium2.PdfiumError:
        document.left_out["damaged page"] += 1
        return []
    codes = [raw.FPDFText_GetUnicode(text.raw, index) for index in range(text.count_chars())]
    letters = "".join(chr(code) if 0 < code < 0xD800 or code > 0xDFFF else " " for code in codes)
    unknown = sum(raw.FPDFText_HasUnicodeMapError(text.raw, n) == 1 for n in range(len(codes)))
    if not letters.strip() or unknown > _UNKNOWN * len(codes):
        document.left_out["page without text that can be read"] += 1
        return []
    return [_line(text, match, number) for match in _LINE.finditer(letters) if match[0].strip()]


def _line(text: pypdfium2.PdfTextPage, match: re.Match[str], page: int) -> Line:
    words = match[0].strip()
    first = match.start() + match[0].index(words)
    last = first + len(words.rstrip(_HYPHENS)) - 1
    left, base, _, _ = text.get_charbox(first, loose=True)
    _, bottom, right, top = text.get_charbox((first + last) // 2, loose=True)
    right = text.get_charbox(last, loose=True)[2]
    return Line(" ".join(words.split()), left, right, base, round(top - bottom, 1) or 1.0, page)


def _drop_running_heads(document: ReadDocument, pages: list[list[Line]]) -> None:
    """Take out the lines at the edges of pages that are the same on many but for numbers."""
    edges = []
    for page in pages:
        by_height = sorted(page, key=lambda line: line.base)
        edges.append({*by_height[:_EDGE], *by_height[-_EDGE:]})
    times = Counter(key for edge in edges for key in {_key(line) for line in edge})
    least = max(_LEAST_PAGES, _OFTEN * len(pages))
    for page, edge in zip(pages, edges, strict=True):
        heads = {line for line in edge if times[_key(line)] >= least}
        page[:] = [line for line in page if line not in heads]
        document.left_out["running head"] += len(heads)


def _key(line: Line) -> tuple[int, str]:
    """Height and words of a line, with the first number counted from the page's."""
    words = re.sub(
        r"\b\d{1,3}\b", lambda number: str(int(number[0]) - line.page), line.text, count=1
    )
    return round(line.base / 4), words


def _add_lines(document: ReadDocument, lines: list[Line]) -> None:
    """Add lines one below the other as headings, items and paragraphs."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    usual = max(sizes, key=lambda size: sizes[size], default=1.0)
    larger = sorted((size for size in sizes if size > _LARGER * usual), reverse=True)
    for block in _blocks(lines):
        text = _DIVIDED.sub(_joined, " ".join(line.text for line in block))
        document.page = block[0].page
        item = _ITEM.match(text)
        heading = block[0].size in larger and len(text) < _LONGEST_HEADING
        if heading and any(map(str.isalpha, text)):
            document.add(BlockKind.HEADING, text, level=min(6, 1 + larger.index(block[0].size)))
        elif item:
            number = item[1] if any(map(str.isalnum, item[1])) else ""
            document.add(BlockKind.ITEM, text[item.end() :], number=number)
        else:
            document.add(BlockKind.PARAGRAPH, text)


def _joined(divided: re.Match[str]) -> str:
    """A word that was divided at a line's end; one with digits or a capital has a hyphen."""
    left, right = divided.groups()
    return left + ("" if left.isalpha() and right.islower() else "-") + right


def _blocks(lines: list[Line]) -> Iterator[list[Line]]:
    drops = [(above.base - line.base) / line.size for above, line in pairwise(lines)]
    usual = sorted(drop for drop in drops if 0.8 < drop < 2.5)
    apart = _APART * (usual[len(usual) // 4] if len(usual) > _FEW else 1.2)
    block: list[Line] = []
    for number, line in enumerate(lines):
        around = lines[max(0, number - _AROUND) : number + _AROUND]  # those of the same column
        rights = [o.right for o in around if o.left < line.right and o.right > line.left]
        edge = max(rights, default=line.right)
        if block and _begins(block, line, apart, edge):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _begins(block: list[Line], line: Line, apart: float, edge: float) -> bool:
    """Whether a line begins a block. `edge` is the end of the longest line around it."""
    before = block[-1]
    ended = _ENDS.search(before.text) is not None
    drop = (before.base - line.base) / line.size
    if abs(line.size - before.size) > 0.1 * before.size or drop > apart:
        return True
    if drop <= 0:  # in the next column, or on the next page
        return ended or not line.text[0].islower()
    if _ITEM.match(line.text):
        return True
    short = before.right + 4 * line.size < edge
    indented = line.left > before.left + 0.8 * line.size and not _ITEM.match(block[0].text)
    return ended and (short or indented)
