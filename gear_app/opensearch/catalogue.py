"""A cluster as its operator sees it, and the collections that it has: listed, opened, dropped.

A collection is found by an alias, which its index gets when it is whole: one that is half loaded
has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from gear_app.errors import ClusterFailed, NotReady
from gear_app.language.mentions import VERSION
from gear_app.opensearch import schema
from gear_app.opensearch.cluster import CONNECT_S, LOADING, Cluster, unread
from gear_app.opensearch.documents import question_of
from gear_app.opensearch.index import OpenSearchIndex, everything
from gear_app.opensearch.schema import (
    FORMAT,
    PREFIX,
    TOKENS,
    IndexFacts,
    Json,
    alias_of,
    claims_of,
    facts_of,
    is_index_name,
)
from gear_app.seams import Embedder
from gear_app.types import Question

if TYPE_CHECKING:
    from opensearchpy import OpenSearch


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index of a cluster. `whole`: it was loaded to its end, and every copy checked; `open`: it
    is besides the one that a collection is found by, not an earlier one. `health` is the server's
    word: green, yellow (a copy is missing), red (data are missing); `made` is when it began to be
    loaded, in milliseconds since 1970.
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
    made: int = 0


@dataclass(frozen=True, slots=True)
class UnreadableIndex:
    """An index that is named as one of ours and whose facts cannot be read: another version wrote
    them, or a server made it for documents that came when it had been dropped. `collection` is what
    it says it is of, "" where it says nothing; `format` likewise. `open` as of a StoredIndex.
    """

    name: str
    collection: str
    format: str
    open: bool
    health: str
    shards: int
    copies: int
    documents: int
    bytes: int

    @property
    def why(self) -> str:
        """What is wrong with it and what to do, as a sentence."""
        if not self.format:
            return (
                f"{self.name} has no facts about itself, so it is not searched: it came into being"
                " when it was dropped while it was loaded. Delete it: gear-app index drop --closed"
                f" --collection {self._called}"
            )
        return (
            f"{self.collection or self.name!r} was loaded by another version of gear_app, which"
            f" stores an index otherwise (format {self.format}, not {FORMAT}), so it is not"
            f" searched. Load it anew: {_push(self.collection or 'NAME')}"
        )

    def of(self, collection: str) -> bool:
        """Whether it is one of a collection; by its name, where it does not say it."""
        if self.collection:
            return self.collection == collection
        return _words(alias_of(collection, "")) == self._called

    @property
    def _called(self) -> str:
        return _words(self.name)


def _words(name: str) -> str:
    """The words of a collection's name in an index's."""
    return name.removeprefix(PREFIX).partition(".")[0]


class Catalogue(NamedTuple):
    """The indices of a cluster, by name."""

    stored: list[StoredIndex]
    unreadable: list[UnreadableIndex]


def stored(cluster: Cluster) -> list[StoredIndex]:
    """All indices of ours, by name, half-loaded ones too. Two round trips."""
    return catalogue(cluster).stored


def catalogue(cluster: Cluster) -> Catalogue:
    """All indices of ours, and those that have such a name and cannot be read. Two round trips."""
    found = cluster.call(
        lambda client: client.indices.get(index=f"{PREFIX}*"),
        lambda answer: {
            name: (
                one["mappings"].get("_meta"),
                frozenset(one["aliases"]),
                int(one["settings"]["index"]["creation_date"]),
            )
            for name, one in sorted(answer.items())
        },
    )
    options = {"format": "json", "bytes": "b", "expand_wildcards": "open"}
    sizes = cluster.call(
        lambda client: client.cat.indices(index=f"{PREFIX}*", params=options),
        lambda rows: {row["index"]: _size(row) for row in rows},
    )
    listed = Catalogue([], [])
    for name, (meta, aliases, made) in found.items():
        facts = facts_of(meta)
        if name not in sizes:
            continue
        if facts is not None:
            whole, open_ = whole_alias(name) in aliases, facts.alias in aliases
            listed.stored.append(StoredIndex(name, facts, whole, open_, *sizes[name], made))
        elif is_index_name(name):
            (collection, format_), open_ = claims_of(meta), name.rpartition(".")[0] in aliases
            one = UnreadableIndex(name, collection, format_, open_, *sizes[name])
            listed.unreadable.append(one)
    return listed


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
    listed = catalogue(cluster)
    for unreadable in listed.unreadable:
        if unreadable.name == name:
            raise NotReady(unreadable.why)
    found = {one.name: one for one in listed.stored}.get(name)
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
    again = _push(facts.collection)
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
    why = mismatch(facts, embedder.fingerprint)
    if why:
        raise NotReady(why)
    dimension = embedder.embed([]).shape[1]
    if facts.dimension != dimension:
        raise NotReady(
            f"The vectors of {facts.collection!r} in the cluster have {facts.dimension} numbers,"
            f" and those of {embedder.fingerprint} have {dimension} here. Load it anew:"
            f" {_push(facts.collection)}"
        )


def mismatch(facts: IndexFacts, model: str) -> str:
    """Why an index cannot be searched from here, whatever state it is in: what it holds was made
    otherwise than by this version and the model with this fingerprint. "" where it can.
    """
    again = _push(facts.collection)
    if facts.model != model:
        return (
            f"The vectors of {facts.collection!r} in the cluster are of the model {facts.model},"
            f" and questions would be encoded by {model}. Choose that model with GEAR_EMBEDDER, or"
            f" load it anew: {again}"
        )
    for here, there, what in (
        (TOKENS, facts.tokens, "cuts words"),
        (VERSION, facts.mentions, "finds names in passages"),
    ):
        if here != there:
            return (
                f"{facts.collection!r} was loaded by another version of gear_app, which {what}"
                f" otherwise ({there}, not {here}). Load it anew: {again}"
            )
    return ""


def _push(collection: str) -> str:
    return f"gear-app index push --collection {collection} --to URL"


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


def drop(cluster: Cluster, indices: Sequence[StoredIndex | UnreadableIndex]) -> None:
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
        {"remove": {"index": facts.index, "alias": facts.index + LOADING, "must_exist": False}},
    ]
    body = {"actions": actions}
    cluster.call(lambda client: client.indices.update_aliases(body=body), unread)


_COLUMNS = "name,ip,node.role,heap.percent,heap.max,disk.avail,disk.used_percent"


class NodeState(NamedTuple):
    """A node, and how full its memory and its disk are. What it does not tell is None."""

    name: str
    address: str
    roles: str
    heap_percent: float | None
    heap_bytes: int | None
    disk_percent: float | None
    disk_free_bytes: int | None


@dataclass(frozen=True, slots=True)
class ClusterState:
    """How a cluster is. `health` is the server's word: green, yellow (a copy of some shard is on no
    node), red (data are missing). `hidden` is why its nodes are not listed, "" where they are.
    """

    address: str
    version: str
    name: str
    health: str
    node_count: int
    shards: int
    nodes: tuple[NodeState, ...] = ()
    hidden: str = ""


def state(cluster: Cluster) -> ClusterState:
    """Two round trips. Raises ClusterFailed; not where the user may not list nodes."""
    quick = {"request_timeout": CONNECT_S}
    found = cluster.call(
        lambda client: client.cluster.health(params=dict(quick)), partial(_state, cluster)
    )
    columns = {"format": "json", "bytes": "b", "h": _COLUMNS, **quick}
    try:
        nodes = cluster.call(lambda client: client.cat.nodes(params=dict(columns)), _nodes)
    except ClusterFailed as error:
        return replace(found, hidden=str(error))
    return replace(found, nodes=nodes)


def _state(cluster: Cluster, health: Json) -> ClusterState:
    return ClusterState(
        str(cluster.address),
        cluster.version,
        str(health["cluster_name"]),
        str(health["status"]),
        int(health["number_of_nodes"]),
        int(health["active_shards"]),
    )


def _nodes(rows: list[Json]) -> tuple[NodeState, ...]:
    """By name."""
    found = [
        NodeState(
            str(row["name"]),
            str(row["ip"]),
            str(row["node.role"]),
            _number(row["heap.percent"]),
            _whole(row["heap.max"]),
            _number(row["disk.used_percent"]),
            _whole(row["disk.avail"]),
        )
        for row in rows
    ]
    return tuple(sorted(found, key=lambda node: (node.name, node.address)))


def _number(told: str | None) -> float | None:
    return float(told) if told else None


def _whole(told: str | None) -> int | None:
    return int(told) if told else None
