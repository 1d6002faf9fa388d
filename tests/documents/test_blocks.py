"""Blocks as text, and text cut between them: nothing is torn, and heads and headings go along."""

from __future__ import annotations

import pytest

from gear_app.documents.blocks import Kind, ReadDocument
from gear_app.documents.formats.web import add_html
from tests.documents.make import make_word, make_zip, members
from tests.documents.reports import Import, read_files

PROSE = "The keeper wound the clock and wrote down the weather of the day before he went to bed. "


def text_of(document: ReadDocument) -> str:
    return document.text


def page(html: str) -> ReadDocument:
    document = ReadDocument()
    add_html(document, html)
    return document


def passages(name: str, content: str) -> Import:
    return read_files([(name, content.encode())])


def everything() -> ReadDocument:
    document = ReadDocument()
    document.add(Kind.HEADING, "Rules of the club", level=1)
    document.add(Kind.PROSE, "These rules hold for all boats, and for all who row them.")
    document.add(Kind.ITEM, "Guests come with a member.", level=1, number="1.2")
    document.add(Kind.ITEM, "The pier is closed at night.")
    document.add_pair("Keeper", "Tomas Reed")
    document.add_table([["Boat", "Keeper"], ["Blue boat", "Mara Holt"]], head=True)
    document.add(Kind.ITEM, "Sold in 1920.", number="[1]")
    return document


def test_blocks_are_written_in_one_notation() -> None:
    document = everything()
    text = document.text
    assert text == (
        "Rules of the club\n\n"
        "These rules hold for all boats, and for all who row them.\n\n"
        "  1.2 Guests come with a member.\n"
        "- The pier is closed at night.\n\n"
        "Keeper: Tomas Reed\n\n"
        "Boat: Blue boat\nKeeper: Mara Holt\n\n"
        "[1] Sold in 1920."
    )
    assert all(text[slice(*block.span)].endswith(block.text) for block in document.blocks)


def test_a_row_is_a_passage_titled_by_the_first_column_of_different_words() -> None:
    rows = "".join(
        f"<tr><td>{n}<td>Lorn<td>Boat {n}<td>{PROSE if n == 3 else ''}" for n in range(9)
    )
    table = f"<table><tr><th>No<th>Port<th>Boat<th>Log{rows}</table>"
    batch = passages("b.html", f"<h1>Boats</h1>{table}<p>{PROSE}")
    assert [passage.title for passage in batch.passages] == [
        *(f"Boats › Boat {n}" for n in range(9)),
        "Boats",
    ]
    assert batch.passages[1].text == "No: 1\nPort: Lorn\nBoat: Boat 1"
    same = passages("b.html", table.replace("Boat ", "Boat").replace("<td>Boat", "<td>Boat<td>"))
    assert {passage.title for passage in same.passages} == {"b"}


@pytest.mark.parametrize(
    ("first", "text"),
    [
        (["Day", "Course", "Fee"], "Day: Monday\nCourse: Moss\nFee: 4"),
        (["Day", "Course", "60"], "Day, Course, 60\nMonday, Moss, 4"),
        (["Day", "", "Fee"], "Day, Fee\nMonday, Moss, 4"),
        (["Keeper:", "Tomas Reed"], "Keeper: Tomas Reed\nMonday: Moss"),
    ],
)
def test_a_first_row_of_words_alone_names_the_columns(first: list[str], text: str) -> None:
    document = ReadDocument()
    document.add_table([first, ["Monday", "Moss", "4"][: len(first)]])
    assert text_of(document) == text


def test_no_item_row_or_entry_is_torn() -> None:
    item = "Each of the keepers winds the clock. He writes the day down. Then he goes to bed."
    items = "".join(f"<li>{n}: {item}" for n in range(40))
    batch = passages("a.html", f"<ul>{items}</ul>")
    assert len(batch.passages) > 4
    for passage in batch.passages:
        assert passage.text.startswith("- ")
        assert passage.text.endswith("goes to bed.")


def test_a_passage_of_several_headings_is_called_by_what_they_are_under() -> None:
    parts = "".join(f"<h3>{name}</h3><p>{PROSE * 2}" for name in ("Dough", "Filling"))
    batch = passages("a.html", f"<h1>Menu</h1><h2>Ravioli</h2>{parts}")
    assert [passage.title for passage in batch.passages] == ["Menu › Ravioli"]
    batch = passages("a.html", f"<h1>Menu</h1><p>{PROSE * 5}<h2>Ravioli</h2>{parts}")
    assert [passage.title for passage in batch.passages] == ["Menu", "Menu › Ravioli"]


@pytest.mark.parametrize(
    "hidden", ["<p hidden>no", "<p style='display: none'>no", "<button>no</button>"]
)
def test_what_a_page_hides_is_not_taken(hidden: str) -> None:
    assert text_of(page(f"<p>yes{hidden}")) == "yes"


def word(body: str, **parts: str) -> bytes:
    """A Word file of this body, with other parts by their names."""
    space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    others = {
        f"word/{name}.xml": f"<w:{name} {space}>{part}</w:{name}>".encode()
        for name, part in parts.items()
    }
    return make_zip(members(make_word(body.encode())) | others)


def read_word(body: str, **parts: str) -> str:
    (document,) = read_files([("a.docx", word(body, **parts))]).documents
    return document.text


RUN = "<w:r><w:t>{}</w:t></w:r>".format


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        ("<w:sdt><w:sdtContent>{}</w:sdtContent></w:sdt>", True),
        ('<w:hyperlink w:anchor="x">{}</w:hyperlink>', True),
        ("<w:ins><w:ins>{}</w:ins></w:ins>", True),
        ("<w:moveTo>{}</w:moveTo>", True),
        ("<w:moveFrom>{}</w:moveFrom>", False),
        ("<w:del>{}</w:del>", False),
    ],
)
def test_what_word_wraps_is_read_and_what_is_gone_is_not(inside: str, shown: bool) -> None:
    text = read_word(
        f"<w:p>{RUN('The rent is ')}{inside.format(RUN('4,200'))}{RUN(' crowns.')}</w:p>"
    )
    assert text == f"The rent is {'4,200' if shown else ''} crowns.".replace("  ", " ")
