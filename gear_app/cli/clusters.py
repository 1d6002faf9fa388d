"""Collections in a cluster: the commands `index push`, `status` and `drop`."""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from gear_app.cli.options import (
    CLUSTER,
    Commands,
    add_command,
    collection_option,
    index_option,
    storage_options,
)
from gear_app.cli.output import note, open_workspace, write_json, write_result, write_table
from gear_app.core.text import count
from gear_app.index.opensearch.address import URL

if TYPE_CHECKING:
    from gear_app.index.opensearch.catalogue import StoredIndex
    from gear_app.workspace.workspace import Workspace


HEADS = ("collection", "triples", "state", "health", "shards", "copies", "documents", "MB", "index")


def add_to(commands: Commands) -> None:
    """Add the actions of `index`."""
    actions = commands.choices["index"].add_subparsers(required=True, metavar="ACTION")
    about = "load a collection into a cluster; run again, it goes on where it was"
    load = add_command(actions, "push", push, about, json=True)
    collection_option(load)
    load.add_argument("--triples", metavar="SET", help="default: the collection's active set")
    load.add_argument("--to", dest="index", metavar="URL", help=CLUSTER)
    storage_options(load)
    about = "what a cluster has"
    index_option(add_command(actions, "status", status, about, json=True))
    about = "delete a collection's indices from a cluster"
    deletion = add_command(actions, "drop", drop, about, json=True)
    index_option(deletion)
    collection_option(deletion)
    deletion.add_argument("--triples", metavar="SET", help="default: with all triple sets")
    deletion.add_argument(
        "--closed",
        action="store_true",
        help="only half-loaded and earlier ones, which nobody opens",
    )


def address(arguments: argparse.Namespace) -> str:
    """The cluster that a command is about: named, or the environment's; "" where neither is. One
    that is named is the environment's from then on, and so logged in to, by a worker as well.
    """
    if arguments.index is not None:
        os.environ[URL] = arguments.index
    return os.environ.get(URL, "")


def name_here(arguments: argparse.Namespace, workspace: Workspace) -> str:
    """The collection that a command names, as it is called in the workspace: one of a cluster where
    --index names one, which appears here now. Raises Unknown, NotReady or ClusterFailed.
    """
    name: str = arguments.collection
    if arguments.index is None:
        return name
    return workspace.clusters.name_here(address(arguments), name)


def push(arguments: argparse.Namespace) -> int:
    """Load a collection into a cluster; run again it goes on where it was."""
    from gear_app.index.opensearch.load import StorageOptions

    workspace, progress = open_workspace(arguments), LoadProgress()
    storage = StorageOptions(arguments.shards, arguments.replicas, arguments.hnsw)
    load = workspace.clusters.push(
        arguments.collection, arguments.triples, address(arguments), storage, progress
    )
    rate = f", {load.sent / load.seconds:,.0f} a second" if load.sent else ""
    return write_result(
        arguments,
        asdict(load),
        f"{arguments.collection} is open as {load.index}: {load.sent:,} documents sent,"
        f" {load.existing:,} were there ({load.seconds:.0f} s{rate})",
    )


def status(arguments: argparse.Namespace) -> int:
    """List what a cluster has."""
    indices = open_workspace(arguments).clusters.status(address(arguments))
    if arguments.json:
        write_json([*map(asdict, indices)])
    else:
        write_table(HEADS, [*map(_row, indices)])
    return 0


def drop(arguments: argparse.Namespace) -> int:
    """Delete a collection's indices."""
    dropped = open_workspace(arguments).clusters.drop(
        address(arguments), arguments.collection, arguments.triples, closed=arguments.closed
    )
    names = [index.name for index in dropped]
    return write_result(arguments, names, f"{count(len(names), 'index', 'indices')} deleted")


class LoadProgress:
    """Lines on standard error about a load: how much of a step is done, at which rate, and how long
    it still takes; at most one every two seconds.
    """

    def __init__(self) -> None:
        """No step has begun."""
        self._step = ""
        self._began = self._last = time.monotonic()

    def __call__(self, step: str, done: int, total: int) -> None:
        """So much of a step is done: all of it from the beginning, where nothing is counted."""
        now = time.monotonic()
        if step != self._step:
            self._step, self._began = step, now
            if done == total:
                note(f"{step} …")
        elif now - self._last >= 2:
            self._last = now
            rate = done / max(now - self._began, 1e-9)
            left = (total - done) / max(rate, 1e-9)
            note(f"{step}: {done:,} of {total:,}, {rate:,.0f} a second, {left:,.0f} s left")


def _row(index: StoredIndex) -> list[str]:
    closed = "earlier" if index.whole else "half loaded"
    return [
        index.facts.collection,
        index.facts.triple_set,
        "open" if index.open else closed,
        index.health,
        str(index.shards),
        str(index.copies),
        f"{index.documents:,}",
        f"{index.bytes / 1e6:,.1f}",
        index.name,
    ]
