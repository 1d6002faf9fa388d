"""Words and names."""

from __future__ import annotations

import pytest

from gear_app.core.text import (
    cut,
    normalise_entity,
    pairs,
    section_title,
    shortened,
    terms,
    title_and_section,
    tokenise,
    told_of,
)


def test_tokens_are_folded_runs_of_letters_and_digits() -> None:
    assert (
        tokenise("The Straße of ﬁre, 1951-52: O'Neil_x")
        == "the strasse of fire 1951 52 o neil x".split()
    )


@pytest.mark.parametrize(
    ("document", "section", "title", "taken_apart"),
    [
        ("Freezer log", "Alarm list", "Freezer log › Alarm list", ("Freezer log", "Alarm list")),
        ("Freezer log", "", "Freezer log", ("Freezer log", "")),
        ("Freezer log", "FREEZER LOG", "Freezer log", ("Freezer log", "")),
        ("", "Alarm list", "Alarm list", ("Alarm list", "")),
    ],
)
def test_a_title_can_say_the_heading_that_a_passage_is_under(
    document: str, section: str, title: str, taken_apart: tuple[str, str]
) -> None:
    assert section_title(document, [section]) == title
    assert title_and_section(title) == taken_apart


@pytest.mark.parametrize(
    ("title", "text", "about"),
    [
        ("Ada Quill", "He kept the log.", "Ada Quill"),
        ("Ada Quill › Lorn, 1990 to 1995", "Quill kept the log.", "Ada Quill"),
        ("Papers › Site diary, 3 March", "Rain until ten.", "Site diary, 3 March"),
        ("Papers › The leak in Port Mira", "Rain until ten.", "The leak in Port Mira"),
        ("Papers › Site diary, 3 March", "Papers\n\nSite diary, 3 March", "Site diary, 3 March"),
    ],
)
def test_a_text_under_a_heading_tells_of_the_document_it_names_or_of_what_the_heading_names(
    title: str, text: str, about: str
) -> None:
    assert told_of(title, text) == about


def test_terms_of_a_script_without_blanks_are_pairs_of_letters() -> None:
    assert terms("啤酒厂") == ["啤酒", "酒厂"]
    assert terms("灯, iPhone手機X と エイダ・クイル") == [
        "灯", "iphone", "手機", "x", "と", "エイ", "イダ", "クイ", "イル",
    ]  # fmt: skip
    assert terms("Über 3 Brücken") == tokenise("Über 3 Brücken")
    assert list(pairs("手機の")) == [("手機", 0), ("機の", 1)]


def test_marks_that_combine_with_letters_end_no_word() -> None:
    assert (
        tokenise("हिन्दी में İzmir, NFD: Cafe\u0301 k\u0348a") == "हिन्दी में izmir nfd café k͈a".split()
    )
    assert normalise_entity("İzmir") == normalise_entity("Izmir")
    assert tokenise("Step 1\ufe0f\u20e3") == ["step", "1"]
    assert tokenise("می\u200cخواهم") == ["میخواهم"]


@pytest.mark.parametrize(
    "name", ["Marie Curie", "  MARIE   curie. ", "Marie-Curie", "(Marie) Curie"]
)
def test_spellings_of_one_entity(name: str) -> None:
    assert normalise_entity(name) == "marie curie"


def test_signs_at_the_end_of_a_name_belong_to_it() -> None:
    names = ("C", "C++", "C#", "A+", "F#", "Canal+", "Canal", "Notepad++", "Visual C++ 6")
    assert [normalise_entity(name) for name in names] == [name.lower() for name in names]
    assert normalise_entity("rock+roll") == normalise_entity("rock & roll")


def test_a_text_is_cut_to_at_most_the_limit_and_says_so() -> None:
    assert (cut("abc", 3), cut("abcd", 3), cut("a  bcd", 4)) == ("abc", "ab…", "a…")
    assert shortened("abc", 3) == "abc"
    assert shortened("a" * 1003, 3) == "aaa … and 1,000 more characters"
