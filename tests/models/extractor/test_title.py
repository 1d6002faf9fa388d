"""Titles as the entity a passage is about."""

from __future__ import annotations

import pytest

from gear_app.models.extractor.title import Title, title_of


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("The Zone (2017 film)", "The Zone is a film.", "The Zone"),
        ("Dmitri Ivanov (footballer, born 1978)", "Dmitri Ivanov is a player.", "Dmitri Ivanov"),
        ("Stanley, North Dakota", "Stanley is a city in Mountrail County.", "Stanley"),
        ("Edsa, Manila", "Edsa, Manila is a hotel.", "Edsa, Manila"),
        (
            "Edward Baring, 1st Baron Revelstoke",
            "Edward Charles Baring was",
            "Edward Baring, 1st Baron Revelstoke",
        ),
        (
            "Ramon Berenguer IV, Count of Barcelona",
            "Ramon Berenguer IV was the Count.",
            "Ramon Berenguer IV",
        ),
        ("The Rank Organisation", "In 1995 the Rank Organisation fell.", "Rank Organisation"),
        ("The Zone", "He saw The Zone.", "The Zone"),
        ("notes.txt", "Stanley is a city.", ""),
        ("Node.js", "Node.js is a runtime.", "Node.js"),
        ("marie", "Marie Curie was born.", ""),
        ("", "Some text.", ""),
        ("(2017 film)", "Some text.", "(2017 film)"),
    ],
)
def test_a_title_is_read_as_other_passages_would_say_it(title: str, text: str, name: str) -> None:
    assert title_of(title, text).name == name


def test_a_surname_is_no_suffix_and_has_no_diacritics() -> None:
    assert title_of("Alexander D. Henderson Jr.", "x").surname == "henderson"
    assert title_of("Vinko Dvořák", "x").surname == "dvorak"
    assert title_of("", "x") == Title()
