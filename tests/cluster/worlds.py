"""The demo collection as an index in this process, and the same in a cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from gear_app.core.rows import HubLimit
from gear_app.core.types import Passage, Question, Span, Triple
from gear_app.index.embedded import EmbeddedIndex
from gear_app.index.opensearch import catalogue
from gear_app.index.opensearch.catalogue import Load, Report, StorageOptions
from gear_app.index.opensearch.cluster import Cluster
from gear_app.index.opensearch.documents import count_documents, documents
from gear_app.index.opensearch.index import OpenSearchIndex
from gear_app.index.opensearch.schema import IndexFacts
from gear_app.models.embedders.local import HashingEmbedder
from tests.demo import QUESTIONS, demo_passages, demo_triples
from tests.small import index_over

EMBEDDER = HashingEmbedder()
ONCE = StorageOptions()


def embedded(passages: Sequence[Passage], triples: Sequence[Triple]) -> EmbeddedIndex:
    """With hashed vectors."""
    return index_over(passages, triples, EMBEDDER)


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
    """The questions of the demo collection."""
    return [
        Question(row["id"], row["question"], tuple(row["answers"]), tuple(row["supporting_ids"]))
        for row in QUESTIONS
    ]


def facts_of(index: EmbeddedIndex, name: str, storage: StorageOptions = ONCE) -> IndexFacts:
    """The facts of an index with these contents, as a collection of this name."""
    return IndexFacts(
        collection=name,
        revision=7,
        triple_set="curated",
        content=f"hash of {name}",
        questions="",
        model=EMBEDDER.fingerprint,
        dimension=64,
        passages=len(index.passages),
        triples=len(index.triples),
        holders=HubLimit().holders(len(index.passages)),
        shards=storage.shards,
        hnsw=storage.hnsw,
    )


def silent(what: str, done: int, total: int) -> None:
    """A report of a load that nobody reads."""


def load_into(
    cluster: Cluster,
    index: EmbeddedIndex,
    facts: IndexFacts,
    storage: StorageOptions = ONCE,
    questions: Sequence[Question] = (),
    report: Report = silent,
) -> Load:
    """The contents of an index loaded into a cluster."""
    rows, total = documents(index, questions, facts.holders), count_documents(index, questions)
    return catalogue.push(cluster, facts, rows, total, report, storage.replicas)


def pushed(
    cluster: Cluster,
    index: EmbeddedIndex,
    name: str,
    storage: StorageOptions = ONCE,
    questions: Sequence[Question] = (),
) -> OpenSearchIndex:
    """The contents of an index loaded into a cluster and opened."""
    facts = facts_of(index, name, storage)
    load_into(cluster, index, facts, storage, questions)
    return catalogue.open_index(cluster, facts.index, EMBEDDER)
