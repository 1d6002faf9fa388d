"""The graph that HippoRAG walks on, and what of a walk is shown: nodes, edges, passages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gear_app.events import RankedPassage, WalkedEdge, WalkedNode, WalkedPassage
from gear_app.seams import EntityNetwork, Sparse
from gear_app.steps.pagerank import Distribution, Walk, distances

EDGES = 120
TRACED = 50  # passages to whose strongest entity a way from a seed is shown
WalkTrace = tuple[tuple[WalkedNode, ...], tuple[WalkedEdge, ...], tuple[WalkedPassage, ...]]
Edge = tuple[int, int]  # nodes: source, target


@dataclass(frozen=True, slots=True)
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

    def nodes_of(self, passage_id: int) -> list[int]:
        """The nodes that a passage's triples name; none where it has no triples."""
        if passage_id not in self.rows:
            return []
        row = self.rows[passage_id]
        part = slice(self.mentions.indptr[row], self.mentions.indptr[row + 1])
        nodes: list[int] = self.mentions.indices[part].tolist()
        return nodes


def walk_trace(
    graph: WalkGraph,
    seeds: Distribution,
    walk: Walk,
    passages: Sequence[RankedPassage],
    scores: Mapping[int, float],
) -> WalkTrace:
    """Nodes, most probable first; edges; and those of the passages, in order, that have a score.

    Nodes are the seeds, all of a passage's that were reached, and those on the way to it. Edges are
    the ways from a seed to the strongest entity of each of the first passages, and then those with
    the largest flow.
    """
    terms = {p.id: _terms(graph, walk, p.id) for p in passages if p.id in scores}
    strongest = [
        max(found, key=lambda t: (walk.probabilities[t[0]] * t[1], -t[0]))[0]
        for found in terms.values()
    ]
    ways = list(dict.fromkeys(_ways(graph, seeds, walk, strongest[:TRACED])))
    touched = {node for found in terms.values() for node, _ in found} | {
        node for way in ways for node in way
    }
    nodes = sorted(
        touched.union(np.flatnonzero(seeds).tolist()), key=lambda n: (-walk.probabilities[n], n)
    )
    places = {node: place for place, node in enumerate(nodes)}
    return (
        tuple(
            WalkedNode(graph.names[n], float(walk.probabilities[n]), round(float(seeds[n]), 6))
            for n in nodes
        ),
        tuple(_edge(graph, walk, edge, places) for edge in _edges(walk, ways, nodes)),
        tuple(
            WalkedPassage(
                p.id, p.key, p.title, scores[p.id], tuple((places[n], c) for n, c in terms[p.id])
            )
            for p in passages
            if p.id in terms
        ),
    )


def _terms(graph: WalkGraph, walk: Walk, passage_id: int) -> list[tuple[int, int]]:
    """The passage's nodes that were reached, with how many of its triples name each."""
    row = graph.rows[passage_id]
    part = slice(graph.mentions.indptr[row], graph.mentions.indptr[row + 1])
    pairs = zip(
        graph.mentions.indices[part].tolist(), graph.mentions.data[part].tolist(), strict=True
    )
    return [(node, int(count)) for node, count in pairs if walk.probabilities[node] > 0]


def _ways(
    graph: WalkGraph, seeds: Distribution, walk: Walk, targets: Sequence[int]
) -> Iterator[Edge]:
    """The edges of a shortest way from a seed to each target; of several as short, by the largest
    flow.
    """
    away = distances(graph.weights, seeds)
    for target in targets:
        node = target
        while away[node] > 0:
            around = graph.weights.indices[
                graph.weights.indptr[node] : graph.weights.indptr[node + 1]
            ]
            nearer = around[away[around] < away[node]]
            flows = np.round(walk.flow[nearer, np.full(len(nearer), node)], 9)
            source = int(nearer[np.lexsort((nearer, -flows))[0]])
            yield source, node
            node = source


def _edges(walk: Walk, ways: Sequence[Edge], nodes: Sequence[int]) -> list[Edge]:
    """The ways, then the edges between the nodes with the largest flow, each in the direction of
    the larger.
    """
    among = walk.flow[nodes][:, nodes].tocoo()
    flows = np.round(among.data, 9)
    order = np.lexsort((among.col, among.row, -flows))
    taken: dict[frozenset[int], Edge] = {frozenset(way): way for way in ways}
    for place in order[flows[order] > 0].tolist():
        if len(taken) >= EDGES:
            break
        edge = nodes[among.row[place]], nodes[among.col[place]]
        taken.setdefault(frozenset(edge), edge)
    return list(taken.values())


def _edge(graph: WalkGraph, walk: Walk, edge: Edge, places: dict[int, int]) -> WalkedEdge:
    source, target = edge
    return WalkedEdge(
        places[source],
        places[target],
        round(float(graph.weights[edge]), 6),
        int(graph.facts[edge]),
        round(float(graph.synonymy[edge]), 6),
        round(float(walk.flow[edge]), 9),
    )
