"""The rows of an untagged PDF page to blocks: columns, tables, headings, items, paragraphs.

All of it is judged by where lines stand and how large their letters are; where that is not clear,
they stay in the order that the page draws them in.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from gear_app.ingest.blocks import BlockKind, ReadDocument
from gear_app.ingest.pdf_lines import HYPHENS, Line, Row, item_of, joined

ENDS = re.compile(r"[.!?:;…。！？][\"'”’»)\]]*$| … [\divxlc]+$")
_LARGER = 1.12  # than the letters of the text: a heading's
_SMALLER = 0.92
_LONGEST_HEADING, _LONGEST_BOLD = 200, 100  # characters
_LEAST_ROWS = 3
_RUNS_ON = 0.25  # of a column's lines begin small
_WORDS = 3  # of a column's line
_FEW = 8  # lines that do not tell how far lines are apart
_APART = 1.3  # of what is usual: lines that are no block
_NEAR = 8  # lines around one that show how far a line may go
_COLUMN = 8  # letters: farther to the right an item is in another column, and no deeper
_NOTE = re.compile(r"(?:\d{1,3}|[*†‡§])\s*[^\W\d]")
_MOST_CELLS = 40
_FAR = 3.0  # lines below each other, in sizes of a letter: not one table any more


@dataclass(frozen=True, slots=True)
class Usual:
    """What is usual in a document: the size of its letters, how far its lines are apart in such
    sizes, the larger sizes, largest first; `bold`: most of it is.
    """

    size: float
    apart: float
    larger: tuple[float, ...]
    bold: bool

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Usual:
        """Of all lines of a document, as drawn."""
        sizes: Counter[float] = Counter()
        for line in lines:
            sizes[round(line.size, 1)] += len(line.text)
        size = sizes.most_common(1)[0][0] if sizes else 10.0
        larger: list[float] = []
        for one in sorted((one for one in sizes if one > _LARGER * size), reverse=True):
            if not larger or one < 0.96 * larger[-1]:
                larger.append(one)
        drops = sorted(
            (above.base - line.base) / line.size
            for above, line in pairwise(lines)
            if 0.8 * line.size < above.base - line.base < 2.5 * line.size
        )
        apart = drops[len(drops) // 4] if len(drops) > _FEW else 1.2
        bold = sum(len(line.text) for line in lines if line.bold) > sum(sizes.values()) / 3
        return cls(size, apart, tuple(larger), bold)

    def level(self, line: Line) -> int:
        """A heading's level by its size, 0 for other lines."""
        if line.size <= _LARGER * self.size:
            return 0
        above = sum(one > 1.02 * line.size for one in self.larger)
        return min(6, above + (0 if above and self.larger[above - 1] < 1.04 * line.size else 1))


def add_page(document: ReadDocument, rows: list[Row], usual: Usual) -> set[str]:
    """Add the blocks of a page; what is to be said of how they were read."""
    remarks: set[str] = set()
    text = _Text(document, usual)
    at = 0
    while at < len(rows):
        cells = _side_by_side(rows, at)
        if sum(map(_is_whole, cells)) < _LEAST_ROWS:
            text.lines.append(joined(rows[at]))
            at += 1
        elif _are_columns(cells):
            remarks.add("columns were read one after the other")
            text.lines += (
                joined(cell) for column in zip(*cells, strict=True) for cell in column if cell
            )
            at += len(cells)
        else:
            while not _is_whole(cells[-1]) and cells[-1][0]:
                cells.pop()  # what stands below the table
            if all(_words(column) > 2 * _WORDS for column in zip(*cells, strict=True)):
                remarks.add("texts that stand side by side were read line by line")
            text.add()
            document.add_table([(row, False) for row in _table(cells)])
            at += len(cells)
    text.add()
    return remarks


def _side_by_side(rows: list[Row], start: int) -> list[list[Row]]:
    """The rows from `start` on that leave the same gaps free, each as its cells."""
    gaps = [(line.right, after.left) for line, after in pairwise(rows[start])]
    end = start
    while 0 < len(gaps) < _MOST_CELLS:
        end += 1
        if end == len(rows) or not 0 < rows[end - 1][0].base - rows[end][0].base < _FAR * max(
            line.size for line in rows[end]
        ):
            break
        narrower = list(_common(gaps, rows[end]))
        if not narrower:
            break
        gaps = narrower
    return [_cells(row, gaps) for row in rows[start:end]]


