"""A web page to a title and a text laid out as a browser shows it.

What a page says takes no attributes and no tree of elements, so there is none: its markup is found
by one pattern that looks at every character a fixed number of times, and what shows is kept.
Parsers that build a tree take the square of a page's length for some pages (docs/decisions/0023).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from gear_app.errors import Refused
from gear_app.ingest.archive import megabytes
from gear_app.ingest.batch import MEGABYTE
from gear_app.ingest.contents import admit
from gear_app.ingest.decode import decode
from gear_app.ingest.documents import DocumentText, stated_title

MOST_BYTES, MOST_TAGS = 32 * MEGABYTE, 1_000_000
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
# As the HTML standard has it (section 13.2.5), what is never closed goes on to the page's end.
_MARKUP = re.compile(
    r"""
      <!--(?:-?>|.*?(?:--!?>|\Z))             # a comment
    | <(?:[!?]|/(?![a-zA-Z]))[^>]*+>?         # a declaration, or what counts as a comment
    | <(?P<end>/?)(?P<name>[a-zA-Z][^\s/>]*+) # a tag, and its attributes: `>` may be in quotes
      (?:[^>"'=]++|=\s*+(?:"[^"]*+"?|'[^']*+'?)?|["'])*+
      >?
    """,
    re.VERBOSE | re.DOTALL,
)
_REFERENCE = re.compile(r"&(?:#\d{1,10}|#[xX][0-9a-fA-F]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,31});?")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# Elements that hold text only, up to their end tag, and those of them that are not shown.
_RAW = _set("script style iframe textarea title xmp")
_RAW_HIDDEN = _set("script style iframe")
# Elements that are not shown, with all that is in them.
_HIDDEN = _set("nav noscript template svg object head select button")
_IN_HEAD = _set("base basefont bgsound link meta noscript template")
_LINES = _set("br li tr dt dd option caption")
_BLOCKS = _set(
    "address article aside blockquote body center details div dl figcaption figure footer form h1"
    " h2 h3 h4 h5 h6 header hr main nav ol p pre section summary table ul"
)
_CELLS = _set("td th")
# Elements whose end is also the end of all that is open in them.
_NESTING = {
    name: name
    for name in (_HIDDEN | _BLOCKS | _LINES | _CELLS | _set("html tbody thead tfoot"))
    - _set("p br hr")
}
_CELL, _PARAGRAPH, _NEW_LINE = "\x1d", "\x1e", "\x1f"
# About 100,000 characters between two runs of white space: replacing takes memory for every run.
_SOME = re.compile(r"(?s:.{1,100000}+)\s*+\S*+")
_SPACE = re.compile(r"\s{2,}|[^\S ]")  # white space that is not one blank; \s has all three


class _Piece(NamedTuple):
    """Text where `name` is "", the page's title with its text, or a tag."""

    name: str
    text: str = ""
    ends: bool = False
    empty: bool = False


def read_html(content: bytes, title: str) -> DocumentText:
    """A page without scripts, styles and navigation; the title is `<title>`, else the first
    `<h1>` with text. Raises Refused for more than MOST_BYTES or MOST_TAGS.
    """
    if len(content) > MOST_BYTES:
        raise Refused(f"the page has more than {megabytes(MOST_BYTES)}; split it")
    shown = _shown(_html_text(content))
    heading = " ".join("".join(shown.heading).split())
    return DocumentText(
        stated_title(shown.title) or heading or title, _laid_out("".join(shown.pieces))
    )


def _shown(page: str) -> _Shown:
    if page.count("<") > MOST_TAGS:
        raise Refused(f"the page has more than {MOST_TAGS:,} tags; split it")
    shown = _Shown()
    for piece in _pieces(page):
        if not piece.name:
            shown.text(piece.text)
        elif piece.name == "title":
            shown.name(piece.text)
        elif piece.ends:
            shown.end(piece.name)
        else:
            shown.start(piece.name, empty=piece.empty)
    return shown


