"""Words that give way to others."""

from __future__ import annotations

from gear_app.steps.substitute import substitute
from gear_app.types import Span


def test_words_are_put_in_the_place_of_others_whatever_the_order_of_the_changes() -> None:
    query = "Was the director of Harbour Lights older than the director of Winter Lights?"
    first = (Span(4, 34), "Ada Quill")
    second = (Span(46, 75), "Bo Hale")
    assert query[4:34] == "the director of Harbour Lights" and query[46:75] == "the director of Winter Lights"
    assert substitute(query, [first, second]) == "Was Ada Quill older than Bo Hale?"
    assert substitute(query, [second, first]) == "Was Ada Quill older than Bo Hale?"


def test_white_space_is_tidied() -> None:
    assert substitute("Who  wrote X , and when\n?", [(Span(11, 12), " Lorn ")]) == "Who wrote Lorn, and when?"


def test_no_change_leaves_the_query() -> None:
    assert substitute("Who wrote it?", []) == "Who wrote it?"
