"""Blocks of a document, the model that every reader gives, and their text.

`lay_out` writes blocks in the notation that `language.blocks` reads later: headings alone, items
with their mark, a table's row as lines `Column: value`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gear_app.core.text import count
from gear_app.core.types import Span
from gear_app.language.blocks import Kind

_LONGEST = 1_000  # characters of a heading that are looked at
_NAMING = ("name", "title", "heading")  # columns
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


_TIGHT = (Kind.ITEM, Kind.ROW, Kind.PAIR)  # those of a kind are line by line


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """A part of a document. `level` of a heading counts from 1, the highest; of an item from 0.
    `number` is an item's ("1.2", "b)"), "" for a bullet; `name` that of a table's row; `page`
    counts from 1, 0 without pages.
    """

    kind: Kind
    text: str
    level: int = 0
    number: str = ""
    name: str = ""
    page: int = 0


class PlacedBlock(NamedTuple):
    """A block, its place in the document's text, and the headings it is under, the outermost first,
    with its own name.
    """

    block: ReadBlock
    span: Span
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

    def add_code(self, text: str) -> None:
        """Add a text as it is."""
        text = _without_signs(text).strip("\r\n")
        self.blocks.append(ReadBlock(Kind.PROSE, text, page=self.page))

    def add(
        self, kind: Kind, text: str, *, level: int = 0, number: str = "", name: str = ""
    ) -> None:
        """Add a block that is not blank."""
        text = visible(text)
        if text:
            self.blocks.append(ReadBlock(kind, text, level, number, name, self.page))

    def add_pair(self, key: str, value: str) -> None:
        """Add `key: value` in one line, if there is a value."""
        if value.strip():
            self.add(Kind.PAIR, " ".join(f"{key}: {value}".split()))

    def add_table(self, rows: Iterable[Sequence[str]], *, head: bool = False) -> None:
        """Add the rows of a table. The first names the columns if `head`, or if it has three cells
        or more, all with words and none with a digit. Without names a row of two cells is a pair.
        """
        cells = [[" ".join(visible(cell).split()) for cell in row] for row in rows]
        cells = [row for row in cells if any(row)]
        columns = cells.pop(0) if len(cells) > 1 and (head or _are_names(cells[0])) else []
        naming = naming_column(columns, cells)
        for row in cells:
            if columns:
                lines = [
                    ": ".join(filter(None, pair))
                    for pair in zip(columns, row, strict=False)
                    if pair[1]
                ]
                name = "" if naming is None else row[naming]
                self.add(Kind.ROW, "\n".join(lines), name=name)
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
        heading = _title(first[0]) if len(first) == 1 else ""
        return stated_title(self.title) or heading or name

    def remarks(self) -> list[str]:
        """Remarks for the report."""
        parts = [count(number, noun) for noun, number in sorted(self.left_out.items()) if number]
        return [*self.notes, *([f"left out: {', '.join(parts)}"] if parts else [])]


def visible(text: str) -> str:
    """A text as a reader sees it: one blank between words, lines kept, nothing invisible."""
    lines = (" ".join(line.split()) for line in _without_signs(text).split("\n"))
    return "\n".join(lines).strip()


def stated_title(title: object) -> str:
    """A title that a file states, "" for those that programs write by themselves."""
    words = " ".join(_without_signs(title).split()) if isinstance(title, str) else ""
    return "" if _AUTOMATIC.match(words) else words


def rows_above(rows: Sequence[Sequence[str]]) -> int:
    """Number of rows above a table: those at its top with at most half as many cells as most."""
    filled = [sum(map(bool, row)) for row in rows]
    usual = max(set(filled), key=filled.count, default=0)
    return next((number for number, cells in enumerate(filled) if cells > usual / 2), 0)


def naming_column(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """The column that names the rows of a table: the first of words whose values are all different,
    one called name or title before others; None without one.
    """
    cells = list(zip(*rows, strict=False))[: len(columns)] if len(rows) > 1 else []
    for number in sorted(range(len(cells)), key=lambda n: columns[n].lower() not in _NAMING):
        column = cells[number]
        words = all(any(map(str.isalpha, cell[:_LONGEST_NAME])) for cell in column)
        if words and len(set(column)) == len(rows) and max(map(len, column)) <= _LONGEST_NAME:
            return number
    return None


def lay_out(blocks: Sequence[ReadBlock]) -> tuple[str, list[PlacedBlock]]:
    """The document's text and the place of each block in it. Items, pairs and rows without a name
    are line by line, all else is apart by a blank line.
    """
    text: list[str] = []
    places: list[PlacedBlock] = []
    before: ReadBlock | None = None
    end = 0
    for block in blocks:
        tight = before is not None and before.kind is block.kind in _TIGHT
        if before and block.kind is Kind.ROW:
            tight = tight and not block.name and "\n" not in before.text + block.text
        gap = "" if before is None else "\n" if tight else "\n\n"
        mark = f"{'  ' * block.level}{block.number or '-'} " if block.kind is Kind.ITEM else ""
        text += [gap, mark, block.text]
        start = end + len(gap)
        end = start + len(mark) + len(block.text)
        places.append(PlacedBlock(block, Span(start, end)))
        before = block
    return "".join(text), with_paths(places)


def with_paths(places: Iterable[PlacedBlock]) -> list[PlacedBlock]:
    """The blocks with their paths."""
    result: list[PlacedBlock] = []
    headings: list[ReadBlock] = []
    for place in places:
        if place.block.kind is Kind.HEADING:
            headings = [above for above in headings if above.level < place.block.level]
            headings.append(place.block)
        names = [*map(_title, headings), *filter(None, [place.block.name])]
        result.append(place._replace(path=tuple(names)))
    return result


def _title(heading: ReadBlock) -> str:
    return " ".join(heading.text[:_LONGEST].split())


def _are_names(cells: Sequence[str]) -> bool:
    return len(cells) > 2 and all(
        any(map(str.isalpha, cell)) and not any(map(str.isdigit, cell)) for cell in cells
    )


def _without_signs(text: str) -> str:
    return _JOINERS.sub("", _INVISIBLE.sub("", text)).replace("\u2011", "-")
