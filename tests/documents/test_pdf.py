"""PDF files: what is read of them, sizes and times that are taken, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from pypdfium2 import PdfiumError

from gear_app.core.errors import BadInput
from gear_app.documents.blocks import Kind
from gear_app.documents.formats.pdf import read_pdf
from tests.documents.make import draw_pdf, make_pdf

FILES = Path(__file__).parent / "files"  # one with a password, one that may not be printed
Place = tuple[float, float, str]


def drawn(*places: Place, size: float = 10, font: str = "F1") -> bytes:
    """Texts, each at its place from the left and from below."""
    texts = (f"1 0 0 1 {x} {y} Tm ({text}) Tj" for x, y, text in places)
    return f"BT /{font} {size} Tf {' '.join(texts)} ET ".encode("cp1252")


def below(x: float, y: float, lines: Sequence[str]) -> list[Place]:
    """Lines one below the other."""
    return [(x, y - 12 * number, line) for number, line in enumerate(lines)]


def text_of(content: bytes) -> str:
    return read_pdf(content).text


def refusal(content: bytes) -> str:
    with pytest.raises(BadInput) as error:
        read_pdf(content)
    return str(error.value)


def test_larger_lines_are_headings() -> None:
    page = drawn((60, 740, "Harbours"), size=20) + drawn((60, 710, "Piers"), size=14)
    page += drawn(*below(60, 670, ["The lamp of the north pier burned oil until", "the storm."]))
    assert [
        (block.kind, block.level, block.text) for block in read_pdf(draw_pdf([page])).blocks
    ] == [
        (Kind.HEADING, 1, "Harbours"),
        (Kind.HEADING, 2, "Piers"),
        (Kind.PROSE, 0, "The lamp of the north pier burned oil until the storm."),
    ]


def test_turned_lines_and_blanks_that_are_not_drawn_do_not_change_sizes() -> None:
    page = b"BT /F1 10 Tf 0 1 -1 0 300 60 Tm [(Mara) -300 (Holt)] TJ ET "
    page += b"BT /F1 10 Tf 0 1 -1 0 312 60 Tm (keeps the lamp.) Tj ET"
    assert text_of(draw_pdf([page])) == "Mara Holt keeps the lamp."


def test_a_paragraph_goes_on_over_the_page() -> None:
    first = drawn(*below(60, 400, ["The lamp of the north pier burned oil until the storm"]))
    second = drawn(*below(60, 700, ["took the roof.", "", "Then it was dark."]))
    document = read_pdf(draw_pdf([first, second]))
    assert [(block.kind, block.page, block.text) for block in document.blocks] == [
        (
            Kind.PROSE,
            1,
            "The lamp of the north pier burned oil until the storm took the roof.",
        ),
        (Kind.PROSE, 2, "Then it was dark."),
    ]


def test_running_heads_and_page_numbers_are_left_out_and_counted() -> None:
    def page(number: int) -> bytes:
        text = [f"Boat {number * number} lies here.", "", f"It has {number * 7} sails."]
        head = (60, 760, f"Piers {number + 4}")
        return drawn(head, (60, 746, "Lorn"), *below(60, 700, text), (300, 30, f"{number} / 4"))

    pages = list(map(page, (1, 2, 3, 4)))
    document = read_pdf(draw_pdf(pages))
    assert document.remarks() == ["left out: 12 running heads"]
    assert document.text.split("\n\n") == [
        f"Boat {n * n} lies here. It has {n * 7} sails." for n in (1, 2, 3, 4)
    ]
    assert read_pdf(draw_pdf(pages[:2])).remarks() == []


def test_a_scan_is_refused() -> None:
    message = "no text found; it may be a scan: run OCR on it and import what that gives"
    assert refusal(make_pdf(["", ""])) == message
    assert refusal(make_pdf([" " * 80_000_000])) == message


def test_an_encrypted_file_is_refused_unless_it_asks_for_no_password() -> None:
    with pytest.raises(PdfiumError, match="Incorrect password"):
        read_pdf((FILES / "password.pdf").read_bytes())
    assert text_of((FILES / "printing.pdf").read_bytes()) == "Tom Vane."
