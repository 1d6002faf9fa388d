"""The collections that a cluster has: listed, opened, dropped.

A collection is found by an alias, which its index gets when it is whole: one that is half loaded
has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gear_app.errors import NotReady
from gear_app.opensearch import schema
from gear_app.opensearch.cluster import Cluster, Json, unread
from gear_app.opensearch.documents import question_of
from gear_app.opensearch.index import OpenSearchIndex, everything
from gear_app.opensearch.schema import (
    FORMAT,
    PREFIX,
    TOKENS,
    IndexFacts,
    facts_of,
)
from gear_app.seams import Embedder
from gear_app.types import Question

if TYPE_CHECKING:
    from opensearchpy import OpenSearch


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index of a cluster. `whole`: it was loaded to its end, and every copy checked; `open`: it
    is besides the one that a collection is found by, not an earlier one. `health` is the server's
    word: green, yellow (a copy is missing), red (data are missing).
    """

    name: str
    facts: IndexFacts
    whole: bool
    open: bool
    health: str
    shards: int
    copies: int
    documents: int
    bytes: int


def stored(cluster: Cluster) -> list[StoredIndex]:
    """All indices of ours, by name, half-loaded ones too. Two round trips."""
    found = cluster.call(
        lambda client: client.indices.get(index=f"{PREFIX}*"),
        lambda answer: {
            name: (facts_of(one["mappings"].get("_meta")), frozenset(one["aliases"]))
            for name, one in sorted(answer.items())
        },
    )
    options = {"format": "json", "bytes": "b", "expand_wildcards": "open"}
    sizes = cluster.call(
        lambda client: client.cat.indices(index=f"{PREFIX}*", params=options),
        lambda rows: {row["index"]: _size(row) for row in rows},
    )
    return [
        StoredIndex(name, facts, whole_alias(name) in aliases, facts.alias in aliases, *sizes[name])
        for name, (facts, aliases) in found.items()
        if facts is not None and name in sizes
    ]


def _size(row: Json) -> tuple[str, int, int, int, int]:
    """Health, shards, copies, documents and bytes; the last two are not told of lost shards."""
    return (
        str(row["health"]),
        int(row["pri"]),
        int(row["rep"]) + 1,
        int(row["docs.count"] or 0),
        int(row["store.size"] or 0),
    )


def open_index(cluster: Cluster, name: str, embedder: Embedder) -> OpenSearchIndex:
    """The index of this name, if it can be searched with this model: not an alias, so that a run
    goes on where another index takes its place.

    Raises NotReady with what is wrong and what to do, and ClusterFailed.
    """
    found = {one.name: one for one in stored(cluster)}.get(name)
    if found is None:
        raise NotReady(
            f"The index {name} is no longer in the cluster {cluster.address}. To see what is there"
            f" now: gear-app collections --index {cluster.address}"
        )
    check(found, embedder)
    return OpenSearchIndex(cluster, name, found.facts, embedder)


def check_whole(found: StoredIndex) -> None:
    """Raises NotReady where this index was loaded only in part, or has lost some since."""
    facts = found.facts
    again = _pushed_again(facts)
    if not found.whole:
        raise NotReady(
            f"{facts.collection!r} was loaded only in part, so it is not searched. To finish it,"
            f" run: {again}"
        )
    if found.health == "red":
        raise NotReady(
            f"The index {found.name} has lost shards: the cluster's health is red. Start its nodes"
            f" again; if their data are gone, run: {again}"
        )


def check(found: StoredIndex, embedder: Embedder) -> None:
    """Raises NotReady where this index cannot be searched, or not by this model."""
    check_whole(found)
    facts = found.facts
    again = _pushed_again(facts)
    if facts.model != embedder.fingerprint:
        raise NotReady(
            f"The vectors of {facts.collection!r} in the cluster are of the model {facts.model},"
            f" and questions would be encoded by {embedder.fingerprint}. Choose that model with"
            f" GEAR_EMBEDDER, or load it anew: {again}"
        )
    if (facts.tokens, facts.format) != (TOKENS, FORMAT):
        raise NotReady(
            f"{facts.collection!r} was loaded by another version of gear_app, which cuts words"
            f" otherwise. Load it anew: {again}"
        )


def _pushed_again(facts: IndexFacts) -> str:
    return f"gear-app index push --collection {facts.collection} --to URL"


def questions(cluster: Cluster, one: StoredIndex) -> list[Question]:
    """The questions that came with a collection, in order."""
    query = {"term": {schema.KIND: "question"}}
    hits = everything(cluster, one.name, query)
    return [question_of(hit["_source"][schema.ROW]) for hit in hits]


def whole_alias(index: str) -> str:
    """The alias that an index has of its own when it is whole. `_meta` cannot say so: it is written
    before.
    """
    return f"{index}.whole"


def drop(cluster: Cluster, indices: Sequence[StoredIndex]) -> None:
    """Delete these indices with their aliases. One round trip each."""
    for name in [one.name for one in indices]:
        cluster.call(partial(_delete, name=name), unread)


def _delete(client: OpenSearch, name: str) -> None:
    client.indices.delete(index=name)


def put_in_place(cluster: Cluster, facts: IndexFacts) -> None:
    """Say that this index is whole, and let the collection's alias lead to it and to no other any
    more, in one call.
    """
    actions = [
        {"remove": {"index": f"{facts.alias}.*", "alias": facts.alias, "must_exist": False}},
        {"add": {"index": facts.index, "alias": facts.alias}},
        {"add": {"index": facts.index, "alias": whole_alias(facts.index)}},
    ]
    body = {"actions": actions}
    cluster.call(lambda client: client.indices.update_aliases(body=body), unread)
