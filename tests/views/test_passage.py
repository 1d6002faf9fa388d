from __future__ import annotations

from gear_app.types import Span
from gear_app.views import markup


def test_the_sentence_is_marked_in_its_passage() -> None:
    assert "One. <mark>Two &lt;b&gt;.</mark> Three." in markup.passage(
        "One. Two <b>. Three.", Span(5, 13)
    )


def test_a_span_that_does_not_fit_marks_nothing() -> None:
    for span in (None, Span(3, 3), Span(-1, 2), Span(2, 99)):
        assert "<mark>" not in markup.passage("short", span)


def test_a_passage_stands_in_its_document_with_cuts_shown() -> None:
    text = "a" * 50 + "PASSAGE" + "b" * 50
    assert "… " + "a" * 10 + "<mark>PASSAGE</mark>" + "b" * 10 + " …" in markup.in_document(
        text, 50, 57, beside=10
    )
    assert "…" not in markup.in_document(text, 50, 57, beside=60)


def test_find_is_word_for_word() -> None:
    assert markup.find_sentence("One. Two.", "Two.") == Span(5, 9)
    assert markup.find_sentence("One. Two.", "two.") is None
    assert markup.find_sentence("One.", "") is None
