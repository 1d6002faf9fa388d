"""Shortlisting, mentions and the choice of matches, on cosines written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gear_app.core.types import Span
from gear_app.methods.matcher import (
    Evidence,
    QueryName,
    best_disjoint,
    name_matches,
    shortlist,
)


def test_a_partial_triple_is_as_near_as_its_nearest_clause() -> None:
    """The best of each column: 0.5, 0.4, 0.9."""
    cosines = np.array([[0.5, 0.1, 0.2], [0.3, 0.4, 0.9]])
    assert shortlist(cosines, None) == [2, 0, 1]
    assert shortlist(cosines, 2) == [2, 0]


def test_ties_of_the_shortlist_go_to_the_earlier() -> None:
    """0.5000001 and 0.5 are equal after rounding to 1e-6."""
    assert shortlist(np.array([[0.5, 0.5000001, 0.5]]), 2) == [0, 1]


def test_a_name_is_mentioned_by_its_nearest_words_from_the_threshold_on() -> None:
    """Row 1 is named by nothing, row 2 by the first of two that are equally near."""
    cosines = np.array([[0.2, 0.7], [0.69, 0.6], [0.9, 0.9]])
    assert name_matches(cosines) == [(0, 1, 0.7), (2, 0, 0.9)]


def test_nothing_to_compare_gives_nothing() -> None:
    assert (
        shortlist(np.zeros((0, 0)), 5)
        == name_matches(np.zeros((0, 3)))
        == name_matches(np.zeros((3, 0)))
        == []
    )
    assert best_disjoint([], [], 0.5) == ()


def evidence(known: float, relation: float, agreement: float, title: float) -> Evidence:
    nothing: Any = None
    name = QueryName("Ada", Span(8, 11), "wrote Ada", (Span(2, 7),), nothing)
    return Evidence(nothing, name, known, relation, agreement, title)


def test_the_score_is_worked_by_hand() -> None:
    """0.9 · (0.5 + 0.3) + 0.3 · 0.4 = 0.84; a title that is far takes nothing away."""
    assert evidence(0.9, 0.5, 0.3, 0.4).score == pytest.approx(0.84)
    assert evidence(0.9, 0.5, 0.3, -0.4).score == pytest.approx(0.72)


def test_a_relation_is_matched_by_its_words_or_by_its_cosine() -> None:
    assert evidence(1, 0.1, 0.3, 0).beside and evidence(1, 0.6, 0, 0).beside
    assert not evidence(1, 0.59, 0, 0).beside and not evidence(1, 0.5, -0.2, 0).beside


def test_of_two_matches_of_the_same_words_the_better_is_taken() -> None:
    """The third's words overlap the first's, the fourth's touch them, the last is not sure
    enough.
    """
    places = [Span(10, 20), Span(30, 40), Span(19, 30), Span(20, 30), Span(50, 60)]
    assert best_disjoint([1.4, 1.3, 1.2, 1.1, 0.9], places, 1.0) == (0, 1, 3)
    assert best_disjoint([1.0], [Span(0, 5)], 1.0) == (0,)
    assert best_disjoint([0.999999], [Span(0, 5)], 1.0) == ()
