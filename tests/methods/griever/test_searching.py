"""How a hop searches, among which passages, and how the hops are fused."""

from __future__ import annotations

import pytest

from gear_app.core.types import Ranking
from gear_app.methods.griever import Composed
from gear_app.methods.steps.fuse import rrf
from gear_app.trace.events import Fused, Matched, Retrieved
from tests.methods.griever.asked import ALIASES, DOUGLASS, NORTH_STAR, WIVES, index_of, run
from tests.small import QUESTION, SmallWorld, of_kind, parts_over, top


def test_dense_ranks_only_what_bm25_put_first(small: SmallWorld) -> None:
    sparse_first = top(small.index, QUESTION, 3, "bm25")
    everywhere = top(small.index, QUESTION, 8, "dense")
    found = Composed(parts_over(small.index)).search(QUESTION, 3).ranking
    assert set(found.ids) == set(sparse_first.ids)
    assert found.ids == tuple(id_ for id_ in everywhere.ids if id_ in sparse_first.ids)
    assert found.ids != sparse_first.ids


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
