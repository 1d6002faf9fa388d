"""Max-pooling: every passage with its best normalised score over all queries (BDTR Eq. 3, 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gear_app.events import ScorePart
from gear_app.events.iterative import GIVEN
from gear_app.steps.fuse import min_max
from gear_app.types import Hit, Ranking


class Pool(NamedTuple):
    """The first `size` passages of `ranking` are the pool; below it the first query's others.

    Those have score 0. `terms` are a passage's places in the queries' lists, by id: `source` "query
    2", `value` its normalised score there, times the query's weight, `score` the retriever's own. A
    passage below the pool has its place in the first query's list, value 0.
    """

    ranking: Ranking
    terms: Mapping[int, tuple[ScorePart, ...]]
    size: int

    @property
    def ids(self) -> tuple[int, ...]:
        """The pool's passages, best first."""
        return self.ranking.ids[: self.size]


def normalised(ranking: Ranking, *, by_rank: bool, power: float = 1.0) -> tuple[float, ...]:
    """The scores of one query's hits, from 0 to 1, so that they compare with another query's.

    `by_rank`: 1 / rank, since sums of reciprocal ranks say nothing about nearness. Otherwise
    min-max over the hits given, to the `power`; several that all score the same score 0 (ours).
    """
    if by_rank:
        return tuple(round(1 / rank, 6) for rank in range(1, len(ranking) + 1))
    return tuple(round(score**power, 6) for score in min_max(ranking))


def pooled(
    lists: Sequence[Ranking],
    k: int,
    *,
    by_rank: bool,
    weights: Sequence[float] | None = None,
    first_k: int = 0,
    power: float = 1.0,
    given: Sequence[int] = (),
) -> Pool:
    """Pool the top k of every list, of the first at least `first_k`; a passage keeps its best
    normalised score (BDTR Eq. 4).

    Ours, and as in the paper without them: `weights`, one a list, multiply these scores, and the
    scores of all lists but the first are raised to the `power` unless they are by rank. Equal
    scores: the earlier query first, then the better rank in it. The rest of the first query's list
    follows below the pool, in its order (ours). `given`, an agent's documents of the pool, stand on
    top in this order, the n-th with the score 1 + 1 / n (ours). No
    lists give an empty pool.
    """
    queries = len(lists)
    depths = [max(k, first_k), *[k] * (queries - 1)][:queries]
    powers = [1.0, *[power] * (queries - 1)][:queries]
    each = zip(lists, depths, powers, weights or [1.0] * queries, strict=True)
    places = [
        place
        for query, (ranking, depth, raised, weight) in enumerate(each, start=1)
        for place in _places(query, ranking.top(depth), by_rank, raised, weight)
    ]
    places += [
        (id_, ScorePart(GIVEN, n, round(1 + 1 / n, 6), formula=f"1 + 1/{n}"))
        for n, id_ in enumerate(given, start=1)
    ]
    pool: dict[int, Hit] = {}
    terms: dict[int, tuple[ScorePart, ...]] = {}
    # a stable sort: equal values stay in the order of queries and ranks
    for id_, term in sorted(places, key=lambda place: -place[1].value):
        pool.setdefault(id_, Hit(id_, term.value))
    for id_, term in places:
        terms[id_] = (*terms.get(id_, ()), term)
    below = {
        hit.id: ScorePart("query 1", rank, 0.0, hit.score)
        for first in lists[:1]
        for rank, hit in enumerate(first.hits, start=1)
        if hit.id not in pool
    }
    terms |= {id_: (term,) for id_, term in below.items()}
    return Pool(Ranking((*pool.values(), *(Hit(id_, 0.0) for id_ in below))), terms, len(pool))


def _places(
    query: int, ranking: Ranking, by_rank: bool, power: float, weight: float
) -> Iterator[tuple[int, ScorePart]]:
    scores = normalised(ranking, by_rank=by_rank, power=power)
    values = [round(weight * value, 6) for value in scores]
    for rank, (hit, value) in enumerate(zip(ranking.hits, values, strict=True), start=1):
        yield hit.id, ScorePart(f"query {query}", rank, value, hit.score)
