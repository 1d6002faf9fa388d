from __future__ import annotations

import pytest

from gear_app.language.mentions import (
    TITLE,
    figures,
    mentions,
    read,
    sentence_text,
    sentences,
    shown,
    singular,
)

TEXT = "Approval: I. Calvet.\n- CHG-7714 replaced the routers. Nobody knew."


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def names(text: str) -> set[str]:
    return {name for name, _, _ in mentions(text)}


def test_sentences_are_those_of_blocks_and_a_text_without_any_is_one() -> None:
    parts = ["Seen by H. Pruis.", "Two goes on", "three", "four!"]
    assert cut("Seen by H. Pruis. Two goes on\n- three\n* four!") == parts
    assert sentences("") == [(0, 0)]
    assert cut("ok") == ["ok"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the Duchy of Brabant's seal", {"duchy of brabant", "duchy", "brabant", "seal"}),
        ("CHG-7714", {"chg-7714", "chg", "7714", "#chg7714"}),  # a word in parts
        ("unit 7", {"unit", "unit 7"}),
        ("at 7, 19:40 and 3.5", set()),
        ("1871", {"1871"}),
        ("what was it that they had on Monday", set()),
        ("Ghent's", {"ghent"}),
        ("Ghent’s", {"ghent"}),
        ("I'll see, they’ve gone, it's theirs, she'd, You're", set()),
        ("Don't! They can't and WON'T, won’t they?", set()),
        ("the gardener'll", {"gardener"}),
        ("But I this", set()),
        ("this", set()),
        ("I never keep a thing late; nobody takes them away", set()),
    ],
)
def test_a_text_mentions_its_names_whole_and_word_by_word(text: str, found: set[str]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The Forth Bridge.", {"the forth bridge", "forth bridge"}),
        ("The Crew", {"the crew"}),
        ("The Who", {"the who"}),
        ("O'Brien", {"o'brien"}),
        ("J. Doe", {"doe"}),
        ("ring 020-7946-0123", {"#020-7946-0123"}),
        ("policy 88-20517", {"#88-20517"}),
    ],
)
def test_among_what_a_text_mentions(text: str, found: set[str]) -> None:
    assert found <= names(text)


def test_a_person_is_named_by_the_last_name_alone_as_well() -> None:
    assert "calvet" in names("Approved by I. Calvet") & names("Ines Calvet's signature")


def test_ids_are_the_same_however_they_are_punctuated() -> None:
    assert "#rb04" in names("see RB-04") & names("RB 04, page 2") & names("after RB04")


@pytest.mark.parametrize(
    "text", ["3 March", "March 3", "3rd of March", "2024-03-03", "3/3", "2-4 March", "1 to 3 March"]
)
def test_a_day_is_the_same_however_it_is_written(text: str) -> None:
    assert "@3-3" in names(text)
    assert "march" not in names(text)


def test_a_month_of_a_year_is_a_mention_and_words_that_look_like_months_are_not() -> None:
    assert "@1923-5" in names("in May 1923") & names("3 May 1923")
    assert not any(name.startswith("@") for name in names("they may 3 times"))
    assert not any(name.startswith("@") for name in names("99 March 45"))


@pytest.mark.parametrize(
    "text",
    ["We met Marc in 2001", "The 3 Marc Chagall paintings", "We march 2000 miles", "30 may go"],
)
def test_what_only_looks_like_a_month_is_none(text: str) -> None:
    assert not any(name.startswith("@") for name in names(text))


def test_addresses_are_no_mentions() -> None:
    assert names("Write to Priya.Raman@example.com or see https://www.gear.org/manual/x") == {
        "write"
    }


@pytest.mark.parametrize(
    ("name", "words"),
    [("@3-5", "5 March"), ("@1923-5", "May 1923"), ("#chg7714", "CHG7714"), ("calvet", "calvet")],
)
def test_normal_forms_can_be_shown(name: str, words: str) -> None:
    assert shown(name) == words


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("Scanners", "scanner"),
        ("glass", "glass"),
        ("boxes", "box"),
        ("cities", "city"),
        ("gas", "gas"),
        ("Ghent", "ghent"),
    ],
)
def test_plurals_are_their_singulars(word: str, name: str) -> None:
    assert singular(word) == name


