"""A collection into a cluster: loaded, merged, copied, checked copy by copy, and only then opened.

Everything can be done again: documents have fixed ids, those that are there are not sent twice, and
an index is named by what is in it. So whatever ends a load, the same command goes on with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol, TypeVar

from gear_app.errors import BadInput, ClusterFailed
from gear_app.opensearch import catalogue, faults, queries, schema
from gear_app.opensearch.cluster import LOADING, Cluster, unread
from gear_app.opensearch.documents import IndexDocument
from gear_app.opensearch.schema import IndexFacts, Json
from gear_app.text import count

AT_ONCE = 500  # documents of a request: about 5 MB with vectors
REFRESHED = 10_000  # documents after which a segment is closed: a merge of one is no merge
# Until shards know that nobody needs the second copy of what _source excludes, so that a merge
# leaves it out; of few documents it is not worth the time.
LEASES_S, WORTH_WAITING = 40.0, 10_000
COPIED_S = 600  # for copies to be made
MOVED_S = 60  # for copies that are on their way to another node
ERRORS_TOLD = 3
MOST_SHARDS, MOST_REPLICAS = 100, 5
Report = Callable[[str, int, int], None]
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class ItemError:
    """A document that the server refused, and why."""

    id: str
    why: str


class DocumentsRefused(ClusterFailed):
    """Documents were refused, which are `refused`; the message tells the first few."""

    refused: Sequence[ItemError] = ()


@dataclass(frozen=True, slots=True)
class CopyCheck:
    """A copy of a shard, and what is missing in it; "" where it is whole."""

    shard: int
    copy: str
    node: str
    documents: int
    missing: str


@dataclass(frozen=True, slots=True)
class StorageOptions:
    """How a collection is stored in a cluster. `hnsw`: a graph is built besides, for approximate
    search over all triples.
    """

    shards: int = 1
    replicas: int = 0
    hnsw: bool = False

    def __post_init__(self) -> None:
        """Raises BadInput."""
        if not 1 <= self.shards <= MOST_SHARDS:
            raise BadInput(f"--shards takes 1 to {MOST_SHARDS}, not {self.shards}")
        if not 0 <= self.replicas <= MOST_REPLICAS:
            raise BadInput(f"--replicas takes 0 to {MOST_REPLICAS}, not {self.replicas}")


class IndexContents(Protocol):
    """What an index is to hold: a workspace's collection, or what was built from files."""

    @property
    def facts(self) -> IndexFacts:
        """What the index says of itself."""
        ...

    def send(self, cluster: Cluster, report: Report, *, resumed: bool) -> int:
        """Send the documents that are not there; how many these were. `resumed`: some may be."""
        ...


@dataclass(frozen=True, slots=True)
class Load:
    """A finished load: how many documents were sent and how many were there, and the copies."""

    index: str
    sent: int
    there: int
    seconds: float
    copies: Sequence[CopyCheck]


def push(cluster: Cluster, contents: IndexContents, report: Report, replicas: int = 0) -> Load:
    """Load contents, or what of them is missing, and open the index.

    Raises ClusterFailed where there is no room for so many copies, documents were refused or a copy
    is not whole: the index is then not opened, and the same call goes on.
    """
    check_nodes(cluster, replicas)
    began, sent, facts = time.monotonic(), 0, contents.facts
    before = {one.name: one for one in catalogue.stored(cluster)}.get(facts.index)
    whole = before is not None and before.whole
    if before is None:
        _make(cluster, facts)
    elif not whole:
        let_in(cluster, facts.index)
    if not whole:
        sent = contents.send(cluster, report, resumed=before is not None)
    copies = finish(cluster, facts, report, loaded=whole, replicas=replicas)
    there = sum(facts.counts.values()) - sent
    return Load(facts.index, sent, there, time.monotonic() - began, copies)


def check_nodes(cluster: Cluster, replicas: int) -> None:
    """Raises ClusterFailed where the cluster has fewer nodes than copies are wanted: no node holds
    two of the same. Asked before a load, which may take hours.
    """
    nodes = cluster.call(
        lambda client: client.cluster.health(), lambda health: int(health["number_of_data_nodes"])
    )
    if nodes <= replicas:
        raise ClusterFailed(
            f"{cluster.address} has {count(nodes, 'node')} for data, and --replicas {replicas}"
            f" needs {replicas + 1}: no node holds two copies of the same. Use --replicas"
            f" {nodes - 1}, or add nodes."
        )


