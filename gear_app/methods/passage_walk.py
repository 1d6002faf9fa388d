"""Personalized PageRank over a graph of entities and passages, and what of it is told (HippoRAG 2,
LinearRAG).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gear_app.core.protocols import Index
from gear_app.core.rows import Sparse
from gear_app.core.types import Hit, Ranking
from gear_app.methods import lookup
from gear_app.methods.steps.pagerank import Distribution, Walk, one_step, pagerank
from gear_app.trace.events import Emit, ScorePart, Visited, VisitedEntity
from gear_app.trace.events.base import OTHER_ENTITIES, START

DIGITS = 9  # of a probability: of ten thousand passages each has few
PARTS = 6  # entities that a passage's score is told by; the others are one part
ENTITIES = 60  # told of, those that the walk starts from among them


@dataclass(frozen=True, slots=True)
class PassageGraph:
    """Entities, then passages. `names` are the entities', `ids` the passages', both in order;
    `weights` is symmetric, (entities + passages, entities + passages), without diagonal.
    """

    names: Sequence[str]
    ids: Sequence[int]
    weights: Sparse

    @classmethod
    def of(
        cls, names: Sequence[str], ids: Sequence[int], among: Sparse, named: Sparse
    ) -> PassageGraph:
        """`among` (entities, entities) symmetric, `named` (entities, passages): edges' weights."""
        from scipy import sparse

        weights = sparse.block_array([[among, named], [named.T, None]], format="csr")
        return cls(names, ids, sparse.csr_array(weights))


@dataclass(frozen=True, slots=True)
class PassageWalk:
    """A walk for a query: `starts` (entities + passages,) are weights of nodes, some above 0."""

    query: str
    graph: PassageGraph
    starts: Distribution
    restart: float

    def rank(self, index: Index, depth: int, explained: int, emit: Emit) -> Ranking:
        """The passages by the probability of being there, `depth` of them; ties go to the smaller
        id. The first `explained` have the parts of their scores in the event.
        """
        graph, entities = self.graph, len(self.graph.names)
        walks = (
            pagerank if index.links else one_step
        )  # a second step joins what has a name in common
        walk = walks(graph.weights, self.starts, restart=self.restart)
        scores = np.round(walk.probabilities[entities:], DIGITS).tolist()
        hits = map(Hit, graph.ids, scores)
        ranking = Ranking(tuple(sorted(hits, key=lambda hit: (-hit.score, hit.id))[:depth]))
        flows = self._flows(walk, ranking.ids[:explained])
        parts = {hit.id: self._parts(walk, flows[hit.id], hit) for hit in ranking.hits[:explained]}
        emit(
            Visited(
                self.query,
                self.restart,
                walk.steps,
                self._entities(walk, flows),
                lookup.ranked_passages(index, ranking, parts),
            )
        )
        return ranking

    def _flows(self, walk: Walk, ids: Sequence[int]) -> dict[int, list[tuple[int, float]]]:
        """For each of these passages what comes from each entity in a step, the most first."""
        entities = len(self.graph.names)
        place = {id_: row for row, id_ in enumerate(self.graph.ids, start=entities)}
        into = walk.flow[:, [place[id_] for id_ in ids]].tocsc()
        flows = {}
        for column, id_ in enumerate(ids):
            part = slice(into.indptr[column], into.indptr[column + 1])
            pairs = zip(into.indices[part].tolist(), into.data[part].tolist(), strict=True)
            flows[id_] = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))
        return flows

    def _parts(
        self, walk: Walk, flows: Sequence[tuple[int, float]], hit: Hit
    ) -> tuple[ScorePart, ...]:
        """Parts from the entities that give most, from the others, and from the start, which
        also has what the walk was short of when it settled.
        """
        parts: list[ScorePart] = []
        for node, value in flows[:PARTS]:
            name, chance = self.graph.names[node], round(float(walk.probabilities[node]), DIGITS)
            formula = f"{chance:.6f} × {value / chance:.3g}" if chance else ""
            parts.append(ScorePart(name, 0, round(value, DIGITS), chance, formula))
        if flows[PARTS:]:
            rest = sum(value for _, value in flows[PARTS:])
            parts.append(ScorePart(OTHER_ENTITIES, 0, round(rest, DIGITS)))
        start = hit.score - sum(part.value for part in parts)
        return (*parts, ScorePart(START, 0, round(start, DIGITS)))

    def _entities(
        self, walk: Walk, flows: Mapping[int, Sequence[tuple[int, float]]]
    ) -> tuple[VisitedEntity, ...]:
        """Entities that the walk starts from, and those that the explained passages owe most."""
        owed = dict.fromkeys(np.flatnonzero(self.starts[: len(self.graph.names)]).tolist(), 1.0)
        for node, value in (pair for flow in flows.values() for pair in flow[:PARTS]):
            owed[node] = owed.get(node, 0.0) + value
        first = sorted(owed, key=lambda node: (-owed[node], node))[:ENTITIES]
        shown_entities = [
            VisitedEntity(
                self.graph.names[node],
                round(float(walk.probabilities[node]), DIGITS),
                round(float(self.starts[node]), 6),
            )
            for node in first
        ]
        return tuple(sorted(shown_entities, key=lambda entity: (-entity.probability, entity.name)))
