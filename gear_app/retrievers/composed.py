"""What GRIEVER searches by: conditional hybrid retrieval ("composed", §2), or in its ablation plain
hybrid.

Both among some passages only, where that is wanted (sub-graph filtering).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from gear_app.config import BaseConfig
from gear_app.retrievers.base import BOTH, Found
from gear_app.retrievers.show import DEPTH
from gear_app.rows import Search
from gear_app.seams import Index
from gear_app.steps.fuse import rrf, terms
from gear_app.types import Hit, Ranking


def composed(
    index: Index, query: str, candidates: int, among: Collection[int] | None = None
) -> Found:
    """BM25's first `candidates` passages, ranked by the cosine of their vectors; `among` (ids)
    leaves out all others.

    Ours: where BM25 finds fewer, the nearest others fill up.
    """
    (sparse,) = index.search([Search(query, candidates, "bm25", among=among)]).rankings
    chosen = sparse.ids
    if len(chosen) < candidates:
        (near,) = index.search([Search(query, candidates, "dense", among=among)]).rankings
        chosen = tuple(dict.fromkeys((*chosen, *near.ids)))[:candidates]
    (ranking,) = index.search([Search(query, candidates, "dense", among=chosen)]).rankings
    return Found(ranking, {})


def hybrid(
    index: Index, query: str, config: BaseConfig, among: Collection[int] | None = None
) -> Found:
    """RRF of the first `depth` of dense and of BM25, as the base retriever of that name."""
    searches = [Search(query, config.depth, scorer, among=among) for scorer in BOTH]
    lists: dict[str, Ranking] = dict(zip(BOTH, index.search(searches).rankings, strict=True))
    return Found(
        rrf(list(lists.values()), constant=config.constant), terms(lists, constant=config.constant)
    )


def sparse_ids(index: Index, query: str) -> tuple[int, ...]:
    """The first DEPTH passages that BM25 finds."""
    (ranking,) = index.search([Search(query, DEPTH, "bm25")]).rankings
    return ranking.ids


def beyond(ranking: Ranking, sparse: Sequence[int]) -> Ranking:
    """The ranking, and below it, with score 0, what else is among these: DEPTH passages in all."""
    there = set(ranking.ids)
    rest = [id_ for id_ in sparse if id_ not in there]
    return Ranking(
        (*ranking.hits, *(Hit(id_, 0.0) for id_ in rest[: max(0, DEPTH - len(ranking))]))
    )
