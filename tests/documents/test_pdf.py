"""PDF files: what is read of them, sizes and times that are taken, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from gear_app.core.errors import BadInput
from gear_app.documents.blocks import BlockKind, lay_out
from gear_app.documents.pdf import read_pdf
from tests.documents.make import draw_pdf, make_pdf, pdf_of

FILES = Path(__file__).parent / "files"  # one with a password, one that may not be printed
Place = tuple[float, float, str]
LEFT = ["The lamp of the pier was built", "by Tom Vane. It burned oil", "until the storm of 1934."]
RIGHT = ["The brewery was founded by", "a cooper. It sold its cellar", "to the town in 1920."]


def drawn(*places: Place, size: float = 10, font: str = "F1") -> bytes:
    """Texts, each at its place from the left and from below."""
    texts = (f"1 0 0 1 {x} {y} Tm ({text}) Tj" for x, y, text in places)
    return f"BT /{font} {size} Tf {' '.join(texts)} ET ".encode("cp1252")


def below(x: float, y: float, lines: Sequence[str]) -> list[Place]:
    """Lines one below the other."""
    return [(x, y - 12 * number, line) for number, line in enumerate(lines)]


def text_of(content: bytes) -> str:
    return lay_out(read_pdf(content).blocks)[0]


def refusal(content: bytes) -> str:
    with pytest.raises(BadInput) as error:
        read_pdf(content)
    return str(error.value)


def across(left: Sequence[str], right: Sequence[str]) -> bytes:
    """Lines of two columns, drawn row by row."""
    rows = zip(below(60, 700, left), below(330, 700, right), strict=True)
    return draw_pdf([drawn(*(place for row in rows for place in row))])


def test_a_table_without_rules_is_read_row_by_row() -> None:
    left, right = ["Old pier", "New pier", "Fish market"], ["Tom Vane", "Ida Brand", "Karl Aust"]
    document = read_pdf(across(left, right))
    assert [(block.kind, block.text) for block in document.blocks] == [
        (BlockKind.PAIR, "Old pier: Tom Vane"),
        (BlockKind.PAIR, "New pier: Ida Brand"),
        (BlockKind.PAIR, "Fish market: Karl Aust"),
    ]
    assert not document.notes


def test_larger_and_bold_lines_are_headings() -> None:
    page = drawn((60, 740, "Harbours"), size=20) + drawn((60, 710, "Piers"), size=14)
    page += drawn((60, 690, "The lamp"), font="F2")
    page += drawn(*below(60, 670, ["The lamp of the north pier burned oil until", "the storm."]))
    page += drawn((60, 630, "Names"), size=11) + drawn((60, 610, "Tom Vane."), font="F2")
    assert [
        (block.kind, block.level, block.text) for block in read_pdf(draw_pdf([page])).blocks
    ] == [
        (BlockKind.HEADING, 1, "Harbours"),
        (BlockKind.HEADING, 2, "Piers"),
        (BlockKind.HEADING, 3, "The lamp"),
        (BlockKind.PARAGRAPH, 0, "The lamp of the north pier burned oil until the storm."),
        (BlockKind.PARAGRAPH, 0, "Names"),
        (BlockKind.PARAGRAPH, 0, "Tom Vane."),
    ]


def test_items_with_marks_and_numbers() -> None:
    lines = [(60, 700, "1. Oil the lamp, which"), (72, 688, "is on the pier"), (60, 676, "2. Go")]
    marks = [(72, 660, "• North"), (90, 648, "• Old part"), (72, 636, "• South")]
    text = "1. Oil the lamp, which is on the pier\n2. Go\n- North\n- Old part\n- South"
    assert text_of(draw_pdf([drawn(*lines, *marks)])) == text


def test_paragraphs_end_at_a_gap_and_at_an_indented_line() -> None:
    full = "Tom Vane built the pier of Lorn in a year."
    lines = [(60, 700, full), (60, 688, full), (72, 676, full), (60, 664, "It is old")]
    assert text_of(draw_pdf([drawn(*lines, (60, 640, "and dark."))])).split("\n\n") == [
        f"{full} {full}",
        f"{full} It is old",
        "and dark.",
    ]


def test_words_divided_at_a_line_end_are_put_together() -> None:
    lines = ["The well-known har-", "bour is a well-", "known place of the Karl-", "Aust family."]
    assert text_of(make_pdf(["\n".join(lines)])) == (
        "The well-known harbour is a well-known place of the Karl-Aust family."
    )


def test_a_paragraph_goes_on_over_the_page() -> None:
    first = drawn(*below(60, 400, ["The lamp of the north pier burned oil until the storm"]))
    second = drawn(*below(60, 700, ["took the roof.", "", "Then it was dark."]))
    document = read_pdf(draw_pdf([first, second]))
    assert [(block.kind, block.page, block.text) for block in document.blocks] == [
        (
            BlockKind.PARAGRAPH,
            1,
            "The lamp of the north pier burned oil until the storm took the roof.",
        ),
        (BlockKind.PARAGRAPH, 2, "Then it was dark."),
    ]


def test_running_heads_and_page_numbers_are_left_out_and_counted() -> None:
    def page(number: int, chapter: str) -> bytes:
        text = [f"Boat {number * number} lies here.", "", f"It has {number * 7} sails."]
        head = (60, 760, f"{chapter} {number + 4}")
        return drawn(
            head, (60, 746, "Lorn, 1911"), *below(60, 700, text), (300, 30, f"{number} / 4")
        )

    pages = [page(1, "Piers"), page(2, "Piers"), page(3, "Cellars"), page(4, "Boats")]
    document = read_pdf(draw_pdf(pages))
    assert document.remarks() == ["left out: 12 running heads"]
    assert lay_out(document.blocks)[0].split("\n\n") == [
        part
        for n in (1, 2, 3, 4)
        for part in (f"Boat {n * n} lies here.", f"It has {n * 7} sails.")
    ]
    assert read_pdf(draw_pdf(pages[:2])).remarks() == []


def tagged(elements: str, marked: Sequence[str], loose: Sequence[str] = ()) -> bytes:
    """A page whose texts are marked with their numbers, under a tree: `(H1 0) (P 1 2)`."""
    objects = [b""] * 6
    drawn_: list[str] = []
    for number, text in enumerate([*marked, *loose]):
        shown = f"BT /F1 10 Tf 60 {700 - 14 * number} Td ({text}) Tj ET"
        drawn_.append(f"/P <</MCID {number}>> BDC {shown} EMC" if number < len(marked) else shown)
    data = "\n".join(drawn_).encode("cp1252")
    words = elements.replace("(", " ( ").replace(")", " ) ").split()
    holders: list[int] = []

    def element(parent: int) -> int:
        objects.append(b"")
        own, kind, kids = len(objects), words.pop(0), []
        while (word := words.pop(0)) != ")":
            if word == "(":
                kids.append(f"{element(own)} 0 R")
            else:
                kids.append(word)
                holders[int(word) : int(word) + 1] = [own]
        entry = f"<</Type/StructElem/S/{kind}/P {parent} 0 R/Pg 4 0 R/K[{' '.join(kids)}]>>"
        objects[own - 1] = entry.encode()
        return own

    words.insert(0, "Document")
    words.append(")")
    holders += [0] * len(marked)
    root = element(3)
    kept = " ".join(f"{holder} 0 R" for holder in holders)
    objects[0] = b"<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 3 0 R>>"
    objects[1] = b"<</Type/Pages/Count 1/Kids[4 0 R]>>"
    numbers = f"<</Nums[0[{kept}]]>>"
    objects[2] = f"<</Type/StructTreeRoot/K {root} 0 R/ParentTree {numbers}>>".encode()
    font = b"<</Font<</F1 6 0 R>>>>"
    objects[3] = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/StructParents 0/Contents 5 0 R"
    objects[3] += b"/Resources" + font + b">>"
    objects[4] = b"<</Length %d>>stream\n%s\nendstream" % (len(data), data)
    objects[5] = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
    return pdf_of(objects)


def test_tags_say_what_is_a_heading_an_item_a_row() -> None:
    elements = (
        "(H2 0) (P 1 (Link 2) 3) (L (LI (Lbl 4) (LBody 5 (L (LI (Lbl 6) (LBody 7))))))"
        " (Table (TR (TH 8) (TH 9)) (TR (TD 10) (TD 11)))"
    )
    marked = ["Piers", "Tom Vane built", "the lamp", "of Lorn.", "b\\)", "Oil it", "•", "Often"]
    table = ["Name", "Year", "Old pier", "1884"]
    document = read_pdf(tagged(elements, [*marked, *table], ["7 of 9"]))
    assert [(block.kind, block.level, block.written) for block in document.blocks] == [
        (BlockKind.HEADING, 2, "Piers"),
        (BlockKind.PARAGRAPH, 0, "Tom Vane built the lamp of Lorn."),
        (BlockKind.ITEM, 0, "b) Oil it"),
        (BlockKind.ITEM, 1, "  - Often"),
        (BlockKind.ROW, 0, "Name: Old pier\nYear: 1884"),
    ]
    assert {block.page for block in document.blocks} == {1}
    assert document.remarks() == ["left out: 1 untagged line"]


def test_tags_of_less_than_half_of_a_page_are_not_used() -> None:
    loose = ["Tom Vane built the pier.", "It was long."]
    assert (
        text_of(tagged("(H1 0)", ["Piers"], loose))
        == "Piers\nTom Vane built the pier. It was long."
    )
    assert text_of(tagged("(H1 0)", ["Piers of Lorn and what they are for"], ["7"])).startswith(
        "Piers"
    )


def glyph_codes(*texts: bytes) -> bytes:
    """Pages whose letters are numbers of shapes, and one more that says what its letters are."""
    font = (
        b"/Font<</F1<</Type/Font/Subtype/Type0/BaseFont/Lorn/Encoding/Identity-H/DescendantFonts["
    )
    font += b"<</Type/Font/Subtype/CIDFontType2/BaseFont/Lorn/CIDSystemInfo<</Registry(Adobe)"
    font += b"/Ordering(Identity)/Supplement 0>>>>]>>/F2<</Type/Font/Subtype/Type1/BaseFont"
    font += b"/Helvetica>>>>"
    objects = [b"<</Type/Catalog/Pages 2 0 R>>", b""]
    for text in texts:
        data = b"BT 12 0 0 12 60 700 Tm " + text + b" Tj ET"
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(data), data))
        page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<<%s>>/Contents %d 0 R>>"
        objects.append(page % (font, len(objects)))
    kids = b" ".join(b"%d 0 R" % (4 + 2 * number) for number in range(len(texts)))
    objects[1] = b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(texts), kids)
    return pdf_of(objects)


def test_a_scan_is_refused() -> None:
    message = "no text found; it may be a scan: run OCR on it and import what that gives"
    assert refusal(make_pdf(["", ""])) == message
    assert refusal(make_pdf([" " * 80_000_000])) == message


def test_an_encrypted_file_is_refused_unless_it_asks_for_no_password() -> None:
    assert refusal((FILES / "password.pdf").read_bytes()) == (
        "the PDF file is encrypted; save a copy without a password"
    )
    assert text_of((FILES / "printing.pdf").read_bytes()) == "Tom Vane."


@pytest.mark.parametrize(
    ("title", "named"), [("Harbours", "Harbours"), ("", "x"), ("Microsoft Word - draft3.doc", "x")]
)
def test_the_title_it_states(title: str, named: str) -> None:
    assert read_pdf(make_pdf(["Tom Vane built bridges."], title=title)).named("x") == named


def test_too_many_pages_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gear_app.documents.pdf.MOST_PAGES", 2)
    assert text_of(make_pdf(["One.", "Two."])) == "One.\n\nTwo."
    message = refusal(make_pdf(["One.", "Two.", "Three."]))
    assert message == "the PDF file has more than 2 pages; split it"
