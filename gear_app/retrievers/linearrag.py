"""LinearRAG: from the question's names through sentences to other names, and a walk over names and
passages (its authors' code; the paper is not among ours). It needs no triples.

Composes: dense search → activation of names by the sentences nearest to the question, in rounds →
Personalized PageRank. Ours: names are the collection's mentions that are nowhere written small; how
often a passage names one is counted in its sentences and its title; a sentence's vector says the
title as well; a name of the question that no passage has is compared with those that share a word
with it. Edges between neighbouring parts of a document are left out. Where the question names
nothing that is known the ranking is the dense one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from gear_app.config import LinearConfig
from gear_app.events import Activated, Activation, Emit, Retrieved
from gear_app.language import mentions as find
from gear_app.language.words import stems
from gear_app.retrievers import lookup
from gear_app.retrievers.base import ALL
from gear_app.retrievers.passage_walk import PassageGraph, PassageWalk
from gear_app.rows import MentionNetwork, Search
from gear_app.seams import Embedder, Index, Sparse
from gear_app.steps.bridging import Bridging, Reached
from gear_app.steps.fuse import min_max
from gear_app.types import Ranking


@dataclass(frozen=True, slots=True)
class LinearRAG:
    """Names, sentences, and a walk."""

    index: Index
    embedder: Embedder
    config: LinearConfig
    explained: int = lookup.DEPTH  # passages that have the parts of their scores in the event

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; where names are known, 200 and not only those near them."""
        (near,) = self.index.search([Search(query, ALL, "dense")]).rankings
        emit(Retrieved(query, "dense", lookup.ranked_passages(self.index, near, depth=k)))
        network, depth = self.index.mention_network(), max(k, lookup.DEPTH)
        (question,) = self.embedder.embed([query])
        cosines = np.round((network.vectors @ question).astype(np.float64), 6)
        in_sentences = _named(network, network.in_sentences, len(cosines))
        bridging = Bridging(in_sentences, cosines, self.config)
        asked = dict(self._asked(query, network))
        bridging.run({name: cosine for name, (cosine, _) in asked.items()})
        names = _WrittenNames(network, in_sentences.T.tocsr())
        told = (self._activation(network, names, asked, one) for one in bridging.reached)
        emit(Activated(query, self.config.delta, tuple(told)))
        if not asked:
            return near.top(depth)
        graph, counts = self._graph(network, names, in_sentences)
        nearness = dict(zip(near.ids, min_max(near), strict=True))
        own = self.config.nearness * np.array([nearness[id_] for id_ in graph.ids])
        passages = self.config.passage_share * (own + bridging.bonus(counts))
        starts = np.append(bridging.starts(), passages)
        walk = PassageWalk(query, graph, starts, self.config.restart)
        return walk.rank(self.index, depth, self.explained, emit)

    def _asked(
        self, query: str, network: MentionNetwork
    ) -> Iterator[tuple[int, tuple[float, str]]]:
        """Each name of the question that is no part of a longer one: the nearest of the
        collection's, by position, its cosine, and the question's own words; ties go to the smaller
        position.
        """
        place = {name: n for n, name in enumerate(network.names) if not network.common[n]}
        said = [(name, span) for name, span, lower in find.mentions(query) if not lower]
        for name, span in said:
            if any(
                one.start <= span.start and span.end <= one.end and one != span for _, one in said
            ):
                continue
            words = query[span.start : span.end]
            if name in place:
                yield place[name], (1.0, words)
                continue
            like = [other for other in place if stems(other) & stems(name)]
            if like:
                mine, *others = self.embedder.embed([find.shown(one) for one in (name, *like)])
                cosines = np.round(np.array(others) @ mine, 6)
                best = int(cosines.argmax())
                yield place[like[best]], (max(0.0, float(cosines[best])), words)

    def _activation(
        self,
        network: MentionNetwork,
        names: Sequence[str],
        asked: Mapping[int, tuple[float, str]],
        one: Reached,
    ) -> Activation:
        """What was reached, in words."""
        name = names[one.name]
        if one.sentence is None or one.source is None:
            return Activation(name, one.value, one.tier, asked[one.name][1])
        passage = network.passages[int(network.sentence_passages[one.sentence])]
        start, end = network.spans[one.sentence].tolist()
        return Activation(
            name,
            one.value,
            one.tier,
            names[one.source],
            passage.key,
            passage.title,
            passage.text[start:end],
            one.cosine,
            one.kept,
        )

    @staticmethod
    def _graph(
        network: MentionNetwork, names: Sequence[str], in_sentences: Sparse
    ) -> tuple[PassageGraph, Sparse]:
        """The graph of names and passages, and (passages, names) how often a passage names one."""
        ids = [passage.id for passage in network.passages]
        numbers = np.arange(len(network.spans))
        of_passage = sparse.csr_array(
            (np.ones(len(numbers)), (network.sentence_passages, numbers)),
            shape=(len(ids), len(numbers)),
        )
        in_titles = _named(network, network.in_titles, len(ids))
        counts = sparse.csr_array(of_passage @ in_sentences + in_titles)
        all_ = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1.0)
        shares = sparse.csr_array((sparse.diags_array(1 / all_) @ counts).T)
        nothing = sparse.csr_array((len(names), len(names)))
        return PassageGraph.of(names, ids, nothing, shares), counts


class _WrittenNames(Sequence[str]):
    """The names as their first sentence writes them, looked up for those that are shown."""

    def __init__(self, network: MentionNetwork, named_in: Sparse) -> None:
        """`named_in` (names, sentences) is 1 where a sentence has the name."""
        self._network, self._named_in = network, named_in

    def __len__(self) -> int:
        return len(self._network.names)

    def __getitem__(self, name: int) -> str:  # type: ignore[override]
        normal, first = self._network.names[name], self._named_in.indptr[name]
        if first == self._named_in.indptr[name + 1]:
            return find.shown(normal)
        sentence = int(self._named_in.indices[first])
        passage = self._network.passages[int(self._network.sentence_passages[sentence])]
        start, end = self._network.spans[sentence].tolist()
        text = passage.text[start:end]
        return next(
            (text[at.start : at.end] for at in find.places(text, normal)), find.shown(normal)
        )


def _named(network: MentionNetwork, pairs: NDArray[np.int64], rows: int) -> Sparse:
    """(rows, names): 1 where a row names a name, and that is no ordinary word."""
    proper = pairs[~network.common[pairs[:, 1]]]
    where = (proper[:, 0], proper[:, 1])
    return sparse.csr_array((np.ones(len(proper)), where), shape=(rows, len(network.names)))