def _common(gaps: list[tuple[float, float]], row: Row) -> Iterator[tuple[float, float]]:
    """What of the gaps a row leaves free, too."""
    free = zip(
        [float("-inf"), *(line.right for line in row)],
        [*(line.left for line in row), float("inf")],
        strict=True,
    )
    for left, right in free:
        for start, end in gaps:
            if min(right, end) - max(left, start) > 0.5 * row[0].size:
                yield max(left, start), min(right, end)


def _cells(row: Row, gaps: list[tuple[float, float]]) -> list[Row]:
    cells: list[Row] = [[] for _ in range(len(gaps) + 1)]
    for line in row:
        cells[sum(line.left >= gap[0] for gap in gaps)].append(line)
    return cells


def _is_whole(cells: list[Row]) -> bool:
    return sum(map(bool, cells)) > 1


def _words(column: Sequence[Row]) -> float:
    """How many words a line of a column has."""
    words = [len(joined(cell).text.split()) for cell in column if cell]
    return fmean(words or [0])


def _are_columns(rows: list[list[Row]]) -> bool:
    """Whether cells are lines of columns: in each of these the text runs on from line to line."""
    for column in zip(*rows, strict=True):
        lines = [cell[0].text for cell in column if cell]
        small = sum(line[0].islower() for line in lines[1:])
        if _words(column) < _WORDS or small < _RUNS_ON * (len(lines) - 1):
            return False
    return True


def _table(rows: list[list[Row]]) -> list[list[str]]:
    """The rows' texts; a row without a first cell goes on with those of the one before."""
    table: list[list[str]] = []
    for row in rows:
        texts = [joined(cell).text if cell else "" for cell in row]
        if table and not texts[0]:
            table[-1] = [
                f"{above}{'' if above[-1:] in HYPHENS else ' '}{text}".strip()
                for above, text in zip(table[-1], texts, strict=True)
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
        """Add what the lines say."""
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
        """Whether a line begins a block, and does not go on with the one that is open. `short`:
        there is place for its first word on the line before.
        """
        before = block[-1]
        if len(before.text) == 1 and before.size > 1.5 * line.size and before.base < line.base:
            return False  # a large initial
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
        if level:
            self._document.add(BlockKind.HEADING, " ".join(text.split()), level=level)
        elif item:
            number, words = item
            depth = self._depth(block[0])
            self._document.add(BlockKind.ITEM, words, level=depth, number=number)
            return
        else:
            kind = BlockKind.NOTE if foot and _NOTE.match(text) else BlockKind.PARAGRAPH
            self._document.add(kind, text)
        self._lefts = []

    def _level(self, block: list[Line], text: str) -> int:
        """A heading's level, 0 for others. A bold line that stands alone is one, below those of
        larger letters.
        """
        if len(text) > _LONGEST_HEADING or not re.search(r"[^\W\d_]", text) or " … " in text:
            return 0
        level = self._usual.level(block[0])
        if level or self._usual.bold or len(text) > _LONGEST_BOLD:
            return level
        alone = all(line.bold for line in block) and not ENDS.search(text)
        as_large = block[0].size > _SMALLER * self._usual.size and not item_of(text)
        return min(6, len(self._usual.larger) + 1) if alone and as_large else 0

    def _depth(self, line: Line) -> int:
        """How deep an item lies, by how far it is indented."""
        if self._lefts and abs(line.left - self._lefts[-1]) > _COLUMN * line.size:
            self._lefts = []
        while self._lefts and self._lefts[-1] > line.left + 2:
            self._lefts.pop()
        if not self._lefts or self._lefts[-1] < line.left - 2:
            self._lefts.append(line.left)
        return len(self._lefts) - 1


def _is_short(lines: list[Line], at: int) -> bool:
    """Whether a line's first word would have had its place on the line before."""
    before, line = lines[at - 1], lines[at]
    around = lines[max(0, at - _NEAR) : at + _NEAR]
    rights = (one.right for one in around if one.left < before.right and one.right > before.left)
    edge = max(rights, default=before.right)
    word = line.text.split(maxsplit=1)[0]
    return before.right + (len(word) + 1.5) * line.letter < edge


def _continued(text: str, line: str, *, short: bool) -> str:
    """A block's text with a line more; a hyphen at the end of the one before is marked."""
    initial = len(text) == 1 and text.isupper() and line[0].islower()
    if initial or text[-1:] in (*HYPHENS, ""):
        return text + line
    if text[-1] == "-" and text[-2:-1].isalpha() and line[0].isalpha():
        return text[:-1] + HYPHENS[0] + line
    return f"{text}\n{line}" if short and not line[0].islower() else f"{text} {line}"
