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

from collections.abc import Iterator, Mapping

import numpy as np

from gear_app.events import Activated, Activation, Emit
from gear_app.language import mentions as find
from gear_app.language.words import stems
from gear_app.retrievers import lookup
from gear_app.retrievers.base import Dense
from gear_app.retrievers.mention_graph import MentionGraph
from gear_app.retrievers.method import Method, facts
from gear_app.retrievers.passage_walk import PassageGraph, PassageWalk
from gear_app.rows import MentionNetwork
from gear_app.seams import query_vectors
from gear_app.steps.activate import Bridging, LinearConfig, Reached
from gear_app.steps.fuse import min_max
from gear_app.text import cut
from gear_app.types import Ranking

TOLD = 400  # names that an event has, in the order in which they were reached
EXCERPT = 400  # characters of a sentence there


@facts(
    name="linearrag",
    label="LinearRAG",
    summary="from the question's names through sentences to others, then a walk to passages",
    idea="LinearRAG walks from names to passages",
    order=17,
    defaults=LinearConfig(),
    single_step=True,
    triples=False,
    links=True,
    graph_first=True,
    baseline=True,
    compared="without triples",
    made_of=("dense",),
)
class LinearRAG(Method):
    """Names, sentences, and a walk."""

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; where names are known, 200 and not only those near them."""
        near = Dense(self.parts).whole(query, k, emit)
        graph, depth = MentionGraph(self.index.mention_network()), max(k, lookup.DEPTH)
        (question,) = query_vectors(self.embedder, [query])
        bridging = Bridging(graph.in_sentences, graph.nearness(question), self.config)
        asked = dict(self._asked(query, graph.network))
        bridging.run({name: cosine for name, (cosine, _) in asked.items()})
        told = (_activation(graph, asked, one) for one in bridging.reached[:TOLD])
        emit(Activated(query, self.config.delta, tuple(told)))
        if not asked:
            return near.top(depth)
        nearness = dict(zip(near.ids, min_max(near), strict=True))
        own = self.config.nearness * np.array([nearness[id_] for id_ in graph.ids])
        passages = self.config.passage_share * (own + bridging.bonus(graph.counts))
        starts = np.append(bridging.starts(), passages)
        walk = PassageWalk(query, _by_counts(graph), starts, self.config.restart)
        return walk.rank(self.index, depth, self.parts.explained, emit)

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
            wanted = stems(name)
            like = [other for other in place if stems(other) & wanted]
            if like:
                mine, *others = self.embedder.embed([find.shown(one) for one in (name, *like)])
                cosines = np.round(np.array(others) @ mine, 6)
                best = int(cosines.argmax())
                yield place[like[best]], (max(0.0, float(cosines[best])), words)


def _activation(
    graph: MentionGraph, asked: Mapping[int, tuple[float, str]], one: Reached
) -> Activation:
    """What was reached, in words."""
    name = graph.names[one.name]
    if one.sentence is None or one.source is None:
        return Activation(name, one.value, one.tier, asked[one.name][1])
    passage = graph.passage_of(one.sentence)
    return Activation(
        name,
        one.value,
        one.tier,
        graph.names[one.source],
        passage.key,
        passage.title,
        cut(graph.words_of(one.sentence), EXCERPT),
        one.cosine,
        one.kept,
    )


def _by_counts(graph: MentionGraph) -> PassageGraph:
    """An edge between a passage and a name weighs the name's part of all that the passage names."""
    from scipy import sparse

    all_ = np.maximum(np.asarray(graph.counts.sum(axis=1)).ravel(), 1.0)
    shares = sparse.csr_array((sparse.diags_array(1 / all_) @ graph.counts).T)
    names = len(graph.names)
    return PassageGraph.of(graph.names, graph.ids, sparse.csr_array((names, names)), shares)