def finish(
    cluster: Cluster, facts: IndexFacts, report: Report, *, loaded: bool, replicas: int
) -> list[CopyCheck]:
    """Merge, copy and check an index whose documents are there, and open it; the checks of all
    copies. `loaded`: it was merged before. Raises ClusterFailed where a copy is not whole.
    """
    total = sum(facts.counts.values())
    if not loaded:
        report("merging", total, total)
        _merge(cluster, facts.index, LEASES_S if total >= WORTH_WAITING else 0.0)
    report("copying", total, total)
    _copy(cluster, facts.index, replicas)
    report("checking", total, total)
    copies = verify(cluster, facts.index, facts)
    faults = [copy for copy in copies if copy.missing]
    if faults:
        raise ClusterFailed(
            f"{facts.index} is not whole: shard {faults[0].shard} on {faults[0].node} has"
            f" {faults[0].missing}. It is not opened. Drop it and load it again: gear-app index"
            f" drop --collection {facts.collection} --closed"
        )
    catalogue.put_in_place(cluster, facts)
    return copies


def verify(cluster: Cluster, index: str, facts: IndexFacts) -> list[CopyCheck]:
    """Every copy of every shard: that it has as many documents as the others, none of them without
    what is searched; and that all shards together have what was loaded.

    Copies that are on their way to another node are waited for a while: where they were they can
    still be counted, but not once they have left.
    """
    _settled(cluster, index, MOVED_S, {"wait_for_no_relocating_shards": "true"})
    rows = cluster.call(
        lambda client: client.cat.shards(index=index, params={"format": "json", "h": _COLUMNS}),
        lambda rows: sorted(map(_shard, rows), key=lambda row: (int(row["shard"]), row["prirep"])),
    )
    found, of_kind = [], dict.fromkeys(facts.counts, 0)
    for row in rows:
        if row["state"] not in _SEARCHED:
            found.append(_absent(row))
            continue
        counts = _copy_counts(cluster, index, int(row["shard"]), row["id"])
        if row["prirep"] == "p":
            for kind in of_kind:
                of_kind[kind] += counts[kind]
        found.append(_copy_check(row, counts))
    return _agreeing(found, of_kind, facts)


_COLUMNS = "shard,prirep,state,id,node"
_SEARCHED = ("STARTED", "RELOCATING")  # states of a copy that answers


def _shard(row: Json) -> Json:
    """A row, if it has all columns; of a copy that is on its way the node that still has it."""
    told = {name: row[name] for name in _COLUMNS.split(",")}
    return told | {"node": str(told["node"] or "").partition(" -> ")[0]}


def let_in(cluster: Cluster, index: str) -> None:
    """Give an index the alias through which documents come in: what is dropped while it is loaded
    does not come back without its fields and facts.
    """
    cluster.call(lambda client: client.indices.put_alias(index=index, name=index + LOADING), unread)


def _make(cluster: Cluster, facts: IndexFacts) -> None:
    body = {
        "settings": schema.settings(facts.shards, hnsw=facts.hnsw),
        "mappings": schema.mappings(facts),
        "aliases": {facts.index + LOADING: {}},
    }
    cluster.call(lambda client: client.indices.create(index=facts.index, body=body), unread)


def send(
    cluster: Cluster,
    index: str,
    documents: Iterator[IndexDocument],
    total: int,
    report: Callable[[int, int], None],
    *,
    resumed: bool,
) -> int:
    """Send those of so many documents that are not there; how many these were. Raises
    DocumentsRefused where some were.
    """
    sending, done = Sending(cluster, index, resumed=resumed), 0
    for some in batches(documents):
        missing = sending.missing([one.id for one in some])
        sending.send([one for one in some if one.id in missing])
        done += len(some)
        report(done, total)
    sending.check(total)
    return sending.sent


class Sending:
    """Documents on their way into an index: how many were sent, and which were refused."""

    def __init__(self, cluster: Cluster, index: str, *, resumed: bool) -> None:
        """`resumed`: some documents may be there."""
        self._cluster, self._index, self._resumed = cluster, index, resumed
        self.sent = self._closed = 0
        self._errors: list[ItemError] = []

    def missing(self, ids: Sequence[str]) -> set[str]:
        """Those of these documents that are not there; also what is not visible yet is."""
        if not self._resumed:
            return set(ids)
        return set(ids) - self._cluster.documents(self._index, ids, sources=False).keys()

    def send(self, documents: Iterable[IndexDocument]) -> None:
        """Send documents, five hundred at once, and close a segment now and then."""
        for some in batches(documents):
            actions = [({"create": {"_id": one.id}}, one.source) for one in some]
            self._errors += [
                ItemError(one["_id"], str(faults.reason(one["error"]))[:200])
                for one in self._cluster.bulk(self._index, actions)
                if "error" in one
            ]
            self.sent += len(some)
            if self.sent - self._closed >= REFRESHED:
                self._cluster.call(lambda client: client.indices.refresh(index=self._index), unread)
                self._closed = self.sent

    def check(self, total: int) -> None:
        """Raises DocumentsRefused where any of so many was refused."""
        if self._errors:
            told = [f"{error.id}: {error.why}" for error in self._errors[:ERRORS_TOLD]]
            more = len(self._errors) - len(told)
            if more:
                told.append(f"and {more:,} more, which --json lists")
            error = DocumentsRefused(
                f"{len(self._errors):,} of {total:,} documents were refused by"
                f" {self._cluster.address}: {'; '.join(told)}. The others are there. Run it again"
                " to send these alone."
            )
            error.refused = tuple(self._errors)
            raise error


def batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows, as many together as are sent together."""
    left = iter(rows)
    while some := list(islice(left, AT_ONCE)):
        yield some


def _merge(cluster: Cluster, index: str, wait_s: float) -> None:
    """One segment a shard: without what was sent twice, and without the second copy of vectors."""
    cluster.call(lambda client: client.indices.refresh(index=index), unread)
    cluster.call(lambda client: client.indices.flush(index=index), unread)
    time.sleep(wait_s)
    options = {"max_num_segments": 1, "request_timeout": 3600}
    cluster.call(lambda client: client.indices.forcemerge(index=index, params=options), unread)
    cluster.call(lambda client: client.indices.refresh(index=index), unread)
    cluster.call(lambda client: client.indices.flush(index=index), unread)


def _copy(cluster: Cluster, index: str, replicas: int) -> None:
    """Have so many copies beside the first, and wait for them."""
    body = {"index": {"number_of_replicas": replicas, "blocks.write": True}}
    cluster.call(lambda client: client.indices.put_settings(index=index, body=body), unread)
    missing = _settled(cluster, index, COPIED_S, {"wait_for_status": "green"})
    if missing:
        raise ClusterFailed(
            f"{index} still has {count(missing, 'copy', 'copies')} of shards that no node has made"
            f" after {COPIED_S:,} s. See whether nodes are down or their disks full, and run it"
            " again: it goes on. Fewer copies: --replicas."
        )


def _settled(cluster: Cluster, index: str, seconds: int, wanted: Json) -> int:
    """Wait until this is true of an index; how many copies are not there by then. A server answers
    408 where it waited in vain, with the health as ever.
    """
    options = {"timeout": f"{seconds}s", "request_timeout": seconds + 60, "ignore": 408, **wanted}
    return cluster.call(
        lambda client: client.cluster.health(index=index, params=dict(options)),
        lambda health: sum(
            int(health[f"{state}_shards"]) for state in ("unassigned", "initializing")
        ),
    )


def _copy_counts(cluster: Cluster, index: str, shard: int, node: str) -> dict[str, int]:
    """Of one copy of one shard: documents by kind, and of each kind those that lack something."""
    filters: dict[str, Json] = {kind: {"term": {schema.KIND: kind}} for kind in schema.KINDS}
    for over, kind in schema.KIND_OF.items():
        needed = [schema.VECTOR_OF[over], schema.BYTES]
        for field in needed:
            filters[f"{kind} without {field}"] = {
                "bool": {
                    "filter": [{"term": {schema.KIND: kind}}],
                    "must_not": [{"exists": {"field": field}}],
                }
            }
    params = {"preference": f"_shards:{shard}|_only_nodes:{node}"}
    params["allow_partial_search_results"] = "false"
    body = queries.counted(filters)
    return cluster.call(
        lambda client: client.search(index=index, body=body, params=params), _counts_by_name
    )


def _counts_by_name(answer: Json) -> dict[str, int]:
    buckets = answer["aggregations"]["counts"]["buckets"]
    return {name: int(bucket["doc_count"]) for name, bucket in buckets.items()}


def _copy_check(row: Json, counts: dict[str, int]) -> CopyCheck:
    lacking = sorted(
        f"{number} {name}" for name, number in counts.items() if " without " in name and number
    )
    documents = sum(counts[kind] for kind in schema.KINDS)
    copy = "first" if row["prirep"] == "p" else "replica"
    return CopyCheck(int(row["shard"]), copy, row["node"], documents, "; ".join(lacking))


def _absent(row: Json) -> CopyCheck:
    copy = "first" if row["prirep"] == "p" else "replica"
    return CopyCheck(int(row["shard"]), copy, row["node"] or "no node", 0, row["state"].lower())


def _agreeing(
    found: list[CopyCheck], of_kind: dict[str, int], facts: IndexFacts
) -> list[CopyCheck]:
    """Copies that have another number of documents than the first are not whole; nor are any where
    all first copies together lack something.
    """
    first = {one.shard: one.documents for one in found if one.copy == "first"}
    lacking = [
        f"{of_kind[kind]:,} of {wanted:,} {kind} documents in all shards"
        for kind, wanted in facts.counts.items()
        if of_kind[kind] != wanted
    ]
    checked = []
    for one in found:
        missing = one.missing
        if not missing and one.documents != first[one.shard]:
            missing = f"{one.documents} of {first[one.shard]} documents"
        if not missing and one.copy == "first" and lacking:
            missing = "; ".join(lacking)
        checked.append(replace(one, missing=missing))
    return checked
