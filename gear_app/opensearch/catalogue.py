"""The collections that a cluster has: listed, opened, dropped.

An index is found by an alias, which it gets when it is whole: one that is half loaded has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from gear_app.errors import NotReady, Unknown
from gear_app.opensearch.cluster import Cluster
from gear_app.opensearch.index import OpenSearchIndex
from gear_app.opensearch.schema import (
    FORMAT,
    PREFIX,
    TOKENS,
    IndexFacts,
    alias_of,
    facts_of,
)
from gear_app.seams import Embedder

if TYPE_CHECKING:
    from opensearchpy import OpenSearch


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index of a cluster. `open`: an alias leads to it, so it is what is searched. `health` is
    the server's word: green, yellow (a copy is missing), red (data are missing).
    """

    name: str
    facts: IndexFacts
    open: bool
    health: str
    shards: int
    copies: int
    documents: int
    bytes: int


def stored(cluster: Cluster) -> list[StoredIndex]:
    """All indices of ours, by name, half-loaded ones too. Three round trips."""
    found = cluster.call(lambda client: client.indices.get(index=f"{PREFIX}*"))
    rows = cluster.call(
        lambda client: client.cat.indices(
            index=f"{PREFIX}*", params={"format": "json", "bytes": "b", "expand_wildcards": "open"}
        )
    )
    told = {row["index"]: row for row in rows}
    indices = []
    for name, one in sorted(found.items()):
        facts = facts_of(one["mappings"].get("_meta"))
        row = told.get(name)
        if facts is not None and row is not None:
            indices.append(
                StoredIndex(
                    name,
                    facts,
                    facts.alias in one["aliases"],
                    row["health"],
                    int(row["pri"]),
                    int(row["rep"]) + 1,
                    int(row["docs.count"] or 0),
                    int(row["store.size"] or 0),
                )
            )
    return indices


def find(
    indices: Sequence[StoredIndex], collection: str, triples: str | None = None
) -> StoredIndex:
    """The index that is searched for a collection with a triple set; `triples` None: with the only
    one it has. Raises Unknown with those that are there, and NotReady for one that is half loaded.
    """
    of_name = [one for one in indices if one.facts.collection == collection]
    if not of_name:
        there = sorted({one.facts.collection for one in indices if one.open})
        raise Unknown("collection of the cluster", collection, there or ["none yet"])
    of_set = [one for one in of_name if triples is None or one.facts.triples == triples]
    if not of_set:
        raise Unknown("triple set", triples or "", sorted({one.facts.triples for one in of_name}))
    open_ = [one for one in of_set if one.open]
    if not open_:
        raise NotReady(
            f"{collection!r} was loaded only in part, so it is not searched. To finish it, run:"
            f" gear-app index push --collection {collection} --to URL"
        )
    if len({one.facts.triples for one in open_}) > 1:
        names = ", ".join(sorted(one.facts.triples or "(none)" for one in open_))
        raise NotReady(
            f"{collection!r} is there with several triple sets: {names}. Name one with --triples."
        )
    return open_[0]


def open_index(
    cluster: Cluster, collection: str, triples: str | None, embedder: Embedder
) -> OpenSearchIndex:
    """The index of a collection with a triple set, if it can be searched with this model.

    Raises Unknown or NotReady with what is wrong and what to do, and ClusterFailed.
    """
    found = find(stored(cluster), collection, triples)
    check(found, embedder)
    return OpenSearchIndex(cluster, found.name, found.facts, embedder)


def check(found: StoredIndex, embedder: Embedder) -> None:
    """Raises NotReady where this index cannot be searched, or not by this model."""
    facts = found.facts
    again = f"gear-app index push --collection {facts.collection} --to URL"
    if found.health == "red":
        raise NotReady(
            f"The index {found.name} has lost shards: the cluster's health is red. Start its nodes"
            f" again; if their data are gone, run: {again}"
        )
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


def drop(cluster: Cluster, indices: Sequence[StoredIndex]) -> None:
    """Delete these indices with their aliases. One round trip each."""
    for name in [one.name for one in indices]:
        cluster.call(partial(_delete, name=name))


def _delete(client: OpenSearch, name: str) -> None:
    client.indices.delete(index=name)


def alias(cluster: Cluster, facts: IndexFacts) -> None:
    """Let the alias lead to this index, and to no other any more, in one call."""
    name = alias_of(facts.collection, facts.triples)
    actions = [
        {"remove": {"index": f"{name}.*", "alias": name, "must_exist": False}},
        {"add": {"index": facts.index, "alias": name}},
    ]
    cluster.call(lambda client: client.indices.update_aliases(body={"actions": actions}))
