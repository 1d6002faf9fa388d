"""A collection into a cluster: loaded, merged, and put in place of the index before it.

A load that was interrupted goes on when it is started again: the index has the same name, and
documents that it has already are refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gear_app.index.opensearch import catalogue, schema
from gear_app.index.opensearch.catalogue import LOADING
from gear_app.index.opensearch.cluster import RETRIES, Cluster
from gear_app.index.opensearch.documents import IndexDocument
from gear_app.index.opensearch.schema import IndexFacts

AT_ONCE = 500  # documents of a request: about 5 MB with vectors
REFRESHED = 10_000  # documents after which a segment is closed: a merge of one is no merge
EXISTING = 409  # the status of a document that the index has already
# Until shards know that nobody needs the second copy of what _source excludes, so that a merge
# leaves it out; of few documents it is not worth the time.
LEASES_S, WORTH_WAITING = 40.0, 10_000
Report = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class StorageOptions:
    """How a collection is stored in a cluster."""

    shards: int = 1
    replicas: int = 0
    hnsw: bool = False  # also a graph, for approximate search over all triples


@dataclass(frozen=True, slots=True)
class Load:
    """A finished load: how many documents were sent, and how many the index had before."""

    index: str
    sent: int
    existing: int
    seconds: float


def push(
    cluster: Cluster,
    facts: IndexFacts,
    documents: Iterator[IndexDocument],
    total: int,
    report: Report,
    replicas: int = 0,
) -> Load:
    """Load so many documents into an index, or those that it lacks, and open it. Raises
    ClusterFailed; the same call then goes on.
    """
    began, sent = time.monotonic(), 0
    existing = {stored_index.name: stored_index for stored_index in catalogue.stored(cluster)}.get(
        facts.index
    )
    if existing is None:
        body = {
            "settings": schema.settings(facts.shards, hnsw=facts.hnsw),
            "mappings": schema.mappings(facts),
            "aliases": {facts.index + LOADING: {}},
        }
        cluster.call(lambda client: client.indices.create(index=facts.index, body=body))
    if existing is None or not existing.whole:
        sent = _send(cluster, facts.index, documents, total, report)
        report("merging", total, total)
        _merge(cluster, facts.index, LEASES_S if total >= WORTH_WAITING else 0.0)
    copies = {"index": {"number_of_replicas": replicas}}
    cluster.call(lambda client: client.indices.put_settings(index=facts.index, body=copies))
    catalogue.put_in_place(cluster, facts)
    return Load(facts.index, sent, total - sent, time.monotonic() - began)


def _send(
    cluster: Cluster, index: str, documents: Iterator[IndexDocument], total: int, report: Report
) -> int:
    """Send documents; how many the index had not. They go by the alias: a server would make an
    index that was dropped meanwhile anew, without its fields.
    """
    from opensearchpy import helpers

    actions = (
        {"_op_type": "create", "_id": document.id, "_source": document.source}
        for document in documents
    )

    def load(client: object) -> int:
        sent = 0
        results = helpers.streaming_bulk(
            client,
            actions,
            chunk_size=AT_ONCE,
            max_retries=RETRIES,
            ignore_status=EXISTING,
            index=index + LOADING,
            require_alias=True,
        )
        for done, (created, _) in enumerate(results, start=1):
            sent += created
            report("loading", done, total)
            if done % REFRESHED == 0:
                cluster.client.indices.refresh(index=index)
        return sent

    return cluster.call(load)


def _merge(cluster: Cluster, index: str, wait_s: float) -> None:
    """One segment a shard: without the second copy of vectors."""
    cluster.call(lambda client: client.indices.refresh(index=index))
    cluster.call(lambda client: client.indices.flush(index=index))
    time.sleep(wait_s)
    options = {"max_num_segments": 1, "request_timeout": 3600}
    cluster.call(lambda client: client.indices.forcemerge(index=index, params=options))
    cluster.call(lambda client: client.indices.refresh(index=index))
