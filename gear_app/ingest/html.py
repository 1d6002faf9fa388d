"""A web page to blocks: what a browser would show of it.

The page's tree is turbohtml's, which takes time in proportion to a page's length, however it is
nested. One walk over it decides what is a heading, an item, a row; readers of
Markdown and Word give their HTML to the same walk. It does not recurse: pages nest as they like.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import turbohtml

from gear_app.errors import Refused
from gear_app.ingest.archive import megabytes
from gear_app.ingest.batch import MEGABYTE
from gear_app.ingest.blocks import BlockKind, ReadDocument, shown
from gear_app.ingest.decode import Decoded, decoded

MOST_BYTES, MOST_TAGS = 14 * MEGABYTE, 1_000_000
_CHARSET = re.compile(rb"(?:charset|<\?xml[^>]{0,200}? encoding)\s*=\s*[\"']?([\w-]+)", re.I)
_IS_XML = re.compile(r"\A\s*<\?xml|<html[^>]{0,500}\sxmlns\s*=")
# In XML any element may end in its own tag; HTML takes such a tag as the start of one.
_EMPTY = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    r"([A-Za-z][\w:-]*+)((?:[^<>\"'/]|/(?!>)|\"[^\"<]*+\"|'[^'<]*+')*+)/>",
    re.IGNORECASE,
)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Elements that are not shown, with all that is in them.
_HIDDEN = _set("nav noscript template svg object head select button script style iframe title rp")
_BLOCKS = _set(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset"
    " figcaption figure footer form header hr html legend li main ol optgroup option p section"
    " summary table tbody td tfoot th thead tr ul"
)
ELEMENTS = (
    _HIDDEN
    | _BLOCKS
    | _set(
        "a abbr acronym area audio b base bdi bdo big br canvas center cite code col colgroup data"
        " datalist del dfn em embed font h1 h2 h3 h4 h5 h6 html i img input ins kbd label link map"
        " mark meta meter output picture pre progress q rb rt rtc ruby s samp slot small source"
        " span strike strong sub sup time tt u var video wbr"
    )
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
# What Word's paragraphs become that HTML has no element for: an item after its number, and a note.
ITEM, NOTE = "x-item", "x-note"
NUMBER = "x-number"  # of an item of a PDF file
_PLAIN_ITEM = re.compile(rf"{ITEM}\d")
_WHITE = re.compile(r"\s+")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_MOST_ROWS, _MOST_COLUMNS = 1_000, 100  # that a cell goes on for
_MOST_REPEATED = 1_000_000  # cells of a page that are in it once more
_SHORT = 100  # characters of a cell that is said in all of its columns
_NOTE = re.compile(r"(?:footnote|endnote|fn)-?\d+")
_BACK = re.compile(r"#(?:footnote|endnote|fn)-?ref")  # a note's way back into the text


class _Item:
    """A list item that is open: its number, whether it is a note, and which block holds it."""

    def __init__(self, number: str, *, note: bool) -> None:
        self.number, self.note, self.block = number, note, -1


def read_html(content: bytes) -> ReadDocument:
    """What a page shows, without scripts, styles and navigation. Raises Refused for more than
    MOST_BYTES or MOST_TAGS.
    """
    _admit(len(content))
    page = page_of(content)
    return add_html(ReadDocument(notes=[page.note] if page.note else []), page.text)


def page_of(content: bytes, *, xml: bool = False) -> Decoded:
    """A page's text, in the encoding that it declares; of XHTML, which it says or `xml` does,
    elements that end in their own tag have an end tag.
    """
    declared = _CHARSET.search(content, 0, 2048)
    page = decoded(content, declared[1].decode("ascii", "replace") if declared else "")
    xml = xml or _IS_XML.search(page.text, 0, 2048) is not None
    return page._replace(text=_EMPTY.sub(r"<\1\2></\1>", page.text)) if xml else page


def add_html(document: ReadDocument, page: str) -> ReadDocument:
    """Add a page's blocks to a document, and its title, where that has none. Raises Refused."""
    _admit(len(page))
    if page.count("<") > MOST_TAGS:
        raise Refused(f"the page has more than {MOST_TAGS:,} tags; split it")
    tree = turbohtml.parse(page, positions=False)
    titles = (node for node in tree.descendants if _tag(node) == "title")
    title = next((node for node in titles if _tag(node.parent) != "svg"), None)
    if title is not None and not document.title:
        document.title = _words_of(title)
    _Walk(document).over(tree)
    return document


