"""How a hop searches, among which passages, and how the hops are fused."""

from __future__ import annotations

import pytest

from gear_app.core.types import Ranking
from gear_app.methods.fuse import rrf
from gear_app.trace.events import Fused, Matched, Retrieved
from tests.methods.griever.asked import ALIASES, NORTH_STAR, WIVES, index_of, run
from tests.small import of_kind


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
