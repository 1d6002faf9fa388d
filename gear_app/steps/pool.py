"""The pool of an iterative method: every passage with its best normalised score over all queries
(BDTR Eq. 3, 4).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gear_app.events import Part
from gear_app.types import Hit, Ranking


class Pool(NamedTuple):
    """The first `size` passages of `ranking` are the pool; what else the first query found follows
    with score 0.

    `terms` are a passage's places in the queries' lists, by id: `source` "query 2", `value` its
    normalised score there, `score` the retriever's own. A passage below the pool has its place in
    the first query's list, value 0.
    """

    ranking: Ranking
    terms: Mapping[int, tuple[Part, ...]]
    size: int

    @property
    def ids(self) -> tuple[int, ...]:
        """The pool's passages, best first."""
        return self.ranking.ids[: self.size]


def normalised(ranking: Ranking, *, by_rank: bool) -> tuple[float, ...]:
    """The scores of one query, comparable with another query's: from 0 to 1, as many as there are
    hits.

    `by_rank`: 1 / rank, since sums of reciprocal ranks say nothing about nearness. Otherwise
    min-max over the hits given; hits that all score the same score 1. Ours
    (docs/decisions/0011-iterative-methods.md).
    """
    if by_rank:
        return tuple(round(1 / rank, 6) for rank in range(1, len(ranking) + 1))
    scores = [hit.score for hit in ranking.hits]
    low, width = min(scores, default=0.0), max(scores, default=0.0) - min(scores, default=0.0)
    return tuple(round((score - low) / width, 6) if width else 1.0 for score in scores)


def pooled(lists: Sequence[Ranking], k: int, *, by_rank: bool) -> Pool:
    """Pool the top k of every query's list; each passage keeps its greatest normalised score (BDTR
    Eq. 4).

    Equal scores: the earlier query first, then the better rank in it. The rest of the first query's
    list follows below the pool, in its order (ours). No lists give an empty pool.
    """
    places = [
        place
        for query, found in enumerate(lists, start=1)
        for place in _places(query, found.top(k), by_rank)
    ]
    pool: dict[int, Hit] = {}
    terms: dict[int, tuple[Part, ...]] = {}
    for id_, term in sorted(
        places, key=lambda place: -place[1].value
    ):  # stable: in the order of queries and ranks
        pool.setdefault(id_, Hit(id_, term.value))
    for id_, term in places:
        terms[id_] = (*terms.get(id_, ()), term)
    below = {
        hit.id: Part("query 1", rank, 0.0, hit.score)
        for found in lists[:1]
        for rank, hit in enumerate(found.hits, start=1)
        if hit.id not in pool
    }
    terms |= {id_: (term,) for id_, term in below.items()}
    return Pool(Ranking((*pool.values(), *(Hit(id_, 0.0) for id_ in below))), terms, len(pool))


def _places(query: int, found: Ranking, by_rank: bool) -> Iterator[tuple[int, Part]]:
    values = normalised(found, by_rank=by_rank)
    for rank, (hit, value) in enumerate(zip(found.hits, values, strict=True), start=1):
        yield hit.id, Part(f"query {query}", rank, value, hit.score)
