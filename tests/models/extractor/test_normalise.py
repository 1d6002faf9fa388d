"""Texts made ready for the parser, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.models.extractor.normalise import normalise


def whole(text: str, *names: str) -> list[str]:
    prepared = normalise(text, names)
    return [prepared.text[start:end] for start, end in prepared.whole]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gábor (2 November 1932 – 21 October 1987) was a director.", "Gábor was a director."),
        ("a comedy- drama, pre- and post-war", "a comedy-drama, pre- and post-war"),
        ("the Governor-General.The Parliament", "the Governor-General. The Parliament"),
        ("co-founded and re-elected", "cofounded and reelected"),
        ("directed by Lee, and stars Harrison Ford", "directed by Lee starring Harrison Ford"),
        ("", ""),
    ],
)
def test_text_is_edited(text: str, expected: str) -> None:
    assert normalise(text).text == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "brother of Edward Baring, 1st Baron Revelstoke.",
            ["Edward Baring, 1st Baron Revelstoke"],
        ),
        (
            "Bolesław I the Tall married Henry III of England.",
            ["Bolesław I the Tall", "Henry III of England"],
        ),
        ("the brother of Kim Jong-il.", ["Kim Jong-il"]),
    ],
)
def test_names_are_kept_whole(text: str, names: list[str]) -> None:
    assert whole(text) == names


def test_brackets_are_kept_aside_with_their_place() -> None:
    prepared = normalise("Ann (born 1900) met Bob (Tom Hanks).")
    assert [(prepared.text[: bracket.at], bracket.text) for bracket in prepared.brackets] == [
        ("Ann", "born 1900"),
        ("Ann met Bob", "Tom Hanks"),
    ]


@given(st.text(alphabet=st.sampled_from("abAB1 .,;()[]\"'`“”–-\n"), max_size=120))
def test_every_letter_that_is_kept_leads_back_to_itself(text: str) -> None:
    prepared = normalise(text)
    places = [
        prepared.origin(i) for i, character in enumerate(prepared.text) if character.isalnum()
    ]
    kept = [character for character in prepared.text if character.isalnum()]
    assert [text[place] for place in places] == kept
    assert places == sorted(set(places))
