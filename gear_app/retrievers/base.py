"""The base retrievers h(x, R, k) over passages and over triples: bm25, dense, and hybrid, which
fuses both.

Single-step, no graph, no model but the embedder (DESIGN §4). They are methods of their own and the
base of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from gear_app.config import BaseConfig
from gear_app.events import Emit, Part, Retrieved
from gear_app.retrievers import lookup
from gear_app.rows import Over, Scorer, Search
from gear_app.seams import Index, Retriever
from gear_app.steps.fuse import rrf, terms
from gear_app.types import Ranking


class BaseQuery(NamedTuple):
    """One h(x, R, k): the top k of R, passages or triples, for the query x."""

    text: str
    k: int
    over: Over = "passages"


BOTH: tuple[Scorer, ...] = ("dense", "bm25")  # dense comes first, which settles ties
ALL = 2**31  # more passages than an index holds


class BaseResult(NamedTuple):
    """A ranking, and for every id the terms its score is the sum of (none where it was not
    fused).
    """

    ranking: Ranking
    terms: Mapping[int, tuple[Part, ...]]


class Base(Protocol):
    """A base retriever: `name`, and h(x, R, k)."""

    @property
    def name(self) -> str:
        """bm25, dense or hybrid."""
        ...

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """What is found for each of these queries, in order; the index is asked once."""
        ...

    def begin(self, query: BaseQuery, emit: Emit) -> Ranking:
        """What is found for a query over passages, told as a search begins with it."""
        ...


@dataclass(frozen=True, slots=True)
class SingleStep:
    """A single-step method under an iterative one; `by_rank`: its scores are reciprocal ranks."""

    retriever: Retriever
    name: str
    by_rank: bool


@dataclass(frozen=True, slots=True)
class _Single:
    """One scorer alone."""

    index: Index
    name: Scorer

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """By one scorer; there is nothing to add up."""
        searches = [Search(query.text, query.k, self.name, query.over) for query in queries]
        return [BaseResult(ranking, {}) for ranking in self.index.search(searches).rankings]

    def begin(self, query: BaseQuery, emit: Emit) -> Ranking:
        """The ranking, all of it told."""
        return _first_ranking(self, self.index, query, emit)

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages; the screen shows the first k, the ranking goes on to at least 200."""
        return _retrieve(self, self.index, query, k, emit)


def bm25(index: Index) -> _Single:
    """Words in common, rare ones more (BM25Okapi)."""
    return _Single(index, "bm25")


def dense(index: Index) -> _Single:
    """Nearness of sentence embeddings ("SBERT" in the paper)."""
    return _Single(index, "dense")


@dataclass(frozen=True, slots=True)
class Hybrid:
    """RRF of the top `depth` of dense and of bm25; `whole`: of all that they rank."""

    index: Index
    config: BaseConfig = field(default_factory=BaseConfig)
    name: str = "hybrid"
    whole: bool = False

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """By both scorers, fused."""
        depth = ALL if self.whole else self.config.depth
        searches = [
            Search(query.text, depth, scorer, query.over) for query in queries for scorer in BOTH
        ]
        rankings = self.index.search(searches).rankings
        pairs = zip(rankings[0::2], rankings[1::2], strict=True)
        return [
            self._fused(dict(zip(BOTH, pair, strict=True)), query.k)
            for query, pair in zip(queries, pairs, strict=True)
        ]

    def _fused(self, lists: dict[str, Ranking], k: int) -> BaseResult:
        fused = rrf(list(lists.values()), constant=self.config.constant).top(k)
        return BaseResult(fused, terms(lists, constant=self.config.constant))

    def begin(self, query: BaseQuery, emit: Emit) -> Ranking:
        """The ranking, all of it told."""
        return _first_ranking(self, self.index, query, emit)

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages; the screen shows the first k, the ranking goes on to all that either list
        has.
        """
        return _retrieve(self, self.index, query, k, emit)


def _retrieve(base: Base, index: Index, query: str, k: int, emit: Emit) -> Ranking:
    return _first_ranking(base, index, BaseQuery(query, max(k, lookup.DEPTH)), emit, shown=k)


def _first_ranking(
    base: Base, index: Index, query: BaseQuery, emit: Emit, shown: int = lookup.DEPTH
) -> Ranking:
    """What the base retriever finds for a query, told with the first `shown` passages."""
    (found,) = base.search([query])
    ranked = lookup.ranked_passages(index, found.ranking, found.terms, depth=shown)
    emit(Retrieved(query.text, base.name, ranked))
    return found.ranking
