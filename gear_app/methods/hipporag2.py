"""HippoRAG 2: from facts near the question a walk over entities and passages, as its authors' code
has it (the paper is not among ours).

Composes: dense search over passages and over facts → recognition memory (a reader leaves out facts
that do not help) → Personalized PageRank over entities and passages. Where no fact is kept the
ranking is the dense one. Facts are compared as they are stored, "subject predicate object". Ties
for the last fact or entity, settled there by the order of a set, go to the one stored first. Names
of less than three letters have no synonyms (index.entities); there the longer one still has.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from gear_app.core.config import RESTART, THRESHOLD, Config, setting
from gear_app.core.rows import Search
from gear_app.core.text import normalise_entity
from gear_app.core.types import Hit, Ranking
from gear_app.methods import lookup
from gear_app.methods.base import ALL, Dense
from gear_app.methods.fuse import min_max
from gear_app.methods.method import READER, EntityMethod, PromptCall, cached, declare_method
from gear_app.methods.passage_walk import Distribution, PassageGraph, PassageWalk
from gear_app.models.reader.roles import CHOOSE_FACTS, ReaderRequest
from gear_app.trace.events import Chosen, ChosenFact, Emit


@dataclass(frozen=True, slots=True)
class Hippo2Config(Config):
    """HippoRAG 2, by its authors' code: no paper of it is among ours."""

    facts: int = setting(
        5,
        "Facts",
        "So many of those nearest to the question are looked at",
        (1, 100),
        (1, 3, 5, 10),
    )
    # recognition memory; nobody asked: all of them start the walk
    filter: Literal["reader", "none"] = setting(
        "reader", "Filter", "reader leaves out facts that do not help; none keeps all"
    )
    phrases: int = setting(
        5, "Entities", "So many of the facts' entities start the walk", (1, 100), (1, 3, 5, 10)
    )
    passage_share: float = setting(
        0.05,
        "Weight of passages",
        "Of nearness in meaning, as the walk starts from all passages too",
        (0.0, 10.0),
        (0.0, 0.05, 0.5),
    )
    restart: float = setting(0.5, *RESTART)
    threshold: float = setting(0.8, *THRESHOLD)
    synonymy: bool = setting(True, "Synonymy edges", "Off: the walk crosses triples only")


@declare_method(
    name="hipporag2",
    label="HippoRAG 2",
    summary="a walk over entities and passages, from facts near the question",
    idea="HippoRAG 2 walks from facts to passages",
    order=14,
    defaults=Hippo2Config(),
    links=True,
    made_of=("dense", READER),
)
class HippoRAG2(EntityMethod):
    """A graph of entities and passages, a reader that chooses facts, and a walk."""

    @staticmethod
    def most_calls(config: Hippo2Config, k: int) -> Sequence[PromptCall]:
        """One call, where the reader filters facts."""
        return [PromptCall("choose_facts")] if config.filter == "reader" else []

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank passages for the query; where facts are kept, 200 and not only those near them."""
        near, depth = Dense(self.parts).rank_all(query, k, emit), max(k, lookup.DEPTH)
        (facts,) = self.index.search([Search(query, ALL, "dense", "triples")]).rankings
        chosen = [fact for fact in self._choose(query, facts, emit) if fact.kept]
        if not chosen:
            return near.top(depth)
        ids = tuple(sorted(near.ids))
        key = f"passages {hash(ids)} {self.config.threshold} {self.config.synonymy}"
        graph = cached(self.entities, key, lambda: self._graph(ids))
        starts = self._starts(chosen)
        nearness = dict(zip(near.ids, _stretched(near), strict=True))
        passages = self.config.passage_share * np.array([nearness[id_] for id_ in graph.ids])
        starts = np.append(starts, passages)
        if not starts.any():
            return near.top(depth)
        walk = PassageWalk(query, graph, starts, self.config.restart)
        return walk.rank(self.index, depth, self.parts.explained, emit)

    def _graph(self, passage_ids: Sequence[int]) -> PassageGraph:
        """Edges between entities count triples twice, since each adds to both directions; a synonym
        edge takes the place of these. A passage has an edge of 1 to every entity it names.
        """
        from scipy import sparse

        network, config = self.entities, self.config
        among = network.facts * 2
        if config.synonymy:
            near = network.synonymy.multiply(network.synonymy >= config.threshold).tocsr()
            near.eliminate_zeros()
            among = among - among.multiply(near > 0) + near * 2
        place = {id_: column for column, id_ in enumerate(passage_ids)}
        counts = network.counts.tocoo()
        columns = [place[network.passage_ids[column]] for column in counts.col.tolist()]
        shape = len(network.names), len(place)
        named = sparse.csr_array((np.ones(len(columns)), (counts.row, columns)), shape=shape)
        return PassageGraph.of(network.names, passage_ids, among, named)

    def _choose(self, query: str, facts: Ranking, emit: Emit) -> Sequence[ChosenFact]:
        """The nearest facts, and which of them are selected, with an event."""
        nearest = self._nearest(facts)
        chosen, by_reader = (
            set(range(len(nearest))),
            self.config.filter == "reader" and bool(nearest),
        )
        if by_reader:
            request = ReaderRequest(CHOOSE_FACTS, query, facts=[fact.triple for fact in nearest])
            places = self.usable(request, "choose", emit)
            by_reader, chosen = places is not None, chosen if places is None else set(places)
        nearest = [dataclasses.replace(fact, kept=n in chosen) for n, fact in enumerate(nearest)]
        emit(Chosen(query, tuple(nearest), by_reader))
        return nearest

    def _nearest(self, facts: Ranking) -> list[ChosenFact]:
        """The nearest facts of the collection; one that several passages have counts once."""
        scores = dict(zip(facts.ids, _stretched(facts), strict=True))
        rows = self.index.rows((), facts.ids).triples
        first: dict[tuple[str, ...], Hit] = {}
        for hit in facts.hits:
            triple = rows[hit.id].triple
            words = (triple.subject, triple.predicate, triple.object)
            first.setdefault(tuple(map(normalise_entity, words)), hit)
            if len(first) == self.config.facts:
                break
        words_of = lookup.shown_triples(self.index, [hit.id for hit in first.values()])
        return [
            ChosenFact(words_of[id_], cosine, round(scores[id_], 6), kept=True)
            for id_, cosine in first.values()
        ]

    def _starts(self, chosen: Sequence[ChosenFact]) -> Distribution:
        """(entities,) what the walk starts with: of an entity the mean, over the kept facts that
        name it, of the fact's score through the number of passages that name the entity.
        """
        weights: dict[int, list[float]] = {}
        for fact in chosen:
            for name in (fact.triple.subject, fact.triple.object):
                node = self.entities.find(name)
                if node is not None:
                    weights.setdefault(node, []).append(
                        fact.score / int(self.passages_naming[node])
                    )
        means = {node: sum(all_) / len(all_) for node, all_ in weights.items()}
        first = sorted(means, key=lambda node: (-means[node], node))[: self.config.phrases]
        starts = np.zeros(len(self.entities.names))
        starts[first] = [means[node] for node in first]
        return starts


def _stretched(ranking: Ranking) -> Sequence[float]:
    """The scores from 0 to 1; all 1 where none is better than another, as the authors have it."""
    scores = min_max(ranking)
    return scores if any(scores) else (1.0,) * len(scores)
