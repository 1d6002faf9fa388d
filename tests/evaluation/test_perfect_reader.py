from __future__ import annotations

from collections.abc import Sequence

from gear_app.core.types import Hop, Ranking
from gear_app.evaluation.frames import oracle_searches
from gear_app.methods.base import BaseQuery, BaseResult
from tests.bench.results.chain_weights import oracle_ranking

HOPS = (
    Hop("Who directed Harbour Lights?", "Ada Quill", "harbour"),
    Hop("Where was #1 born?", "Port Mira", "quill"),
    Hop("Who built the bridge of #2, long after #1 had left?", "Tom Vane", "mira"),
)


class Listed:
    """A base that has a ranking for every query, and remembers the queries."""

    name = "listed"

    def __init__(self, *rankings: Sequence[int]) -> None:
        self.rankings = rankings
        self.asked: list[str] = []

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        self.asked = [query.text for query in queries]
        return [
            BaseResult(Ranking.of((id_, float(-n)) for n, id_ in enumerate(ids)), {})
            for ids in self.rankings
        ]


def test_every_step_is_asked_with_the_answers_of_those_before() -> None:
    assert oracle_searches(HOPS) == [
        "Who directed Harbour Lights?",
        "Where was Ada Quill born?",
        "Who built the bridge of Port Mira, long after Ada Quill had left?",
    ]


def test_the_oracle_decomposition_interleaves_the_rankings_of_its_searches() -> None:
    base = Listed([1, 9], [2, 1, 8], [3])
    assert oracle_ranking(base, HOPS) == [1, 2, 3, 9, 8]
    assert base.asked == oracle_searches(HOPS)
