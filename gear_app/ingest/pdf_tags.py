"""A tagged PDF page to blocks: its tree says what is a heading, an item, a row.

Chromium, Word and LibreOffice write such trees. What a tag says is found by numbers that the page's
letters are marked with; letters with no number in the tree are heads and feet of the page.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pypdfium2
from pypdfium2 import raw

from gear_app.ingest.blocks import BlockKind, ReadDocument, shown
from gear_app.ingest.pdf_lines import LEADERS, item_of

_HEADINGS = {"Title": 1, "H": 1, **{f"H{level}": level for level in range(1, 7)}}
_NOTES = ("Note", "FENote")
# Elements within a line; all others begin one.
_INLINE = frozenset(
    "Span Link Quote Reference Annot BibEntry Em Strong Sub Code Ruby RB RT RP Warichu WT WP Lbl"
    " Formula".split()
)
_LEAST = 0.5  # of a page's letters are in its tree where it is used
_DEEPEST = 60


class _Item:
    """A list item that is open: its number, and which block holds it."""

    def __init__(self) -> None:
        self.number, self.block = "", -1


def read_tags(
    page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage, letters: str, number: int
) -> ReadDocument | None:
    """The blocks of a page, None where it has no tree, or one with few of its letters."""
    tree = raw.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return None
    try:
        walk = _Walk(_marked(text, letters), number)
        for index in range(raw.FPDF_StructTree_CountChildren(tree)):
            walk.over(raw.FPDF_StructTree_GetChildAtIndex(tree, index), 0)
        return walk.document() if walk.part() >= _LEAST else None
    finally:
        raw.FPDF_StructTree_Close(tree)


def _marked(text: pypdfium2.PdfTextPage, letters: str) -> dict[int, str]:
    """The page's letters by the numbers they are marked with, -1 for none. Blanks that pdfium puts
    between them go with those before.
    """
    marked: dict[int, list[str]] = defaultdict(list)
    number = -1
    for index, letter in enumerate(letters):
        drawn = raw.FPDFText_GetTextObject(text.raw, index)
        if drawn:
            number = raw.FPDFPageObj_GetMarkedContentID(drawn)
        marked[number].append(letter)
    return {number: "".join(some) for number, some in marked.items()}


class _Walk:
    """Goes over a page's tree and adds a block for each that is shown."""

    def __init__(self, marked: dict[int, str], page: int) -> None:
        self._marked, self._document = marked, ReadDocument(page=page)
        self._taken: set[int] = set()
        self._words: list[str] = []  # of the block that is open
        self._items: list[_Item] = []

    def part(self) -> float:
        """How much of the page's letters was in the tree."""
        sizes = {number: len("".join(some.split())) for number, some in self._marked.items()}
        return sum(sizes[number] for number in self._taken) / max(1, sum(sizes.values()))

    def document(self) -> ReadDocument:
        """What was added, and how many lines were not in the tree."""
        self._end()
        others = (text for number, text in self._marked.items() if number not in self._taken)
        lines = sum(bool(line.strip()) for text in others for line in text.splitlines())
        self._document.left_out["untagged line"] += lines
        return self._document

    def over(self, element: Any, depth: int) -> None:  # noqa: ANN401
        """Add what an element says."""
        kind = _type(element)
        if depth > _DEEPEST:
            return
        if kind == "Lbl" and self._items:
            label = self._line(element)
            self._items[-1].number = label if any(map(str.isalnum, label)) else ""
        elif _is_inline(element):
            self._inside(element, depth)
        elif kind in _HEADINGS:
            self._end()
            self._document.add(BlockKind.HEADING, self._line(element), level=_HEADINGS[kind])
        elif kind == "Table":
            self._end()
            for _, child in _children(element):
                if child and _type(child) == "Caption":
                    self._document.add(BlockKind.PARAGRAPH, self._line(child))
            self._document.add_table(list(self._rows(element)))
        elif kind in _NOTES:
            self._end()
            self._document.add(BlockKind.NOTE, self._line(element))
        else:
            self._end()
            if kind == "LI":
                self._items.append(_Item())
            self._inside(element, depth)
            self._end()
            if kind == "LI":
                self._items.pop()

    def _inside(self, element: Any, depth: int) -> None:  # noqa: ANN401
        for number, child in _children(element):
            self._words.append(self._text(number))
            if child:
                self.over(child, depth + 1)
        self._words.append(_alternative(element))

    def _end(self) -> None:
        """Close the block that is open."""
        text, self._words = shown(_one_line("".join(self._words))), []
        if not text:
            return
        if not self._items:
            self._document.add(BlockKind.PARAGRAPH, text)
            return
        item, blocks = self._items[-1], self._document.blocks
        if item.block < 0:
            number, words = item_of(text) or ("", text)  # where its mark has no tag
            level = len(self._items) - 1
            self._document.add(BlockKind.ITEM, words, level=level, number=item.number or number)
            item.block = len(blocks) - 1
        elif item.block == len(blocks) - 1:
            blocks[-1] = replace(blocks[-1], text=f"{blocks[-1].text}\n{text}")
        else:
            self._document.add(BlockKind.PARAGRAPH, text)

    def _text(self, number: int) -> str:
        if number not in self._marked or number < 0:
            return ""
        self._taken.add(number)
        return self._marked[number]

    def _line(self, element: Any) -> str:  # noqa: ANN401
        """All that an element says, in one line."""
        parts: list[str] = []
        for child in _within(element):
            if not _is_inline(child):
                parts.append(" ")
            parts += (self._text(number) for number, _ in _children(child))
            parts.append(_alternative(child))
        return _one_line("".join(parts))

    def _rows(self, table: Any) -> Iterator[tuple[list[str], bool]]:  # noqa: ANN401
        for row in (child for child in _within(table) if _type(child) == "TR"):
            cells = [child for _, child in _children(row) if _type(child) in ("TD", "TH")]
            names = bool(cells) and all(_type(cell) == "TH" for cell in cells)
            yield [self._line(cell) for cell in cells], names


