"""Words that give way to others."""

from __future__ import annotations

import pytest

from gear_app.core.types import Span
from gear_app.methods.split import split, substitute, widen


def test_words_are_put_in_the_place_of_others_whatever_the_order_of_the_changes() -> None:
    query = "Was the director of Harbour Lights older than the director of Winter Lights?"
    first = (Span(4, 34), "Ada Quill")
    second = (Span(46, 75), "Bo Hale")
    assert (
        query[4:34] == "the director of Harbour Lights"
        and query[46:75] == "the director of Winter Lights"
    )
    assert substitute(query, [first, second]) == "Was Ada Quill older than Bo Hale?"
    assert substitute(query, [second, first]) == "Was Ada Quill older than Bo Hale?"


def place(query: str, words: str) -> Span:
    """Where the words stand."""
    return Span(query.index(words), query.index(words) + len(words))


@pytest.mark.parametrize(
    ("query", "words", "name", "wide"),
    [
        (
            "Who runs the old club that plays at Lorn?",
            "plays at Lorn",
            "Lorn",
            "the old club that plays at Lorn",
        ),
        ("Who met, in Mira, who live in Lorn?", "live in Lorn", "Lorn", "who live in Lorn"),
        (
            "Where is a port after which X was named?",
            "a port after which X",
            "X",
            "a port after which X was named",
        ),
        (
            "When was the school attended by X founded?",
            "the school attended by X",
            "X",
            "the school attended by X",
        ),
        ('Who sang "Lorn" or "Mira"?', 'sang "Lorn" or ', "Lorn", 'sang "Lorn" or '),
    ],
)
def test_what_would_be_left_hanging_goes_along(
    query: str, words: str, name: str, wide: str
) -> None:
    start, end = widen(query, place(query, words), place(query, name), split(query))
    assert query[start:end] == wide
