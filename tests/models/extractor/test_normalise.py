"""Texts made ready for the parser, and the way back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.models.extractor.normalise import LONGEST, normalise


def whole(text: str, *names: str) -> list[str]:
    prepared = normalise(text, names)
    return [prepared.text[start:end] for start, end in prepared.whole]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gábor (2 November 1932 – 21 October 1987) was a director.", "Gábor was a director."),
        ("Copping( born 1 May) is an actor.", "Copping is an actor."),
        ('he said "no way" twice', 'he said "no way" twice'),
        ("a comedy- drama, pre- and post-war", "a comedy-drama, pre- and post-war"),
        ("a peer - reviewed journal", "a peer-reviewed journal"),
        ("a well-known writer - often ill", "a well-known writer - often ill"),
        ("the Governor-General.The Parliament", "the Governor-General. The Parliament"),
        ("co-founded and re-elected", "cofounded and reelected"),
        ("owned by Rank, Inc. and", "owned by Rank and"),
        ("directed by Lee, and stars Harrison Ford", "directed by Lee starring Harrison Ford"),
        ("a\u00a0b\x00c", "a b c"),
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
        ("son of Sir Francis Baring, 1st Baronet.", ["Sir Francis Baring, 1st Baronet"]),
        (
            "Bolesław I the Tall married Henry III of England.",
            ["Bolesław I the Tall", "Henry III of England"],
        ),
        ("the brother of Kim Jong-il.", ["Kim Jong-il"]),
        ("the French-held city and a Tokyo-based firm", []),
        ("In the United States Peter the Great fell.", ["Peter the Great"]),
        ("He founded Smith & Sons.", ["Smith & Sons"]),
        ("by George Marion Jr. in", ["George Marion Jr."]),
    ],
)
def test_names_are_kept_whole(text: str, names: list[str]) -> None:
    assert whole(text) == names


def test_the_title_is_kept_whole_but_not_inside_another_title() -> None:
    assert whole("Blade Runner came before Blade Runner 2049.", "Blade Runner") == ["Blade Runner"]


def test_brackets_are_kept_aside_with_their_place() -> None:
    prepared = normalise("Ann (born 1900) met Bob (Tom Hanks).")
    assert [(prepared.text[: bracket.at], bracket.text) for bracket in prepared.brackets] == [
        ("Ann", "born 1900"),
        ("Ann met Bob", "Tom Hanks"),
    ]


def test_nested_and_unclosed_brackets() -> None:
    assert normalise("A (b (c) d) e").text == "A e"
    assert normalise("A (b c").text == "A (b c"
    assert normalise("A) b").text == "A) b"


def test_only_the_beginning_of_a_long_text_and_no_endless_word_is_parsed() -> None:
    assert len(normalise("word " * 100_000).text) <= LONGEST
    assert normalise("x" * 100_000).text == ""


@given(st.text(alphabet=st.sampled_from("abAB1 .,;()[]\"'`“”–-\n"), max_size=120))
def test_every_letter_that_is_kept_leads_back_to_itself(text: str) -> None:
    prepared = normalise(text)
    places = [
        prepared.origin(i) for i, character in enumerate(prepared.text) if character.isalnum()
    ]
    kept = [character for character in prepared.text if character.isalnum()]
    assert [text[place] for place in places] == kept
    assert places == sorted(set(places))


@given(st.text(max_size=200))
def test_any_text_can_be_prepared(text: str) -> None:
    prepared = normalise(text, (text[:20],))
    assert all(0 <= start < end <= len(prepared.text) for start, end in prepared.whole)
    assert all(a.end <= b.start for a, b in zip(prepared.whole, prepared.whole[1:], strict=False))
