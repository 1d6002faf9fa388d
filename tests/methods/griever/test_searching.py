"""How a hop searches, among which passages, and how the hops are fused."""

from __future__ import annotations

import pytest

from gear_app.core.types import Ranking
from gear_app.methods.base import ALL, BaseQuery, Hybrid
from gear_app.methods.griever import Composed
from gear_app.methods.lookup import DEPTH
from gear_app.methods.steps.fuse import rrf
from gear_app.trace.events import Fused, Matched, Retrieved
from tests.methods.griever.asked import ALIASES, DOUGLASS, NORTH_STAR, WIVES, Row, index_of, run
from tests.small import QUESTION, SmallWorld, of_kind, parts_over, top


def test_dense_ranks_only_what_bm25_put_first(small: SmallWorld) -> None:
    sparse_first = top(small.index, QUESTION, 3, "bm25")
    everywhere = top(small.index, QUESTION, 8, "dense")
    found = Composed(parts_over(small.index)).search(QUESTION, 3).ranking
    assert set(found.ids) == set(sparse_first.ids)
    assert found.ids == tuple(id_ for id_ in everywhere.ids if id_ in sparse_first.ids)
    assert found.ids != sparse_first.ids


def test_the_nearest_others_fill_up_where_bm25_finds_too_few(small: SmallWorld) -> None:
    """ "Vane" is in two passages; the third is the nearest of the others."""
    assert set(top(small.index, "Vane", 8, "bm25").ids) == {3, 4}
    nearest = [id_ for id_ in top(small.index, "Vane", 8, "dense").ids if id_ not in (3, 4)]
    assert set(Composed(parts_over(small.index)).search("Vane", 3).ranking.ids) == {
        3,
        4,
        nearest[0],
    }
    assert len(Composed(parts_over(small.index)).search("no such word", 3).ranking) == 3


def test_a_search_stays_among_the_passages_it_is_given(small: SmallWorld) -> None:
    among = frozenset((2, 5, 8))
    assert set(Composed(parts_over(small.index)).search(QUESTION, 5, among).ranking.ids) == among
    assert (
        set(
            Hybrid(parts_over(small.index))
            .search([BaseQuery(QUESTION, ALL, among=among)])[0]
            .ranking.ids
        )
        == among
    )
    for by in ("bm25", "dense"):
        everywhere = top(small.index, QUESTION, 8, by).hits
        assert top(small.index, QUESTION, 8, by, among).hits == tuple(
            h for h in everywhere if h.id in among
        )
        assert top(small.index, QUESTION, 8, by, ()) == Ranking()


def test_a_later_hop_stays_among_the_passages_that_name_what_it_joins() -> None:
    index = index_of(DOUGLASS)
    _, events = run(index, NORTH_STAR)
    first, second = of_kind(events, Retrieved)
    assert len(first.ranking) == 7
    assert sorted(line.id for line in second.ranking) == [1, 2]


def test_synonyms_of_the_join_entity_widen_the_search_from_the_threshold_on() -> None:
    _, events = run(index_of(WIVES, ALIASES), NORTH_STAR)
    (join,) = of_kind(events, Matched)[0].joins
    assert (join.entity, join.synonyms, join.passages) == (
        "Frederick Douglass",
        (("F. Douglass", 0.95),),
        3,
    )
    assert {line.id for line in of_kind(events, Retrieved)[1].ranking} == {1, 2, 4}
    _, events = run(index_of(WIVES, ALIASES), NORTH_STAR, threshold=0.9)
    assert of_kind(events, Matched)[0].joins[0].synonyms == (
        ("F. Douglass", 0.95),
        ("Fred Douglas", 0.949999),
    )
    assert {line.id for line in of_kind(events, Retrieved)[1].ranking} == {1, 2, 3, 4}


@pytest.mark.parametrize(("config", "constant"), [({}, 3), ({"fusion_constant": 60}, 60)])
def test_the_final_ranking_is_rrf_over_the_hops_of_which_later_ones_bring_few(
    config: dict[str, int], constant: int
) -> None:
    index = index_of(WIVES, ALIASES)
    ranking, events = run(index, NORTH_STAR, hop_k=2, **config)
    first, second = ([line.id for line in event.ranking] for event in of_kind(events, Retrieved))
    lists = [Ranking.of((id_, -n) for n, id_ in enumerate(ids)) for ids in (first, second[:2])]
    assert len(second) == 3
    assert ranking == rrf(dict(enumerate(lists)), constant=constant)[0]
    fused = of_kind(events, Fused)
    assert [event.lists for event in fused] == [("iteration 1",), ("iteration 1", "iteration 2")]
    assert [(line.id, line.score) for line in fused[-1].ranking] == [
        tuple(hit) for hit in ranking.hits
    ]
    assert {event.purpose for event in fused} == {"final"}


def test_what_else_bm25_finds_follows_with_score_0() -> None:
    """k · c = 5 candidates of 250 passages with the same word; the ranking goes on to 200, in
    BM25's order.
    """
    rows: list[Row] = [(f"Lights {n}", "harbour " * (n % 7 + 1), []) for n in range(250)]
    index = index_of(rows)
    ranking, events = run(index, "harbour", k=1)
    assert len(of_kind(events, Retrieved)[0].ranking) == 5
    assert len(ranking) == DEPTH == len(of_kind(events, Fused)[0].ranking)
    assert all(hit.score > 0 for hit in ranking.hits[:5]) and all(
        hit.score == 0 for hit in ranking.hits[5:]
    )
    candidates = set(ranking.ids[:5])
    order = [id_ for id_ in top(index, "harbour", DEPTH, "bm25").ids if id_ not in candidates]
    assert list(ranking.ids[5:]) == order
