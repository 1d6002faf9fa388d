"""Web pages to blocks. Markdown, Word files, books and mails are read through it, too.

The walk over turbohtml's tree does not recurse: pages nest as they like.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import turbohtml

from gear_app.documents.blocks import ReadDocument, visible
from gear_app.language.blocks import Kind

# In XML any element may end in its own tag; HTML takes such a tag as the start of one.
_EMPTY = re.compile(
    rb"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    rb"([A-Za-z][\w:-]*+)((?:[^<>\"'/]|/(?!>)|\"[^\"<]*+\"|'[^'<]*+')*+)/>",
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
_WHITE = re.compile(r"\s+")
_LINE = turbohtml.PlainText(layout="strict", images=True, bullet="")


def read_html(content: bytes) -> ReadDocument:
    """A page, without scripts, styles and navigation, in the encoding it declares or a guess."""
    document = ReadDocument()
    add_html(document, content)
    return document


def add_html(document: ReadDocument, page: str | bytes) -> None:
    """Add the blocks of a page, and its title where the document has none."""
    if isinstance(page, bytes) and (b"xmlns=" in page[:2000] or b"<?xml" in page[:100]):
        page = _EMPTY.sub(rb"<\1\2></\1>", page)
    tree = turbohtml.parse(page, positions=False, detect_encoding=True)
    title = tree.select_one("title:not(svg title)")
    if title is not None and not document.title:
        document.title = _line(title)
    tree.remove(_HIDDEN)
    _Walk(document).over(tree)


class _Walk:
    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self._text: list[str] = []  # of the current block
        self._number: str | None = None  # of an item whose text comes next
        self._lists: list[Iterator[int] | None] = []  # open: next numbers, None without numbers

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
        elif tag in _HEADINGS:
            self._end()
            self._document.add(Kind.HEADING, _line(node), level=_HEADINGS[tag])
        elif tag == "pre":
            self._end()
            self._document.add_code(node.text)
        elif tag == "table" and node.select_one(_LAYOUT) is None:
            self._end()
            for caption in node.select("caption"):
                self._document.add(Kind.PROSE, _line(caption))
            for part in node.select("br, div, li, p"):
                part.insert_before(turbohtml.Text(" "))
            first = node.select_one("tr")
            head = first is not None and first.select_one("td") is None
            self._document.add_table(node.rows(), head=head)
        else:
            return False
        return True

    def _enter(self, node: Any, tag: str) -> None:  # noqa: ANN401
        if tag in _BLOCKS:
            self._end()
        if tag in ("ol", "ul"):
            start = node.attrs.get("start") or "1"
            first = int(start) if start.isdecimal() else 1
            self._lists.append(itertools.count(first) if tag == "ol" else None)
        elif tag == "li":
            numbers = self._lists[-1] if self._lists else None
            self._number = f"{next(numbers)}." if numbers else ""

    def _leave(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._end()
        if tag in ("ol", "ul"):
            self._lists.pop()

    def _end(self) -> None:
        text, self._text = visible("".join(self._text)), []
        if text and self._number is not None:
            line, level = " ".join(text.split()), max(0, len(self._lists) - 1)
            self._document.add(Kind.ITEM, line, level=level, number=self._number)
            self._number = None
        else:
            self._document.add(Kind.PROSE, text)


def _line(node: Any) -> str:  # noqa: ANN401
    return " ".join(node.to_text(_LINE).split())
