"""Blocks of a text: kinds, sentences, headings, keys and cells, written out by hand."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from gear_app.core.types import Span
from gear_app.language.blocks import Block, Kind, blocks, sentences
from tests.waiting import ends


def words(text: str, span: Span | None) -> str:
    return "" if span is None else text[span.start : span.end]


def told(text: str) -> list[tuple[str, list[str]]]:
    """Kind and sentences of each block."""
    return [(b.kind.value, [words(text, s) for s in b.sentences]) for b in blocks(text)]


def cells(text: str, block: Block) -> dict[str, str]:
    names = [words(text, name) for name in block.columns]
    return dict(zip(names, (words(text, cell) for cell in block.cells), strict=True))


def test_a_heading_ends_a_sentence_and_heads_what_follows() -> None:
    text = "## Root cause\n\nThe disk was full.\n\n# Actions\nTomasz turned it on."
    assert told(text) == [
        ("heading", ["Root cause"]),
        ("prose", ["The disk was full."]),
        ("heading", ["Actions"]),
        ("prose", ["Tomasz turned it on."]),
    ]
    assert [words(text, b.heading) for b in blocks(text)] == ["", "Root cause", "", "Actions"]


def test_items_and_entries_with_a_time_are_sentences_without_their_marks() -> None:
    text = "- Tomasz left\n* [x] **Ilse** came\n2) stop\n06:10 scanners fail\n06:25 – Anna calls"
    assert told(text) == [
        ("item", ["Tomasz left"]),
        ("item", ["Ilse** came"]),
        ("item", ["stop"]),
        ("item", ["scanners fail"]),
        ("item", ["Anna calls"]),
    ]


def test_pairs_have_a_key_and_their_value_as_sentences() -> None:
    text = "Requested: T. Wrona. Implementer: Y. Demir.\n**Severity:** SEV2\nLast edit: A. Bell"
    assert [
        (words(text, b.key), told_[1]) for b, told_ in zip(blocks(text), told(text), strict=True)
    ] == [
        ("Requested", ["T. Wrona."]),
        ("Implementer", ["Y. Demir."]),
        ("Severity", ["SEV2"]),
        ("Last edit", ["A. Bell"]),
    ]


def test_a_time_an_address_and_a_long_clause_are_no_keys() -> None:
    for text in (
        "At 06:12 it fell.",
        "The Zone (Russian: Zona) is a film.",
        "See https://a.org now.",
        "He did what she had asked of him: go.",
    ):
        assert [block.key for block in blocks(text)] == [None]


def test_tables_know_their_columns() -> None:
    text = "| Name | Office |\n|---|---|\n| Ada | Lisbon |\n| Bo | Ghent |"
    head, *rows = blocks(text)
    assert [block.kind for block in (head, *rows)] == [Kind.ROW] * 3
    assert head.columns == ()
    assert [cells(text, row) for row in rows] == [
        {"Name": "Ada", "Office": "Lisbon"},
        {"Name": "Bo", "Office": "Ghent"},
    ]
    text = "Name\tRole\tRoom\nAda\tlead\t4\nBo\tclerk\t5"
    assert cells(text, blocks(text)[2]) == {"Name": "Bo", "Role": "clerk", "Room": "5"}


@given(st.text(alphabet="aB .:|\t\n-#*/1—é中>=[]", max_size=120))
def test_any_text_has_blocks_in_order_that_do_not_overlap(text: str) -> None:
    found = blocks(text)
    edge = 0
    for block in found:
        assert edge <= block.span.start < block.span.end <= len(text)
        edge = block.span.end
        for part in (*block.sentences, *block.cells, *filter(None, (block.key,))):
            assert block.span.start <= part.start < part.end <= block.span.end
        assert not block.columns or len(block.columns) == len(block.cells)


def test_time_grows_with_the_length_and_not_with_its_square() -> None:
    for piece in ("a: ", "| ", " / ", "* ", "\t", "> ", "1. ", "A.\n", "- a\n", "=", "00:00 ", " "):
        text = piece * (200_000 // len(piece)) + "x"
        ends(partial(blocks, text))


def test_sentences_are_those_of_the_blocks_with_a_pairs_key_and_a_row_as_one() -> None:
    text = (
        "Dear all,\nthe rowing club has moved to the second\nboathouse. Bring keys.\n\n"
        "Approval: I. Calvet. On 3 May.\n\n- 08:40 pager\n- boat | 4 m | sold"
    )
    assert [text[slice(*span)] for span in sentences(text)] == [
        "Dear all,\nthe rowing club has moved to the second\nboathouse.",
        "Bring keys.",
        "Approval: I. Calvet.",
        "On 3 May.",
        "pager",
        "boat | 4 m | sold",
    ]
    assert sentences(" \n") == []
