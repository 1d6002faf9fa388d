"""Web pages to blocks. Markdown, Word, books, mails and tagged PDF pages are read through it, too.

The walk over turbohtml's tree does not recurse: pages nest as they like.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import turbohtml

from gear_app.core.errors import Refused
from gear_app.documents.blocks import BlockKind, ReadDocument, visible
from gear_app.documents.decode import decode

MOST_TAGS = 1_000_000
_CHARSET = re.compile(rb"(?:charset|<\?xml[^>]{0,200}? encoding)\s*=\s*[\"']?([\w-]+)", re.I)
_IS_XML = re.compile(r"\A\s*<\?xml|<html[^>]{0,500}\sxmlns\s*=")
# In XML any element may end in its own tag; HTML takes such a tag as the start of one.
_EMPTY = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    r"([A-Za-z][\w:-]*+)((?:[^<>\"'/]|/(?!>)|\"[^\"<]*+\"|'[^'<]*+')*+)/>",
    re.IGNORECASE,
)
_HIDDEN = (
    "nav, noscript, template, svg, object, head, select, button, script, style,"
    " iframe, title, rp, [hidden]:not([hidden='until-found']), [style*='display:none' i],"
    " [style*='display: none' i], a[href^='#fnref'], a[href^='#footnote-ref'],"
    " a[href^='#endnote-ref']"
)
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset"
    " figcaption figure footer form header hr html legend li main ol optgroup option p section"
    " summary table tbody td tfoot th thead tr ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LAYOUT = "table, h1, h2, h3, h4, h5, h6"  # in tables that only place things on a page
_NOTE = re.compile(r"(?:footnote|endnote|fn)-?\d+")
_WHITE = re.compile(r"\s+")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_COLUMNS, _MOST_ROWS = 50, 100  # that a cell spans
_LINE = turbohtml.PlainText(layout="strict", images=True, bullet="")


def read_html(content: bytes) -> ReadDocument:
    """A page, without scripts, styles and navigation. Raises Refused for more than MOST_TAGS."""
    page, note = page_text(content)
    return add_html(ReadDocument(notes=[note] if note else []), page)


def page_text(content: bytes, *, xml: bool = False) -> tuple[str, str]:
    """Text of a page and a remark on its encoding. Elements of XHTML that end in their own tag get
    an end tag.
    """
    declared = _CHARSET.search(content, 0, 2048)
    page, note = decode(content, declared[1].decode("ascii", "replace") if declared else "")
    xml = xml or _IS_XML.search(page, 0, 2048) is not None
    return (_EMPTY.sub(r"<\1\2></\1>", page) if xml else page), note


def add_html(document: ReadDocument, page: str) -> ReadDocument:
    """Add the blocks of a page, and its title where the document has none. Raises Refused."""
    if page.count("<") > MOST_TAGS:
        raise Refused(f"the page has more than {MOST_TAGS:,} tags; split it")
    tree = turbohtml.parse(page, positions=False)
    title = tree.select_one("title:not(svg title)")
    if title is not None and not document.title:
        document.title = _line(title)
    tree.remove(_HIDDEN)
    for raised in tree.select("sup"):
        _mark_raised(raised)
    _Walk(document).over(tree)
    return document


def _mark_raised(raised: Any) -> None:  # noqa: ANN401
    """Write raised figures as "1934[1]" where they lead to a note, else as "5 m²"."""
    figures = raised.text.strip()
    if figures.isdigit() and figures.isascii():
        inside = raised.select_one("a[href^='#']")
        note = inside is not None or (raised.parent.attrs.get("href") or "").startswith("#")
        text = f"[{figures}]" if note else figures.translate(_RAISED)
        raised.replace_with(turbohtml.Text(text))


class _Walk:
    """Walk over a tree that adds a block for each that is shown."""

    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self._text: list[str] = []  # of the current block
        self._items: list[tuple[str, int]] = []  # open: number, index of the block or -1
        self._lists: list[int | None] = []  # open: last number, None without numbers
        self._term = ""  # of a list of definitions

    def over(self, root: Any) -> None:  # noqa: ANN401
        """Add all blocks in `root`."""
        steps = [(root, False)]  # a node, and whether the walk leaves it
        while steps:
            node, leaves = steps.pop()
            tag = getattr(node, "tag", None) or ""
            if leaves:
                self._leave(tag)
            elif isinstance(node, turbohtml.Text):
                self._text.append(_WHITE.sub(" ", node.data))
            elif hasattr(node, "children") and not self._add(node, tag):
                self._enter(node, tag)
                steps.append((node, True))
                steps += ((child, False) for child in reversed(list(node.children)))
        self._end()

    def _add(self, node: Any, tag: str) -> bool:  # noqa: ANN401
        """Add an element that is one block or a part of a line; False for others."""
        if tag == "br":
            self._text.append("\n")
        elif tag == "img":
            self._text.append(f" {node.attrs.get('alt') or ''} ")
        elif tag == "input" and node.attrs.get("type") == "checkbox":
            self._text.append("[x] " if "checked" in node.attrs else "[ ] ")
        elif tag in _HEADINGS:
            self._end()
            self._document.add(BlockKind.HEADING, _line(node), level=_HEADINGS[tag])
        elif tag == "pre":
            self._end()
            self._document.add(BlockKind.CODE, node.text)
        elif tag == "table" and node.select_one(_LAYOUT) is None:
            self._end()
            self._add_table(node)
        else:
            return False
        return True

    def _add_table(self, table: Any) -> None:  # noqa: ANN401
        for caption in table.select("caption"):
            self._document.add(BlockKind.PARAGRAPH, _line(caption))
        first = table.select_one("tr")
        head = first is not None and all(cell.tag == "th" for cell in first.select("td, th"))
        self._document.add_table(_grid(table), head=head)

    def _enter(self, node: Any, tag: str) -> None:  # noqa: ANN401
        if tag in _BLOCKS:
            self._end()
        if tag in ("ol", "ul"):
            self._lists.append(_number(node.attrs.get("start"), 1) - 1 if tag == "ol" else None)
        elif tag == "li":
            before = self._lists[-1] if self._lists else None
            number = ""
            if before is not None:
                count = self._lists[-1] = _number(node.attrs.get("value"), before + 1)
                note = _NOTE.fullmatch(node.attrs.get("id") or "")
                number = f"[{count}]" if note else f"{count}."
            self._items.append((number, -1))

    def _leave(self, tag: str) -> None:
        if tag == "dt":
            self._term, self._text = visible("".join(self._text)), []
        elif tag in _BLOCKS:
            self._end()
        if tag == "li":
            self._items.pop()
        elif tag in ("ol", "ul"):
            self._lists.pop()

    def _end(self) -> None:
        """Close the current block."""
        text, self._text = visible("".join(self._text)), []
        if not text:
            return
        if self._term:
            self._document.add_pair(self._term, text)
            self._term = ""
        elif self._items:
            self._add_to_item(" ".join(text.split()))
        else:
            self._document.add(BlockKind.PARAGRAPH, text)

    def _add_to_item(self, text: str) -> None:
        """Add words of an item: the first with its number, later ones right after them."""
        blocks = self._document.blocks
        number, index = self._items[-1]
        if index < 0:
            level = 0 if number.startswith("[") else len(self._items) - 1
            self._document.add(BlockKind.ITEM, text, level=level, number=number)
            self._items[-1] = number, len(blocks) - 1
        elif index == len(blocks) - 1:
            blocks[-1] = replace(blocks[-1], text=f"{blocks[-1].text} {text}")
        else:
            self._document.add(BlockKind.PARAGRAPH, text)


def _grid(table: Any) -> list[list[str]]:  # noqa: ANN401
    """Cells of a table; one that spans rows or columns is in all of them."""
    cells: dict[tuple[int, int], str] = {}
    width, rows = 0, table.select("tr")
    for number, row in enumerate(rows):
        column = 0
        nodes = row.select("td, th")
        for node in nodes:
            while (number, column) in cells:
                column += 1
            text = _line(node)
            down = min(_number(node.attrs.get("rowspan"), 1), _MOST_ROWS, len(rows) - number)
            across = min(_number(node.attrs.get("colspan"), 1), _MOST_COLUMNS)
            across = across if len(nodes) > 1 else 1
            for below in range(down):
                cells |= {(number + below, column + right): text for right in range(across)}
            column += across
        width = max(width, column)
    return [[cells.get((row, column), "") for column in range(width)] for row in range(len(rows))]


def _line(node: Any) -> str:  # noqa: ANN401
    """Text of an element in one line."""
    return " ".join(node.to_text(_LINE).split())


def _number(value: object, default: int) -> int:
    """A positive number of an attribute."""
    text = str(value or "").strip()
    return int(text) or default if text.isascii() and text.isdigit() and len(text) < 7 else default
