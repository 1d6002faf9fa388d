"""PDF files: pages, sizes and times that are taken, and what is refused."""

from __future__ import annotations

import re

import pytest

from gear_app.ingest import read_files
from tests.ingest.bombs import raw_pdf
from tests.ingest.make import make_pdf
from tests.ingest.reports import report


def test_encrypted_pdf() -> None:
    found = report("a.pdf", make_pdf(["Secret."], password="sesame"))
    assert (found.status, found.message) == (
        "failed",
        "the PDF file is encrypted; save a copy without a password",
    )


def test_scanned_pdf() -> None:
    found = report("a.pdf", make_pdf(["", ""]))
    assert (found.status, found.message) == ("failed", "no text found; it may be a scan")


def test_a_pdf_bomb_is_refused() -> None:
    content = make_pdf([" " * 80_000_000])
    assert len(content) < 1_000_000
    found = report("a.pdf", content)
    assert found.status == "failed"
    assert found.message.startswith("the PDF file expands beyond what is sensible")


def test_a_pdf_title_that_is_no_text() -> None:
    content = make_pdf(["Text."], title="Harbours").replace(b"(Harbours)", b"null      ")
    assert read_files([("a.pdf", content)]).documents[0].title == "a"


def test_a_pdf_that_shows_one_page_many_times_is_refused() -> None:
    content = make_pdf(["Tom Vane built bridges.", "And harbours."])
    kids = re.search(rb"/Kids \[ (\d+ 0 R) (\d+ 0 R) \]", content)
    assert kids
    found = report("a.pdf", content.replace(kids[0], kids[0].replace(kids[2], kids[1])))
    assert (found.status, found.message) == (
        "failed",
        "the PDF file shows one page several times; that looks like a bomb",
    )
    assert report("b.pdf", content).status == "accepted"


def test_a_pdf_of_too_many_pages_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.pdf.MOST_PAGES", 2)
    assert report("a.pdf", make_pdf(["One.", "Two."])).status == "accepted"
    found = report("a.pdf", make_pdf(["One.", "Two.", "Three."]))
    assert (found.status, found.message) == (
        "failed",
        "the PDF file has more than 2 pages; split it",
    )


def test_a_pdf_with_more_text_than_its_size_allows_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = make_pdf(["Tom Vane built bridges. " * 2000])
    assert report("a.pdf", content).status == "accepted"
    monkeypatch.setattr("gear_app.ingest.pdf._CHARACTERS", 1000)
    monkeypatch.setattr("gear_app.ingest.pdf._PER_BYTE", 10)
    assert (
        report("a.pdf", content).message
        == f"the PDF file expands to more than {10 * len(content):,} characters, too many for a"
        " file of its size"
    )
    monkeypatch.setattr("gear_app.ingest.pdf._MOST_CHARACTERS", 47_000)
    monkeypatch.setattr("gear_app.ingest.pdf._PER_BYTE", 100)
    assert "more than 47,000 characters" in report("a.pdf", content).message


def test_what_is_too_large_to_be_read_of_a_pdf_is_left_out_and_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("gear_app.ingest.pdf.MOST_INSTRUCTIONS", 400)
    shown = b"BT /F1 12 Tf 72 720 Td (%s) Tj ET "
    page = shown % b"Page." + b"/Small Do /Lar#67e % Do\n Do "
    forms = {"Small": shown % b"Small.", "Large": shown % b"Large." * 5}
    batch = read_files([("a.pdf", raw_pdf([page, shown % b"Long." * 20, shown % b"Last."], forms))])
    assert batch.documents[0].text.split() == ["Page.", "Small.", "Last."]
    assert batch.reports[0].message == (
        "1 document, 1 passage; pages or drawings too large to be read, left out: 2"
    )


def test_a_pdf_that_takes_long_is_stopped_between_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.ingest.pdf.MOST_SECONDS", 0)
    assert report("a.pdf", make_pdf(["One."])).status == "accepted"
    found = report("a.pdf", make_pdf(["One.", "Two."]))
    assert (found.status, found.message) == (
        "failed",
        "the first 1 of the PDF file's 2 pages took 0 seconds of computing; split it",
    )
