"""Titles as the entity a passage is about."""

from __future__ import annotations

import pytest

from gear_app.models.extractor.title import title_of


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("The Zone (2017 film)", "The Zone is a film.", "The Zone"),
        ("Stanley, North Dakota", "Stanley is a city in Mountrail County.", "Stanley"),
        (
            "Edward Baring, 1st Baron Revelstoke",
            "Edward Charles Baring was",
            "Edward Baring, 1st Baron Revelstoke",
        ),
        ("The Zone", "He saw The Zone.", "The Zone"),
        ("notes.txt", "Stanley is a city.", ""),
        ("marie", "Marie Curie was born.", ""),
        ("", "Some text.", ""),
        ("(2017 film)", "Some text.", "(2017 film)"),
    ],
)
def test_a_title_is_read_as_other_passages_would_say_it(title: str, text: str, name: str) -> None:
    assert title_of(title, text).name == name
