from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gear_app.views.markup import Html, escaped, join, tag


def test_text_is_escaped_and_markup_is_kept() -> None:
    assert tag("p", "<b>", tag("i", "&")) == "<p>&lt;b&gt;<i>&amp;</i></p>"


def test_attributes_are_escaped_and_named_as_html_names_them() -> None:
    assert (
        tag("p", class_="a", data_x='"><script>', title=None)
        == '<p class="a" data-x="&quot;&gt;&lt;script&gt;"></p>'
    )


def test_join_escapes_what_stands_between() -> None:
    assert join(["a", Html("<br>")], " < ") == "a &lt; <br>"


@given(st.text())
def test_no_text_opens_a_tag_or_ends_an_attribute(text: str) -> None:
    assert not set("<>\"'") & set(escaped(text))
