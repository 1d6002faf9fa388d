"""Metrics by hand, and what must hold for any ranking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.analysis import rankings
from gear_app.analysis.comparison import difference, number_gold
from gear_app.analysis.gold import gold_passages
from gear_app.analysis.metrics import (
    all_recall_at,
    found_at,
    misses_removed,
    misses_removed_interval,
    paired_bootstrap,
    recall_at,
    recall_difference_interval,
    reciprocal_rank,
)
from gear_app.events import Ranked, Retrieved, Started
from gear_app.views import gold_strip, header
from tests import factories

RANKING = ["x", "b", "y", "a", "z"]


def test_worked_by_hand() -> None:
    """Gold a, b, c: b is second, a is fourth, c is not there."""
    gold = ["a", "b", "c"]
    assert [found_at(RANKING, gold, k) for k in (1, 2, 3, 4, 5)] == [0, 1, 1, 2, 2]
    assert recall_at(RANKING, gold, 5) == pytest.approx(2 / 3)
    assert all_recall_at(RANKING, gold, 5) == 0
    assert all_recall_at(RANKING, ["a", "b"], 4) == 1
    assert all_recall_at(RANKING, ["a", "b"], 3) == 0
    assert reciprocal_rank(RANKING, gold) == 1 / 2
    assert reciprocal_rank(RANKING, ["c"]) == 0


def test_the_best_part_of_a_cut_document_counts_once() -> None:
    assert found_at(["d#2", "d#1", "x"], ["d"], 2) == 1
    assert reciprocal_rank(["x", "d#2"], ["d"]) == 1 / 2
    assert found_at(["d2"], ["d"], 1) == 0


def test_an_interval_is_the_central_95_percent() -> None:
    """Of 0, 1, …, 1999 a fortieth lies below 49.975 and a fortieth above 1949.025."""
    values = iter(range(2001))
    assert paired_bootstrap(lambda rows: float(next(values)), 3) == pytest.approx(
        (2000.0, 49.975, 1949.025)
    )


def test_gold_named_twice_counts_once() -> None:
    assert recall_at(["a"], ["a", "a"], 1) == 1


def test_without_gold_there_is_no_recall() -> None:
    with pytest.raises(ValueError, match="at least one gold passage"):
        recall_at(RANKING, [], 5)


def test_misses_removed_is_net_and_pooled() -> None:
    """Gold 2 + 2, the baseline has 1 + 1, so 2 are missed; the method has 2 + 1: one found, none
    lost.
    """
    assert misses_removed([2, 1], [1, 1], [2, 2]) == 0.5
    assert misses_removed([2, 0], [1, 1], [2, 2]) == 0
    assert misses_removed([0, 0], [1, 1], [2, 2]) == -1
    assert misses_removed([2], [2], [2]) == 0


def test_intervals_hold_their_value_and_shrink_to_it_without_variation() -> None:
    assert misses_removed_interval([2] * 9, [1] * 9, [2] * 9) == (1, 1, 1)
    value, low, high = misses_removed_interval([2, 1, 0, 2], [1, 1, 1, 0], [2, 2, 2, 2])
    assert low <= value <= high
    assert low < high
    assert recall_difference_interval([1.0, 0.5], [0.5, 0.0]) == (0.5, 0.5, 0.5)


keys = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(keys, keys.filter(bool))
def test_recall_is_a_fraction_and_grows_with_k(ranking: list[str], gold: list[str]) -> None:
    recalls = [recall_at(ranking, gold, k) for k in range(9)]
    assert recalls == sorted(recalls)
    assert all(0 <= recall <= 1 for recall in recalls)
    assert recalls[8] == len(set(ranking) & set(gold)) / len(gold)
    assert (reciprocal_rank(ranking, gold) > 0) == (recalls[8] > 0)


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
    rows = number_gold(gold, None, {})
    assert [(row.number, row.key) for row in rows] == [(1, "clifton"), (2, "isambard")]
    assert difference((), ranking, gold, 5).gold == 1


def test_a_cut_document_is_recalled_once_by_any_of_its_parts() -> None:
    ranking = ["x", "big#2", "big#1", "C#7 unrelated"]
    assert [found_at(ranking, ["big", "C", "big"], k) for k in (1, 2, 3, 4)] == [0, 1, 1, 1]
    assert recall_at(ranking, ["big", "C", "big"], 4) == 0.5
