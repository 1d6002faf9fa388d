"""Web pages to blocks: what a browser would show of them.

One walk over turbohtml's tree decides what is a heading, an item, a row; readers of Markdown, Word,
books and mails give their HTML to the same walk. It does not recurse: pages nest as they like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import turbohtml

from gear_app.errors import Refused
from gear_app.ingest.blocks import BlockKind, ReadDocument, visible
from gear_app.ingest.decode import decode

MOST_TAGS = 1_000_000
_CHARSET = re.compile(rb"(?:charset|<\?xml[^>]{0,200}? encoding)\s*=\s*[\"']?([\w-]+)", re.I)
_IS_XML = re.compile(r"\A\s*<\?xml|<html[^>]{0,500}\sxmlns\s*=")
# In XML any element may end in its own tag; HTML takes such a tag as the start of one.
_EMPTY = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    r"([A-Za-z][\w:-]*+)((?:[^<>\"'/]|/(?!>)|\"[^\"<]*+\"|'[^'<]*+')*+)/>",
    re.IGNORECASE,
)
# Elements that are not shown, with all that is in them.
_HIDDEN = frozenset(
    "nav noscript template svg object head select button script style iframe title rp".split()
)
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset"
    " figcaption figure footer form header hr html legend li main ol optgroup option p section"
    " summary table tbody td tfoot th thead tr ul".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
NUMBER = "x-number"  # attribute of an item of a PDF file
_WHITE = re.compile(r"\s+")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_COLUMNS, _MOST_ROWS = 50, 500  # that a cell goes over
_NOTE = re.compile(r"(?:footnote|endnote|fn)-?\d+")
_BACK = re.compile(r"#(?:footnote|endnote|fn)-?ref")  # link of a note back into the text


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
    titles = (node for node in tree.descendants if _tag(node) == "title")
    title = next((node for node in titles if _tag(node.parent) != "svg"), None)
    if title is not None and not document.title:
        document.title = _words(title)
    _Walk(document).over(tree)
    return document


class _Item(NamedTuple):
    """A list item that is open: its number, whether it is a note, and the number of its block."""

    number: str
    note: bool
    block: int = -1


class _Walk:
    """Goes over a tree and adds a block for each that is shown."""

    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self._text: list[str] = []  # of the block that is open
        self._items: list[_Item] = []
        self._term = ""  # of a list of definitions, waiting for its meaning
        self._lists: list[int | None] = []  # that are open: the last number, None without numbers

    def over(self, root: Any) -> None:  # noqa: ANN401
        """Add all blocks in `root`."""
        steps = [(root, False)]  # a node, and whether the walk leaves it
        while steps:
            node, leaves = steps.pop()
            tag = _tag(node)
            if leaves:
                self._leave(tag)
            elif isinstance(node, turbohtml.Text):
                self._text.append(_raised(node, _WHITE.sub(" ", node.data)))
            elif hasattr(node, "children") and not _hidden(node) and not self._add(node, tag):
                if tag in _BLOCKS:
                    self._end()
                if tag in ("ol", "ul"):
                    start = _number(node.attrs.get("start"), 1) - 1
                    self._lists.append(start if tag == "ol" else None)
                if tag == "li":
                    self._items.append(self._item(node))
                steps.append((node, True))
                steps += ((child, False) for child in reversed(list(node.children)))
        self._end()

    def _add(self, node: Any, tag: str) -> bool:  # noqa: ANN401
        """Add an element that is one block, or a part of a line; False for others."""
        if inline := _inline(node, tag):
            self._text.append(inline)
        elif tag in _HEADINGS:
            self._end()
            self._document.add(BlockKind.HEADING, _words(node), level=_HEADINGS[tag])
        elif tag == "pre":
            self._end()
            self._document.add(BlockKind.CODE, _words(node, lines=True))
        elif tag == "table" and not _is_layout(node):
            self._end()
            for caption in (child for child in node.children if _tag(child) == "caption"):
                self._document.add(BlockKind.PARAGRAPH, _words(caption))
            self._document.add_table(list(_rows(node)))
        else:
            return tag == "a" and _BACK.match(node.attrs.get("href") or "") is not None
        return True

    def _item(self, node: Any) -> _Item:  # noqa: ANN401
        note = _NOTE.fullmatch(node.attrs.get("id") or "") is not None
        before = self._lists[-1] if self._lists else None
        if NUMBER in node.attrs or before is None:
            return _Item(node.attrs.get(NUMBER) or "", note)
        number = self._lists[-1] = _number(node.attrs.get("value"), before + 1)
        return _Item(f"[{number}]" if note else f"{number}.", note)

    def _leave(self, tag: str) -> None:
        if tag == "dt":
            words = " ".join("".join(self._text).split())
            self._term = " / ".join(filter(None, [self._term, words]))
            self._text = []
        elif tag in _BLOCKS:
            self._end()
        if tag == "li" and self._items:
            self._items.pop()
        if tag in ("ol", "ul"):
            self._lists.pop()

    def _end(self) -> None:
        """Close the block that is open."""
        text, self._text = "".join(self._text), []
        if not text.strip():
            return
        term, self._term = self._term, ""
        if term:
            self._document.add_pair(term, text)
        elif self._items:
            self._add_to_item(" ".join(visible(text).split()), self._items[-1])
        else:
            self._document.add(BlockKind.PARAGRAPH, text)

    def _add_to_item(self, text: str, item: _Item) -> None:
        """Add the words of an item: the first with its number, others right after them to them."""
        blocks = self._document.blocks
        if item.block < 0:
            kind = BlockKind.NOTE if item.note else BlockKind.ITEM
            level = 0 if item.note else len(self._items) - 1
            self._document.add(kind, text, level=level, number=item.number)
            self._items[-1] = item._replace(block=len(blocks) - 1)
        elif item.block == len(blocks) - 1:
            blocks[-1] = replace(blocks[-1], text=f"{blocks[-1].text} {text}".strip())
        else:
            self._document.add(BlockKind.PARAGRAPH, text)


def _rows(table: Any) -> Iterator[tuple[list[str], bool]]:  # noqa: ANN401
    """Rows of a table, each its cells and whether it names the columns. A cell of several rows or
    columns is in all of them.
    """
    spanning: dict[int, tuple[int, str]] = {}  # by column: for how many rows more, and the text
    for row in (node for node in table.descendants if _tag(node) == "tr"):
        cells: list[str] = []
        nodes = [cell for cell in row.children if _tag(cell) in ("td", "th")]
        for cell in nodes:
            _continue(cells, spanning)
            text = _words(cell)
            rows = min(_number(cell.attrs.get("rowspan"), 1), _MOST_ROWS)
            columns = min(_number(cell.attrs.get("colspan"), 1) or 1, _MOST_COLUMNS)
            for _ in range(columns if len(nodes) > 1 else 1):
                if rows > 1:
                    spanning[len(cells)] = rows - 1, text
                cells.append(text)
        _continue(cells, spanning)
        yield cells, bool(nodes) and all(_tag(cell) == "th" for cell in nodes)


def _continue(cells: list[str], spanning: dict[int, tuple[int, str]]) -> None:
    """Add the cells that go on from rows above, at the place that the row is at."""
    while len(cells) in spanning:
        more, text = spanning.pop(len(cells))
        if more > 1:
            spanning[len(cells)] = more - 1, text
        cells.append(text)


def _inline(node: Any, tag: str) -> str:  # noqa: ANN401
    """Text of an element that has no content, "" for others."""
    if tag == "br":
        return "\n"
    if tag == "img":
        return f" {node.attrs.get('alt') or ''} "
    if tag == "input" and node.attrs.get("type") == "checkbox":
        return "[x] " if "checked" in node.attrs else "[ ] "
    return ""


def _raised(text: Any, words: str) -> str:  # noqa: ANN401
    """Words of a text; raised figures in brackets where they lead to a note, else as such:
    "1934[1]" and "5 m²", not "19341" and "5 m2".
    """
    if not words.strip().isdigit() or not words.isascii():
        return words
    around = [text.parent, getattr(text.parent, "parent", None)]
    if "sup" not in map(_tag, around):
        return words
    links = any(
        _tag(node) == "a" and str(node.attrs.get("href")).startswith("#") for node in around
    )
    return f"[{words.strip()}]" if links else words.translate(_RAISED)


def _tag(node: Any) -> str:  # noqa: ANN401
    return getattr(node, "tag", None) or ""


def _hidden(node: Any) -> bool:  # noqa: ANN401
    attributes = getattr(node, "attrs", None) or {}
    hidden = "hidden" in attributes and attributes["hidden"] != "until-found"
    style = (attributes.get("style") or "").replace(" ", "").lower()
    return hidden or _tag(node) in _HIDDEN or "display:none" in style


def _words(root: Any, *, lines: bool = False) -> str:  # noqa: ANN401
    """Text of an element, in one line unless `lines`."""
    parts: list[str] = []
    nodes: list[Any] = [root]
    while nodes:
        node = nodes.pop()
        tag = _tag(node)
        if isinstance(node, str | turbohtml.Text):
            parts.append(node if isinstance(node, str) else _raised(node, node.data))
        elif node is root or not _hidden(node):
            parts.append(_inline(node, tag))
            if not lines and (tag in _BLOCKS or tag in _HEADINGS or tag == "pre"):
                parts.append(" ")
                nodes.append(" ")  # after it, too
            nodes += reversed(list(getattr(node, "children", ())))
    text = "".join(parts)
    return text if lines else " ".join(text.split())


def _is_layout(table: Any) -> bool:  # noqa: ANN401
    """Whether a table only places things on the page: there are tables or headings in its cells."""
    return any(_tag(node) == "table" or _tag(node) in _HEADINGS for node in table.descendants)


def _number(value: object, default: int) -> int:
    text = str(value or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else default
