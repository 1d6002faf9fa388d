"""What GRIEVER searches by: conditional hybrid retrieval ("composed", §2), or in its ablation plain
hybrid.

Both among some passages only, where that is wanted (sub-graph filtering).
"""

from __future__ import annotations

from collections.abc import Collection

from gear_app.config import BaseConfig
from gear_app.retrievers.base import Found
from gear_app.retrievers.show import DEPTH
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
    sparse = index.search_passages(query, candidates, "bm25", among).ids
    if len(sparse) < candidates:
        near = index.search_passages(query, candidates, "dense", among).ids
        sparse = tuple(dict.fromkeys((*sparse, *near)))[:candidates]
    return Found(index.search_passages(query, candidates, "dense", sparse), {})


def hybrid(
    index: Index, query: str, config: BaseConfig, among: Collection[int] | None = None
) -> Found:
    """RRF of the first `depth` of dense and of BM25, as the base retriever of that name."""
    lists: dict[str, Ranking] = {
        "dense": index.search_passages(query, config.depth, "dense", among),
        "bm25": index.search_passages(query, config.depth, "bm25", among),
    }
    return Found(
        rrf(list(lists.values()), constant=config.constant), terms(lists, constant=config.constant)
    )


def beyond(index: Index, query: str, ranking: Ranking) -> Ranking:
    """The ranking, and below it, with score 0, what else BM25 finds for the query: DEPTH passages
    in all.
    """
    there = set(ranking.ids)
    rest = [id_ for id_ in index.search_passages(query, DEPTH, "bm25").ids if id_ not in there]
    return Ranking(
        (*ranking.hits, *(Hit(id_, 0.0) for id_ in rest[: max(0, DEPTH - len(ranking))]))
    )
