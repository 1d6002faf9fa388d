"""Recall, gold passages, exact match and F1: the values of examples worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.trace.metrics import (
    exact_match,
    f1,
    found_at,
    normalise_answer,
    recall_at,
)

RANKING = ["x", "b", "y", "a", "z"]


def test_worked_by_hand() -> None:
    """Gold a, b, c: b is second, a is fourth, c is not there."""
    gold = ["a", "b", "c"]
    assert [found_at(RANKING, gold, k) for k in (1, 2, 3, 4, 5)] == [0, 1, 1, 2, 2]
    assert recall_at(RANKING, gold, 5) == pytest.approx(2 / 3)


def test_the_best_part_of_a_cut_document_counts_once() -> None:
    assert found_at(["d#2", "d#1", "x"], ["d"], 2) == 1
    assert found_at(["d2"], ["d"], 1) == 0


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
        ("duran duran", "duran duran duran", 0.0, 0.8),  # words count as often as they occur
        ("Port Mira。", "Port Mira", 0.0, 0.5),  # SQuAD's measure: its punctuation is ASCII's
    ],
)
def test_letters_are_words_where_blanks_do_not_part_these(
    answer: str, known: str, em: float, share: float
) -> None:
    assert exact_match(answer, [known]) == em
    assert f1(answer, [known]) == pytest.approx(share)
