"""A tree of clusters over texts, bottom up (RAPTOR §3): Gaussian mixtures over the vectors, their
number by BIC, and a text in each cluster that it belongs to with some probability.

Ours: PCA stands for UMAP, a cluster has one variance, since few texts have no more to tell, and
within a cluster there are at least so many that ten texts share one, in place of splitting what is
longer than 3,500 tokens.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from gear_app.config import Config, setting
from gear_app.seams import Vectors
from gear_app.thread_context import check_stop

DIMENSIONS = 10  # of the reduced vectors, as in its authors' code
FEWEST, MOST = 4, 10  # texts of a cluster, on average: BIC alone would end with one of each text
Cluster = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RaptorConfig(Config):
    """RAPTOR, by its authors' code."""

    clusters: int = setting(
        50, "Clusters at most", "Of a layer; how many there are, BIC decides", (1, 200), (5, 20, 50)
    )
    layers: int = setting(5, "Layers at most", "Of summaries above the passages", (1, 10), (1, 5))
    # ours: a small collection has a tree as well
    smallest: int = setting(
        4, "Least layer", "One with fewer texts is not clustered", (3, 1_000), (4, 12), paper=12
    )
    membership: float = setting(
        0.1,
        "Membership from",
        "A text is in each cluster that it belongs to with this probability",
        (0.01, 1.0),
        (0.1, 0.5),
    )
    # ours: sentences ask nobody
    summaries: Literal["sentences", "reader"] = setting(
        "sentences",
        "Summaries",
        "sentences: those nearest to the middle; reader: the reader writes them",
        paper="reader",
    )


class TreeNode(NamedTuple):
    """A summary of other nodes: of texts, 0 to n - 1, or of summaries, n on; `by` is the language
    model that wrote it, "" where it is made of sentences.
    """

    children: Cluster
    text: str
    by: str = ""


Summarise = Callable[[Sequence[int]], tuple[TreeNode, Vectors]]


def grow(vectors: Vectors, summarise: Summarise, config: RaptorConfig) -> list[TreeNode]:
    """The summaries of a tree over texts by their vectors, (n, d), in the order that their numbers
    have. `summarise` is given the nodes of a cluster, nearest to its middle first, and gives the
    summary of them all with its vector, (d,).

    A text that is alone in its cluster stands for itself in the layer above.
    """
    every, nodes = vectors, list[TreeNode]()
    layer = list(range(len(vectors)))
    for _ in range(config.layers):
        if len(layer) < config.smallest:
            break
        above: list[int] = []
        for places in two_levels(every[layer], config):
            cluster = [layer[place] for place in places]
            if len(cluster) > 1:
                centre = every[cluster].mean(axis=0)
                order = np.argsort(-np.round(every[cluster] @ centre, 6), kind="stable")
                nearest = [cluster[place] for place in order.tolist()]
                node, vector = summarise(nearest)
                nodes.append(node._replace(children=tuple(sorted(cluster))))
                cluster = [len(every)]
                every = np.vstack([every, vector])
            above += cluster
        if len(above) >= len(layer):
            break
        layer = above
    return nodes


def two_levels(vectors: Vectors, config: RaptorConfig) -> list[Cluster]:
    """Clusters within the clusters of all, each once."""
    found: set[Cluster] = set()
    for places in soft_clusters(vectors, config):
        inside = soft_clusters(vectors[list(places)], config, -(-len(places) // MOST))
        found.update(tuple(places[one] for one in cluster) for cluster in inside)
    return sorted(found)


def soft_clusters(vectors: Vectors, config: RaptorConfig, least: int = 1) -> list[Cluster]:
    """The clusters of texts, (n, d), each by its texts' places, ascending; each once, and every
    text in one at least. `least` is the smallest number of clusters that is tried; equal texts are
    never told apart.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.mixture import GaussianMixture

    if len(vectors) == 1:
        return [(0,)]
    points, different = reduced(vectors), len(np.unique(vectors, axis=0))
    least = min(least, different)
    most = max(least, min(config.clusters, len(points) // FEWEST, different))
    best, lowest = None, np.inf
    for number in range(least, most + 1):
        check_stop()
        mixture = GaussianMixture(number, covariance_type="spherical", random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # after 100 rounds it will do
            bic = mixture.fit(points).bic(points)
        if bic < lowest:
            best, lowest = mixture, bic
    assert best is not None
    belongs = best.predict_proba(points)
    member = (belongs >= config.membership) | (belongs == belongs.max(axis=1, keepdims=True))
    clusters = {tuple(np.flatnonzero(column).tolist()) for column in member.T}
    return sorted(cluster for cluster in clusters if cluster)


def reduced(vectors: Vectors) -> Vectors:
    """(n, m) of (n, d): their first principal components, ten at most."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    room = min(DIMENSIONS, len(vectors) - 1)
    components: Vectors = (left * values)[:, :room]
    return components


def beneath(nodes: Sequence[TreeNode], texts: int) -> list[Cluster]:
    """For each summary the texts below it, however far, by their places, ascending."""
    found: list[Cluster] = []
    for node in nodes:
        own = {place for place in node.children if place < texts}
        own.update(*(found[place - texts] for place in node.children if place >= texts))
        found.append(tuple(sorted(own)))
    return found
