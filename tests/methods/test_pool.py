"""Max-pooling by hand, and what must hold for any lists."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gear_app.core.types import Hit, Ranking
from gear_app.methods.iterative import pooled
from gear_app.trace.events import ScorePart

A, B, C, D, E = 1, 2, 3, 4, 5
FIRST = Ranking((Hit(A, 0.9), Hit(B, 0.5), Hit(C, 0.1)))
SECOND = Ranking((Hit(C, 30.0), Hit(D, 24.0), Hit(E, 10.0)))


def test_worked_by_hand() -> None:
    """Eq. 4 over min-max scores: A 1, B (0.5 - 0.1) / 0.8, C max(0, 1), D (24 - 10) / 20, E 0.

    A comes before C, which scores the same, because its query was earlier. The raw scores would put
    C, D, E first.
    """
    pool = pooled([FIRST, SECOND], 10, by_rank=False)
    assert pool.ranking.hits == ((A, 1.0), (C, 1.0), (D, 0.7), (B, 0.5), (E, 0.0))
    assert pool.terms[C] == (ScorePart("query 1", 3, 0.0, 0.1), ScorePart("query 2", 1, 1.0, 30.0))
    assert pool.terms[D] == (ScorePart("query 2", 2, 0.7, 24.0),)
    assert (pool.ids, pool.size) == ((A, C, D, B, E), 5)


def test_a_later_query_counts_by_the_power_of_its_scores_and_the_question_goes_deeper() -> None:
    """Squares of 1, 0.7 and 0 for C, D and E; the question's own scores stay: B at 0.5 is before
    D at 0.49. With k = 2 the question brings its third passage too, a later query does not.
    """
    pool = pooled([FIRST, SECOND], 10, by_rank=False, power=2.0)
    assert pool.ranking.hits == ((A, 1.0), (C, 1.0), (B, 0.5), (D, 0.49), (E, 0.0))
    assert pool.terms[D] == (ScorePart("query 2", 2, 0.49, 24.0),)
    deeper = pooled([FIRST, SECOND], 2, by_rank=False, power=2.0, first_k=3)
    assert deeper.ranking.hits == ((A, 1.0), (C, 1.0), (B, 0.5), (D, 0.0))
    assert deeper.terms[C] == (
        ScorePart("query 1", 3, 0.0, 0.1),
        ScorePart("query 2", 1, 1.0, 30.0),
    )
    by_rank = pooled([FIRST, SECOND], 10, by_rank=True, power=2.0)
    assert by_rank == pooled([FIRST, SECOND], 10, by_rank=True)


def _ranking(scored: dict[int, float]) -> Ranking:
    return Ranking.of(scored.items())


lists_of_hits = st.lists(
    st.dictionaries(st.integers(1, 30), st.floats(-5, 5), max_size=12).map(_ranking),
    min_size=1,
    max_size=5,
)


@given(lists_of_hits, st.integers(1, 12), st.booleans())
def test_the_pool_is_the_union_ordered_by_the_greatest_term(
    lists: list[Ranking], k: int, by_rank: bool
) -> None:
    pool = pooled(lists, k, by_rank=by_rank)
    assert set(pool.ids) == {id_ for found in lists for id_ in found.ids[:k]}
    assert set(pool.ranking.ids) == set(pool.ids) | set(lists[0].ids)
    assert len(set(pool.ranking.ids)) == len(pool.ranking)
    scores = [hit.score for hit in pool.ranking.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(
        max(term.value for term in pool.terms[id_]) == score for id_, score in pool.ranking.hits
    )
    assert all(0 <= score <= 1 for score in scores)
