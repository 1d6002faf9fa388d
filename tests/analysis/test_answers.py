"""EM and F1 are SQuAD's: worked examples, each of which a slightly wrong program gets wrong."""

from __future__ import annotations

import pytest

from gear_app.analysis.answers import exact_match, f1, normalise_answer


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The  Port\tof Mira.", "port of mira"),
        ("An apple a day", "apple day"),
        ("Theodore and Anna", "theodore and anna"),  # articles are words, not beginnings of words
        ("A.B.C.", "abc"),  # punctuation goes first, so this "A" is no article
        ("U.S.-led", "usled"),
        ("1939–1945", "1939–1945"),  # a dash beyond ASCII stays, as in SQuAD's script
        ("The", ""),
        ("", ""),
    ],
)
def test_normalisation_is_squads(text: str, words: str) -> None:
    assert normalise_answer(text) == words


def test_the_best_of_all_aliases_counts() -> None:
    known = ["Kitasato Shibasaburo", "Kitasato"]
    assert exact_match("the kitasato!", known) == 1.0
    assert exact_match("Shibasaburo", known) == 0.0
    assert f1("Shibasaburo", known) == pytest.approx(2 / 3)
    assert f1("Baron Kitasato", known) == pytest.approx(
        2 / 3
    )  # by the second alias; by the first it is 1/2


def test_f1_counts_a_repeated_word_as_often_as_both_have_it() -> None:
    assert f1("New York New York", ["New York"]) == pytest.approx(2 * 2 / (4 + 2))
    assert f1("New York", ["New York New York"]) == pytest.approx(2 * 2 / (2 + 4))
    assert f1("York New", ["New York"]) == 1.0 and exact_match("York New", ["New York"]) == 0.0


def test_yes_and_no_have_nothing_in_common_but_a_longer_reply_shares_a_word() -> None:
    assert (exact_match("yes", ["no"]), f1("yes", ["no"])) == (0.0, 0.0)
    assert (exact_match("Yes.", ["yes"]), f1("Yes.", ["yes"])) == (1.0, 1.0)
    assert f1("yes, both are", ["yes"]) == pytest.approx(0.5)


def test_no_answer_is_never_right() -> None:
    """Not even where a known answer ("A", of a blood group) normalises to nothing."""
    for known in (["Port Mira"], ["A"], [""]):
        assert (exact_match("", known), f1(" ", known)) == (0.0, 0.0)
    assert (exact_match("a", ["A"]), f1("a", ["A"])) == (1.0, 1.0)
    assert f1("The", ["Port Mira"]) == 0.0


def test_without_known_answers_nothing_is_measured() -> None:
    for measure in (exact_match, f1):
        with pytest.raises(ValueError, match="known answers"):
            measure("Port Mira", [])
