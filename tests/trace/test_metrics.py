"""Recall, gold passages, exact match and F1: the values of examples worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.display import gold_strip, header
from gear_app.trace import rankings
from gear_app.trace.events import Ranked, RankedPassage, Retrieved, Started
from gear_app.trace.gold import gold_passages
from gear_app.trace.metrics import (
    Gold,
    exact_match,
    f1,
    found_at,
    normalise_answer,
    recall_at,
    stands_for,
)
from tests import factories

RANKING = ["x", "b", "y", "a", "z"]


def test_worked_by_hand() -> None:
    """Gold a, b, c: b is second, a is fourth, c is not there."""
    gold = ["a", "b", "c"]
    assert [found_at(RANKING, gold, k) for k in (1, 2, 3, 4, 5)] == [0, 1, 1, 2, 2]
    assert recall_at(RANKING, gold, 5) == pytest.approx(2 / 3)


def test_the_best_part_of_a_cut_document_counts_once() -> None:
    assert found_at(["d#2", "d#1", "x"], ["d"], 2) == 1
    assert found_at(["d2"], ["d"], 1) == 0


def test_gold_named_twice_counts_once() -> None:
    assert recall_at(["a"], ["a", "a"], 1) == 1


def test_without_gold_there_is_no_recall() -> None:
    with pytest.raises(ValueError, match="at least one gold passage"):
        recall_at(RANKING, [], 5)


keys = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(keys, keys.filter(bool))
def test_recall_is_a_fraction_and_grows_with_k(ranking: list[str], gold: list[str]) -> None:
    recalls = [recall_at(ranking, gold, k) for k in range(9)]
    assert recalls == sorted(recalls)
    assert all(0 <= recall <= 1 for recall in recalls)
    assert recalls[8] == len(set(ranking) & set(gold)) / len(gold)


def test_gold_that_repeats_counts_once_on_the_screen_as_in_the_evaluation() -> None:
    """Of a, a and b the ranking has a: one of two (0.5), not two of three (0.67) or one of three."""
    ranking, gold = factories.ranked(["clifton", "rouen"]), ("clifton", "clifton", "isambard")
    events = [
        Started("?", "dense"),
        Retrieved("?", "dense", ranking),
        Ranked(ranking, iteration=0),
    ]
    assert recall_at(rankings.keys(ranking), gold, 5) == 0.5
    assert header.figures(events, gold) == [
        header.Figure("0.50", "recall@5"),
        header.Figure("1 of 2", "gold passages in the first 5"),
    ]
    assert gold_strip.verdict(events, gold) == "Dense has 1 of 2 gold passages in its first 5."
    assert [one.key for one in gold_passages(events, gold)] == ["clifton", "isambard"]


def test_a_cut_document_is_recalled_once_by_any_of_its_parts() -> None:
    ranking = ["x", "big#2", "big#1", "C#7 unrelated"]
    assert [found_at(ranking, ["big", "C", "big"], k) for k in (1, 2, 3, 4)] == [0, 1, 1, 1]
    assert recall_at(ranking, ["big", "C", "big"], 4) == 0.5
    assert rankings.rank_of("big", ranked(*ranking)) == 2


def ranked(*keys: str) -> tuple[RankedPassage, ...]:
    return tuple(
        RankedPassage(number, key, key.title(), 1 / number)
        for number, key in enumerate(keys, start=1)
    )


@pytest.mark.parametrize(
    ("key", "named"),
    [("d", "d"), ("d#1", "d"), ("d#12", "d"), ("a#b#3", "a#b"), ("d#1", "d#1"), ("d\nx#2", "d\nx")],
)
def test_a_passage_stands_for_its_own_key_and_a_part_for_its_document(key: str, named: str) -> None:
    assert stands_for(key, named) and key in Gold([named])


@pytest.mark.parametrize(
    ("key", "named"),
    [("C#7 unrelated", "C"), ("d#0", "d"), ("d#", "d"), ("d#x", "d"), ("d", "d#1"), ("d2", "d")],
)
def test_what_only_looks_like_a_part_does_not(key: str, named: str) -> None:
    assert not stands_for(key, named) and key not in Gold([named])


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


@pytest.mark.parametrize(
    ("answer", "known", "em", "share"),
    [
        ("圣母大学", "圣母大学的", 0.0, 2 * 4 / 9),
        ("在圣母大学", "圣母大学", 0.0, 2 * 4 / 9),
        ("「東京タワー」。", "東京タワー", 1.0, 1.0),
        ("1958年 東京", "東京", 0.0, 2 * 2 / 6),
        ("서울특별시", "서울", 0.0, 2 * 2 / 7),
        ("กรุงเทพ", "กรุงเทพฯ", 0.0, 2 * 7 / 15),
        ("Port Mira", "圣母大学", 0.0, 0.0),
        ("Port Mira。", "Port Mira", 0.0, 0.5),  # SQuAD's measure: its punctuation is ASCII's
    ],
)
def test_letters_are_words_where_blanks_do_not_part_these(
    answer: str, known: str, em: float, share: float
) -> None:
    assert exact_match(answer, [known]) == em
    assert f1(answer, [known]) == pytest.approx(share)


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
