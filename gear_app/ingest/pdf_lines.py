"""The lines of a PDF page that says nothing of its parts: where they stand, and how large.

pdfium gives a page's letters line by line as they were drawn. A line with wide gaps is a row of
several pieces: cells of a table, or lines of columns that stand side by side.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot, isfinite

import pypdfium2
from pypdfium2 import raw

HYPHENS = "\x02\ufffe"  # what pdfium writes for one at a line's end
_LINE = re.compile(rf"[^\r\n{HYPHENS}]+[{HYPHENS}]?")
_WORD = re.compile(r"\S+")
_BOLD = re.compile(r"(?i)bold|black|heavy|cmbx|-medi\b")
_WIDE = 1.0  # of a letter's size: a gap between pieces
_LABEL = 4.0  # of a letter's size: a gap after an item's mark
_MARK = re.compile(
    r"([•‣◦▪▫●○■□–—*·∙⁃➢✓-]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\(?[A-Z]\)"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?)"
)
_ITEM = re.compile(_MARK.pattern + r"\s+(?=\S)")
LEADERS = re.compile(r"(?: ?[.·_]){5,} ?")  # the dots of a table of contents
_EDGE = 2  # rows at the top and the foot of a page that are looked at
_MOST_PAGES = 0.4  # all pages at the left have it, or all at the right
_LEAST_PAGES = 3


@dataclass(slots=True)
class Line:
    """A piece of a line: `base` is the height on the page that its letters stand on, `size` theirs,
    all in points.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool

    @property
    def letter(self) -> float:
        """How wide a letter is."""
        return (self.right - self.left) / max(1, len(self.text))


def item_of(text: str) -> tuple[str, str] | None:
    """An item's number, "" for a mark without one, and its text; None where it is no item."""
    found = _ITEM.match(text)
    if found is None:
        return None
    number = found[1] if any(map(str.isalnum, found[1])) else ""
    return number, text[found.end() :]


Row = list[Line]  # from left to right


def joined(row: Sequence[Line]) -> Line:
    """A row as one line."""
    longest = max(row, key=lambda line: len(line.text))
    text = " ".join(line.text for line in row)
    bold = all(line.bold for line in row)
    return Line(text, row[0].left, row[-1].right, row[0].base, longest.size, bold)


def rows_of(page: pypdfium2.PdfTextPage, letters: str) -> list[Row]:
    """The rows of a page in the order they were drawn in."""
    rows: list[Row] = []
    for match in _LINE.finditer(letters):
        for line in _pieces(page, letters, match):
            before = rows[-1][-1] if rows else None
            if not isfinite(line.left + line.right + line.base + line.size):
                continue  # nowhere on the page
            if before is not None and _beside(before, line):
                rows[-1].append(line)
            else:
                rows.append([line])
    return rows


def _beside(before: Line, line: Line) -> bool:
    size = max(before.size, line.size)
    return abs(before.base - line.base) < 0.3 * size and line.left > before.right - 0.3 * size


def _pieces(page: pypdfium2.PdfTextPage, letters: str, within: re.Match[str]) -> Iterator[Line]:
    """A line cut at its wide gaps, but not after an item's mark."""
    words: list[_Word] = []
    for match in _WORD.finditer(letters, *within.span()):
        word = _Word.of(page, match)
        if words:
            gap, size = word.left - words[-1].right, max(word.height, words[-1].height)
            marks = len(words) == 1 and _MARK.fullmatch(words[0].text)
            if not -size < gap < (_LABEL if marks else _WIDE) * size:
                yield _piece(page, words)
                words = []
        words.append(word)
    if words:
        yield _piece(page, words)


@dataclass(slots=True)
class _Word:
    text: str
    start: int
    left: float
    right: float
    height: float

    @classmethod
    def of(cls, page: pypdfium2.PdfTextPage, match: re.Match[str]) -> _Word:
        first = page.get_charbox(match.start(), loose=True)
        last = page.get_charbox(match.end() - 1, loose=True)
        return cls(match[0], match.start(), first[0], last[2], first[3] - first[1])


def _piece(page: pypdfium2.PdfTextPage, words: list[_Word]) -> Line:
    middle = words[len(words) // 2].start
    some = {words[0].start, middle, words[-1].start}
    across, upward = ctypes.c_double(), ctypes.c_double()
    raw.FPDFText_GetCharOrigin(page.raw, middle, across, upward)
    return Line(
        text=LEADERS.sub(" … ", " ".join(word.text for word in words)).strip(),
        left=words[0].left,
        right=words[-1].right,
        base=upward.value,
        size=max(_size(page, index) for index in some),
        bold=all(_is_bold(page, index) for index in some),
    )


def _size(page: pypdfium2.PdfTextPage, index: int) -> float:
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(page.raw, index, matrix)
    size: float = raw.FPDFText_GetFontSize(page.raw, index)
    return abs(size) * hypot(matrix.c, matrix.d) or 1.0


def _is_bold(page: pypdfium2.PdfTextPage, index: int) -> bool:
    name = ctypes.create_string_buffer(128)
    raw.FPDFText_GetFontInfo(page.raw, index, name, len(name), None)
    return _BOLD.search(name.value.decode("utf-8", "replace")) is not None


def take_running_heads(pages: Sequence[list[Row]]) -> int:
    """Take out the rows at the edges of pages that are the same on most of them but for a number,
    or count the pages; how many these were.
    """
    keys = [_edges(number, rows) for number, rows in enumerate(pages)]
    times = Counter(key for page in keys for key in {key for _, some in page for key in some})
    least = max(_LEAST_PAGES, _MOST_PAGES * sum(map(bool, pages)))
    taken = 0
    for rows, page in zip(pages, keys, strict=True):
        gone = {id(row) for row, some in page if any(times[key] >= least for key in some)}
        taken += len(gone)
        rows[:] = [row for row in rows if id(row) not in gone]
    return taken


def _edges(number: int, rows: list[Row]) -> list[tuple[Row, list[object]]]:
    """The rows at the edges of a page, each with what it may share with those of others: its words,
    these but for a number that counts the pages, or such a number at its begin or end alone.
    """
    heights = sorted(rows, key=lambda row: row[0].base)
    edges = []
    for row in {id(row): row for row in heights[:_EDGE] + heights[-_EDGE:]}.values():
        words = joined(row).text.split()
        height = round(row[0].base / 4)
        shared: list[object] = [(height, " ".join(words))]
        for at, word in enumerate(words):
            if word.isdecimal() and len(word) < 6:
                from_page = int(word) - number
                shared.append((height, from_page, " ".join([*words[:at], *words[at + 1 :]])))
                if at in (0, len(words) - 1):
                    shared.append((height, from_page))
        edges.append((row, shared))
    return edges
