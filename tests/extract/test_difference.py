"""How two extractions of a passage differ."""

from __future__ import annotations

from gear_app.extract.difference import difference
from gear_app.types import ExtractedTriple, Span, Triple


def test_equal_words_are_one_line_in_the_order_of_the_text_whatever_their_case() -> None:
    mine = [
        Triple(1, 1, "Ada Quill", "studied", "law", Span(20, 30)),
        Triple(2, 1, "Ada Quill", "met", "Bo"),
        Triple(3, 1, "Ada Quill", "was born in", "Lorn", Span(0, 10)),
    ]
    other = [
        ExtractedTriple("ada  quill", "Studied", "law.", Span(20, 30)),
        ExtractedTriple("She", "studied", "law", Span(20, 30)),
        ExtractedTriple("She", "studied", "law", Span(20, 30)),
    ]
    found = difference(mine, other)
    assert found.lines == ((mine[2], None), (mine[0], other[0]), (None, other[1]), (mine[1], None))
    assert (found.same, found.only_set, found.only_found) == (
        [mine[0]],
        [mine[2], mine[1]],
        [other[1]],
    )


def test_two_equal_triples_of_a_set_need_two_that_were_found() -> None:
    twice = [Triple(1, 1, "A", "is", "B"), Triple(2, 1, "a", "is", "b")]
    found = difference(twice, [ExtractedTriple("A", "is", "B")])
    assert (found.same, found.only_set) == ([twice[0]], [twice[1]])
    assert difference([], []).lines == ()
