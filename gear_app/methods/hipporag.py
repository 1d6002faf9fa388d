"""HippoRAG: one walk over the graph of entities, from those the question names (HippoRAG §2.3).

Composes: named entities (reader) → the nearest node of each, or else the entities of the passages
with that title (ours) → Personalized PageRank → passages by their entities. It leaves out how
triples are made: the graph is that of the index's triples. Where the question names nothing that
can be linked, or there is no graph, or the reply cannot be used, the ranking is the dense one;
where the budget allows no reply it is too, and the run stops. Passages that the walk does
not reach more than one from everywhere follow in the order of hybrid, as behind every short ranking
(ours).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.config import RESTART, THRESHOLD, Config, setting
from gear_app.core.rows import EntityNetwork, Search, Sparse
from gear_app.core.text import title_and_section
from gear_app.core.types import Ranking
from gear_app.language.mentions import figures
from gear_app.methods import lookup
from gear_app.methods.base import ALL, BaseQuery, Dense, Hybrid
from gear_app.methods.fuse import means
from gear_app.methods.method import READER, EntityMethod, Parts, PromptCall, cached, declare_method
from gear_app.methods.passage_walk import (
    Distribution,
    Walk,
    only_seeds,
    pagerank,
    with_neighbours,
)
from gear_app.models.errors import BudgetReached
from gear_app.models.reader.query_entities import names_title
from gear_app.models.reader.roles import ENTITIES, ReaderRequest
from gear_app.trace.events import (
    Emit,
    QueryEntity,
    RankedPassage,
    Recognised,
    ScorePart,
    Walked,
    WalkedNode,
    WalkedPassage,
)

WalkTrace = tuple[tuple[WalkedNode, ...], tuple[WalkedPassage, ...]]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class WalkGraph:
    """The graph that is walked on, `weights` = `facts` + `synonymy`, and how often a passage names
    a node.

    `mentions` is (passages, nodes); `rows` are its rows by passage id, ascending.
    """

    names: Sequence[str]
    rows: Mapping[int, int]
    mentions: Sparse
    facts: Sparse
    synonymy: Sparse
    weights: Sparse

    @classmethod
    def of(cls, entities: EntityNetwork, threshold: float | None) -> WalkGraph:
        """The graph of entities, synonyms as near as the threshold; None takes none."""
        near = entities.synonymy.multiply(
            entities.synonymy >= threshold if threshold is not None else 0.0
        ).tocsr()
        near.eliminate_zeros()
        rows = {id_: row for row, id_ in enumerate(entities.passage_ids)}
        weights = (entities.facts + near).tocsr()
        return cls(entities.names, rows, entities.counts.T.tocsr(), entities.facts, near, weights)

    def named(self, passage_id: int) -> list[tuple[int, int]]:
        """The nodes that a passage's triples name, with how many of them name each; none where it
        has no triples.
        """
        if passage_id not in self.rows:
            return []
        part = slice(*self.mentions.indptr[self.rows[passage_id] :][:2].tolist())
        nodes, counts = self.mentions.indices[part].tolist(), self.mentions.data[part].tolist()
        return [(node, int(count)) for node, count in zip(nodes, counts, strict=True)]


def walk_trace(
    graph: WalkGraph,
    seeds: Distribution,
    walk: Walk,
    passages: Sequence[RankedPassage],
    scores: Mapping[int, float],
) -> WalkTrace:
    """The seeds and the nodes that the passages with a score name and the walk reaches, most
    probable first; and these passages, in order.
    """
    chances = walk.probabilities
    terms = {
        p.id: [(node, count) for node, count in graph.named(p.id) if chances[node] > 0]
        for p in passages
        if p.id in scores
    }
    touched = {node for named in terms.values() for node, _ in named}
    touched.update(np.flatnonzero(seeds).tolist())
    nodes = sorted(touched, key=lambda node: (-chances[node], node))
    places = {node: place for place, node in enumerate(nodes)}
    return (
        tuple(
            WalkedNode(graph.names[n], float(chances[n]), round(float(seeds[n]), 6)) for n in nodes
        ),
        tuple(
            WalkedPassage(
                p.id, p.key, p.title, scores[p.id], tuple((places[n], c) for n, c in terms[p.id])
            )
            for p in passages
            if p.id in terms
        ),
    )


# ours: a name that no node is as near to as this is another one's name
NEAR = 0.6
TITLES = 20  # passages whose titles such a name is compared with


class QueryNode(NamedTuple):
    """A named entity of the question, and the nodes that the walk starts from: its own, those of
    the passages that have it as their title, or none.
    """

    entity: QueryEntity
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HippoConfig(Config):
    """HippoRAG (hipporag.txt §2.3, §3.4) and the ablations of its Table 5 that concern
    retrieval.
    """

    # §3.4: the probability that the walk restarts from the query nodes
    restart: float = setting(0.5, *RESTART)
    # §3.4, τ: two names as near as this are synonyms
    threshold: float = setting(0.8, *THRESHOLD)
    # Table 5, "w/o Node Specificity"
    specificity: bool = setting(
        True, "Node specificity", "Off: every entity of the question weighs the same"
    )
    # Table 5, "w/o Synonymy Edges"
    synonymy: bool = setting(True, "Synonymy edges", "Off: the walk crosses triples only")
    # Table 5, "PPR Alternatives"
    spread: Literal["pagerank", "seeds", "neighbours"] = setting(
        "pagerank", "Spread", "pagerank walks; seeds and neighbours are the paper's ablations"
    )
    chance: bool = setting(
        True,
        "More than by chance",
        "Off: whatever the walk touches is ranked, as in the paper",
        paper=False,
    )
    # App. F.2
    ensemble: Literal["none", "uncertainty"] = setting(
        "none", "Ensemble", "uncertainty: averaged with dense where an entity is linked unsurely"
    )
    # App. F.2, θ: an entity linked less surely than this makes the scores be ensembled
    certain: float = setting(
        0.9, "Sure from cosine θ", "Below it a link is unsure; for the ensemble", (0.0, 1.0)
    )


@declare_method(
    name="hipporag",
    label="HippoRAG",
    summary="one walk over the graph of entities, from those the question names",
    idea="HippoRAG walks along a graph of names",
    order=13,
    defaults=HippoConfig(),
    compared="with triples",
    links=True,
    version=5,
    made_of=("hybrid", READER),
)
class HippoRAG(EntityMethod):
    """A graph of entities, a reader that finds those of the question, and a walk."""

    def __init__(self, parts: Parts, config: Any = None, under: Any = None) -> None:  # noqa: ANN401
        """Weigh the graph's edges as the configuration says."""
        super().__init__(parts, config, under)
        near = self.config.threshold if self.config.synonymy else None
        self._graph = cached(
            self.entities, f"walk {near}", lambda: WalkGraph.of(self.entities, near)
        )
        self._ids = np.array(self.entities.passage_ids, np.int64)

    @staticmethod
    def most_calls(config: HippoConfig, k: int) -> Sequence[PromptCall]:
        """One call, for the named entities."""
        return [PromptCall("query_entities")]

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank the passages that the walk reaches, and after them, with score 0, the others as
        hybrid does; 200 in all.
        """
        try:
            linked = self._link(query, emit)
        except BudgetReached:
            Dense(self.parts).retrieve(query, k, emit)
            raise
        emit(Recognised(query, tuple(link.entity for link in linked)))
        seeds = self._seeds(linked)
        if not seeds.any():
            return Dense(self.parts).retrieve(query, k, emit)
        walk = self._walk(seeds)
        ensembled = self._is_uncertain(linked)
        depth = max(k, lookup.DEPTH)
        terms: Mapping[int, tuple[ScorePart, ...]] = {}
        if ensembled:
            (near,) = self.index.search([Search(query, ALL, "dense")]).rankings
            reached, below = self._passages(walk, ALL), 0
            ranking, terms = means({"walk": reached, "dense": near})
            ranking = ranking.top(depth)
        else:
            reached = self._passages(walk, depth, self._by_chance())
            (hybrid,) = Hybrid(self.parts).search([BaseQuery(query, depth)])
            ranking = lookup.followed_by(reached, hybrid.ranking.ids, depth)
            below = len(ranking) - len(reached)
        lines = lookup.ranked_passages(self.index, ranking, terms)
        explained, scores = lines[: self.parts.explained], dict(reached.hits)
        emit(
            Walked(
                query,
                self.config.spread,
                self.config.restart,
                walk.steps,
                *walk_trace(self._graph, seeds, walk, explained, scores),
                lines,
                ensembled,
                below,
            )
        )
        return ranking

    def _link(self, query: str, emit: Emit) -> list[QueryNode]:
        """Each named entity to its nearest node by cosine: that of its own name, or else ties go to
        the smaller, of those that have its numbers. One that no node is NEAR to the entities of the
        passages with that title, or to none.
        """
        request = ReaderRequest(ENTITIES, query, names=self.entities.nodes.keys())
        named = self.usable(request, "recognise", emit)
        texts = list(dict.fromkeys(named or ()))
        nodes = {text: self.entities.find(text) for text in texts}
        unknown = [text for text, node in nodes.items() if node is None]
        nearest = dict(zip(unknown, self._nearest(unknown), strict=True))
        far = [text for text, (_, cosine) in nearest.items() if cosine < NEAR]
        titled = dict(zip(far, self._titled(far), strict=True))
        linked: list[QueryNode] = []
        for text in texts:
            node, cosine = nearest.get(text, (nodes[text], 1.0))
            if text in titled or node is None:
                title, passages, starts, name = *titled[text], ""
            else:
                title, passages, starts = "", int(self.passages_naming[node]), (node,)
                name = self.entities.names[node]
            weight = self._specificity(passages)
            entity = QueryEntity(text, name, cosine, passages, weight, title)
            linked.append(QueryNode(entity, starts))
        return linked

    def _nearest(self, texts: Sequence[str]) -> list[tuple[int | None, float]]:
        if not texts or not len(self.entities.names):
            return [(None, 0.0)] * len(texts)
        cosines = np.round(
            (self.entities.vectors @ self.embedder.embed(texts).T).astype(np.float64), 6
        )
        for column, text in enumerate(texts):
            cosines[~self._same_numbers(text), column] = 0.0
        return [
            (int(node), float(cosines[node, column]))
            for column, node in enumerate(cosines.argmax(axis=0))
        ]

    def _same_numbers(self, text: str) -> NDArray[np.bool_]:
        """(nodes,) whether a node has all numbers, months and days of a name: "14 April" is near to
        "15 April", and another day.
        """
        numbers, names = figures(text), self.entities.names
        if not numbers:
            return np.ones(len(names), np.bool_)
        return np.array([numbers <= figures(name) for name in names], np.bool_)

    def _titled(self, texts: Sequence[str]) -> list[tuple[str, int, tuple[int, ...]]]:
        """For each name the first title of the passages that have it as theirs, how many these are,
        of those that share most words with it, and their nodes.
        """
        if not self._graph.rows:
            return [("", 0, ())] * len(texts)
        searches = [Search(text, TITLES, "bm25") for text in texts]
        results = self.index.search(searches)
        rankings, passages = results.rankings, results.rows.passages
        rows: list[tuple[str, int, tuple[int, ...]]] = []
        for text, ranking in zip(texts, rankings, strict=True):
            titles = {id_: title_and_section(passages[id_].title) for id_ in ranking.ids}
            ids = [id_ for id_ in titles if any(names_title(text, part) for part in titles[id_])]
            nodes = {node for id_ in ids for node, _ in self._graph.named(id_)}
            title = passages[ids[0]].title if nodes else ""
            rows.append((title, len(ids) if nodes else 0, tuple(sorted(nodes))))
        return rows

    def _specificity(self, passages: int) -> float:
        if not passages:
            return 0.0
        return round(1 / passages, 6) if self.config.specificity else 1.0

    def _seeds(self, linked: Sequence[QueryNode]) -> Distribution:
        """The restarts' shares: specificities, normalised.

        Several entities at one node count once. The nodes of titled passages share one weight
        evenly, and a node that has more by itself keeps it.
        """
        seeds = np.zeros(len(self.entities.names))
        for link in linked:
            nodes = list(link.nodes)
            seeds[nodes] = np.maximum(seeds[nodes], link.entity.specificity / max(1, len(nodes)))
        return seeds / (seeds.sum() or 1.0)

    def _walk(self, seeds: Distribution) -> Walk:
        """Probabilities as they are shown and added up: to eight digits."""
        weights, spread = self._graph.weights, self.config.spread
        if spread == "pagerank":
            walk = pagerank(weights, seeds, restart=self.config.restart)
        else:
            walk = (
                only_seeds(weights, seeds) if spread == "seeds" else with_neighbours(weights, seeds)
            )
        return walk._replace(probabilities=np.round(walk.probabilities, 8))

    def _by_chance(self) -> Distribution | float:
        """Scores of all passages by a walk that restarts anywhere; 0 where the setting is off, and
        for the alternatives to a walk, which reach little.
        """
        if self.config.spread != "pagerank" or not self.config.chance:
            return 0.0
        restart, anywhere = self.config.restart, np.ones(len(self.entities.names))

        def scores() -> Distribution:
            walk = pagerank(self._graph.weights, anywhere, restart=restart)
            return np.asarray(np.round(self._graph.mentions @ walk.probabilities, 6), np.float64)

        return cached(self._graph, f"chance {restart}", scores)

    def _passages(self, walk: Walk, depth: int, more_than: Distribution | float = 0.0) -> Ranking:
        """A passage scores the sum over its entities of probability × number of its triples that
        name the entity; those that score more than given.
        """
        scores = np.round(self._graph.mentions @ walk.probabilities, 6)
        scores[scores <= more_than] = 0.0
        least = np.partition(scores, -depth)[-depth] if depth < len(scores) else 0.0
        reached = np.flatnonzero((scores > 0) & (scores >= least))
        return Ranking.of(
            zip(self._ids[reached].tolist(), scores[reached].tolist(), strict=True)
        ).top(depth)

    def _is_uncertain(self, linked: Sequence[QueryNode]) -> bool:
        """Whether scores are to be averaged with the dense ones for the entity linked least surely
        (App. F.2).
        """
        least = min(link.entity.cosine for link in linked)
        return self.config.ensemble != "none" and bool(least < self.config.certain)
