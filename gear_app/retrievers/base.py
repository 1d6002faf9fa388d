"""The base retrievers h(x, R, k) over passages and over triples: bm25, dense, and hybrid, which
fuses both.

Single-step, no graph, no model but the embedder (DESIGN §4). They are methods of their own and the
base of others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from gear_app.config import BaseConfig
from gear_app.events import Emit, Retrieved
from gear_app.retrievers import show
from gear_app.seams import Index, Retriever, Scorer
from gear_app.steps.fuse import Term, rrf, terms
from gear_app.types import Ranking

Over = Literal["passages", "triples"]


class Found(NamedTuple):
    """A ranking, and for every id the terms its score is the sum of (none where it was not
    fused).
    """

    ranking: Ranking
    terms: Mapping[int, tuple[Term, ...]]


class Base(Protocol):
    """A base retriever: `name`, and h(x, R, k)."""

    @property
    def name(self) -> str:
        """bm25, dense or hybrid."""
        ...

    def search(self, query: str, k: int, over: Over) -> Found:
        """h(query, R, k): the top k of R, passages or triples."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """A single-step method under an iterative one; `by_rank`: its scores are reciprocal ranks."""

    retriever: Retriever
    name: str
    by_rank: bool


@dataclass(frozen=True, slots=True)
class _Single:
    """One scorer alone."""

    index: Index
    name: Scorer

    def search(self, query: str, k: int, over: Over) -> Found:
        """h(query, R, k) by one scorer."""
        search = self.index.search_passages if over == "passages" else self.index.search_triples
        return Found(search(query, k, self.name), {})

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
    """RRF of the top `depth` of dense and of bm25; dense comes first, which settles ties."""

    index: Index
    config: BaseConfig = field(default_factory=BaseConfig)
    name: str = "hybrid"

    def search(self, query: str, k: int, over: Over) -> Found:
        """h(query, R, k) by both scorers, fused."""
        lists: dict[str, Ranking] = {
            single.name: single.search(query, self.config.depth, over).ranking
            for single in (dense(self.index), bm25(self.index))
        }
        fused = rrf(list(lists.values()), constant=self.config.constant).top(k)
        return Found(fused, terms(lists, constant=self.config.constant))

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages; the screen shows the first k, the ranking goes on to all that either list
        has.
        """
        return _retrieve(self, self.index, query, k, emit)


def _retrieve(base: Base, index: Index, query: str, k: int, emit: Emit) -> Ranking:
    found = base.search(query, max(k, show.DEPTH), "passages")
    emit(Retrieved(query, base.name, show.ranked(index, found.ranking, found.terms, depth=k)))
    return found.ranking
