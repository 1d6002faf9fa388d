"""Texts made ready for the parser, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.core.types import Span
from gear_app.models.extractor.normalise import normalise


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gábor (2 November 1932) was a director.", "Gábor                   was a director."),
        ("Ann [1] (born 1900 (or 1901)) met Bob.", "Ann                           met Bob."),
        ("Ann (without an end", "Ann (without an end"),
        ("", ""),
    ],
)
def test_brackets_are_blank(text: str, expected: str) -> None:
    assert normalise(text, [Span(0, len(text))]).text == expected


def test_what_is_no_prose_is_blank_and_each_part_begins_a_sentence() -> None:
    prepared = normalise("Key: value\nAnn met Bob.\nEnd", [Span(11, 23)])
    assert (prepared.text.strip(), prepared.breaks) == ("Ann met Bob.", (11,))


def test_brackets_are_set_aside_with_their_place() -> None:
    text = "Ann (born 1900) met Bob (Tom Hanks)."
    prepared = normalise(text, [Span(0, len(text))])
    assert [(text[bracket.at], bracket.text) for bracket in prepared.brackets] == [
        ("(", "born 1900"),
        ("(", "Tom Hanks"),
    ]


@given(st.text(alphabet=st.sampled_from("abAB1 .,;()[]\"'`“”–-\n"), max_size=120))
def test_every_letter_that_is_kept_stays_at_its_place(text: str) -> None:
    prepared = normalise(text, [Span(0, len(text))])
    assert len(prepared.text) == len(text)
    assert all(a == b for a, b in zip(prepared.text, text, strict=True) if not a.isspace())
