"""Reciprocal rank fusion by hand, and what must hold for any lists."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gear_app.core.types import Hit, Ranking
from gear_app.methods.fuse import Parts, means, rrf, weighted
from gear_app.trace.events import ScorePart


def ranking(*ids: int) -> Ranking:
    return Ranking(tuple(Hit(id_, 1 / n) for n, id_ in enumerate(ids, start=1)))


def named(*rankings: Ranking) -> dict[str, Ranking]:
    return {str(number): one for number, one in enumerate(rankings, start=1)}


def test_worked_by_hand() -> None:
    """7: 1/61 + 1/62; 8: 1/62 + 1/61, the same, but 7 appeared first; 9: 1/63."""
    fused, parts = rrf(named(ranking(7, 8, 9), ranking(8, 7)))
    assert fused.hits == (Hit(7, 0.032522), Hit(8, 0.032522), Hit(9, 0.015873))
    assert parts[8] == (
        ScorePart("1", 2, 0.016129, 0.5, "1/(60 + 2)"),
        ScorePart("2", 1, 0.016393, 1.0, "1/(60 + 1)"),
    )


rankings_of = st.lists(
    st.lists(st.integers(1, 30), unique=True, max_size=12).map(lambda ids: ranking(*ids)),
    max_size=5,
)


FUSIONS: dict[str, Callable[[dict[str, Ranking]], tuple[Ranking, Parts]]] = {
    "rrf": rrf,
    "means": means,
    "weighted": lambda lists: weighted(lists, dict.fromkeys(lists, 0.5)),
}


@pytest.mark.parametrize("name", FUSIONS)
@given(rankings=rankings_of)
def test_parts_add_up_and_no_passage_is_lost_or_repeated(
    name: str, rankings: list[Ranking]
) -> None:
    fused, parts = FUSIONS[name](named(*rankings))
    ids = set().union(*(ranking.ids for ranking in rankings))
    assert sorted(fused.ids) == sorted(ids)
    scores = [hit.score for hit in fused.hits]
    assert scores == sorted(scores, reverse=True)
    for id_, score in fused.hits:
        assert sum(part.value for part in parts[id_]) == pytest.approx(score, abs=1e-5)


def test_means_of_scores_worked_by_hand() -> None:
    """a: 1 → 4, 2 → 1, 3 has none, so 1, 0.25, 0. b: 0.9, 0.5, 0.1 for 3, 2, 1, so 1, 0.5, 0.
    Halves of both add up.
    """
    a, b = Ranking((Hit(1, 4.0), Hit(2, 1.0))), Ranking((Hit(3, 0.9), Hit(2, 0.5), Hit(1, 0.1)))
    fused, parts = means({"a": a, "b": b})
    assert fused == Ranking((Hit(1, 0.5), Hit(3, 0.5), Hit(2, 0.375)))
    assert [(term.source, term.rank, term.value, term.score) for term in parts[2]] == [
        ("a", 2, 0.125, 1.0),
        ("b", 2, 0.25, 0.5),
    ]
    assert [term.source for term in parts[3]] == ["b"]


def scored(**scores: float) -> Ranking:
    return Ranking.of((int(id_[1:]), score) for id_, score in scores.items())


def test_a_weighted_sum_of_scores_worked_by_hand() -> None:
    """7 is dense's best and BM25's last, 8 the other way round, 9 in the middle of dense alone."""
    dense, words = scored(_7=0.9, _9=0.6, _8=0.1), scored(_8=30.0, _7=10.0)
    fused, parts = weighted({"dense": dense, "words": words}, {"dense": 0.6, "words": 0.4})
    assert fused.hits == (Hit(7, 0.6), Hit(8, 0.4), Hit(9, 0.375))
    assert parts[9] == (
        ScorePart("dense", 2, 0.375, 0.625, "0.625000 × 0.6"),  # (0.6 - 0.1) / 0.8, times 0.6
    )
    assert parts[8] == (
        ScorePart("dense", 3, 0.0, 0.0, "0.000000 × 0.6"),
        ScorePart("words", 1, 0.4, 1.0, "1.000000 × 0.4"),
    )
    assert weighted({"dense": dense, "words": Ranking()}, {"dense": 0.6, "words": 0.4})[0].ids == (
        (7, 9, 8)
    )
    _, parts = weighted({"a": scored(_1=3.0, _2=1.0)}, {"a": 1.0}, {"a": 0.0})
    assert parts[2] == (ScorePart("a", 2, 0.333333, 0.333333, "0.333333 × 1"),)
