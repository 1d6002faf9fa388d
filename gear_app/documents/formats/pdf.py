"""PDF files to blocks, by pdfium, the engine that Chrome shows such files with.

pdfium gives the letters of a page line by line as they were drawn. Sizes of letters say what is a
heading, the ends of lines what is a paragraph.
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
from gear_app.documents.blocks import ReadDocument
from gear_app.documents.formats import document_format
from gear_app.language.blocks import Kind

_HYPHENS = "\x02\ufffe"  # pdfium's signs for one at a line's end
_ITEM = re.compile(
    r"([•‣◦▪▫●○■□–—*·∙⁃➢✓-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\(?[A-Z]\)"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?)\s+(?=\S)"
)
_LINE = re.compile(rf"[^\r\n{_HYPHENS}]+[{_HYPHENS}]?")
_DIVIDED = re.compile(rf"(\w*)(?:[{_HYPHENS}]\s?|-(?<=\w-) (?=\w))(\w?)")


class Line(NamedTuple):
    """A line of a page; `size` is the height of its letters."""

    text: str
    size: float
    page: int


@document_format("a PDF file", ".pdf")
def read_pdf(content: bytes) -> ReadDocument:
    """A PDF file. Raises BadInput where it has no text."""
    document = ReadDocument()
    with pypdfium2.PdfDocument(content) as pdf:
        pdf.init_forms()
        document.title = pdf.get_metadata_value("Title")
        pages = [list(_lines(document, pdf, number)) for number in range(1, len(pdf) + 1)]
    _drop_running_heads(document, pages)
    _add_lines(document, [line for page in pages for line in page])
    if not document.blocks:
        raise BadInput("no text found; it may be a scan: run OCR on it and import what that gives")
    if any(re.search("[\u0600-\u06ff\ufb50-\ufefc]", block.text) for block in document.blocks):
        document.notes.append("Arabic letters may be in another order than they are read in")
    return document


def _lines(document: ReadDocument, pdf: pypdfium2.PdfDocument, number: int) -> Iterator[Line]:
    try:
        page = pdf[number - 1]
        if pdf.formenv and page.flatten() == raw.FLATTEN_SUCCESS:  # what is filled in becomes text
            page = pdf[number - 1]
        text = page.get_textpage()
    except pypdfium2.PdfiumError:
        document.left_out["damaged page"] += 1
        return
    codes = [raw.FPDFText_GetUnicode(text.raw, index) for index in range(text.count_chars())]
    letters = "".join(chr(code) if 0 < code < 0xD800 or code > 0xDFFF else " " for code in codes)
    unknown = sum(raw.FPDFText_HasUnicodeMapError(text.raw, n) == 1 for n in range(len(codes)))
    if not letters.strip() or unknown > 0.3 * len(codes):  # too many are no characters
        document.left_out["page without text that can be read"] += 1
        return
    columns = Counter[int]()
    for match in _LINE.finditer(letters):
        if words := " ".join(match[0].split()):
            visible = [n for n in range(*match.span()) if not letters[n].isspace()]
            boxes = [text.get_charbox(n, loose=True) for n in visible]
            left, bottom, right, top = boxes[len(boxes) // 2]
            size = max(right - left, top - bottom)
            columns.update(  # of 20 letters at least, with room between them
                round(after[0])
                for before, after in list(pairwise(boxes))[20:-20]
                if after[0] - before[2] > size
            )
            yield Line(words, round(size, 1), number)
    if max(columns.values(), default=0) > 2:  # lines with letters from there on
        document.notes.append("lines of two columns may be mixed")


def _drop_running_heads(document: ReadDocument, pages: list[list[Line]]) -> None:
    # The first and last two lines of a page may be running heads.
    edges = [{_key(line): line for line in (*page[:2], *page[-2:])} for page in pages]
    times = Counter(key for edge in edges for key in edge)
    least = max(3, 0.4 * len(pages))  # pages that have a running head
    for page, edge in zip(pages, edges, strict=True):
        heads = [line for key, line in edge.items() if times[key] >= least]
        page[:] = [line for line in page if line not in heads]
        document.left_out["running head"] += len(heads)


# The number of a page counts as the same on each.
def _key(line: Line) -> str:
    return re.sub(r"\d+", lambda number: str(int(number[0]) - line.page), line.text, count=1)


def _add_lines(document: ReadDocument, lines: list[Line]) -> None:
    sizes = Counter(line.size for line in lines for _ in line.text)
    usual = max(sizes, key=lambda size: sizes[size], default=1.0)
    # Headings are of larger letters; after a line shorter than `short` there was room for a word.
    larger = sorted((size for size in sizes if size > 1.08 * usual), reverse=True)
    lengths = sorted(len(line.text) for line in lines)
    short = 0.8 * lengths[3 * len(lengths) // 4] if lengths else 0.0
    for block in _blocks(lines, short):
        document.page = block[0].page
        text = _DIVIDED.sub(_joined, _text(block, short))
        item = _ITEM.match(text)
        if block[0].size in larger and len(text) < 200 and any(map(str.isalpha, text)):
            document.add(
                Kind.HEADING,
                " ".join(text.split()),
                level=min(6, 1 + larger.index(block[0].size)),
            )
        elif item:
            document.add(
                Kind.ITEM,
                text[item.end() :],
                number=item[1] if any(map(str.isalnum, item[1])) else "",
            )
        else:
            document.add(Kind.PROSE, text)


def _text(block: list[Line], short: float) -> str:
    text = block[0].text
    for before, line in pairwise(block):
        ends = len(before.text) < short and not line.text[0].islower()
        text += f"\n{line.text}" if ends else f" {line.text}"
    return text


def _joined(divided: re.Match[str]) -> str:
    # A word with digits or a capital has a hyphen, and one that begins like "well-known".
    left, right = divided.groups()
    parts = "well self ex half all cross vice one two three".split()
    joins = left.isalpha() and right.islower() and left.lower() not in parts
    return left + ("" if joins else "-") + right


def _blocks(lines: list[Line], short: float) -> list[list[Line]]:
    blocks = [[line] for line in lines[:1]]
    for before, line in pairwise(lines):
        if _begins(before, line, short):
            blocks.append([])
        blocks[-1].append(line)
    return blocks


def _begins(before: Line, line: Line, short: float) -> bool:
    ended = re.search(r"[.!?:;…。！？][\"'”’»)\]]*$", before.text) is not None
    if abs(line.size - before.size) > 0.1 * before.size or _ITEM.match(line.text):
        return True
    if line.page != before.page:
        return ended or not line.text[0].islower()
    return ended and len(before.text) < short
