"""A tagged PDF page to blocks: its tree says what is a heading, an item, a row, and becomes HTML,
which is read as a page is (ingest.html).

Chromium, Word and LibreOffice write such trees. What a tag says is found by numbers that the page's
letters are marked with; letters with no number in the tree are heads and feet of the page.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import Any

import pypdfium2
from pypdfium2 import raw

from gear_app.ingest.blocks import BlockKind, ReadBlock, ReadDocument
from gear_app.ingest.html import NUMBER, add_html
from gear_app.ingest.pdf_lines import LEADERS, item_of

# Elements that are read at once, and what they are on a page.
_WHOLE = {"Title": "h1", "H": "h1"}
_WHOLE |= {f"H{level}": f"h{level}" for level in range(1, 7)}
# Elements within a line; all others begin one.
_INLINE = frozenset(
    "Span Link Quote Reference Annot BibEntry Em Strong Sub Code Ruby RB RT RP Warichu WT WP Lbl"
    " Formula".split()
)
_LEAST = 0.5  # of a page's letters are in its tree where it is used
_DEEPEST = 60


def read_tags(
    page: pypdfium2.PdfPage, text: pypdfium2.PdfTextPage, letters: str, number: int
) -> ReadDocument | None:
    """The blocks of a page, None where it has no tree, or one with few of its letters."""
    tree = raw.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return None
    try:
        tags = _Tags(_marked(text, letters))
        html = "".join(
            tags.html(raw.FPDF_StructTree_GetChildAtIndex(tree, index))
            for index in range(raw.FPDF_StructTree_CountChildren(tree))
        )
    finally:
        raw.FPDF_StructTree_Close(tree)
    if tags.part() < _LEAST:
        return None
    document = add_html(ReadDocument(page=number), html)
    document.blocks = list(map(_unmarked, document.blocks))
    document.left_out["untagged line"] += tags.lines_without()
    return document


def _unmarked(block: ReadBlock) -> ReadBlock:
    """A block in one line; the mark of an item that has no tag is no part of it."""
    text = " ".join(LEADERS.sub(" … ", block.text).split())
    item = block.kind is BlockKind.ITEM and not block.number and item_of(text)
    number, text = item or (block.number, text)
    return replace(block, text=text, number=number)


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


class _Tags:
    """Makes HTML of a page's tree, and knows which of its letters were in it."""

    def __init__(self, marked: dict[int, str]) -> None:
        self._marked = marked
        self._taken: set[int] = set()
        self._labels: list[str] = []  # of the items that are open

    def part(self) -> float:
        """How much of the page's letters was in the tree."""
        sizes = {number: len("".join(some.split())) for number, some in self._marked.items()}
        return sum(sizes[number] for number in self._taken) / max(1, sum(sizes.values()))

    def lines_without(self) -> int:
        """How many lines were not in the tree."""
        others = (text for number, text in self._marked.items() if number not in self._taken)
        return sum(bool(line.strip()) for text in others for line in text.splitlines())

    def html(self, element: Any, depth: int = 0) -> str:  # noqa: ANN401
        """HTML of an element."""
        kind = _type(element)
        if depth > _DEEPEST:
            return ""
        if kind == "Lbl" and self._labels:
            self._labels[-1] = self._line(element).strip()
            return ""
        if kind in _WHOLE:
            return f"<{_WHOLE[kind]}>{self._line(element)}</{_WHOLE[kind]}>"
        if kind == "Table":
            return self._table(element)
        if kind == "LI":
            self._labels.append("")
        inner = "".join(
            self._text(number) + (self.html(child, depth + 1) if child else "")
            for number, child in _children(element)
        )
        inner += _alternative(element)
        if kind == "LI":
            label = self._labels.pop()
            number = label if any(map(str.isalnum, label)) else ""
            return f'<ul><li {NUMBER}="{number}">{inner}</li></ul>'
        return inner if _is_inline(element) else f"<div>{inner}</div>"

    def _table(self, table: Any) -> str:  # noqa: ANN401
        captions = (child for _, child in _children(table) if _type(child) == "Caption")
        rows = [f"<caption>{self._line(caption)}</caption>" for caption in captions]
        for row in (child for child in _within(table) if _type(child) == "TR"):
            cells = (child for _, child in _children(row) if _type(child) in ("TD", "TH"))
            rows += ["<tr>", *(f"<{_type(cell)}>{self._line(cell)}" for cell in cells)]
        return f"<table>{''.join(rows)}</table>"

    def _text(self, number: int) -> str:
        if number not in self._marked or number < 0:
            return ""
        self._taken.add(number)
        return escape(self._marked[number])

    def _line(self, element: Any) -> str:  # noqa: ANN401
        """Text of an element in one line."""
        parts: list[str] = []
        for child in _within(element):
            parts += [] if _is_inline(child) else [" "]
            parts += (self._text(number) for number, _ in _children(child))
            parts.append(_alternative(child))
        return "".join(parts)


def _type(element: Any) -> str:  # noqa: ANN401
    return _string(raw.FPDF_StructElement_GetType, element) if element else ""


def _is_inline(element: Any) -> bool:  # noqa: ANN401
    """Whether an element is within a line; what means nothing, where nothing else is in it."""
    kind = _type(element)
    return kind in _INLINE or (
        kind == "NonStruct" and not any(child for _, child in _children(element))
    )


def _alternative(element: Any) -> str:  # noqa: ANN401
    """Text in place of a picture."""
    if _type(element) != "Figure":
        return ""
    return f" {escape(_string(raw.FPDF_StructElement_GetAltText, element))} "


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
