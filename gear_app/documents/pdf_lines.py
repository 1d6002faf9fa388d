"""Blocks of a PDF page without tags, by the places and sizes of its lines.

pdfium gives the letters of a page line by line as they were drawn. A line with wide gaps is a row
of several pieces: cells of a table, or lines of columns.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import hypot, isfinite
from statistics import fmean
from typing import NamedTuple

import pypdfium2
from pypdfium2 import raw

from gear_app.documents.blocks import BlockKind, ReadDocument

HYPHENS = "\x02\ufffe"  # pdfium's signs for one at a line's end
ENDS = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$| … [\divxlc]+$")
LEADERS = re.compile(r"(?: ?[.·_]){5,} ?")  # the dots of a table of contents
ITEM = re.compile(
    r"([•‣◦▪▫●○■□–—*·∙⁃➢✓-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\(?[A-Z]\)"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?)\s+(?=\S)"
)
_LINE = re.compile(rf"[^\r\n{HYPHENS}]+[{HYPHENS}]?")
_WORD = re.compile(r"\S+")
_BOLD = re.compile(r"(?i)bold|black|heavy|cmbx|-medi\b")
_WIDE, _LABEL = 1.0, 4.0  # sizes of a letter: gaps between pieces, and after an item's mark
_EDGE = 2  # rows at the top and the foot of a page that may be running heads
_OFTEN, _LEAST_PAGES = 0.4, 3  # of the pages that have a running head
_LARGER = 1.12  # than the letters of the text: a heading
_LONGEST_HEADING, _LONGEST_BOLD = 200, 100  # characters
_LEAST_ROWS = 3  # of a table
_APART = 1.3  # of the usual distance: lines of two blocks


class Line(NamedTuple):
    """A piece of a line; `base` is its height on the page, `size` that of its letters (points)."""

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool


Row = list[Line]  # from left to right


def rows_of(page: pypdfium2.PdfTextPage, letters: str) -> list[Row]:
    """Rows of a page in the order they were drawn in."""
    rows: list[Row] = []
    for match in _LINE.finditer(letters):
        for line in _pieces(page, letters, match):
            if not isfinite(line.left + line.right + line.base + line.size):
                continue  # nowhere on the page
            before = rows[-1][-1] if rows else None
            slack = 0.3 * max(before.size, line.size) if before else 0.0
            if before and abs(before.base - line.base) < slack and line.left > before.right - slack:
                rows[-1].append(line)
            else:
                rows.append([line])
    return rows


def _pieces(page: pypdfium2.PdfTextPage, letters: str, line: re.Match[str]) -> Iterator[Line]:
    """A line cut at its wide gaps, but not after an item's mark."""
    words: list[re.Match[str]] = []
    left = right = 0.0
    for word in _WORD.finditer(letters, *line.span()):
        start, bottom, _, top = page.get_charbox(word.start(), loose=True)
        gap = _LABEL if len(words) == 1 and ITEM.match(f"{words[0][0]} x") else _WIDE
        if words and not bottom - top < start - right < gap * (top - bottom):
            yield _piece(page, words, left, right)
            words = []
        left = left if words else start
        right = page.get_charbox(word.end() - 1, loose=True)[2]
        words.append(word)
    if words:
        yield _piece(page, words, left, right)