def test_a_possessive_is_its_owner_in_capitals_compounds_and_titles_too() -> None:
    assert "thrale" in names("THRALE'S DOCK") & names("Thrale's-side")
    assert "thrale dock" in names("THRALE'S DOCK") & names("Thrale’s Dock")
    titles = {one.name for one in read("Thrale's dock", "").mentions}
    assert titles == {"thrale", "dock", "thrale dock"}


@pytest.mark.parametrize("text", ["1987-0412", "no. 1987/0412", "(1987–0412)."])
def test_an_id_of_digits_is_the_same_however_it_is_punctuated(text: str) -> None:
    assert "#1987-0412" in names(text)


@pytest.mark.parametrize(
    "text",
    ["2024-03-03", "3/12/2024", "03-12-24", "1914-18", "1999/00", "1999-2004", "112-118", "19-21"],
)
def test_dates_years_and_ranges_are_no_ids(text: str) -> None:
    assert not any(name.startswith("#") for name in names(text))


def test_mentions_have_their_place_in_the_passage() -> None:
    found = read("INC-2058 (post-mortem)", TEXT)
    assert [TEXT[start:end] for start, end in found.sentences] == cut(TEXT)
    for name, sentence, (start, end), _ in found.mentions:
        source = "INC-2058 (post-mortem)" if sentence == TITLE else TEXT
        assert name.strip("#@")[0] in source[start:end].casefold()
        assert source[start:end] == source[start:end].strip()
    of_change = [mention for mention in found.mentions if mention.name == "chg-7714"]
    assert [TEXT[one.span.start : one.span.end] for one in of_change] == ["CHG-7714"]


def test_the_title_is_a_mention_as_a_whole_without_what_is_in_brackets() -> None:
    titles = [one.name for one in read("Clue (film)", "").mentions if one.sentence == TITLE]
    assert sorted(titles) == ["clue", "clue", "film"]


def test_of_a_title_with_a_heading_each_is_a_mention_as_a_whole() -> None:
    title = "Freezer log (2019) › Alarm list"
    found = {one.name: title[slice(*one.span)] for one in read(title, "").mentions}
    assert found["freezer log"] == "Freezer log (2019)"
    assert found["alarm list"] == "Alarm list"
    assert "freezer log alarm list" not in found


def test_words_in_lower_case_are_told_from_names() -> None:
    assert {name: lower for name, _, lower in mentions("an Iron bridge")} == {
        "iron": False,
        "bridge": True,
    }


def test_a_sentence_is_encoded_with_its_title() -> None:
    assert sentence_text("Ghent", "No alarm.") == "Ghent: No alarm."
    assert sentence_text("", "No alarm.") == "No alarm."


def test_long_texts_cost_their_length() -> None:
    for text in ("A" * 100_000, "A. " * 30_000, "a-" * 50_000, "- " * 50_000, "\n" * 100_000):
        read("", text)
    for text in (
        "123 " * 25_000,
        "1,200 " * 15_000,
        "a.b@c.d " * 10_000,
    ):
        read("", text)
    read("", "# " + "Unit 7 " * 5_000 + "\n\n" + "It rains. " * 5_000)


def test_names_and_sentences_are_found_in_any_script_with_capitals() -> None:
    assert "анна каренина" in names("роман «Анна Каренина» вышел")
    assert "каренина вышел" not in names("Каренина вышел")
    assert "żółta łódź" in names("nowa Żółta Łódź stoi")
    assert cut("Мост построил Иван. Он умер.") == ["Мост построил Иван.", "Он умер."]


def test_numbers_months_and_days_tell_names_apart_however_they_are_written() -> None:
    assert figures("15 April") == figures("Apr 15") == {"15", "@4"}
    assert figures("Tuesday 07") == {"7", "@tue"}
    assert figures("they may march at once") == frozenset()
