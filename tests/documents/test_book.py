"""Books: their chapters in the order of reading, and those that are damaged or protected."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from gear_app.core.errors import BadInput
from gear_app.documents.blocks import lay_out
from gear_app.documents.office import read_book
from tests.documents.make import make_zip

_PAGE = "application/xhtml+xml"
_CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)


def opf(items: str, order: str, *, title: str = "Lorn", more: str = "") -> bytes:
    spine = "".join(f'<itemref idref="{name}"/>' for name in order.split())
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{title}</dc:title><dc:creator>Ada Brandt</dc:creator>"
        f"<dc:creator>Tom Vane</dc:creator></metadata><manifest>{items}</manifest>"
        f"<spine>{spine}</spine>{more}</package>"
    ).encode()


def item(name: str, file: str, kind: str = _PAGE, more: str = "") -> str:
    return f'<item id="{name}" href="{file}" media-type="{kind}" {more}/>'


def book(package: bytes, files: Mapping[str, bytes], container: str = _CONTAINER) -> bytes:
    return make_zip(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": container.encode(),
            "OEBPS/book.opf": package,
            **files,
        }
    )


def page(text: str) -> bytes:
    return f"<html><head><title>Part</title></head><body>{text}</body></html>".encode()


def simple(text: bytes, **options: str) -> bytes:
    return book(opf(item("a", "a.xhtml"), "a", **options), {"OEBPS/a.xhtml": text})


def test_chapters_come_in_the_order_of_reading_without_lists_of_contents() -> None:
    items = (
        item("two", "text/b%20b.xhtml")
        + item("one", "text/a.xhtml")
        + item("nav", "nav.xhtml", more='properties="nav"')
        + item("old", "toc.xhtml")
        + item("cover", "cover.svg", "image/svg+xml")
        + item("lost", "lost.xhtml")
    )
    guide = '<guide><reference type="toc" href="toc.xhtml#top"/></guide>'
    document = read_book(
        book(
            opf(items, "cover nav old one two one lost", more=guide),
            {
                "OEBPS/text/a.xhtml": page("<h1>One</h1><p>Boats.</p>"),
                "OEBPS/text/b b.xhtml": page("<h1>Two</h1><ul><li>Towers</li></ul>"),
                "OEBPS/nav.xhtml": page("<p>Contents</p>"),
                "OEBPS/toc.xhtml": page("<p>Contents</p>"),
            },
        )
    )
    text = lay_out(document.blocks)[0]
    assert document.title == "Lorn"
    assert text == "Author: Ada Brandt, Tom Vane\n\nOne\n\nBoats.\n\nTwo\n\n- Towers"
    assert document.remarks() == ["left out: 1 missing chapter, 1 part"]


def test_elements_that_end_in_their_own_tag_hide_nothing_and_breaks_stay_one() -> None:
    text = (
        '<html><head><title/><script src="a.js"/><style type="text/css"/></head><body>'
        '<p class="a/b">Boats<br/>of <i/>Lorn.</p><td/><p>End.</p></body></html>'
    )
    blocks = read_book(simple(text.encode())).blocks
    assert [block.text for block in blocks[1:]] == ["Boats\nof Lorn.", "End."]


def test_a_chapter_is_in_the_encoding_that_it_states() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-2"?><html><body><p>Łódź</p></body></html>'
    (_, block) = read_book(simple(text.encode("iso-8859-2"))).blocks
    assert block.text == "Łódź"


def test_a_book_that_is_protected_is_refused_and_one_with_hidden_fonts_is_read() -> None:
    files = {"OEBPS/a.xhtml": page("<p>Boats.</p>")}
    package = opf(item("a", "a.xhtml"), "a")

    def hidden(name: str) -> bytes:
        reference = f'<e:CipherReference xmlns:e="x" URI="{name}"/>'
        return f"<encryption><d>{reference}</d></encryption>".encode()

    with pytest.raises(BadInput, match="protected"):
        read_book(book(package, {**files, "META-INF/encryption.xml": hidden("OEBPS/a.xhtml")}))
    fonts = book(package, {**files, "META-INF/encryption.xml": hidden("OEBPS/a.otf")})
    assert len(read_book(fonts).blocks) == 2


def test_entities_of_a_chapter_stay_as_they_are() -> None:
    text = b'<!DOCTYPE html [<!ENTITY a "word word">]><html><body><p>Boats &a;</p></body></html>'
    assert "word word" not in lay_out(read_book(simple(text)).blocks)[0].partition("Boats")[2]


def test_damaged_books_end_in_a_sentence() -> None:
    content = simple(page("<p>Boats.</p>"))
    with pytest.raises(BadInput, match="broken"):
        read_book(content[:300])
    for container in ("<container/>", "<container>", '<rootfile full-path="x.opf"/>', ""):
        with pytest.raises(BadInput, match="broken"):
            read_book(book(opf("", ""), {}, container))
    deep = b"<a>" * 100_000
    with pytest.raises(BadInput, match="broken"):
        read_book(book(deep, {}))