def _piece(
    page: pypdfium2.PdfTextPage, words: list[re.Match[str]], left: float, right: float
) -> Line:
    middle = words[len(words) // 2].start()
    across, upward = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(page.raw, middle, across, upward)
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(page.raw, middle, matrix)
    size = abs(raw.FPDFText_GetFontSize(page.raw, middle)) * hypot(matrix.c, matrix.d) or 1.0
    text = LEADERS.sub(" … ", " ".join(word[0] for word in words)).strip()
    bold = all(_is_bold(page, index) for index in {words[0].start(), middle, words[-1].start()})
    return Line(text, left, right, upward.value, size, bold)


def _is_bold(page: pypdfium2.PdfTextPage, index: int) -> bool:
    name = ctypes.create_string_buffer(128)
    raw.FPDFText_GetFontInfo(page.raw, index, name, len(name), None)
    return _BOLD.search(name.value.decode("utf-8", "replace")) is not None


def drop_running_heads(pages: Sequence[list[Row]]) -> int:
    """Take out the rows at the edges of pages that are the same on many but for numbers; return how
    many these were.
    """
    keys: list[list[tuple[Row, set[tuple[int, str]]]]] = []
    for page, content in enumerate(pages):
        heights = sorted(content, key=lambda row: row[0].base)
        edge = heights if len(heights) < 2 * _EDGE else heights[:_EDGE] + heights[-_EDGE:]
        keys.append([(row, _edge_keys(row, page)) for row in edge])
    times = Counter(
        key for edge in keys for key in set().union(*(row_keys for _, row_keys in edge))
    )
    least = max(_LEAST_PAGES, _OFTEN * sum(map(bool, pages)))
    dropped = 0
    for rows, keyed in zip(pages, keys, strict=True):
        heads = [id(row) for row, row_keys in keyed if any(times[key] >= least for key in row_keys)]
        dropped += len(heads)
        rows[:] = [row for row in rows if id(row) not in heads]
    return dropped


def _edge_keys(row: Row, page: int) -> set[tuple[int, str]]:
    """The height of a row with its words, with their numbers counted from the page's, and with such
    a number at an end.
    """
    height = round(row[0].base / 4)
    words = " ".join(line.text for line in row).split()
    numbers = [str(int(w) - page) if w.isdecimal() and len(w) < 6 else w for w in words]
    ends = [numbers[end] for end in (0, -1) if words[end].isdecimal()]
    return {(height, text) for text in (" ".join(words), " ".join(numbers), *ends)}


class Usual:
    """Usual values of a document: size of its letters, distance of its lines in such sizes, larger
    sizes of headings, and whether most of it is bold.
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        sizes: Counter[float] = Counter()
        for line in lines:
            sizes[round(line.size, 1)] += len(line.text)
        self.size = sizes.most_common(1)[0][0] if sizes else 10.0
        larger = sorted((size for size in sizes if size > _LARGER * self.size), reverse=True)
        self.larger = [
            size for n, size in enumerate(larger) if n == 0 or size < 0.96 * larger[n - 1]
        ]
        drops = ((above.base - line.base) / line.size for above, line in pairwise(lines))
        drops_of_lines = sorted(drop for drop in drops if 0.8 < drop < 2.5)
        many = len(drops_of_lines) > 8
        self.apart = drops_of_lines[len(drops_of_lines) // 4] if many else 1.2
        self.bold = sum(len(line.text) for line in lines if line.bold) > sum(sizes.values()) / 3

    def level(self, line: Line, text: str) -> int:
        """Level of a heading by its size, or as a bold line that is alone; 0 for other text."""
        if len(text) > _LONGEST_HEADING or not re.search(r"[^\W\d_]", text) or " … " in text:
            return 0
        if line.size > _LARGER * self.size:
            return min(6, 1 + sum(other > 1.04 * line.size for other in self.larger))
        prose = len(text) > _LONGEST_BOLD or ENDS.search(text) or ITEM.match(text)
        return 0 if self.bold or not line.bold or prose else min(6, len(self.larger) + 1)


def add_page(document: ReadDocument, rows: Sequence[Row], usual: Usual) -> None:
    """Add the blocks of a page. Rows of as many pieces each are a table or columns."""
    lines: list[Line] = []
    for pieces, group in groupby(rows, key=len):
        run = list(group)
        if pieces == 1 or len(run) < _LEAST_ROWS:
            lines += [_joined(row) for row in run]
        elif _are_columns(run):
            lines += [line for column in zip(*run, strict=True) for line in column]
        else:
            _add_lines(document, lines, usual)
            lines = []
            document.add_table([[line.text for line in row] for row in run])
    _add_lines(document, lines, usual)


def _joined(row: Row) -> Line:
    text = " ".join(line.text for line in row)
    bold = all(line.bold for line in row)
    return row[0]._replace(text=text, right=row[-1].right, bold=bold)


def _are_columns(rows: Sequence[Row]) -> bool:
    """Whether cells are lines of columns: in each of these the text runs on from line to line."""
    for column in zip(*rows, strict=True):
        small = sum(line.text[0].islower() for line in column[1:])
        if fmean(len(line.text.split()) for line in column) < 3 or small < 0.25 * len(column[1:]):
            return False
    return True


def _add_lines(document: ReadDocument, lines: Sequence[Line], usual: Usual) -> None:
    """Add lines one below the other as headings, items and paragraphs."""
    block: list[Line] = []
    text = ""
    for number, line in enumerate(lines):
        around = lines[max(0, number - 8) : number + 8]  # those of the same column
        rights = (o.right for o in around if o.left < line.right and o.right > line.left)
        edge = max(rights, default=line.right)
        letter = (line.right - line.left) / max(1, len(line.text))
        word = (len(line.text.split(maxsplit=1)[0]) + 1.5) * letter
        short = bool(block) and block[-1].right + word < edge  # there was room for a word
        if block and _begins(block, line, usual, short=short):
            _add_block(document, block, text, usual)
            block, text = [], ""
        text = _continued(text, line.text, short=short)
        block.append(line)
    if block:
        _add_block(document, block, text, usual)


def _begins(block: Sequence[Line], line: Line, usual: Usual, *, short: bool) -> bool:
    """Whether a line begins a block. `short`: its first word has room on the line before."""
    before = block[-1]
    ended = ENDS.search(before.text) is not None
    small = line.text[0].islower()
    drop = before.base - line.base
    label = ITEM.match(line.text)
    if abs(line.size - before.size) > 0.1 * before.size:
        return True
    if label and (ended or short or ITEM.match(block[0].text) or not label[1].isalnum()):
        return True
    if drop <= 0:  # in the next column
        return ended or not small
    if drop > _APART * usual.apart * max(line.size, before.size):
        return True
    if line.bold != before.bold and not small and (before.bold or ended or short):
        return True
    indented = not ITEM.match(block[0].text) and line.left > before.left + 0.8 * line.size
    return ended and (short or indented)


def _add_block(document: ReadDocument, block: Sequence[Line], text: str, usual: Usual) -> None:
    level = usual.level(block[0]._replace(bold=all(line.bold for line in block)), text)
    item = ITEM.match(text)
    if level:
        document.add(BlockKind.HEADING, " ".join(text.split()), level=level)
    elif item:
        number = item[1] if any(map(str.isalnum, item[1])) else ""
        document.add(BlockKind.ITEM, text[item.end() :], number=number)
    else:
        document.add(BlockKind.PARAGRAPH, text)


def _continued(text: str, line: str, *, short: bool) -> str:
    """A block's text with a line more; a hyphen at the end of the one before is marked."""
    if text[-1:] in (*HYPHENS, ""):
        return text + line
    if text[-1] == "-" and text[-2:-1].isalnum() and line[0].isalnum():
        return text[:-1] + HYPHENS[0] + line
    return f"{text}\n{line}" if short and not line[0].islower() else f"{text} {line}"
