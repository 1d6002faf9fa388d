"""A book (.epub) to blocks: its chapters are web pages, in the order that the book states."""

from __future__ import annotations

import posixpath
import zipfile
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from lxml import etree

from gear_app.errors import BadInput, Refused
from gear_app.ingest import archive
from gear_app.ingest.archive import broken
from gear_app.ingest.blocks import ReadDocument
from gear_app.ingest.html import MOST_BYTES, add_html, page_of

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")


class _Item(NamedTuple):
    """A file of the book: where it is, its type, and whether it is a list of the book's parts."""

    path: str
    type: str
    contents: bool


def read_book(content: bytes) -> ReadDocument:
    """The chapters of a book, without its lists of contents. Raises BadInput where it is broken or
    protected, Refused where a part is too large.
    """
    document = ReadDocument()
    try:
        with zipfile.ZipFile(BytesIO(content)) as opened:
            _read(document, opened)
    except (*archive.DAMAGE, LookupError, etree.LxmlError) as error:
        raise broken("book") from error
    return document


def _read(document: ReadDocument, opened: zipfile.ZipFile) -> None:
    path = _all(_xml(opened, _CONTAINER), "rootfile")[0].get("full-path", "")
    package = _xml(opened, path)
    title = _texts(package, "title")[:1]
    document.title = stated = title[0] if title else " "  # no chapter's title is the book's
    document.add_pair("Author", ", ".join(_texts(package, "creator")))
    protected = _protected(opened)
    for item in _chapters(package, posixpath.dirname(path)):
        if item.contents:
            continue
        if item.path in protected:
            raise BadInput("the book is protected against copying; only one without that is read")
        if item.type not in _PAGES:
            document.left_out["picture" if item.type.startswith("image/") else "part"] += 1
        elif item.path not in opened.namelist():
            document.left_out["missing chapter"] += 1
        else:
            add_html(document, page_of(_bytes(opened, item.path), xml=True).text)
    document.title = stated.strip()


def _chapters(package: Any, folder: str) -> list[_Item]:  # noqa: ANN401
    """The book's files in the order of reading, each once."""
    contents = {
        _place(folder, reference.get("href", ""))
        for reference in _all(package, "reference")
        if reference.get("type") == "toc"
    }
    items: dict[str, _Item] = {}
    for node in _all(package, "item"):
        path = _place(folder, node.get("href", ""))
        lists = "nav" in node.get("properties", "").split() or path in contents
        items[node.get("id", "")] = _Item(path, node.get("media-type", ""), lists)
    order = (items.get(node.get("idref", "")) for node in _all(package, "itemref"))
    return list({item.path: item for item in order if item}.values())


def _place(folder: str, reference: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(urlsplit(reference).path)))


def _protected(opened: zipfile.ZipFile) -> set[str]:
    """The files that cannot be read without a key."""
    if _ENCRYPTION not in opened.namelist():
        return set()
    references = _all(_xml(opened, _ENCRYPTION), "CipherReference")
    return {_place("", node.get("URI", "")) for node in references}


def _bytes(opened: zipfile.ZipFile, name: str) -> bytes:
    info = opened.getinfo(name)
    if info.file_size > MOST_BYTES:
        raise Refused(
            f"{name} in the book takes {archive.megabytes(info.file_size)}; at most"
            f" {archive.megabytes(MOST_BYTES)} are taken"
        )
    return b"".join(archive.pieces(opened, info))


def _xml(opened: zipfile.ZipFile, name: str) -> Any:  # noqa: ANN401
    """A part of the book that says what there is in it."""
    root = archive.xml(_bytes(opened, name))
    declared = root.getroottree().docinfo.internalDTD
    if declared is not None and any(True for _ in declared.iterentities()):
        raise BadInput("the book declares entities, which books do not; make it anew with Calibre")
    return root


def _all(root: Any, name: str) -> list[Any]:  # noqa: ANN401
    """The elements of a name, whatever their namespace."""
    return list(root.iter(f"{{*}}{name}"))


def _texts(root: Any, name: str) -> list[str]:  # noqa: ANN401
    texts = (" ".join("".join(node.itertext()).split()) for node in _all(root, name))
    return [text for text in texts if text]
