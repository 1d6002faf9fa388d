"""The demo collection as an index in this process, and the same in a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from gear_app.cluster.contents import CollectionContents
from gear_app.cluster.facts import CollectionOrigin
from gear_app.embedders.local import HashingEmbedder
from gear_app.index.embedded import EmbeddedIndex
from gear_app.opensearch import catalogue, load
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.index import OpenSearchIndex
from gear_app.opensearch.load import StorageOptions
from gear_app.types import Passage, Question, Span, Triple
from tests.demo import QUESTIONS, demo_passages, demo_triples
from tests.small import index_over

EMBEDDER = HashingEmbedder()
ONCE = StorageOptions()


def embedded(passages: Sequence[Passage], triples: Sequence[Triple]) -> EmbeddedIndex:
    """With hashed vectors."""
    return index_over(passages, triples, EMBEDDER)


def with_ef(cluster: Cluster, ef: int | None) -> Cluster:
    """The same connection, searched with this ef."""
    return Cluster(cluster.client, replace(cluster.address, ef=ef), cluster.version)


@cache
def demo() -> EmbeddedIndex:
    """Its passages, four of a document, and curated triples, each with its passage's first
    sentence.
    """
    passages = [
        replace(passage, document_id=1 + n // 4, start=n, end=2 * n)
        for n, passage in enumerate(demo_passages(), start=1)
    ]
    text = {passage.id: passage.text for passage in passages}
    triples = [
        replace(triple, span=Span(0, text[triple.passage_id].index(".") + 1))
        for triple in demo_triples()
    ]
    return embedded(passages, triples)


def demo_questions() -> list[Question]:
    """Of the demo collection."""
    return [
        Question(row["id"], row["question"], tuple(row["answers"]), tuple(row["supporting_ids"]))
        for row in QUESTIONS
    ]


def contents(
    index: EmbeddedIndex,
    name: str,
    questions: Sequence[Question] = (),
    storage: StorageOptions = ONCE,
) -> CollectionContents:
    """What `index` holds, as a collection of this name."""
    origin = CollectionOrigin(name, 7, "curated", f"hash of {name}", EMBEDDER.fingerprint)
    return CollectionContents.of(index, origin, questions, storage)


def silent(what: str, done: int, total: int) -> None:
    """Nobody is told of a load."""


def pushed(
    cluster: Cluster,
    index: EmbeddedIndex,
    name: str,
    questions: Sequence[Question] = (),
    storage: StorageOptions = ONCE,
) -> OpenSearchIndex:
    """The same loaded into the cluster, and opened."""
    whole = contents(index, name, questions, storage)
    done = load.push(cluster, whole, silent, storage.replicas)
    return catalogue.open_index(cluster, done.index, EMBEDDER)
