"""A cluster as its operator sees it: how it is, and its nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from gear_app.errors import ClusterFailed
from gear_app.opensearch.cluster import Cluster, Json
from gear_app.opensearch.connection import CONNECT_S

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
