"""Lines of a PDF page that has no tags: their places and sizes, and the blocks they make.

pdfium gives a page's letters line by line as they were drawn. A line with wide gaps is a row of
several pieces: cells of a table, or lines of columns that are side by side.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, isfinite
from statistics import fmean
from typing import NamedTuple

import pypdfium2
from pypdfium2 import raw

from gear_app.ingest.blocks import BlockKind, ReadDocument

HYPHENS = "\x02\ufffe"  # pdfium's signs for one at a line's end
ENDS = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$| … [\divxlc]+$")
LEADERS = re.compile(r"(?: ?[.·_]){5,} ?")  # the dots of a table of contents
_LINE = re.compile(rf"[^\r\n{HYPHENS}]+[{HYPHENS}]?")
_WORD = re.compile(r"\S+")
_BOLD = re.compile(r"(?i)bold|black|heavy|cmbx|-medi\b")
_MARK = re.compile(
    r"([•‣◦▪▫●○■□–—*·∙⁃➢✓-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\(?[A-Z]\)"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?)"
)
_ITEM = re.compile(_MARK.pattern + r"\s+(?=\S)")
_NOTE = re.compile(r"(?:\d{1,3}|[*†‡§])\s*[^\W\d]")
_WIDE, _LABEL = 1.0, 4.0  # of a letter's size: gaps between pieces, and after an item's mark
_EDGE = 2  # rows at the top and the foot of a page that may be running heads
_OFTEN, _LEAST_PAGES = 0.4, 3  # of the pages that have a running head
_LARGER, _SMALLER = 1.12, 0.92  # than the letters of the text: a heading, a note
_LONGEST_HEADING, _LONGEST_BOLD = 200, 100  # characters
_LEAST_ROWS, _MOST_CELLS = 3, 40  # of a table
_FAR = 3.0  # lines below each other, in sizes of a letter: not one table any more
_WORDS = 3  # of a column's line
_APART = 1.3  # of the usual distance: lines that are no block


class Line(NamedTuple):
    """A piece of a line: `base` is the height on the page that its letters are on, `size` theirs,
    all in points.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool


Row = list[Line]  # from left to right


def item_of(text: str) -> tuple[str, str] | None:
    """Number of an item, "" for a mark without one, and its text; None for other lines."""
    item = _ITEM.match(text)
    if item is None:
        return None
    return item[1] if any(map(str.isalnum, item[1])) else "", text[item.end() :]


def rows_of(page: pypdfium2.PdfTextPage, letters: str) -> list[Row]:
    """Rows of a page in the order they were drawn in."""
    rows: list[Row] = []
    for match in _LINE.finditer(letters):
        for line in _pieces(page, letters, match):
            before = rows[-1][-1] if rows else None
            size = max(before.size, line.size) if before else 0.0
            if not isfinite(line.left + line.right + line.base + line.size):
                continue  # nowhere on the page
            same = before is not None and abs(before.base - line.base) < 0.3 * size
            if before is not None and same and line.left > before.right - 0.3 * size:
                rows[-1].append(line)
            else:
                rows.append([line])
    return rows


def _pieces(page: pypdfium2.PdfTextPage, letters: str, within: re.Match[str]) -> Iterator[Line]:
    """A line cut at its wide gaps, but not after an item's mark."""
    words: list[tuple[re.Match[str], float, float, float]] = []  # with left, right and height
    for match in _WORD.finditer(letters, *within.span()):
        left, bottom, _, top = page.get_charbox(match.start(), loose=True)
        right = page.get_charbox(match.end() - 1, loose=True)[2]
        if words:
            last, _, edge, height = words[-1]
            size = max(top - bottom, height)
            mark = len(words) == 1 and _MARK.fullmatch(last[0])
            if not -size < left - edge < (_LABEL if mark else _WIDE) * size:
                yield _piece(page, [word[0] for word in words], words[0][1], edge)
                words = []
        words.append((match, left, right, top - bottom))
    if words:
        yield _piece(page, [word[0] for word in words], words[0][1], words[-1][2])


