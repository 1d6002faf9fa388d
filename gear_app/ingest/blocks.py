"""What a document consists of: the one model that every reader of documents gives.

A reader adds blocks in the document's order and counts what it left out. `lay_out` writes them
as the text that is kept, one notation for all formats; it is what `language.blocks` reads of a
passage later: headings alone, items with their mark, bars between cells and a rule under a head.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from gear_app.ingest.items import check_length
from gear_app.text import count
from gear_app.types import Span

RULE = "---"  # under a row that names a table's columns
_HEAD_AGAIN = 80  # words of rows after which a table's head is said again
_LONGEST = 1_000  # characters of a heading that are looked at
_LONG_HEAD = 30  # words; a longer head is said once
# Hyphens and joins that do not show, and those that other scripts need, between letters that do
# not join.
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
_JOINERS = re.compile("(?<=[A-Za-z\u00c0-\u052f])[\u200c\u200d](?=[A-Za-z\u00c0-\u052f])")
_AUTOMATIC = re.compile(
    r"(?i)microsoft word -|untitled(?:[ -]?(?:document|presentation|spreadsheet|\d+))?$"
    r"|word document$|.*\.(docx?|pdf|tex|indd|qxd|rtf|html?|txt|md|odt|pptx?|xlsx?|pages|dvi|ps)$"
)


class BlockKind(StrEnum):
    """Kinds of blocks. A pair is a key and its value; a note stands below a page or a text."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    ROW = "row"
    PAIR = "pair"
    CODE = "code"
    NOTE = "note"


_TIGHT = (BlockKind.ITEM, BlockKind.ROW, BlockKind.PAIR)  # those of a kind stand line by line


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """One of a document's parts. `level` is a heading's, 1 the highest, or how deep an item lies, 0
    outermost; `number` what the document counts it by ("1.2", "b)"), "" for a bullet; `head`: the
    row names the columns of those after it; `page` counts from 1, 0 where there are none.
    """

    kind: BlockKind
    text: str
    level: int = 0
    number: str = ""
    head: bool = False
    page: int = 0

    @property
    def written(self) -> str:
        """The block as it stands in the document's text."""
        if self.kind is BlockKind.ITEM:
            return f"{'  ' * self.level}{self.number or '-'} {self.text}"
        text = f"{self.number} {self.text}" if self.number else self.text
        return f"{text}\n{RULE}" if self.head else text


class PlacedBlock(NamedTuple):
    """A block, and where it stands in its document's text."""

    block: ReadBlock
    span: Span


@dataclass(slots=True)
class ReadDocument:
    """Grows while a document is read. `title` is the one it states, `page` that of what is added;
    `left_out` counts what was not taken, by what it is called; `notes` are further sentences for
    the report; `attached` are files that came with it, by name.
    """

    title: str = ""
    blocks: list[ReadBlock] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    attached: list[tuple[str, bytes]] = field(default_factory=list)
    page: int = 0
    _characters: int = 0

    def add(
        self, kind: BlockKind, text: str, *, level: int = 0, number: str = "", head: bool = False
    ) -> None:
        """Add a block, if there is anything to see in it. Raises Refused where the document is too
        long.
        """
        text = _unseen_gone(text).strip("\r\n") if kind is BlockKind.CODE else visible(text)
        if text.strip():
            self._characters += len(text)
            check_length(self._characters)
            self.blocks.append(ReadBlock(kind, text, level, number, head, self.page))

    def add_row(self, cells: Sequence[str], *, head: bool = False) -> None:
        """Add a table's row with bars between its cells, each in one line; empty ones at its end
        are left out.
        """
        cells = [" ".join(visible(cell).split()) for cell in cells]
        while cells and not cells[-1]:
            cells.pop()
        if any(cells):
            self.add(BlockKind.ROW, " | ".join(cells), head=head)

    def add_table(self, rows: Sequence[tuple[Sequence[str], bool]]) -> None:
        """Add rows, each its cells and whether it names the columns. Where none does, the first one
        does that has three cells or more, each with words and none with a digit.
        """
        rows = [row for row in rows if any(cell.strip() for cell in row[0])]
        guessed = len(rows) > 1 and not any(head for _, head in rows) and _names(rows[0][0])
        for number, (cells, head) in enumerate(rows):
            self.add_row(cells, head=head or (guessed and number == 0))

    def add_pair(self, key: str, value: str) -> None:
        """Add `key: value`, in one line, where there is a value."""
        if value.strip():
            self.add(BlockKind.PAIR, " ".join(f"{key}: {value}".split()))

    def heading(self) -> str:
        """The heading that the document begins with, "" where it begins otherwise."""
        first = next((block for block in self.blocks if block.kind is not BlockKind.PAIR), None)
        begins = first is not None and first.kind is BlockKind.HEADING
        return _title(first) if first is not None and begins else ""

    def named(self, name: str) -> str:
        """The document's title: the one it states, else the heading it begins with, else its only
        one of the highest level, else `name`.
        """
        return stated_title(self.title) or self.heading() or self._only_heading() or name

    def _only_heading(self) -> str:
        highest = [_title(b) for b in self.blocks if b.kind is BlockKind.HEADING and b.level == 1]
        return highest[0] if len(highest) == 1 else ""

    def remarks(self) -> list[str]:
        """Remarks for the report: what was left out, and others."""
        parts = [count(number, what) for what, number in sorted(self.left_out.items()) if number]
        return [*self.notes, *([f"left out: {', '.join(parts)}"] if parts else [])]


