"""Personalized PageRank over a graph of entities and passages, and what of it is told (HippoRAG 2,
LinearRAG).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.protocols import Index
from gear_app.core.rows import Sparse
from gear_app.core.types import Hit, Ranking
from gear_app.methods import lookup
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


TOLERANCE = 1e-10  # L1 distance of two steps
MOST_STEPS = 2500  # enough for a restart of 0.01, the smallest a configuration allows
Distribution = NDArray[np.float64]


class Walk(NamedTuple):
    """The stationary probabilities by node, the flow over each edge in one step, and the steps.

    `flow` is from its row's node to its column's, and has explicit zeros. `steps` is how many it
    took to converge.
    """

    probabilities: Distribution
    flow: Sparse
    steps: int


def pagerank(weights: Sparse, seeds: Distribution, *, restart: float) -> Walk:
    """Personalized PageRank by power iteration (Haveliwala 2002; HippoRAG §2.3, §3.4).

    In each step the walk goes back to a seed with probability `restart`, which is 1 minus what most
    call the damping factor; else it crosses an edge, with a probability proportional to its weight.
    From a node without edges it goes back to the seeds. Seeds are normalised; no seed gives zeros
    after 0 steps.
    """
    if not seeds.any():
        return only_seeds(weights, seeds)
    start = seeds / seeds.sum()
    degrees = np.asarray(weights.sum(axis=1), np.float64)
    stuck = degrees == 0
    share = 1 / np.where(stuck, np.inf, degrees)
    after, moved, step = start, np.inf, 0
    while moved >= TOLERANCE and step < MOST_STEPS:
        before, step = after, step + 1
        walked = weights @ (before * share) + before[stuck].sum() * start
        after = restart * start + (1 - restart) * walked
        moved = np.abs(after - before).sum()
    return Walk(after, _from(weights, (1 - restart) * after * share), step)


def one_step(weights: Sparse, seeds: Distribution, *, restart: float) -> Walk:
    """Probabilities after the first step of such a walk; `flow` is that step's, without zeros. Some
    seed is above 0.
    """
    start = seeds / seeds.sum()
    degrees = np.asarray(weights.sum(axis=1), np.float64)
    share = (1 - restart) / np.where(degrees == 0, np.inf, degrees)
    flow = _from(weights, start * share)
    flow.eliminate_zeros()
    stays = restart + (1 - restart) * start[degrees == 0].sum()
    return Walk(stays * start + flow.sum(axis=0), flow, 1)


def only_seeds(weights: Sparse, seeds: Distribution) -> Walk:
    """The seeds alone (HippoRAG Table 5, "R_q Nodes Only"). No seed gives zeros."""
    return Walk(seeds / (seeds.sum() or 1.0), weights * 0.0, 0)


def with_neighbours(weights: Sparse, seeds: Distribution) -> Walk:
    """The seeds, and a little for every node next to one (HippoRAG Table 5, "& Neighbors").

    Ours, since the paper says "a small amount": for each seed it is next to, a node gets half of
    what the smallest seed has, whatever the edge's weight; then all is normalised.
    """
    if not seeds.any():
        return only_seeds(weights, seeds)
    small = seeds[seeds > 0].min() / 2
    shared = _from((weights > 0).astype(np.float64), np.where(seeds > 0, small, 0.0))
    spread = seeds + shared.sum(axis=0)
    return Walk(spread / spread.sum(), shared / spread.sum(), 1)


def _from(weights: Sparse, factors: Distribution) -> Sparse:
    """Each row times its node's factor."""
    flow = weights.copy()
    flow.data = weights.data * np.repeat(factors, np.diff(weights.indptr))
    return flow
