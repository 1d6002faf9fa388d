"""Blocks of a document, the model that every reader gives, and its text.

A `ReadDocument` writes what is added to it in the notation that `language.blocks` reads later:
headings alone, items with their mark, a table's row as lines `Column: value`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gear_app.core.text import count
from gear_app.core.types import Span
from gear_app.language.blocks import MOST_LINES, Kind, lines_and_blocks

_LONGEST_NAME = 100  # characters of a cell that names its row
# Hyphens and joins that do not show, and those that other scripts need, between letters that do
# not join.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_JOINERS = re.compile("(?<=[A-Za-z\u00c0-\u052f])[\u200c\u200d](?=[A-Za-z\u00c0-\u052f])")
_AUTOMATIC = re.compile(
    r"(?i)microsoft word -|about:blank|powerpoint |word document$"
    r"|untitled(?:[ -]?(?:document|presentation|spreadsheet|\d+))?$"
    r"|.*\.(docx?|pdf|tex|indd|qxd|rtf|html?|txt|md|odt|pptx?|xlsx?|pages|dvi|ps)$"
)


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """A part of a document at `span` of its text. `level` of a heading counts from 1, the highest;
    `name` is that of a table's row; `page` counts from 1, 0 without pages. `path` has the headings
    it is under, the outermost first, and its own name.
    """

    kind: Kind
    text: str
    span: Span
    level: int = 0
    name: str = ""
    page: int = 0
    path: tuple[str, ...] = ()


@dataclass(slots=True)
class ReadDocument:
    """A document while it is read. `title` is the one it states, `page` that of the next blocks;
    `left_out` counts by noun; `notes` are further sentences for the report.
    """

    title: str = ""
    blocks: list[ReadBlock] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    page: int = 0
    pieces: list[str] = field(default_factory=list)  # of the text
    headings: dict[int, str] = field(default_factory=dict)  # above the next block, by level

    @property
    def text(self) -> str:
        """The text of all blocks. Items, pairs and rows without a name are line by line, all else
        is apart by a blank line.
        """
        return "".join(self.pieces)

    def add(
        self, kind: Kind, text: str, *, level: int = 0, number: str = "", name: str = ""
    ) -> None:
        """Add a block that is not blank. `level` of an item counts from 0; `number` is an item's
        ("1.2", "b)"), "" for a bullet.
        """
        mark = f"{'  ' * level}{number or '-'} " if kind is Kind.ITEM else ""
        self._append(kind, visible(text), level, mark, name)

    def add_code(self, text: str) -> None:
        """Add a text as it is."""
        self._append(Kind.PROSE, _without_signs(text).strip("\r\n"))

    def _append(
        self, kind: Kind, text: str, level: int = 0, mark: str = "", name: str = ""
    ) -> None:
        if not text:
            return
        gap, end = "", 0
        if self.blocks:
            before = self.blocks[-1]
            tight = before.kind is kind in (Kind.ITEM, Kind.ROW, Kind.PAIR) and not name
            tight = tight and not (kind is Kind.ROW and "\n" in before.text + text)
            gap, end = "\n" if tight else "\n\n", before.span.end
        self.pieces += [gap, mark, text]
        start = end + len(gap)
        self.place(kind, text, Span(start, start + len(mark) + len(text)), level, name)

    def place(self, kind: Kind, text: str, span: Span, level: int = 0, name: str = "") -> None:
        """Add a block that is in the text already."""
        if kind is Kind.HEADING:
            self.headings = {n: above for n, above in self.headings.items() if n < level}
            self.headings[level] = " ".join(text[:1_000].split())
        path = (*self.headings.values(), *filter(None, [name]))
        self.blocks.append(ReadBlock(kind, text, span, level, name, self.page, path))

    def add_pair(self, key: str, value: str) -> None:
        """Add `key: value` in one line, if there is a value."""
        if value.strip():
            self.add(Kind.PAIR, " ".join(f"{key}: {value}".split()))

    def add_table(self, rows: Iterable[Sequence[str]], *, head: bool = False) -> None:
        """Add the rows of a table. The first names the columns if `head`, or if it has three cells
        or more, all with words and none with a digit. Without names a row of two cells is a pair.
        A row at the top that is one cell across all columns is above the table.
        """
        cells = [cell for row in rows if any(cell := [" ".join(visible(c).split()) for c in row])]
        while len(cells) > 1 and len(cells[0]) > 1 and len({*cells[0]}) == 1:
            self.add(Kind.PROSE, cells.pop(0)[0])
            head = False
        columns = cells.pop(0) if len(cells) > 1 and (head or _are_names(cells[0])) else []
        for row, name in zip(cells, _row_names(columns, cells), strict=True):
            if columns:
                pairs = (pair for pair in zip(columns, row, strict=False) if pair[1])
                self.add(Kind.ROW, "\n".join(": ".join(filter(None, p)) for p in pairs), name=name)
            elif len(row) == 2 and all(row):
                self.add_pair(row[0].removesuffix(":"), row[1])
            else:
                self.add(Kind.ROW, ", ".join(filter(None, row)))

    def named(self, name: str) -> str:
        """Title of the document: the one it states, else the heading it begins with, else its only
        heading of the highest level, else `name`.
        """
        content = [block for block in self.blocks if block.kind is not Kind.PAIR]
        highest = [b for b in content if b.kind is Kind.HEADING and b.level == 1]
        first = content[:1] if content and content[0].kind is Kind.HEADING else highest
        heading = first[0].path[-1] if len(first) == 1 else ""
        return stated_title(self.title) or heading or name

    def remarks(self) -> list[str]:
        """Remarks for the report."""
        parts = [count(number, noun) for noun, number in sorted(self.left_out.items()) if number]
        return [*self.notes, *([f"left out: {', '.join(parts)}"] if parts else [])]


def visible(text: str) -> str:
    """A text as a reader sees it: one blank between words, lines kept, nothing invisible."""
    return "\n".join(" ".join(line.split()) for line in _without_signs(text).split("\n")).strip()


def stated_title(title: object) -> str:
    """A title that a file states, "" for those that programs write by themselves."""
    words = " ".join(_without_signs(title).split()) if isinstance(title, str) else ""
    return "" if _AUTOMATIC.match(words) else words


def rows_above(rows: Sequence[Sequence[str]]) -> int:
    """Number of rows above a table: those at its top with at most half as many cells as most."""
    filled = [sum(map(bool, row)) for row in rows]
    usual = max(set(filled), key=filled.count, default=0)
    return next((number for number, cells in enumerate(filled) if cells > usual / 2), 0)


def _row_names(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Sequence[str]:
    """Names of the rows of a table: the first column of words whose values are all different, one
    called name or title before others; "" for each without one.
    """
    values = list(zip(*rows, strict=False)) if len(rows) > 1 else []
    named = zip(columns, values, strict=False)
    for _, column in sorted(
        named, key=lambda pair: pair[0].lower() not in ("name", "title", "heading")
    ):
        words = all(any(map(str.isalpha, cell[:_LONGEST_NAME])) for cell in column)
        if words and len(set(column)) == len(rows) and max(map(len, column)) <= _LONGEST_NAME:
            return column
    return [""] * len(rows)


def plain_document(text: str) -> ReadDocument:
    """Blocks of a plain text, which stays as it is. Lines without letters, with a colon at the end,
    or that come often are no headings.
    """
    document = ReadDocument(pieces=[text])
    blocks: list[tuple[str, Kind, Span]] = []  # each with its words, where it reads as a heading
    for lines, inside in lines_and_blocks(text, MOST_LINES):
        entries = len(inside) > 1 and len(inside) >= lines - 1
        for block in inside:
            heading = block.kind is Kind.HEADING
            line = " ".join(text[slice(*block.sentences[0])].split()) if heading else ""
            kind = Kind.PROSE if block.kind is Kind.PROSE and not entries else Kind.ITEM
            blocks.append((line, kind, block.span))
    times = Counter(line for line, _, _ in blocks)
    for line, kind, span in blocks:
        if any(map(str.isalpha, line)) and line[-1] not in ":：" and times[line] < 3:
            document.place(Kind.HEADING, line, span, level=2)
        else:
            document.place(kind, line, span)
    return document


def _are_names(cells: Sequence[str]) -> bool:
    return len(cells) > 2 and all(
        any(map(str.isalpha, cell)) and not any(map(str.isdigit, cell)) for cell in cells
    )


def _without_signs(text: str) -> str:
    return _JOINERS.sub("", _INVISIBLE.sub("", text)).replace("\u2011", "-")
