"""The collections of a cluster: listed, opened, dropped.

A collection is found by an alias, which its index gets when it is whole: one that is half loaded
has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.core.errors import NotReady
from gear_app.core.protocols import Embedder
from gear_app.core.types import Question
from gear_app.index.opensearch import schema
from gear_app.index.opensearch.cluster import Cluster
from gear_app.index.opensearch.documents import question_of
from gear_app.index.opensearch.index import OpenSearchIndex, everything
from gear_app.index.opensearch.schema import PREFIX, IndexFacts, facts_of

LOADING = ".loading"  # behind an index's name: an alias that it has until it is whole


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index of a cluster."""

    name: str
    facts: IndexFacts
    whole: bool  # loaded to its end
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
    stored_indices = []
    for name, index in sorted(indices.items()):
        facts = facts_of(index["mappings"].get("_meta"))
        if facts is None or name not in sizes:
            continue
        size = sizes[name]
        stored_indices.append(
            StoredIndex(
                name,
                facts,
                whole=name + LOADING not in index["aliases"],
                open=facts.alias in index["aliases"],
                health=size["health"],
                shards=int(size["pri"]),
                copies=int(size["rep"]) + 1,
                documents=int(size["docs.count"] or 0),  # None of lost shards, as the next
                bytes=int(size["store.size"] or 0),
                created=int(index["settings"]["index"]["creation_date"]),
            )
        )
    return stored_indices


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
    check_whole(index)
    if reason := mismatch(index.facts, embedder.fingerprint):
        raise NotReady(reason)
    return OpenSearchIndex(cluster, name, index.facts, embedder)


def check_whole(index: StoredIndex) -> None:
    """Raises NotReady where an index was loaded only in part, or has lost shards."""
    again = _push(index.facts.collection)
    if not index.whole:
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
    hits = everything(cluster, index.name, {"term": {schema.KIND: "question"}})
    return [question_of(hit["_source"][schema.ROW]) for hit in hits]


def drop(cluster: Cluster, indices: Sequence[StoredIndex]) -> None:
    """Delete these indices with their aliases."""
    if names := ",".join(index.name for index in indices):
        cluster.call(lambda client: client.indices.delete(index=names))


def put_in_place(cluster: Cluster, facts: IndexFacts) -> None:
    """Let the collection's alias lead to this index, which is whole, and to no other."""
    actions = [
        {"remove": {"index": f"{facts.alias}.*", "alias": facts.alias, "must_exist": False}},
        {"add": {"index": facts.index, "alias": facts.alias}},
        {"remove": {"index": facts.index, "alias": facts.index + LOADING, "must_exist": False}},
    ]
    cluster.call(lambda client: client.indices.update_aliases(body={"actions": actions}))
