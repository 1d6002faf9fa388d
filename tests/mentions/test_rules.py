from __future__ import annotations

import pytest

from gear_app.mentions.rules import TITLE, mentions, normal, read, sentence_text, sentences

TEXT = "Approval: I. Calvet.\n- CHG-7714 replaced the routers. Nobody knew."


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def names(text: str) -> list[str]:
    return [name for name, _, _ in mentions(text)]


def test_lines_and_marks_end_sentences_and_list_markers_are_no_part_of_them() -> None:
    assert cut("One ends here. Two goes on\n- three\n* four!") == [
        "One ends here.",
        "Two goes on",
        "three",
        "four!",
    ]


def test_a_text_without_sentences_is_one() -> None:
    assert sentences("") == [(0, 0)]
    assert cut("ok") == ["ok"]


def test_names_are_mentions_whole_and_word_by_word() -> None:
    assert names("Isambard Kingdom Brunel of Portsmouth") == [
        "isambard kingdom brunel of portsmouth",
        "isambard",
        "kingdom",
        "brunel",
        "portsmouth",
    ]


def test_a_word_in_parts_is_a_mention_and_so_are_its_longer_parts() -> None:
    assert names("CHG-7714") == ["chg-7714", "chg", "7714"]


def test_words_that_say_nothing_are_no_mentions() -> None:
    assert names("what was it that they had") == []


@pytest.mark.parametrize(
    ("word", "name"),
    [("Scanners", "scanner"), ("glass", "glass"), ("gas", "gas"), ("Ghent", "ghent")],
)
def test_plurals_are_their_singulars(word: str, name: str) -> None:
    assert normal(word) == name


def test_a_possessive_is_its_owner() -> None:
    assert names("Ghent's") == names("Ghent’s") == ["ghent"]


def test_mentions_have_their_place_in_the_passage() -> None:
    found = read("INC-2058 (post-mortem)", TEXT)
    assert [TEXT[start:end] for start, end in found.sentences] == cut(TEXT)
    for name, sentence, (start, end), _ in found.mentions:
        source = "INC-2058 (post-mortem)" if sentence == TITLE else TEXT
        assert normal(source[start:end])[:3] == name[:3] or name in source[start:end].lower()
    of_change = [mention for mention in found.mentions if mention.name == "chg-7714"]
    assert [TEXT[one.span.start : one.span.end] for one in of_change] == ["CHG-7714"]


def test_the_title_is_a_mention_as_a_whole_without_what_is_in_brackets() -> None:
    titles = [one.name for one in read("Clue (film)", "").mentions if one.sentence == TITLE]
    assert titles == ["clue", "film", "clue"]


def test_words_in_lower_case_are_told_from_names() -> None:
    assert {name: lower for name, _, lower in mentions("the Iron bridge")} == {
        "iron": False,
        "bridge": True,
    }


def test_a_sentence_is_encoded_with_its_title() -> None:
    assert sentence_text("Ghent", "No alarm.") == "Ghent: No alarm."
    assert sentence_text("", "No alarm.") == "No alarm."


def test_long_texts_cost_their_length() -> None:
    for text in ("A" * 200_000, "A. " * 60_000, "a-" * 100_000, "- " * 100_000, "\n" * 200_000):
        read("", text)
