"""Books: their chapters in the order of reading."""

from __future__ import annotations

from collections.abc import Mapping

from gear_app.documents.formats.office import read_book
from tests.documents.make import make_zip

_PAGE = "application/xhtml+xml"
_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)


def opf(items: str, order: str) -> bytes:
    spine = "".join(f'<itemref idref="{name}"/>' for name in order.split())
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>Lorn</dc:title><dc:creator>Ada Brandt</dc:creator>"
        f"<dc:creator>Tom Vane</dc:creator></metadata><manifest>{items}</manifest>"
        f"<spine>{spine}</spine></package>"
    ).encode()


def item(name: str, file: str, kind: str = _PAGE, more: str = "") -> str:
    return f'<item id="{name}" href="{file}" media-type="{kind}" {more}/>'


def book(package: bytes, files: Mapping[str, bytes]) -> bytes:
    return make_zip(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": _CONTAINER.encode(),
            "OEBPS/book.opf": package,
            **files,
        }
    )


def page(text: str) -> bytes:
    return f"<html><head><title>Part</title></head><body>{text}</body></html>".encode()


def test_chapters_come_in_the_order_of_reading_without_lists_of_contents() -> None:
    items = (
        item("two", "text/b%20b.xhtml")
        + item("one", "text/a.xhtml")
        + item("nav", "nav.xhtml", more='properties="nav"')
        + item("cover", "cover.svg", "image/svg+xml")
    )
    document = read_book(
        book(
            opf(items, "cover nav one two one"),
            {
                "OEBPS/text/a.xhtml": page("<h1>One</h1><p>Boats.</p>"),
                "OEBPS/text/b b.xhtml": page("<h1>Two</h1><ul><li>Towers</li></ul>"),
                "OEBPS/nav.xhtml": page("<p>Contents</p>"),
            },
        )
    )
    text = document.text
    assert document.title == "Lorn"
    assert text == "Author: Ada Brandt, Tom Vane\n\nOne\n\nBoats.\n\nTwo\n\n- Towers"