class _Shown:
    """What a browser would show of the tags and texts that it is told, in their order."""

    def __init__(self) -> None:
        self.title = ""
        self.heading: list[str] = []  # what the first h1 with text says
        self.pieces: list[str] = []
        self._open: list[str] = []
        self._number: Counter[str] = Counter()  # of open elements, by name
        self._hidden = 0  # of them, those that are not shown
        self._in_heading = False
        self._first_cell = True

    def name(self, title: str) -> None:
        """The title of the page, or of a picture in it."""
        if not self._hidden or self._open[-1] == "head":
            self.title = self.title or title

    def text(self, text: str) -> None:
        """Text between tags."""
        blank = text.isspace()
        if not blank:
            self._end_head()
        if not self._hidden:
            self.pieces.append(text)
            if self._in_heading and (self.heading or not blank):
                self.heading.append(text)

    def start(self, name: str, *, empty: bool) -> None:
        """A start tag; `empty`: it is its own end tag, too."""
        if name not in _IN_HEAD:
            self._end_head()
        if name == "h1" and not self.heading:
            self._in_heading = True
        self._part(name)
        if name in _CELLS and not self._hidden and not self._first_cell:
            self.pieces.append(_CELL)
        if name in _CELLS or name in ("table", "tr"):
            self._first_cell = name not in _CELLS
        if name in _NESTING and not empty:
            self._open.append(_NESTING[name])
            self._number[name] += 1
            self._hidden += name in _HIDDEN

    def end(self, name: str) -> None:
        """An end tag; one that ends nothing still parts lines or paragraphs, as in a browser."""
        if name == "h1":
            self._in_heading = False
        if self._number[name]:
            while self._close() != name:
                pass
        self._part(name)
        if name == "table":
            self._first_cell = False  # of the row around it, where it lies in a cell

    def _close(self) -> str:
        name = self._open.pop()
        self._number[name] -= 1
        self._hidden -= name in _HIDDEN
        return name

    def _end_head(self) -> None:
        """The head needs no end tag: it ends at what cannot be in it."""
        if self._open and self._open[-1] == "head":
            self._close()

    def _part(self, name: str) -> None:
        if not self._hidden:
            if name in _BLOCKS:
                self.pieces.append(_PARAGRAPH)
            elif name in _LINES:
                self.pieces.append(_NEW_LINE)


def _html_text(content: bytes) -> str:
    declared = _CHARSET.search(content, 0, 2048)
    return decode(content, declared[1].decode("ascii", "replace") if declared else "")


def _pieces(page: str) -> Iterator[_Piece]:
    """The page's tags and texts in their order; comments, declarations and scripts are left out."""
    place = 0
    while found := _MARKUP.search(page, place):
        if found.start() > place:
            yield _Piece("", _characters(page[place : found.start()]))
        place = found.end()
        name = (found["name"] or "").lower()
        empty = page[place - 2 : place] == "/>"
        if name not in _RAW:
            if name:
                yield _Piece(name, "", bool(found["end"]), empty)
        elif not found["end"] and not empty:
            start, place = place, _raw_end(page, name, place)
            if name not in _RAW_HIDDEN:
                text = _characters(page[start:place])
                yield _Piece("title" if name == "title" else "", text)
    yield _Piece("", _characters(page[place:]))


def _raw_end(page: str, name: str, place: int) -> int:
    found = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(page, place)
    return found.start() if found else len(page)


def _characters(text: str) -> str:
    """The text with its character references replaced: `&amp;`, `&#38;`."""
    return _REFERENCE.sub(lambda found: _character(found[0]), text) if "&" in text else text


_character = lru_cache(maxsize=10_000)(unescape)


def _laid_out(text: str) -> str:
    """White space as a browser shows it: runs are one space, blocks stand apart, rows and items
    have their lines, and bars stand between the cells of a row.
    """
    parts: list[str] = []
    characters = 0
    for some in _SOME.finditer(text):
        parts.append(_SPACE.sub(_gap, some[0]))
        characters += len(parts[-1])
        admit(characters)
    return "".join(parts).strip()


def _gap(run: re.Match[str]) -> str:
    space = run[0]
    lines = "\n\n" if _PARAGRAPH in space else "\n" if _NEW_LINE in space else ""
    if _CELL not in space:
        return lines or " "
    last_break = max(space.rfind(_PARAGRAPH), space.rfind(_NEW_LINE))
    bars = space.count(_CELL, last_break + 1)
    return lines + "| " * bars if lines else " |" * bars + " "
