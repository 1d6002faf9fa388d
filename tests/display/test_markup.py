"""HTML that escapes, and passages with a marked sentence."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gear_app.core.types import Span
from gear_app.display import markup
from gear_app.display.markup import escaped, tag


def test_text_is_escaped_and_markup_is_kept() -> None:
    assert tag("p", "<b>", tag("i", "&")) == "<p>&lt;b&gt;<i>&amp;</i></p>"


def test_attributes_are_escaped_and_named_as_html_names_them() -> None:
    assert (
        tag("p", class_="a", data_x='"><script>', title=None)
        == '<p class="a" data-x="&quot;&gt;&lt;script&gt;"></p>'
    )


@given(st.text())
def test_no_text_opens_a_tag_or_ends_an_attribute(text: str) -> None:
    assert not set("<>\"'") & set(escaped(text))


def test_the_sentence_is_marked_in_its_passage() -> None:
    assert "One. <mark>Two &lt;b&gt;.</mark> Three." in markup.passage(
        "One. Two <b>. Three.", Span(5, 13)
    )


def test_a_passage_stands_in_its_document_with_cuts_shown() -> None:
    text = "a" * 50 + "PASSAGE" + "b" * 50
    assert "… " + "a" * 10 + "<mark>PASSAGE</mark>" + "b" * 10 + " …" in markup.in_document(
        text, 50, 57, margin=10
    )
    assert "…" not in markup.in_document(text, 50, 57, margin=60)
