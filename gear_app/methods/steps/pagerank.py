"""Personalized PageRank over a weighted, undirected graph, and HippoRAG's ablations (Table 5).

A graph is a symmetric CSR matrix without negative weights; `seeds` are weights of its nodes, some
above 0. All three ways give a distribution over the nodes, which adds up to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gear_app.core.rows import Sparse

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
