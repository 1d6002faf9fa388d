"""Web pages, which Markdown, Word files and books are read through, too, and mails.

The walk over turbohtml's tree does not recurse: pages nest as they like.
"""

from __future__ import annotations

import email
import email.policy
import itertools
import re
from collections.abc import Iterator
from typing import Any

import turbohtml

from gear_app.core.errors import BadInput
from gear_app.core.text import storable
from gear_app.documents.blocks import ReadDocument, visible
from gear_app.documents.formats import document_format
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
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog div dl dt fieldset"
    " figcaption figure footer form header hr html legend li main ol optgroup option p pre section"
    " summary table tbody td tfoot th thead tr ul".split()
) | set(_HEADINGS)
_LAYOUT = "table, h1, h2, h3, h4, h5, h6"  # in tables that only place things on a page
_HEADERS = ("from", "subject", "date", "content-type")  # one of which every mail has
_BLANK = re.compile(r"\n\s*\n")
_WHITE = re.compile(r"\s+")
_LINE = turbohtml.PlainText(layout="strict", images=True, bullet="")


@document_format("a web page", ".html", ".htm", ".xhtml")
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
        self._block: dict[str, Any] = {}  # what the next text is: a paragraph
        self._lists: list[Iterator[int] | None] = []  # open: next numbers, None without numbers

    def over(self, root: Any) -> None:  # noqa: ANN401
        """Add all blocks in `root`."""
        steps = [(root, False)]  # a node, and whether the walk leaves it
        while steps:
            node, leaves = steps.pop()
            tag = getattr(node, "tag", None) or ""
            if tag in _BLOCKS:
                self._end()
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
        elif tag == "pre":
            self._document.add_code(node.text)
        elif tag == "table" and node.select_one(_LAYOUT) is None:
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
        if tag in _HEADINGS:
            self._block = {"kind": Kind.HEADING, "level": _HEADINGS[tag]}
        elif tag in ("ol", "ul"):
            start = node.attrs.get("start") or "1"
            first = int(start) if start.isdecimal() else 1
            self._lists.append(itertools.count(first) if tag == "ol" else None)
        elif tag == "li":
            numbers = self._lists[-1] if self._lists else None
            number = f"{next(numbers)}." if numbers else ""
            level = max(0, len(self._lists) - 1)
            self._block = {"kind": Kind.ITEM, "level": level, "number": number}

    def _leave(self, tag: str) -> None:
        if tag in _HEADINGS or tag == "li":
            self._block = {}
        elif tag in ("ol", "ul"):
            self._lists.pop()

    def _end(self) -> None:
        text, self._text = visible("".join(self._text)), []
        if text:
            line = " ".join(text.split()) if self._block else text
            self._document.add(**{"kind": Kind.PROSE, "text": line} | self._block)
            self._block = {}


def _line(node: Any) -> str:  # noqa: ANN401
    return " ".join(node.to_text(_LINE).split())


# Mails, and web pages saved in one file


@document_format("a saved web page", ".mhtml", ".mht")
@document_format("a mail", ".eml")
def read_mail(content: bytes) -> ReadDocument:
    """A mail or saved page: its subject as title, from whom to whom and when, and its text;
    attachments are counted. Raises BadInput for what is none.
    """
    message = email.message_from_bytes(content.lstrip(), policy=email.policy.default)
    if not any(name in message for name in _HEADERS):
        raise BadInput("it is not a mail: it has no headers; save it anew, as .eml")
    document = ReadDocument(title=str(message.get("subject", "")))
    for key in ("From", "To", "Date"):
        document.add_pair(key, str(message.get(key, "")))
    body = message.get_body(("html", "plain"))
    payload = body.get_payload(decode=True) if body is not None else b""
    assert isinstance(payload, bytes)
    if body is not None and body.get_content_subtype() == "html":
        add_html(document, payload)
    elif body is not None:
        text = payload.decode(body.get_content_charset() or "utf-8", "replace")
        for paragraph in _BLANK.split(storable(text)):
            document.add(Kind.PROSE, paragraph)
    if message.is_multipart():
        document.left_out["attachment"] = len(list(message.iter_attachments()))
    return document