def _type(element: Any) -> str:  # noqa: ANN401
    return _string(raw.FPDF_StructElement_GetType, element) if element else ""


def _is_inline(element: Any) -> bool:  # noqa: ANN401
    """Whether an element is within a line; what means nothing, where nothing else is in it."""
    kind = _type(element)
    return kind in _INLINE or (
        kind == "NonStruct" and not any(child for _, child in _children(element))
    )


def _alternative(element: Any) -> str:  # noqa: ANN401
    """What stands for a picture."""
    if _type(element) != "Figure":
        return ""
    return f" {_string(raw.FPDF_StructElement_GetAltText, element)} "


def _string(function: Any, element: Any) -> str:  # noqa: ANN401
    size = function(element, None, 0)
    buffer = ctypes.create_string_buffer(max(2, size))
    function(element, buffer, size)
    return buffer.raw[: max(2, size) - 2].decode("utf-16-le", "replace")


def _children(element: Any) -> Iterator[tuple[int, Any]]:  # noqa: ANN401
    """An element's parts in order: each the number of marked letters on this page, or -1, and an
    element, or None.
    """
    for index in range(raw.FPDF_StructElement_CountChildren(element)):
        number = raw.FPDF_StructElement_GetChildMarkedContentID(element, index)
        yield number, raw.FPDF_StructElement_GetChildAtIndex(element, index) or None


def _within(root: Any) -> Iterator[Any]:  # noqa: ANN401
    """The elements of a tree in order, as deep as is sensible."""
    elements = [(root, 0)]
    while elements:
        element, depth = elements.pop()
        yield element
        if depth < _DEEPEST:
            inner = [(child, depth + 1) for _, child in _children(element) if child]
            elements += reversed(inner)


def _one_line(text: str) -> str:
    return " ".join(LEADERS.sub(" … ", text).split())
