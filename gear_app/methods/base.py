"""The base retrievers h(x, R, k) over passages and over triples: bm25, dense, and two that fuse
both, hybrid by rank and weighted by score; and sentences, by the nearest sentence.

Single-step, no graph, no model but the embedder. They are methods and the base of others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gear_app.core.protocols import query_vectors
from gear_app.core.rows import Over, Scorer, Search
from gear_app.core.types import Ranking
from gear_app.language.mentions import telling
from gear_app.methods import lookup
from gear_app.methods.fuse import rrf, weighted
from gear_app.methods.method import Method, declare_method
from gear_app.trace.events import Emit, Retrieved, ScorePart
from gear_app.trace.events.base import BY_SCORE


class BaseQuery(NamedTuple):
    """One h(x, R, k): the top k of R, passages or triples, for the query x; `among` are the ids of
    R, None: all.
    """

    text: str
    k: int
    over: Over = "passages"
    among: Collection[int] | None = None


BOTH: tuple[Scorer, ...] = ("dense", "bm25")  # dense comes first, which settles ties of RRF
ALL = 2**31  # more passages than an index holds


class BaseResult(NamedTuple):
    """A ranking, and for every id the terms its score is the sum of (none where it was not
    fused); `lucene`: BM25 went by Lucene's idf (index.bm25).
    """

    ranking: Ranking
    terms: Mapping[int, tuple[ScorePart, ...]]
    lucene: bool = False


@declare_method(
    single_step=True,
    triples=False,
)
class Base(Method):
    """A base retriever; as a method its ranking is that of one search."""

    used: ClassVar[tuple[str, ...]] = ()  # settings of BaseConfig that change its ranking

    @classmethod
    def as_base(cls, config: Any) -> Any:  # noqa: ANN401
        """Its configuration where another method's has this for its base."""
        return config

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """The results of these queries, in order; the index is asked once."""
        raise NotImplementedError

    def begin(self, query: BaseQuery, emit: Emit, shown: int = lookup.DEPTH) -> Ranking:
        """The ranking for a query over passages, and an event with the first `shown`."""
        (result,) = self.search([query])
        ranked = lookup.ranked_passages(self.index, result.ranking, result.terms, depth=shown)
        emit(Retrieved(query.text, self.name, ranked, lucene=result.lucene))
        return result.ranking

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages; the event has the first k, the ranking 200 at least, if there are so
        many.
        """
        return self.begin(BaseQuery(query, max(k, lookup.DEPTH)), emit, shown=k)


class _Single(Base):
    """One scorer alone."""

    scorer: ClassVar[Scorer]

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """Results by one scorer; there is nothing to add up."""
        searches = [Search(q.text, q.k, self.scorer, q.over, q.among) for q in queries]
        outcome = self.index.search(searches)
        return [
            BaseResult(ranking, {}, place in outcome.lucene)
            for place, ranking in enumerate(outcome.rankings)
        ]


@declare_method(
    name="bm25",
    label="BM25",
    summary="words in common, rare ones more",
    step_purpose="Base retrieval ranks passages by the words they share with the query, rare"
    " words more.",
    order=1,
    compared="without triples",
    version=3,
)
class BM25(_Single):
    """BM25Okapi."""

    scorer = "bm25"


@declare_method(
    name="dense",
    label="Dense",
    inline="dense",
    summary="nearness in meaning",
    step_purpose="Base retrieval ranks passages by nearness in meaning to the query.",
    order=2,
    compared="without triples",
)
class Dense(_Single):
    """Nearness of sentence embeddings ("SBERT" in the paper)."""

    scorer = "dense"

    def rank_all(self, query: str, k: int, emit: Emit) -> Ranking:
        """All passages; the event has the first k. A method that orders passages anew begins so."""
        return self.begin(BaseQuery(query, ALL), emit, shown=k)


@declare_method(
    name="hybrid",
    label="Hybrid",
    inline="hybrid",
    summary="BM25 and dense, fused by rank",
    step_purpose="Base retrieval ranks passages by the words and the meaning of the query.",
    order=3,
    compared="always",
    by_rank=True,
    made_of=("dense", "bm25"),
)
class Hybrid(Base):
    """RRF of the top `depth` of dense and of bm25; of all that they rank for `depth` ALL."""

    used = ("depth", "constant")

    def search(self, queries: Sequence[BaseQuery], depth: int = 0) -> list[BaseResult]:
        """Results by both scorers, fused."""
        searches = [
            Search(
                self._words(query.text, scorer),
                depth or self.config.depth,
                scorer,
                query.over,
                query.among,
            )
            for query in queries
            for scorer in BOTH
        ]
        results = self.index.search(searches)
        pairs = zip(results.rankings[0::2], results.rankings[1::2], strict=True)
        fused = [self._fused(dict(zip(BOTH, pair, strict=True))) for pair in pairs]
        lucene = {place // len(BOTH) for place in results.lucene}
        return [
            outcome._replace(ranking=outcome.ranking.top(query.k), lucene=place in lucene)
            for place, (query, outcome) in enumerate(zip(queries, fused, strict=True))
        ]

    @staticmethod
    def _words(text: str, scorer: Scorer) -> str:
        """The text that a scorer searches for."""
        return text

    def _fused(self, lists: dict[str, Ranking]) -> BaseResult:
        return BaseResult(*rrf(lists, constant=self.config.constant))


@declare_method(
    name="weighted",
    label="Weighted hybrid",
    inline="weighted hybrid",
    summary="BM25 and dense, fused by score",
    step_purpose="Base retrieval ranks passages by the weighted sum of two scores: of the words"
    " they share with the query, and of how near they are to it in meaning.",
    order=4,
    compared="",
    by_rank=False,
    ours=True,
    version=3,
)
class Weighted(Hybrid):
    """The weighted sum of the scores of dense and of bm25, each from 0 to 1, of the top `depth` of
    either (Bruch et al. 2023).

    A rank does not say how much nearer the first is than the second; a score does. BM25 searches
    for the words that say something (ours): in a small collection "whose" is as rare as a name.
    """

    used = ("depth", "dense_share")

    @staticmethod
    def _words(text: str, scorer: Scorer) -> str:
        return telling(text) if scorer == "bm25" else text

    def _fused(self, lists: dict[str, Ranking]) -> BaseResult:
        near, words = (name + BY_SCORE for name in BOTH)
        named = {near: lists["dense"], words: lists["bm25"]}
        shares = {near: self.config.dense_share, words: 1 - self.config.dense_share}
        return BaseResult(*weighted(named, shares, {words: 0.0}))


@declare_method(
    name="sentences",
    label="Sentences",
    inline="sentences",
    summary="nearness in meaning of a passage's best sentence",
    step_purpose="Base retrieval ranks passages by their sentence that is nearest in meaning to"
    " the query.",
    order=5,
    graph_first=True,
    ours=True,
)
class Sentences(Base):
    """Passages by their sentence nearest to the query: a passage is as good as its best sentence.
    Triples are those of dense.
    """

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """Results by the vectors of "title: sentence"; of equally near sentences the first."""
        outcome = Dense(self.parts).search(
            [q._replace(k=0) if q.over == "passages" else q for q in queries]
        )
        places = [place for place, query in enumerate(queries) if query.over == "passages"]
        if not places:
            return outcome
        network = self.index.mention_network()
        vectors = query_vectors(self.embedder, [queries[place].text for place in places])
        for place, vector in zip(places, vectors, strict=True):
            cosines = np.round((network.vectors @ vector).astype(np.float64), 6)
            order = np.lexsort((np.arange(len(cosines)), -cosines))
            best: dict[int, int] = {}
            for sentence in order.tolist():
                best.setdefault(int(network.sentence_passages[sentence]), sentence)
            scored = {int(network.passage_ids[at]): nearest for at, nearest in best.items()}
            ranking = Ranking.of((id_, float(cosines[nearest])) for id_, nearest in scored.items())
            ranking = ranking.top(queries[place].k)
            terms, passages = {}, self.index.rows(ranking.ids, ()).passages
            for id_, cosine in ranking.hits:
                start, end = network.spans[scored[id_]].tolist()
                terms[id_] = (ScorePart(passages[id_].text[start:end], 0, cosine, cosine),)
            outcome[place] = BaseResult(ranking, terms)
        return outcome
