from __future__ import annotations

import pytest

from gear_app.language.mentions import TITLE, figures, mentions, read, sentences, singular, written

TEXT = "Approval: I. Calvet.\n- CHG-7714 replaced the routers. Nobody knew."


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def names(text: str) -> set[str]:
    return {name for name, _, _ in mentions(text)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("the Duchy of Brabant's seal", {"duchy of brabant", "duchy", "brabant", "seal"}),
        ("CHG-7714", {"chg-7714", "chg", "7714", "#chg7714"}),  # a word in parts
        ("at 7, 19:40 and 3.5", set()),
        ("1871", {"1871"}),
        ("what was it that they had on Monday", set()),
        ("Ghent’s", {"ghent"}),
        ("C++ or C#, not C", {"c++", "c#"}),
        ("Visual C++ 6", {"visual c++", "visual", "c++"}),
        ("I'll see, they’ve gone, it's theirs, she'd, You're", set()),
        ("Don't! They can't and WON'T, won’t they?", set()),
    ],
)
def test_a_text_mentions_its_names_whole_and_word_by_word(text: str, found: set[str]) -> None:
    assert names(text) == found


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


def test_addresses_are_no_mentions() -> None:
    assert names("Write to Priya.Raman@example.com or see https://www.gear.org/manual/x") == {
        "write"
    }


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


def test_names_and_sentences_are_found_in_any_script_with_capitals() -> None:
    assert "анна каренина" in names("роман «Анна Каренина» вышел")
    assert "каренина вышел" not in names("Каренина вышел")
    assert "żółta łódź" in names("nowa Żółta Łódź stoi")
    assert cut("Мост построил Иван. Он умер.") == ["Мост построил Иван.", "Он умер."]


def test_numbers_months_and_days_tell_names_apart_however_they_are_written() -> None:
    assert figures("15 April") == figures("Apr 15") == {"15", "@4"}
    assert figures("Tuesday 07") == {"7", "@tue"}
    assert figures("they may march at once") == frozenset()


@pytest.mark.parametrize(
    ("name", "texts", "expected"),
    [
        ("pari", ("A note.", "Paris by night"), "Paris"),
        ("movy", ("Old Movies of Lorn", "movies"), "Movies"),
        ("#chg7714", (TEXT,), "CHG-7714"),
        ("thoma", ("a note",), "thoma"),
        ("@3-3", (), "3 March"),
    ],
)
def test_a_name_is_shown_as_a_text_writes_it(
    name: str, texts: tuple[str, ...], expected: str
) -> None:
    assert written(name, *texts) == expected