def visible(text: str) -> str:
    """A text as a reader sees it: one blank between words, lines kept, nothing invisible."""
    lines = (" ".join(line.split()) for line in _unseen_gone(text).split("\n"))
    return "\n".join(lines).strip()


def stated_title(title: object) -> str:
    """A title that a file states, or "" for what programs write when nobody gave one."""
    words = " ".join(_unseen_gone(title).split()) if isinstance(title, str) else ""
    return "" if _AUTOMATIC.match(words) else words


def lay_out(blocks: Sequence[ReadBlock]) -> tuple[str, list[PlacedBlock]]:
    """The document's text and where each block stands in it, in order. Items, rows and pairs of a
    kind stand line by line, all else is apart by a blank line. A table that goes on for more than
    a passage says its head again, unless that is long.
    """
    parts: list[str] = []
    places: list[PlacedBlock] = []
    at, before = 0, None
    for block in _with_heads(blocks):
        tight = before is not None and before.kind is block.kind in _TIGHT and not block.head
        gap = "" if before is None else "\n" if tight else "\n\n"
        start = at + len(gap)
        parts += [gap, block.written]
        at = start + len(parts[-1])
        places.append(PlacedBlock(block, Span(start, at)))
        before = block
    return "".join(parts), places


def page_starts(places: Sequence[PlacedBlock]) -> tuple[int, ...]:
    """Places in the text where pages begin, an empty one where the next does; () without pages."""
    starts: list[int] = []
    for block, span in places:
        starts += [span.start] * (block.page - len(starts))
    return (0, *starts[1:]) if starts else ()


def paths(blocks: Sequence[ReadBlock]) -> Iterator[tuple[str, ...]]:
    """For each block the headings that it stands under, the outermost first, itself the last where
    it is one.
    """
    path: list[tuple[int, str]] = []
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            path = [above for above in path if above[0] < block.level]
            path.append((block.level, _title(block)))
        yield tuple(text for _, text in path)


def _with_heads(blocks: Sequence[ReadBlock]) -> Iterator[ReadBlock]:
    for kind, run in groupby(blocks, key=lambda block: block.kind):
        if kind is not BlockKind.ROW:
            yield from run
            continue
        head, words = None, 0
        for row in run:
            if row.head:
                head = row if len(row.text.split()) <= _LONG_HEAD else None
                words = 0
            elif head is not None and words > _HEAD_AGAIN:
                yield head
                words = 0
            words += len(row.text.split())
            yield row


def _title(heading: ReadBlock) -> str:
    """A heading in one line, as much of it as a title may have."""
    return " ".join(heading.text[:_LONGEST].split())


def _names(cells: Sequence[str]) -> bool:
    """Whether a table's first row names its columns, to judge by its words."""
    return len(cells) > 2 and all(
        any(map(str.isalpha, cell)) and not any(map(str.isdigit, cell)) for cell in cells
    )


def _unseen_gone(text: str) -> str:
    return _JOINERS.sub("", _INVISIBLE.sub("", text)).replace("\u2011", "-")
