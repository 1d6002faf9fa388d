"""The collections of a cluster: listed, opened, dropped, loaded, merged, and put in place of the
index before.

A collection is found by an alias, which its index gets when it is whole: one that is half loaded
has none. A load that was interrupted goes on when it is started again: the index has the same name,
and documents that it has already are refused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from gear_app.core.errors import ClusterFailed, NotReady
from gear_app.core.protocols import Embedder
from gear_app.core.types import Question
from gear_app.index.opensearch import schema
from gear_app.index.opensearch.cluster import RETRIES, Cluster
from gear_app.index.opensearch.documents import question_of
from gear_app.index.opensearch.index import OpenSearchIndex, StoredRows
from gear_app.index.opensearch.schema import PREFIX, IndexFacts, Json, facts_of

AT_ONCE = 500  # documents of a request: about 5 MB with vectors
REFRESHED = 10_000  # documents after which a segment is closed: a merge of one is no merge
EXISTING = 409  # the status of a document that the index has already
# Until shards know that nobody needs the second copy of what _source excludes, so that a merge
# leaves it out; of few documents it is not worth the time.
LEASES_S, WORTH_WAITING = 40.0, 10_000
Report = Callable[[str, int, int], None]
LOADING = ".loading"  # behind an index's name: an alias that it has until it is whole


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index of a cluster."""

    name: str
    facts: IndexFacts
    complete: bool  # loaded to its end
    open: bool  # the one that its collection is found by, not an earlier one
    health: str  # green, yellow (a copy is missing) or red (data are missing)
    shards: int
    copies: int
    documents: int
    bytes: int
    created: int  # milliseconds since 1970


def stored(cluster: Cluster) -> list[StoredIndex]:
    """All indices of ours, by name, half-loaded ones too. Two round trips."""
    indices = cluster.call(lambda client: client.indices.get(index=f"{PREFIX}*"))
    options = {"format": "json", "bytes": "b", "expand_wildcards": "open"}
    rows = cluster.call(lambda client: client.cat.indices(index=f"{PREFIX}*", params=options))
    sizes = {row["index"]: row for row in rows}
    facts_of_ours = {
        name: facts
        for name, index in indices.items()
        if name in sizes and (facts := facts_of(index["mappings"].get("_meta")))
    }
    return [
        StoredIndex(
            name,
            facts,
            complete=name + LOADING not in indices[name]["aliases"],
            open=facts.alias in indices[name]["aliases"],
            health=sizes[name]["health"],
            shards=int(sizes[name]["pri"]),
            copies=int(sizes[name]["rep"]) + 1,
            documents=int(sizes[name]["docs.count"] or 0),  # None of lost shards, as the next
            bytes=int(sizes[name]["store.size"] or 0),
            created=int(indices[name]["settings"]["index"]["creation_date"]),
        )
        for name, facts in sorted(facts_of_ours.items())
    ]


def open_index(cluster: Cluster, name: str, embedder: Embedder) -> OpenSearchIndex:
    """The index of this name, if it can be searched with this model.

    Raises NotReady with what is wrong and what to do, and ClusterFailed.
    """
    index = {stored_index.name: stored_index for stored_index in stored(cluster)}.get(name)
    if index is None:
        raise NotReady(
            f"The index {name} is not in the cluster {cluster.address}, or another version of"
            " gear_app loaded it. What is there now: gear-app index status"
        )
    check_complete(index)
    if reason := mismatch(index.facts, embedder.fingerprint):
        raise NotReady(reason)
    return OpenSearchIndex(cluster, name, index.facts, embedder)


def check_complete(index: StoredIndex) -> None:
    """Raises NotReady where an index was loaded only in part, or has lost shards."""
    again = _push(index.facts.collection)
    if not index.complete:
        raise NotReady(
            f"{index.facts.collection!r} was loaded only in part, so it is not searched. To finish"
            f" it, run: {again}"
        )
    if index.health == "red":
        raise NotReady(
            f"The index {index.name} has lost shards: the cluster's health is red. Start its nodes"
            f" again; if their data are gone, run: {again}"
        )


def mismatch(facts: IndexFacts, model: str) -> str:
    """Why an index cannot be searched with the model of this fingerprint; "" where it can."""
    if facts.model == model:
        return ""
    return (
        f"The vectors of {facts.collection!r} in the cluster are of the model {facts.model}, and"
        f" questions would be encoded by {model}. Choose that model with GEAR_EMBEDDER, or load it"
        f" anew: {_push(facts.collection)}"
    )


def _push(collection: str) -> str:
    return f"gear-app index push --collection {collection} --to URL"


def questions(cluster: Cluster, index: StoredIndex) -> list[Question]:
    """The questions that came with a collection, in order."""
    hits = StoredRows(cluster, index.name).all_hits({"term": {schema.KIND: "question"}})
    return [question_of(hit["_source"][schema.ROW]) for hit in hits]


def drop(cluster: Cluster, indices: Sequence[StoredIndex]) -> None:
    """Delete these indices with their aliases."""
    if names := ",".join(index.name for index in indices):
        cluster.call(lambda client: client.indices.delete(index=names))


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
    documents: Iterator[Json],
    total: int,
    report: Report,
    replicas: int = 0,
) -> Load:
    """Load so many documents into an index, or those that it lacks, and open it. Raises
    ClusterFailed; the same call then goes on.
    """
    began, sent = time.monotonic(), 0
    existing = {stored_index.name: stored_index for stored_index in stored(cluster)}.get(
        facts.index
    )
    if existing is None:
        body = {
            "settings": schema.settings(facts.shards, hnsw=facts.hnsw),
            "mappings": schema.mappings(facts),
            "aliases": {facts.index + LOADING: {}},
        }
        try:
            cluster.call(lambda client: client.indices.create(index=facts.index, body=body))
        except ClusterFailed as error:
            # A push that was killed just now may have asked for it.
            if getattr(error.__cause__, "error", "") != "resource_already_exists_exception":
                raise
    if existing is None or not existing.complete:
        sent = _send(cluster, facts.index, documents, total, report)
        report("merging", total, total)
        _merge(cluster, facts.index, LEASES_S if total >= WORTH_WAITING else 0.0)
    copies = {"index": {"number_of_replicas": replicas}}
    cluster.call(lambda client: client.indices.put_settings(index=facts.index, body=copies))
    # The collection's alias leads to this index, which is whole, and to no other.
    actions = [
        {"remove": {"index": f"{facts.alias}.*", "alias": facts.alias, "must_exist": False}},
        {"add": {"index": facts.index, "alias": facts.alias}},
        {"remove": {"index": facts.index, "alias": facts.index + LOADING, "must_exist": False}},
    ]
    cluster.call(lambda client: client.indices.update_aliases(body={"actions": actions}))
    return Load(facts.index, sent, total - sent, time.monotonic() - began)


def _send(
    cluster: Cluster, index: str, documents: Iterator[Json], total: int, report: Report
) -> int:
    """Send documents; how many the index had not. They go by the alias: a server would make an
    index that was dropped meanwhile anew, without its fields.
    """
    from opensearchpy import helpers

    def load(client: object) -> int:
        sent = 0
        results = helpers.streaming_bulk(
            client,
            documents,
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