def _piece(
    page: pypdfium2.PdfTextPage, words: list[re.Match[str]], left: float, right: float
) -> Line:
    middle = words[len(words) // 2].start()
    letters = {words[0].start(), middle, words[-1].start()}
    across, upward = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(page.raw, middle, across, upward)
    text = LEADERS.sub(" … ", " ".join(word[0] for word in words)).strip()
    size = max(_size(page, index) for index in letters)
    return Line(text, left, right, upward.value, size, all(_bold(page, n) for n in letters))


def _size(page: pypdfium2.PdfTextPage, index: int) -> float:
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(page.raw, index, matrix)
    size: float = raw.FPDFText_GetFontSize(page.raw, index)
    return abs(size) * hypot(matrix.c, matrix.d) or 1.0


def _bold(page: pypdfium2.PdfTextPage, index: int) -> bool:
    name = ctypes.create_string_buffer(128)
    raw.FPDFText_GetFontInfo(page.raw, index, name, len(name), None)
    return _BOLD.search(name.value.decode("utf-8", "replace")) is not None


def _text(row: Sequence[Line]) -> str:
    return " ".join(line.text for line in row)


def drop_running_heads(pages: Sequence[list[Row]]) -> int:
    """Take out the rows at the edges of pages that are the same on many but for a number; how many
    these were.
    """
    keys = [[(row, _edge_keys(row, number)) for row in _edges(r)] for number, r in enumerate(pages)]
    times = Counter(key for page in keys for key in {key for _, some in page for key in some})
    least = max(_LEAST_PAGES, _OFTEN * sum(map(bool, pages)))
    dropped = 0
    for rows, page in zip(pages, keys, strict=True):
        heads = {id(row) for row, some in page if any(times[key] >= least for key in some)}
        dropped += len(heads)
        rows[:] = [row for row in rows if id(row) not in heads]
    return dropped


def _edges(rows: list[Row]) -> list[Row]:
    heights = sorted(rows, key=lambda row: row[0].base)
    return list({id(row): row for row in heights[:_EDGE] + heights[-_EDGE:]}.values())


def _edge_keys(row: Row, page: int) -> list[tuple[object, ...]]:
    """Keys that a running head shares with those of other pages: its height and its words, with
    numbers counted from the page's, or such a number at its begin or end alone.
    """
    height = round(row[0].base / 4)
    words = _text(row).split()
    numbers = [int(word) - page if word.isdecimal() and len(word) < 6 else word for word in words]
    ends = [end for end in (numbers[0], numbers[-1]) if isinstance(end, int)]
    return [(height, *words), (height, *numbers), *((height, end) for end in ends)]


@dataclass(frozen=True, slots=True)
class Usual:
    """Usual values of a document: the size of its letters, the distance of its lines in such sizes,
    larger sizes, largest first; `bold`: most of it is.
    """

    size: float
    apart: float
    larger: tuple[float, ...]
    bold: bool

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Usual:
        """Usual values of lines as drawn."""
        sizes: Counter[float] = Counter()
        for line in lines:
            sizes[round(line.size, 1)] += len(line.text)
        size = sizes.most_common(1)[0][0] if sizes else 10.0
        larger: list[float] = []
        for other in sorted((other for other in sizes if other > _LARGER * size), reverse=True):
            if not larger or other < 0.96 * larger[-1]:
                larger.append(other)
        drops = sorted((above.base - line.base) / line.size for above, line in pairwise(lines))
        drops = [drop for drop in drops if 0.8 < drop < 2.5]
        apart = drops[len(drops) // 4] if len(drops) > 8 else 1.2
        bold = sum(len(line.text) for line in lines if line.bold) > sum(sizes.values()) / 3
        return cls(size, apart, tuple(larger), bold)

    def level(self, line: Line) -> int:
        """Level of a heading by its size, 0 for other lines."""
        if line.size <= _LARGER * self.size:
            return 0
        return min(6, 1 + sum(other > 1.04 * line.size for other in self.larger))


def add_page(document: ReadDocument, rows: list[Row], usual: Usual) -> None:
    """Add the blocks of a page: tables and columns where rows have the same gaps, else text."""
    text = _Text(document, usual)
    at = 0
    while at < len(rows):
        cells = _side_by_side(rows, at)
        complete = [sum(map(bool, row)) > 1 for row in cells]
        if sum(complete) < _LEAST_ROWS:
            text.lines += _joined(rows[at])
            at += 1
        elif _are_columns(cells):
            for column in zip(*cells, strict=True):
                text.lines += [line for cell in column for line in _joined(cell)]
            at += len(cells)
        else:
            while not complete[len(cells) - 1] and cells[-1][0]:
                cells.pop()  # text below the table
            text.add()
            document.add_table([(row, False) for row in _table(cells)])
            at += len(cells)
    text.add()


def _joined(row: Row) -> list[Line]:
    """A row as one line."""
    if not row:
        return []
    size = max(row, key=lambda line: len(line.text)).size
    bold = all(line.bold for line in row)
    return [Line(_text(row), row[0].left, row[-1].right, row[0].base, size, bold)]


def _side_by_side(rows: list[Row], start: int) -> list[list[Row]]:
    """Rows from `start` on that leave the same gaps free, each as its cells."""
    gaps = [(line.right, after.left) for line, after in pairwise(rows[start])]
    end = start
    while 0 < len(gaps) < _MOST_CELLS:
        end += 1
        if end == len(rows):
            break
        drop = rows[end - 1][0].base - rows[end][0].base
        narrower = list(_common(gaps, rows[end]))
        if not narrower or not 0 < drop < _FAR * max(line.size for line in rows[end]):
            break
        gaps = narrower
    return [_cells(row, gaps) for row in rows[start:end]]


def _common(gaps: list[tuple[float, float]], row: Row) -> Iterator[tuple[float, float]]:
    """Parts of the gaps that a row leaves free, too."""
    lefts = [*(line.left for line in row), float("inf")]
    rights = [float("-inf"), *(line.right for line in row)]
    for left, right in zip(rights, lefts, strict=True):
        for start, end in gaps:
            if min(right, end) - max(left, start) > 0.5 * row[0].size:
                yield max(left, start), min(right, end)


def _cells(row: Row, gaps: list[tuple[float, float]]) -> list[Row]:
    cells: list[Row] = [[] for _ in range(len(gaps) + 1)]
    for line in row:
        cells[sum(line.left >= gap[0] for gap in gaps)].append(line)
    return cells


def _are_columns(rows: list[list[Row]]) -> bool:
    """Whether cells are lines of columns: in each of these the text runs on from line to line."""
    for column in zip(*rows, strict=True):
        lines = [_text(cell) for cell in column if cell]
        small = sum(line[0].islower() for line in lines[1:])
        words = fmean([len(line.split()) for line in lines] or [0])
        if words < _WORDS or small < 0.25 * (len(lines) - 1):
            return False
    return True


def _table(rows: list[list[Row]]) -> list[list[str]]:
    """Texts of rows; a row without a first cell goes on with those of the one before."""
    table: list[list[str]] = []
    for row in rows:
        texts = list(map(_text, row))
        if table and not texts[0]:
            pairs = zip(table[-1], texts, strict=True)
            table[-1] = [
                _continued(above, text).strip() if text else above for above, text in pairs
            ]
        else:
            table.append(texts)
    return table


class _Text:
    """Lines one below the other, to headings, items, paragraphs and notes."""

    def __init__(self, document: ReadDocument, usual: Usual) -> None:
        self.lines: list[Line] = []
        self._document, self._usual = document, usual
        self._lefts: list[float] = []  # of the items that are open, the outermost first

    def add(self) -> None:
        """Add the blocks of the lines."""
        lines, self.lines = self.lines, []
        notes = len(lines)  # from where on they are small
        while notes and lines[notes - 1].size < _SMALLER * self._usual.size:
            notes -= 1
        block: list[Line] = []
        text = ""
        for at, line in enumerate(lines):
            short = bool(block) and _is_short(lines, at)
            note = at > notes and _NOTE.match(line.text) is not None
            if block and (note or self._begins(block, line, short=short)):
                self._close(block, text, foot=at > notes)
                block, text = [], ""
            text = _continued(text, line.text, short=short)
            block.append(line)
        if block:
            self._close(block, text, foot=notes < len(lines))

    def _begins(self, block: list[Line], line: Line, *, short: bool) -> bool:
        """Whether a line begins a block. `short`: its first word has room on the line before."""
        before = block[-1]
        ended = ENDS.search(before.text) is not None
        small = line.text[0].islower()
        drop = before.base - line.base
        label, item = item_of(line.text), item_of(block[0].text)
        if abs(line.size - before.size) > 0.1 * before.size:
            return True
        if label and (ended or short or item or not label[0]):
            return True
        if drop <= 0:
            return ended or not small  # in the next column
        if drop > _APART * self._usual.apart * max(line.size, before.size):
            return True
        if line.bold != before.bold and not small and (before.bold or ended or short):
            return True
        if item and line.left < block[0].left - 0.5 * line.size and (ended or short):
            return True
        indented = not item and line.left > before.left + 0.8 * line.size
        return ended and (short or indented)

    def _close(self, block: list[Line], text: str, *, foot: bool) -> None:
        item = item_of(text)
        level = 0 if item and not item[0] else self._level(block, text)
        if item and not level:
            depth = self._depth(block[0])
            self._document.add(BlockKind.ITEM, item[1], level=depth, number=item[0])
            return
        self._lefts = []
        if level:
            self._document.add(BlockKind.HEADING, " ".join(text.split()), level=level)
        else:
            kind = BlockKind.NOTE if foot and _NOTE.match(text) else BlockKind.PARAGRAPH
            self._document.add(kind, text)

    def _level(self, block: list[Line], text: str) -> int:
        """Level of a heading, 0 for others; a bold line that is alone is one, below larger ones."""
        if len(text) > _LONGEST_HEADING or not re.search(r"[^\W\d_]", text) or " … " in text:
            return 0
        level = self._usual.level(block[0])
        if level or self._usual.bold or len(text) > _LONGEST_BOLD:
            return level
        alone = all(line.bold for line in block) and not ENDS.search(text)
        as_large = block[0].size > _SMALLER * self._usual.size and not item_of(text)
        return min(6, len(self._usual.larger) + 1) if alone and as_large else 0

    def _depth(self, line: Line) -> int:
        """Depth of an item by its indent."""
        while self._lefts and self._lefts[-1] > line.left + 2:
            self._lefts.pop()
        if not self._lefts or self._lefts[-1] < line.left - 2:
            self._lefts.append(line.left)
        return len(self._lefts) - 1


def _is_short(lines: list[Line], at: int) -> bool:
    """Whether a line's first word would have had room on the line before."""
    before, line = lines[at - 1], lines[at]
    around = lines[max(0, at - 8) : at + 8]
    rights = (one.right for one in around if one.left < before.right and one.right > before.left)
    edge = max(rights, default=before.right)
    letter = (line.right - line.left) / max(1, len(line.text))
    return before.right + (len(line.text.split(maxsplit=1)[0]) + 1.5) * letter < edge


def _continued(text: str, line: str, *, short: bool = False) -> str:
    """A block's text with a line more; a hyphen at the end of the one before is marked."""
    if text[-1:] in (*HYPHENS, ""):
        return text + line
    if text[-1] == "-" and text[-2:-1].isalnum() and line[0].isalnum():
        return text[:-1] + HYPHENS[0] + line
    return f"{text}\n{line}" if short and not line[0].islower() else f"{text} {line}"
