"""Books (.epub) to blocks: their chapters are web pages, in the order of reading."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from lxml import etree

from gear_app.errors import BadInput
from gear_app.ingest.blocks import ReadDocument
from gear_app.ingest.files import DAMAGE, broken, parse_xml
from gear_app.ingest.html import add_html, page_text

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")


def read_book(content: bytes) -> ReadDocument:
    """Chapters of a book, without its tables of contents. Raises BadInput where it is broken or
    protected.
    """
    document = ReadDocument()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _add_chapters(document, archive)
    except (*DAMAGE, LookupError, etree.LxmlError) as error:
        raise broken("book") from error
    return document


def _add_chapters(document: ReadDocument, archive: zipfile.ZipFile) -> None:
    path = _all(parse_xml(archive.read(_CONTAINER)), "rootfile")[0].get("full-path", "")
    package = parse_xml(archive.read(path))
    title = next(iter(_texts(package, "title")), "")
    document.title = title or " "  # no chapter's title is the book's
    document.add_pair("Author", ", ".join(_texts(package, "creator")))
    protected = b""
    if _ENCRYPTION in archive.namelist():
        protected = archive.read(_ENCRYPTION)
    for place, kind in dict.fromkeys(_chapters(package, posixpath.dirname(path))):
        if place.encode() in protected:
            raise BadInput("the book is protected against copying; only one without that is read")
        if kind not in _PAGES:
            document.left_out["picture" if kind.startswith("image/") else "part"] += 1
        elif place not in archive.namelist():
            document.left_out["missing chapter"] += 1
        else:
            add_html(document, page_text(archive.read(place), xml=True)[0])
    document.title = title.strip()


def _chapters(package: Any, folder: str) -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Place and type of the book's files in the order of reading, without lists of contents."""
    lists = {
        _place(folder, reference.get("href", ""))
        for reference in _all(package, "reference")
        if reference.get("type") == "toc"
    }
    items = {node.get("id", ""): node for node in _all(package, "item")}
    for reference in _all(package, "itemref"):
        node = items.get(reference.get("idref", ""))
        if node is not None and "nav" not in node.get("properties", "").split():
            place = _place(folder, node.get("href", ""))
            if place not in lists:
                yield place, node.get("media-type", "")


def _place(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(urlsplit(reference).path)))


def _all(root: Any, name: str) -> list[Any]:  # noqa: ANN401
    """Elements with a name, of any namespace."""
    return list(root.iter(f"{{*}}{name}"))


def _texts(root: Any, name: str) -> list[str]:  # noqa: ANN401
    texts = (" ".join("".join(node.itertext()).split()) for node in _all(root, name))
    return [text for text in texts if text]
