"""What counts as a gold passage, for the evaluation and for every screen alike."""

from __future__ import annotations

import pytest

from gear_app.analysis import comparison, metrics, rankings
from gear_app.analysis.gold_keys import Gold, stands_for
from gear_app.events import RankedPassage


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


def test_screen_and_evaluation_see_the_same_recall_of_a_document_that_was_cut() -> None:
    found, wanted = ranked("x", "big#2", "big#1", "C#7 unrelated"), Gold(["big", "C"])
    assert metrics.recall_at(rankings.keys(found), wanted, 5) == 0.5
    assert rankings.rank_of("big", found) == 2
    assert [p.key in wanted for p in found] == [False, True, True, False]
    assert comparison.difference(ranked("x"), found, wanted, 5).gold == 1


def test_a_difference_counts_both_sides_at_the_same_rank() -> None:
    assert comparison.difference(ranked("x", "g"), ranked("g", "x"), ["g"], 1).gold == 1
    assert comparison.difference(ranked("x", "g"), ranked("g", "x"), ["g"], 2).gold == 0
