"""Personalized PageRank against igraph's, on a graph worked by hand, and the ways that stand in its
place.
"""

from __future__ import annotations

import igraph
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from gear_app.core.rows import Sparse
from gear_app.methods.passage_walk import (
    one_step,
    pagerank,
)


def graph(nodes: int, edges: dict[tuple[int, int], float]) -> Sparse:
    matrix = np.zeros((nodes, nodes))
    for (a, b), weight in edges.items():
        matrix[a, b] = matrix[b, a] = weight
    return sparse.csr_array(matrix)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, dict[tuple[int, int], float], list[float]]:
    """Up to 12 nodes, often in several parts, some without any edge; from one seed to all, of
    different weights.
    """
    nodes = draw(st.integers(1, 12))
    pairs = [(a, b) for a in range(nodes) for b in range(a)]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=15, unique=True)) if pairs else []
    weights = draw(
        st.lists(
            st.sampled_from([0.8, 0.95, 1.0, 2.85, 7.0]), min_size=len(chosen), max_size=len(chosen)
        )
    )
    seeds = draw(
        st.lists(st.sampled_from([0.0, 0.05, 0.5, 1.0]), min_size=nodes, max_size=nodes).filter(any)
    )
    return nodes, dict(zip(chosen, weights, strict=True)), seeds


def igraphs(
    nodes: int, edges: dict[tuple[int, int], float], seeds: list[float], damping: float
) -> NDArray[np.float64]:
    peer = igraph.Graph(nodes, list(edges))
    return np.array(
        peer.personalized_pagerank(damping=damping, reset=seeds, weights=list(edges.values()))
    )


@given(graphs(), st.sampled_from([0.1, 0.3, 0.5, 0.85]))
def test_probabilities_are_igraphs(
    case: tuple[int, dict[tuple[int, int], float], list[float]], restart: float
) -> None:
    nodes, edges, seeds = case
    ours = pagerank(graph(nodes, edges), np.array(seeds), restart=restart).probabilities
    np.testing.assert_allclose(ours, igraphs(nodes, edges, seeds, 1 - restart), atol=1e-6)
    assert ours.sum() == pytest.approx(1, abs=1e-9)


def test_what_reaches_a_node_crosses_its_edges_or_restarts_there() -> None:
    weights = graph(4, {(0, 1): 3.0, (1, 2): 1.0, (2, 3): 0.8})
    walk = pagerank(weights, np.array([0.25, 0.75, 0, 0]), restart=0.4)
    arrives = walk.flow.sum(axis=0) + 0.4 * np.array([0.25, 0.75, 0, 0])
    assert walk.probabilities == pytest.approx(arrives, abs=1e-9)
    assert walk.flow.toarray()[1] == pytest.approx(
        0.6 * walk.probabilities[1] * np.array([0.75, 0, 0.25, 0])
    )


def test_one_step_leads_from_the_seeds_to_their_neighbours_and_no_further() -> None:
    """0 - 1 - 2 and 3 alone, from 0 and 3 alike: half of 0's half goes to 1; 3 has nowhere to go,
    and its half goes back to both.
    """
    walk = one_step(graph(4, {(0, 1): 1.0, (1, 2): 1.0}), np.array([1.0, 0, 0, 1.0]), restart=0.5)
    assert walk.probabilities.tolist() == [0.375, 0.25, 0.0, 0.375]
    assert walk.flow.toarray()[0].tolist() == [0, 0.25, 0, 0]
    assert (walk.flow.toarray().sum(), walk.steps) == (0.25, 1)
