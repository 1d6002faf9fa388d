"""RAPTOR (Sarthi et al. 2024; by its authors' code): a tree of summaries over the passages, all of
whose nodes are searched together (the "collapsed tree").

Composes: dense search → clusters of passages, of their summaries, and so on  → a
summary leads to the passages below it. RAPTOR hands the nearest nodes to a reader and ranks no
passages; here a passage scores the greatest of its own cosine and, over the summaries above it, the
summary's cosine times that of summary and passage (ours). The tree is made at the first question,
and kept. It leaves out UMAP, the traversal layer by layer, and leaves of 100 tokens: they are the
passages. It was made for questions about whole texts, not for chains of facts.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

import numpy as np

from gear_app.core.config import Config, setting
from gear_app.core.protocols import Vectors, query_vectors
from gear_app.core.rows import WholeCollection
from gear_app.core.text import count, cut
from gear_app.core.threads import check_stop, load_timer, show
from gear_app.core.types import Ranking, Summary
from gear_app.methods import lookup
from gear_app.methods.base import Dense
from gear_app.methods.method import READER, Method, PromptCall, declare_method
from gear_app.models.prompts import hash_of
from gear_app.models.reader.roles import SUMMARISE, ReaderRequest
from gear_app.trace.events import Emit, OpenedNode, ScorePart, TreeSearched
from gear_app.trace.events.base import ITSELF

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
    clusters: set[Cluster] = set()
    for places in soft_clusters(vectors, config):
        inside = soft_clusters(vectors[list(places)], config, -(-len(places) // MOST))
        clusters.update(tuple(places[place] for place in cluster) for cluster in inside)
    return sorted(clusters)


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
    texts_below: list[Cluster] = []
    for node in nodes:
        below = {place for place in node.children if place < texts}
        below.update(*(texts_below[place - texts] for place in node.children if place >= texts))
        texts_below.append(tuple(sorted(below)))
    return texts_below


VERSION = 1  # of how a tree is made; raise it with every change of that
NODES = 10  # of the collapsed tree, that are told
SUMMED = 2 * MOST  # texts of a cluster at most that a summary is made of, nearest to its middle
EXCERPT = 600  # characters of a summary there


@declare_method(
    name="raptor",
    label="RAPTOR",
    summary="passages and summaries of many, together; a summary opens into its passages",
    idea="RAPTOR opens summaries into passages",
    order=18,
    defaults=RaptorConfig(),
    single_step=True,
    triples=False,
    graph_first=True,
    baseline=True,
    made_of=("dense", READER),
)
class Raptor(Method):
    """Summaries, and what is below them."""

    @staticmethod
    def most_calls(config: RaptorConfig, k: int) -> Sequence[PromptCall]:
        """One call a summary, once for the collection."""
        calls = [PromptCall("summarise", SUMMED, once=True)] * (config.clusters * config.layers)
        return calls if config.summaries == "reader" else []

    def retrieve(self, query: str, k: int, emit: Emit) -> Ranking:
        """Rank all passages for the query, 200 of them or k."""
        near, depth = Dense(self.parts).rank_all(query, k, emit), max(k, lookup.DEPTH)
        collection = self.index.collection()
        tree = self._tree(collection, emit)
        summaries = self.embedder.embed([node.text for node in tree])
        (question,) = query_vectors(self.embedder, [query])
        nearness = _cosines(summaries, question).tolist()
        below = beneath(tree, len(collection.passages))
        above: dict[int, list[ScorePart]] = {id_: [] for id_ in near.ids}
        for number, (places, vector) in enumerate(zip(below, summaries, strict=True), start=1):
            cosine, name = nearness[number - 1], f"summary {number}"
            cosines = _cosines(collection.vectors[list(places)], vector).tolist()
            for place, to in zip(places, cosines, strict=True):
                value, formula = round(cosine * to, 6), f"{cosine:.6f} × {to:.6f}"
                if min(cosine, to) > 0:
                    part = ScorePart(name, 0, value, cosine, formula)
                    above[collection.passages[place].id].append(part)
        parts = {
            id_: (
                ScorePart(ITSELF, 0, score),
                *sorted(above[id_], key=lambda part: -part.value)[:1],
            )
            for id_, score in near.hits
        }
        scores = ((id_, max(part.value for part in parts_of)) for id_, parts_of in parts.items())
        ranking = Ranking.of(scores).top(depth)
        layers = _layers(tree, len(collection.passages))
        nearest = sorted(range(len(tree)), key=lambda number: -nearness[number])[:NODES]
        nodes = [
            OpenedNode(
                f"summary {number + 1}",
                layers[number],
                cut(tree[number].text, EXCERPT),
                tree[number].by,
                nearness[number],
                len(below[number]),
            )
            for number in nearest
        ]
        passages = self.index.rows(near.ids[:NODES], ()).passages
        nodes += [
            OpenedNode(passages[id_].title or passages[id_].key, 0, "", "", cosine, 0)
            for id_, cosine in near.hits[:NODES]
        ]
        nodes.sort(key=lambda node: -node.cosine)
        emit(
            TreeSearched(
                query,
                (
                    len(collection.passages),
                    *(layers.count(n + 1) for n in range(max(layers, default=0))),
                ),
                tuple(nodes[:NODES]),
                lookup.ranked_passages(self.index, ranking, parts),
            )
        )
        return ranking

    def _tree(self, collection: WholeCollection, emit: Emit) -> list[TreeNode]:
        """The tree that is kept of these passages, vectors and settings, else one made now."""
        if not collection.passages:
            return []
        by_reader = self.config.summaries == "reader"
        made_of = [
            [(passage.title, passage.text) for passage in collection.passages],
            self.embedder.fingerprint,
            asdict(self.config),
            f"{self.reader.name} {hash_of(SUMMARISE.name)}" if by_reader else "",
        ]
        digest = hashlib.blake2b(json.dumps(made_of).encode(), digest_size=16).hexdigest()
        with nullcontext() if by_reader else load_timer():  # a model's time is the run's
            stored = collection.keep(
                f"raptor {VERSION} {digest}", lambda: self._summarised(collection, emit)
            )
        return [TreeNode(tuple(children), text, by) for children, text, by in json.loads(stored)]

    def _summarised(self, collection: WholeCollection, emit: Emit) -> str:
        """A tree as JSON."""
        texts = [(passage.title, passage.text) for passage in collection.passages]
        passages = len(texts)
        most = min(self.config.clusters * self.config.layers, passages // 2)  # at most
        show(f"{count(passages, 'passage')} are put into clusters, for a tree of summaries.")

        def summarise(places: Sequence[int]) -> tuple[TreeNode, Vectors]:
            check_stop()
            show(f"{count(len(texts) - passages + 1, 'summary', 'summaries')} so far, of a tree.")
            request = ReaderRequest(SUMMARISE, texts=[texts[place] for place in places[:SUMMED]])
            summary: Summary | None = None
            if self.config.summaries == "reader" and len(texts) - passages < most:
                summary = self.usable(request, "open", emit)
            summary = summary or request.by_rules(self.embedder)
            texts.append(("", summary.text))
            node = TreeNode((), summary.text, "" if summary.quoted else self.reader.name)
            return node, self.embedder.embed([summary.text])[0]

        tree = grow(collection.vectors, summarise, self.config)
        show("")
        return json.dumps(tree, ensure_ascii=False)


def _cosines(vectors: Vectors, vector: Vectors) -> Vectors:
    """(n,) of (n, d) and (d,), rounded as a ranking's are."""
    cosines: Vectors = np.round(vectors.astype(np.float64) @ vector.astype(np.float64), 6)
    return cosines


def _layers(tree: Sequence[TreeNode], passages: int) -> list[int]:
    """Layer of each summary above the passages."""
    layers = [0] * passages
    for node in tree:
        layers.append(1 + max(layers[child] for child in node.children))
    return layers[passages:]
