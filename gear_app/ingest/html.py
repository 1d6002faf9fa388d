"""A web page to a title and a text laid out as a browser shows it.

lxml, not an HTML5 tree builder: those follow the standard into memory and time that grow with the
square of the nesting (60 kB of unclosed elements took 1.8 GB), libxml2 stops at a depth of 256.
"""

from __future__ import annotations

import re
from typing import Any

from lxml import etree

from gear_app.errors import Refused
from gear_app.ingest.decode import decode
from gear_app.ingest.documents import Extracted

_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_DROPPED = _set("script style nav noscript template svg iframe object head select button")
_LINES = _set("br li tr dt dd option caption")
_BLOCKS = _set(
    "address article aside blockquote body center details div dl figcaption figure footer form h1"
    " h2 h3 h4 h5 h6 header hr main ol p pre section summary table ul"
)
_DEEPEST = 250  # the parser gives up at 256; a page that deep is an attack or broken
_PARAGRAPH, _NEW_LINE = "\x1e", "\x1f"


def read_html(content: bytes, title: str) -> Extracted:
    """A page without scripts, styles and navigation; the title is `<title>`, else the first
    `<h1>`.
    """
    root = _tree(content)
    if root is None:
        return Extracted(title, "")
    text = _laid_out("".join(_words(root)))
    named = (" ".join("".join(element.itertext()).split()) for element in root.iter("title", "h1"))
    return Extracted(next(filter(None, named), title), text)


def _tree(content: bytes) -> Any:  # noqa: ANN401
    parser = etree.HTMLParser(
        recover=True,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    parser.feed(_html_text(content).encode())
    return parser.close()


def _html_text(content: bytes) -> str:
    declared = _CHARSET.search(content, 0, 2048)
    return decode(content, declared[1].decode("ascii", "replace") if declared else "")


def _words(root: Any) -> list[str]:  # noqa: ANN401
    pieces: list[str] = []
    depth = 0
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        depth += 1 if event == "start" else -1
        if depth > _DEEPEST:
            raise Refused(f"the page's elements are nested more than {_DEEPEST} deep")
        pieces.append(_break(element.tag, event))
        if event == "end":
            pieces.append(element.tail or "")
        elif element.tag in _DROPPED:
            walk.skip_subtree()
        else:
            pieces.append(element.text or "")
    return pieces


def _break(tag: str, event: str) -> str:
    if tag in _BLOCKS:
        return _PARAGRAPH
    if tag in ("td", "th"):
        return " " if event == "start" else " | "
    return _NEW_LINE if tag in _LINES else ""


def _laid_out(text: str) -> str:
    """White space as a browser shows it: runs are one space, blocks stand apart, rows and items
    have their lines.
    """

    def shown(run: re.Match[str]) -> str:
        return "\n\n" if _PARAGRAPH in run[0] else "\n" if _NEW_LINE in run[0] else " "

    return re.sub(
        rf"[\s\xa0{_PARAGRAPH}{_NEW_LINE}]+",
        shown,
        re.sub(rf" \|[ \n]*(?=[{_PARAGRAPH}{_NEW_LINE}])", "", text),
    ).strip()
