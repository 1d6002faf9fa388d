"""The base retrievers h(x, R, k) over passages and over triples: bm25, dense, and two that fuse
both, hybrid by rank and weighted by score.

Single-step, no graph, no model but the embedder. They are methods of their own and the
base of others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from gear_app.config import BaseConfig
from gear_app.events import Emit, Retrieved, ScorePart
from gear_app.events.base import BY_SCORE
from gear_app.language.mentions import telling
from gear_app.retrievers import lookup
from gear_app.rows import Over, Scorer, Search
from gear_app.seams import Embedder, Index, Retriever, query_vectors
from gear_app.steps.fuse import rrf, weighted
from gear_app.types import Ranking


class BaseQuery(NamedTuple):
    """One h(x, R, k): the top k of R, passages or triples, for the query x."""

    text: str
    k: int
    over: Over = "passages"


BOTH: tuple[Scorer, ...] = ("dense", "bm25")  # dense comes first, which settles ties of RRF
ALL = 2**31  # more passages than an index holds


class BaseResult(NamedTuple):
    """A ranking, and for every id the terms its score is the sum of (none where it was not
    fused); `lucene`: BM25 went by Lucene's idf (index.bm25).
    """

    ranking: Ranking
    terms: Mapping[int, tuple[ScorePart, ...]]
    lucene: bool = False


class Base(Retriever, Protocol):
    """A base retriever, a method by itself: `name`, and h(x, R, k)."""

    @property
    def name(self) -> str:
        """bm25, dense, hybrid, weighted, sentences, colbert or chain."""
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


class Searcher(Base, Protocol):
    """A base retriever that is a method by itself: its ranking is that of one search."""

    index: Index

    def begin(self, query: BaseQuery, emit: Emit) -> Ranking:
        """The ranking, all of it told."""
        return first_ranking(self, self.index, query, emit)

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages; the screen shows the first k, the ranking goes on to 200 at least, where
        that many are found.
        """
        asked = BaseQuery(query, max(k, lookup.DEPTH))
        return first_ranking(self, self.index, asked, emit, shown=k)


@dataclass(frozen=True, slots=True)
class _Single(Searcher):
    """One scorer alone."""

    index: Index
    name: Scorer

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """By one scorer; there is nothing to add up."""
        searches = [Search(query.text, query.k, self.name, query.over) for query in queries]
        found = self.index.search(searches)
        return [
            BaseResult(ranking, {}, place in found.lucene)
            for place, ranking in enumerate(found.rankings)
        ]


def bm25(index: Index) -> _Single:
    """Words in common, rare ones more (BM25Okapi)."""
    return _Single(index, "bm25")


def dense(index: Index) -> _Single:
    """Nearness of sentence embeddings ("SBERT" in the paper)."""
    return _Single(index, "dense")


@dataclass(frozen=True, slots=True)
class Hybrid(Searcher):
    """RRF of the top `depth` of dense and of bm25; `whole`: of all that they rank."""

    index: Index
    config: BaseConfig = field(default_factory=BaseConfig)
    name: str = "hybrid"
    whole: bool = False

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """By both scorers, fused."""
        depth = ALL if self.whole else self.config.depth
        searches = [
            Search(self._asked(query.text, scorer), depth, scorer, query.over)
            for query in queries
            for scorer in BOTH
        ]
        results = self.index.search(searches)
        pairs = zip(results.rankings[0::2], results.rankings[1::2], strict=True)
        fused = [self._fused(dict(zip(BOTH, pair, strict=True))) for pair in pairs]
        lucene = {place // len(BOTH) for place in results.lucene}
        return [
            found._replace(ranking=found.ranking.top(query.k), lucene=place in lucene)
            for place, (query, found) in enumerate(zip(queries, fused, strict=True))
        ]

    @staticmethod
    def _asked(text: str, scorer: Scorer) -> str:
        """What a scorer is asked with."""
        return text

    def _fused(self, lists: dict[str, Ranking]) -> BaseResult:
        return BaseResult(*rrf(lists, constant=self.config.constant))


@dataclass(frozen=True, slots=True)
class Weighted(Hybrid):
    """The weighted sum of the scores of dense and of bm25, each from 0 to 1, of the top `depth` of
    either (Bruch et al. 2023).

    A rank does not say how much nearer the first is than the second; a score does. BM25 is asked
    with the words that say something (ours): in a small collection "whose" is as rare as a name.
    """

    name: str = "weighted"

    @staticmethod
    def _asked(text: str, scorer: Scorer) -> str:
        return telling(text) if scorer == "bm25" else text

    def _fused(self, lists: dict[str, Ranking]) -> BaseResult:
        near, words = (name + BY_SCORE for name in BOTH)
        named = {near: lists["dense"], words: lists["bm25"]}
        shares = {near: self.config.dense_share, words: 1 - self.config.dense_share}
        return BaseResult(*weighted(named, shares, {words: 0.0}))


@dataclass(frozen=True, slots=True)
class Sentences(Searcher):
    """Passages by their sentence nearest to the query: a passage is as good as its best sentence.
    Triples are those of dense.
    """

    index: Index
    embedder: Embedder
    name: str = "sentences"

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """By the vectors of "title: sentence"; of equally near sentences of a passage the first."""
        found = dense(self.index).search(
            [q._replace(k=0) if q.over == "passages" else q for q in queries]
        )
        places = [place for place, query in enumerate(queries) if query.over == "passages"]
        if not places:
            return found
        network = self.index.mention_network()
        vectors = query_vectors(self.embedder, [queries[place].text for place in places])
        for place, vector in zip(places, vectors, strict=True):
            cosines = np.round((network.vectors @ vector).astype(np.float64), 6)
            order = np.lexsort((np.arange(len(cosines)), -cosines))
            best: dict[int, int] = {}
            for sentence in order.tolist():
                best.setdefault(int(network.sentence_passages[sentence]), sentence)
            scored = {network.passages[at].id: one for at, one in best.items()}
            ranking = Ranking.of((id_, float(cosines[one])) for id_, one in scored.items())
            ranking = ranking.top(queries[place].k)
            terms = {}
            for id_, cosine in ranking.hits:
                start, end = network.spans[scored[id_]].tolist()
                passage = network.passages[int(network.sentence_passages[scored[id_]])]
                terms[id_] = (ScorePart(passage.text[start:end], 0, cosine, cosine),)
            found[place] = BaseResult(ranking, terms)
        return found


FUSING: Mapping[str, type[Hybrid]] = {"hybrid": Hybrid, "weighted": Weighted}


def all_by_meaning(index: Index, query: str, k: int, emit: Emit) -> Ranking:
    """The whole collection in the order of dense, told with the first k passages: what a method
    begins with that orders passages anew.
    """
    return first_ranking(dense(index), index, BaseQuery(query, ALL), emit, shown=k)


def first_ranking(
    base: Base, index: Index, query: BaseQuery, emit: Emit, shown: int = lookup.DEPTH
) -> Ranking:
    """What the base retriever finds for a query, told with the first `shown` passages."""
    (found,) = base.search([query])
    ranked = lookup.ranked_passages(index, found.ranking, found.terms, depth=shown)
    emit(Retrieved(query.text, base.name, ranked, lucene=found.lucene))
    return found.ranking
