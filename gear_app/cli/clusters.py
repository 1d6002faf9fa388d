"""Collections in a cluster: the commands `index push`, `status` and `drop`."""

from __future__ import annotations

import argparse
import os
from dataclasses import asdict
from typing import TYPE_CHECKING

from gear_app.cli.options import CLUSTER, COLLECTION, INDEX, JSON, SET, command, flag, option
from gear_app.cli.output import Progress, emit, open_workspace, table
from gear_app.core.text import count
from gear_app.index.opensearch.cluster import URL

if TYPE_CHECKING:
    from gear_app.index.opensearch.catalogue import StoredIndex
    from gear_app.workspace.workspace import Workspace

HEADS = ("collection", "triples", "state", "health", "shards", "copies", "documents", "MB", "index")


def address(arguments: argparse.Namespace) -> str:
    """The cluster that a command names, or the environment's; "" without either. A named one is the
    environment's from then on, and so logged in to, by a worker as well.
    """
    named = vars(arguments).get("adopted", vars(arguments).get("index"))
    if named is not None:
        os.environ[URL] = named
    return os.environ.get(URL, "")


def name_here(arguments: argparse.Namespace, workspace: Workspace) -> str:
    """The collection that a command names, as it is called in the workspace: one of a cluster where
    --index names one, which appears here now. Raises Unknown, NotReady or ClusterFailed.
    """
    name: str = arguments.collection
    if arguments.adopted is None:
        return name
    return workspace.remote().adopt(address(arguments), name)[0]


@command(
    "index push",
    JSON,
    COLLECTION,
    SET,
    option("--to", dest="index", metavar="URL", help=CLUSTER),
    option("--shards", type=int, default=1, metavar="N", help="default 1"),
    option(
        "--replicas", type=int, default=0, metavar="N", help="copies beside the first; default 0"
    ),
    flag("--hnsw", "also for approximate search over all triples"),
    help_="load a collection into a cluster; run again, it goes on where it was",
)
def push(arguments: argparse.Namespace) -> int:
    """Load a collection into a cluster; run again it goes on where it was."""
    from gear_app.index.opensearch.catalogue import StorageOptions

    workspace, progress = open_workspace(arguments), Progress()
    storage = StorageOptions(arguments.shards, arguments.replicas, arguments.hnsw)
    load = workspace.corpora.push(
        arguments.collection, arguments.triples, address(arguments), storage, progress.of_load
    )
    rate = f", {load.sent / load.seconds:,.0f} a second" if load.sent else ""
    return emit(
        arguments,
        asdict(load),
        f"{arguments.collection} is open as {load.index}: {load.sent:,} documents sent,"
        f" {load.existing:,} were there ({load.seconds:.0f} s{rate})",
    )


@command("index status", JSON, INDEX, help_="what a cluster has")
def status(arguments: argparse.Namespace) -> int:
    """List what a cluster has."""
    indices = open_workspace(arguments).remote().status(address(arguments))
    return emit(arguments, [*map(asdict, indices)], table(HEADS, [*map(_row, indices)]))


@command(
    "index drop",
    JSON,
    INDEX,
    COLLECTION,
    option("--triples", metavar="SET", help="default: with all triple sets"),
    flag("--closed", "only half-loaded and earlier ones, which nobody opens"),
    help_="delete a collection's indices from a cluster",
)
def drop(arguments: argparse.Namespace) -> int:
    """Delete a collection's indices."""
    dropped = (
        open_workspace(arguments)
        .remote()
        .drop(address(arguments), arguments.collection, arguments.triples, closed=arguments.closed)
    )
    names = [index.name for index in dropped]
    return emit(arguments, names, f"{count(len(names), 'index', 'indices')} deleted")


def _row(index: StoredIndex) -> list[object]:
    closed = "earlier" if index.complete else "half loaded"
    return [
        index.facts.collection,
        index.facts.triple_set,
        "open" if index.open else closed,
        index.health,
        index.shards,
        index.copies,
        f"{index.documents:,}",
        f"{index.bytes / 1e6:,.1f}",
        index.name,
    ]