def _admit(size: int) -> None:
    if size > MOST_BYTES:
        raise Refused(f"the page has more than {megabytes(MOST_BYTES)}; split it")


class _Walk:
    """Goes over a tree and adds a block for each that is shown."""

    def __init__(self, document: ReadDocument) -> None:
        self._document = document
        self._words: list[str] = []  # of the block that is open
        self._items: list[_Item] = []
        self._term: list[str] = []  # of a list of definitions, waiting for what it means
        self._numbers: dict[int, int] = {}  # the last one of each ordered list
        self._repeats = _MOST_REPEATED

    def over(self, root: Any) -> None:  # noqa: ANN401
        """Add everything that is in `root`."""
        steps = [(root, False)]  # a node, and whether the walk leaves it
        while steps:
            node, leaves = steps.pop()
            if leaves:
                self._leave(_tag(node))
            elif isinstance(node, turbohtml.Text):
                self._words.append(_raised(node, _WHITE.sub(" ", node.data)))
            elif hasattr(node, "children") and not _hidden(node) and not self._whole(node):
                self._enter(node)
                steps.append((node, True))
                steps += ((child, False) for child in reversed(list(node.children)))
        self._end()

    def _whole(self, node: Any) -> bool:  # noqa: ANN401
        """Add what is read at once; whether it was such."""
        tag = _tag(node)
        if tag == "br":
            self._words.append("\n")
        elif tag == "img":
            self._words.append(f" {node.attrs.get('alt') or ''} ")
        elif tag == "input" and node.attrs.get("type") == "checkbox":
            self._words.append("[x] " if "checked" in node.attrs else "[ ] ")
        elif tag in _HEADINGS:
            self._end()
            self._document.add(BlockKind.HEADING, _words_of(node), level=_HEADINGS[tag])
        elif _PLAIN_ITEM.fullmatch(tag):
            self._end()
            number, _, text = _words_of(node).partition(" ")
            self._document.add(BlockKind.ITEM, text, level=int(tag[len(ITEM) :]), number=number)
        elif tag == NOTE:
            self._end()
            self._document.add(BlockKind.NOTE, _words_of(node))
        elif tag == "pre":
            self._end()
            self._document.add(BlockKind.CODE, _words_of(node, as_it_is=True))
        elif tag == "table" and not _is_layout(node):
            self._end()
            for caption in (one for one in node.children if _tag(one) == "caption"):
                self._document.add(BlockKind.PARAGRAPH, _words_of(caption))
            self._document.add_table(list(self._rows(node)))
        else:
            return tag == "a" and _BACK.match(node.attrs.get("href") or "") is not None
        return True

    def _rows(self, table: Any) -> Iterator[tuple[list[str], bool]]:  # noqa: ANN401
        """A table's rows, each its cells and whether it names the columns. A cell of several rows
        or columns is in all of them; one that is a row for itself, or long, is in the first.
        """
        spanning: dict[int, tuple[int, str]] = {}  # by column: for how many rows more, and what
        for row in (node for node in table.descendants if _tag(node) == "tr"):
            cells: list[str] = []
            own = [cell for cell in row.children if _tag(cell) in ("td", "th")]
            for cell in own:
                _spanned(cells, spanning)
                text = _words_of(cell)
                rows = min(_number(cell.attrs.get("rowspan"), 1), _MOST_ROWS) or 1
                columns = min(_number(cell.attrs.get("colspan"), 1), _MOST_COLUMNS) or 1
                columns = columns if len(own) > 1 else 1
                if rows * columns - 1 > self._repeats:
                    rows = columns = 1
                self._repeats -= rows * columns - 1
                others = text if len(text) <= _SHORT else ""
                for said in [text, *[others] * (columns - 1)]:
                    if rows > 1:
                        spanning[len(cells)] = rows - 1, said
                    cells.append(said)
            _spanned(cells, spanning)
            yield cells, bool(own) and all(_tag(cell) == "th" for cell in own)

    def _enter(self, node: Any) -> None:  # noqa: ANN401
        tag = _tag(node)
        if tag in _BLOCKS:
            self._end(term=tag == "dt")
        if tag == "li":
            self._items.append(self._item(node))

    def _item(self, node: Any) -> _Item:  # noqa: ANN401
        if NUMBER in node.attrs:
            return _Item(node.attrs[NUMBER] or "", note=False)
        note = _NOTE.fullmatch(node.attrs.get("id") or "") is not None
        ordered = node.parent
        if _tag(ordered) != "ol":
            return _Item("", note=note)
        before = self._numbers.get(id(ordered), _number(ordered.attrs.get("start"), 1) - 1)
        number = self._numbers[id(ordered)] = _number(node.attrs.get("value"), before + 1)
        return _Item(f"[{number}]" if note else f"{number}.", note=note)

    def _leave(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._end(term=tag == "dt", meaning=tag == "dd")
        if tag == "li" and self._items:
            self._items.pop()
        if tag == "dl":
            self._meant("")

    def _end(self, *, term: bool = False, meaning: bool = False) -> None:
        """Close the block that is open."""
        text, self._words = "".join(self._words), []
        if not text.strip():
            return
        if term:
            self._term.append(text)
        elif meaning and self._term:
            self._meant(text)
        elif self._items:
            self._meant("")
            self._of_item(text, self._items[-1])
        else:
            self._meant("")
            self._document.add(BlockKind.PARAGRAPH, text)

    def _of_item(self, text: str, item: _Item) -> None:
        """Add the words of an item: the first with its number, others right after them to them."""
        blocks = self._document.blocks
        if item.block < 0:
            kind = BlockKind.NOTE if item.note else BlockKind.ITEM
            level = 0 if item.note else len(self._items) - 1
            self._document.add(kind, _line(text), level=level, number=item.number)
            item.block = len(blocks) - 1
        elif item.block == len(blocks) - 1:
            blocks[-1] = replace(blocks[-1], text=f"{blocks[-1].text} {_line(text)}".strip())
        else:
            self._document.add(BlockKind.PARAGRAPH, text)

    def _meant(self, text: str) -> None:
        """Add the terms that wait, with what they mean, or as they are."""
        terms, self._term = " / ".join(" ".join(term.split()) for term in self._term), []
        if terms and text:
            self._document.add_pair(terms, text)
        elif terms:
            self._document.add(BlockKind.PARAGRAPH, terms)


def _raised(text: Any, words: str) -> str:  # noqa: ANN401
    """The words of a text; small raised figures as such, and in brackets where they lead to a note:
    "1934[1]" and "5 m²", not "19341" and "5 m2".
    """
    if not words.strip().isdigit() or not words.isascii():
        return words
    around = [text.parent, getattr(text.parent, "parent", None)]
    if "sup" not in map(_tag, around):
        return words
    leads = any(_tag(one) == "a" and str(one.attrs.get("href")).startswith("#") for one in around)
    return f"[{words.strip()}]" if leads else words.translate(_RAISED)


def _line(text: str) -> str:
    return " ".join(shown(text).split())


def _tag(node: Any) -> str:  # noqa: ANN401
    return getattr(node, "tag", None) or ""


def _is_block(tag: str) -> bool:
    return tag in _BLOCKS or tag == "pre" or tag in _HEADINGS or tag.startswith((ITEM, NOTE))


def _hidden(node: Any) -> bool:  # noqa: ANN401
    attributes = getattr(node, "attrs", None) or {}
    if "hidden" in attributes and attributes["hidden"] != "until-found":
        return True
    style = attributes.get("style") or ""
    return _tag(node) in _HIDDEN or "display:none" in style.replace(" ", "").lower()


def _words_of(root: Any, *, as_it_is: bool = False) -> str:  # noqa: ANN401
    """What an element says, in one line unless `as_it_is`."""
    parts: list[str] = []
    nodes: list[Any] = [root]
    while nodes:
        node = nodes.pop()
        tag = _tag(node)
        if isinstance(node, str | turbohtml.Text):
            parts.append(node if isinstance(node, str) else _raised(node, node.data))
        elif node is root or not _hidden(node):
            if tag == "br":
                parts.append("\n")
            elif tag == "img":
                parts.append(f" {node.attrs.get('alt') or ''} ")
            elif not as_it_is and _is_block(tag):
                parts.append(" ")
                nodes.append(" ")  # after it, too
            nodes += reversed(list(getattr(node, "children", ())))
    text = "".join(parts)
    return text if as_it_is else " ".join(text.split())


def _is_layout(table: Any) -> bool:  # noqa: ANN401
    """Whether a table only places things on the page: there are tables or headings in its cells."""
    return any(_tag(node) == "table" or _tag(node) in _HEADINGS for node in table.descendants)


def _spanned(cells: list[str], spanning: dict[int, tuple[int, str]]) -> None:
    """Add the cells that go on from rows above, at the place that the row is at."""
    while len(cells) in spanning:
        more, text = spanning.pop(len(cells))
        if more > 1:
            spanning[len(cells)] = more - 1, text
        cells.append(text)


def _number(value: object, otherwise: int) -> int:
    text = str(value or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else otherwise
