"""Web pages, which Markdown, Word files and books are read through, too, and mails.

The walk over turbohtml's tree does not recurse: pages nest as they like.
"""

from __future__ import annotations

import email
import email.policy
import itertools
import re
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

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
_LINE = turbohtml.PlainText(layout="strict", images=True, bullet="")


@document_format("a web page", ".html", ".htm", ".xhtml")
def read_html(content: bytes) -> ReadDocument:
    """A page, without scripts, styles and navigation, in the encoding it declares or a guess."""
    return add_html(ReadDocument(), content)


def add_html(document: ReadDocument, page: str | bytes) -> ReadDocument:
    """The document with the blocks of a page, and its title where the document has none."""
    if isinstance(page, bytes) and (b"xmlns=" in page[:2000] or b"<?xml" in page[:100]):
        page = _EMPTY.sub(rb"<\1\2></\1>", page)
    tree = turbohtml.parse(page, positions=False, detect_encoding=True)
    title = tree.select_one("title:not(svg title)")
    if title is not None and not document.title:
        document.title = _line(title)
    tree.remove(_HIDDEN)
    for place, group in itertools.groupby(_pieces(tree), key=lambda piece: piece[0]):
        pieces = [piece for _, piece in group]
        if getattr(pieces[0], "tag", "") == "pre":
            document.add_code(pieces[0].text)
        elif not isinstance(pieces[0], str):
            _add_table(document, pieces[0])
        elif text := visible("".join(pieces)):
            line = " ".join(text.split()) if place.block else text
            document.add(**{"kind": Kind.PROSE, "text": line} | place.block)
            place.block.clear()
    return document


class _Place(NamedTuple):
    """Place of a node in a page: the number of the block it is in, what the next text of that is
    ({} for a paragraph), and the level and the next numbers of the list it is in.
    """

    number: int
    block: dict[str, Any]
    level: int = -1
    numbers: Iterator[int] | None = None


def _pieces(root: Any) -> Iterator[tuple[_Place, Any]]:  # noqa: ANN401
    """Texts of a page and their places, in order; code and tables as elements."""
    number = itertools.count(1)
    steps = [(root, _Place(0, {}))]
    while steps:
        node, place = steps.pop()
        tag = getattr(node, "tag", None) or ""
        if isinstance(node, turbohtml.Text):
            yield place, re.sub(r"\s+", " ", node.data)
        elif tag in ("br", "img"):
            yield place, "\n" if tag == "br" else f" {node.attrs.get('alt') or ''} "
        elif tag == "pre" or (
            tag == "table" and node.select_one("table, h1, h2, h3, h4, h5, h6") is None
        ):
            yield _Place(next(number), {}), node
        elif hasattr(node, "children"):
            if tag in _BLOCKS:
                place = _inside(node, tag, place._replace(number=next(number)))
                yield place, ""
            steps += ((child, place) for child in reversed(list(node.children)))


def _inside(node: Any, tag: str, place: _Place) -> _Place:  # noqa: ANN401
    if tag in _HEADINGS:
        return place._replace(block={"kind": Kind.HEADING, "level": _HEADINGS[tag]})
    if tag == "li":
        number = f"{next(place.numbers)}." if place.numbers else ""
        block = {"kind": Kind.ITEM, "level": max(0, place.level), "number": number}
        return place._replace(block=block)
    if tag in ("ol", "ul"):
        start = node.attrs.get("start") or "1"
        numbers = itertools.count(int(start) if start.isdecimal() else 1)
        return place._replace(level=place.level + 1, numbers=numbers if tag == "ol" else None)
    return place


def _add_table(document: ReadDocument, node: Any) -> None:  # noqa: ANN401
    for caption in node.select("caption"):
        document.add(Kind.PROSE, _line(caption))
    for part in node.select("br, div, li, p"):
        part.insert_before(turbohtml.Text(" "))
    first = node.select_one("tr")
    document.add_table(node.rows(), head=first is not None and first.select_one("td") is None)


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
    if not any(name in message for name in ("from", "subject", "date", "content-type")):
        raise BadInput("it is not a mail: it has no headers; save it anew, as .eml")
    document = ReadDocument(title=str(message.get("subject", "")))
    for key in ("From", "To", "Date"):
        document.add_pair(key, str(message.get(key, "")))
    body = message.get_body(("html", "plain"))
    payload = cast("bytes", body.get_payload(decode=True)) if body is not None else b""
    if body is not None and body.get_content_subtype() == "html":
        add_html(document, payload)
    elif body is not None:
        text = payload.decode(body.get_content_charset() or "utf-8", "replace")
        for paragraph in re.split(r"\n\s*\n", storable(text)):
            document.add(Kind.PROSE, paragraph)
    if message.is_multipart():
        document.left_out["attachment"] = len(list(message.iter_attachments()))
    return document
