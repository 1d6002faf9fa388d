"""Judging a question and a passage together.

*ColBERT* (Khattab and Zaharia 2020): late interaction over what BM25 and dense find. With the
vectors of the words of an encoder that was not trained for it, unless `embedder` names one that
was.

*Rerank*: the first passages of any single-step method in the order of a cross-encoder, or of late
interaction; the others follow as they were.

They leave out: triples, a reader, an index of words' vectors: candidates come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from gear_app.core.config import NO_MODEL, BaseConfig, Config, setting
from gear_app.core.protocols import Embedder, Index
from gear_app.core.rows import Over
from gear_app.core.types import Hit, Ranking
from gear_app.language.mentions import telling
from gear_app.language.words import roots
from gear_app.methods import lookup
from gear_app.methods.base import Base, BaseQuery, BaseResult, Hybrid
from gear_app.methods.method import Method, declare_method
from gear_app.models.embedders.interaction import CrossEncoderModel
from gear_app.trace.events import Emit, Moved, Reranked, ScorePart

AT_ONCE = 32  # texts whose vectors of words are in memory, 150 kB each at a hundred words


class JudgedText(NamedTuple):
    """A text's score and the terms that it is the sum of."""

    score: float
    parts: tuple[ScorePart, ...]


def max_sim(embedder: Embedder, query: str, texts: Sequence[str]) -> list[JudgedText]:
    """How well each text answers the query, with each of the query's words beside the word that won
    it; of equally near words the first. A text or a query without words scores 0. Raises NotReady
    where the embedder gives no vectors of words.
    """
    (query_words,) = embedder.tokens([query], query=True)
    judged = []
    slices = (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))
    for text in (words for batch in slices for words in embedder.tokens(batch)):
        terms: dict[str, float] = {}
        if query_words.words and text.words:
            cosines = np.round((query_words.vectors @ text.vectors.T).astype(np.float64), 6)
            for word, row in zip(query_words.words, cosines, strict=True):
                name = f"{word} → {text.words[int(row.argmax())]}"
                terms[name] = round(terms.get(name, 0.0) + float(row.max()), 6)
        parts = tuple(ScorePart(name, 0, value) for name, value in terms.items())
        judged.append(JudgedText(round(sum(terms.values()), 6), parts))
    return judged


@dataclass(frozen=True, slots=True)
class RerankConfig(Config):
    """A reranker over a single-step method."""

    judged: int = setting(
        20, "Passages judged", "The first of the method below", (1, 1_000), (5, 10, 20, 50, 100)
    )
    cross_encoder: str = setting(
        "none",
        "Cross-encoder",
        "A model of sentence-transformers, by name or folder; none: late interaction, as colbert",
    )
    base: Any = field(default_factory=BaseConfig)


@declare_method(
    name="colbert",
    label="ColBERT",
    summary="late interaction: the nearest word of a passage for each word of the question",
    step_purpose="Each word of the query looks for the word of a passage that is nearest to it; a"
    " passage scores the sum.",
    order=6,
    made_of=("hybrid",),
)
class ColBERT(Base):
    """Late interaction over the candidates of BM25 and dense, `depth` of each."""

    used = ("depth",)

    def search(self, queries: Sequence[BaseQuery]) -> list[BaseResult]:
        """The candidates in the order of MaxSim; equal ones as hybrid has them."""
        depth = self.config.depth
        wide = [query._replace(k=2 * depth) for query in queries]
        results = Hybrid(self.parts, self.config).search(wide)
        return [
            self._judged(query, result.ranking)._replace(lucene=result.lucene)
            for query, result in zip(queries, results, strict=True)
        ]

    def _judged(self, query: BaseQuery, candidates: Ranking) -> BaseResult:
        texts = _texts(self.index, candidates.ids, query.over)
        judged = dict(zip(candidates.ids, max_sim(self.embedder, query.text, texts), strict=True))
        ranking = _by_score(judged).top(query.k)
        return BaseResult(ranking, {id_: judged[id_].parts for id_ in ranking.ids})


@declare_method(
    name="rerank",
    label="Rerank",
    summary="the first passages of another method, judged again together with the question",
    idea="Rerank judges again what another method finds",
    order=9,
    defaults=RerankConfig(),
    over="method",
    single_step=True,
    triples=False,
)
class Rerank(Method):
    """The first passages of a single-step method, judged again."""

    @classmethod
    def at_most(cls, config: RerankConfig) -> int:
        """The passages that are judged."""
        return config.judged

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages: those judged by their score, equal ones as they were, then the others."""
        before = self.under.retrieve(query, k, emit)
        first, name = before.ids[: self.config.judged], self.under.full_name
        judged = dict(zip(first, self._judge(query, first), strict=True))
        judged_ranking = _by_score(judged)
        ranking = lookup.followed_by(judged_ranking, before.ids, max(k, lookup.DEPTH))
        places = {id_: rank for rank, id_ in enumerate(before.ids, start=1)}
        parts = {
            id_: (ScorePart(name, places[id_], 0.0), *judged[id_].parts)
            for id_ in judged_ranking.ids
        }
        passages = self.index.rows(first, ()).passages
        words = list(dict.fromkeys(word.strip("?!.,;:") for word in telling(query).split()))
        moves = tuple(
            Moved(
                passages[id_].key,
                passages[id_].title,
                places[id_],
                rank,
                _lacking(words, passages[id_].indexed),
            )
            for rank, id_ in enumerate(judged_ranking.ids, start=1)
        )
        lines = lookup.ranked_passages(self.index, ranking, parts)
        emit(
            Reranked(query, name, self._model, moves, lines, below=len(lines) - len(judged_ranking))
        )
        return ranking

    @property
    def _model(self) -> str:
        """The cross-encoder; "" for none."""
        named = self.config.cross_encoder
        return "" if named in NO_MODEL else named

    def _judge(self, query: str, ids: Sequence[int]) -> list[JudgedText]:
        texts = _texts(self.index, ids, "passages")
        if not self._model:
            return max_sim(self.embedder, query, texts)
        model = CrossEncoderModel.latest(self._model)
        return [
            JudgedText(score, (ScorePart(model.name, 0, score),))
            for score in model.scores(query, texts)
        ]


def _texts(index: Index, ids: Sequence[int], over: Over) -> list[str]:
    if over == "triples":
        triples = index.rows((), ids).triples
        return [triples[id_].triple.text for id_ in ids]
    passages = index.rows(ids, ()).passages
    return [passages[id_].indexed for id_ in ids]


def _by_score(judged: dict[int, JudgedText]) -> Ranking:
    hits = (Hit(id_, text.score) for id_, text in judged.items())
    return Ranking(tuple(sorted(hits, key=lambda hit: -hit.score)))


def _lacking(words: Sequence[str], text: str) -> tuple[str, ...]:
    """The words that a text does not have, in whatever form."""
    has = roots(text)
    return tuple(word for word in words if not has.issuperset(roots(word)))
