"""Collections in a cluster: the commands `index push`, `status`, `verify` and `drop`."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
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
from gear_app.cli.output import note, open_workspace, write, write_json, write_result, write_table
from gear_app.opensearch.address import URL
from gear_app.text import count

if TYPE_CHECKING:
    from gear_app.opensearch.catalogue import StoredIndex, UnreadableIndex
    from gear_app.opensearch.load import CopyCheck, StorageOptions
    from gear_app.workspace import Workspace


HEADS = ("collection", "triples", "state", "health", "shards", "copies", "documents", "MB", "index")
COPIES = ("shard", "copy", "node", "documents", "missing")


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
    about = "check every copy of what is open; exit 1 where something is missing"
    check = add_command(actions, "verify", verify, about, json=True)
    index_option(check)
    collection_option(check, required=False)
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
    workspace, progress = open_workspace(arguments), LoadProgress()
    with _listing_refused(json=arguments.json):
        load = workspace.clusters.push(
            arguments.collection,
            arguments.triples,
            address(arguments),
            _storage(arguments),
            progress,
        )
    if arguments.json:
        write_json(asdict(load))
        return 0
    rate = f", {load.sent / load.seconds:,.0f} a second" if load.sent else ""
    write(
        f"{arguments.collection} is open as {load.index}: {load.sent:,} documents sent,"
        f" {load.there:,} were there, {count(len(load.copies), 'copy', 'copies')} of shards checked"
        f" ({load.seconds:.0f} s{rate})"
    )
    return 0


def _storage(arguments: argparse.Namespace) -> StorageOptions:
    """Raises BadInput for what is out of bounds."""
    from gear_app.opensearch.load import StorageOptions

    return StorageOptions(arguments.shards, arguments.replicas, arguments.hnsw)


@contextmanager
def _listing_refused(*, json: bool) -> Iterator[None]:
    """Where a cluster refuses documents, list all of them as JSON, if it is wanted; the error, with
    the first few, goes on its way.
    """
    from gear_app.opensearch.load import DocumentsRefused

    try:
        yield
    except DocumentsRefused as error:
        if json:
            write_json({"refused": [*map(asdict, error.refused)]})
        raise


def status(arguments: argparse.Namespace) -> int:
    """List what a cluster has."""
    indices, unreadable = open_workspace(arguments).clusters.status(address(arguments))
    if arguments.json:
        write_json([*map(asdict, indices), *map(asdict, unreadable)])
        return 0
    there = [[one.collection or "?", "?", "unreadable", *_sizes(one)] for one in unreadable]
    write_table(HEADS, [*map(_row, indices), *there])
    for one in unreadable:
        note(one.why)
    return 0


def verify(arguments: argparse.Namespace) -> int:
    """Check every copy of what is open; 1 where something is missing."""
    checks = open_workspace(arguments).clusters.verify(address(arguments), arguments.collection)
    if arguments.json:
        write_json([*map(asdict, checks)])
    else:
        write_table(COPIES, [_check(check) for check in checks])
    return 1 if any(check.missing for check in checks) else 0


def drop(arguments: argparse.Namespace) -> int:
    """Delete a collection's indices."""
    gone = open_workspace(arguments).clusters.drop(
        address(arguments), arguments.collection, arguments.triples, closed=arguments.closed
    )
    return write_result(
        arguments, [one.name for one in gone], f"{count(len(gone), 'index', 'indices')} deleted"
    )


class LoadProgress:
    """Lines on standard error about a load: how much of a step is done, at which rate, and how long
    it still takes; at most one every two seconds.
    """

    def __init__(self) -> None:
        self._what = ""
        self._began = self._last = self._heard = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        """Something of a step was done; a step of which nothing can be counted is done from its
        beginning.
        """
        now = time.monotonic()
        if what != self._what:
            self._what, self._began = what, self._heard
            if done == total:
                note(f"{what} …")
        elif now - self._last >= 2:
            self._last = now
            rate = done / max(now - self._began, 1e-9)
            left = (total - done) / max(rate, 1e-9)
            note(f"{what}: {done:,} of {total:,}, {rate:,.0f} a second, {left:,.0f} s left")
        self._heard = now


def _row(one: StoredIndex) -> list[str]:
    earlier = "earlier" if one.whole else "half loaded"
    state = "open" if one.open else earlier
    return [one.facts.collection, one.facts.triples, state, *_sizes(one)]


def _sizes(one: StoredIndex | UnreadableIndex) -> list[str]:
    return [
        one.health,
        str(one.shards),
        str(one.copies),
        f"{one.documents:,}",
        f"{one.bytes / 1e6:,.1f}",
        one.name,
    ]


def _check(check: CopyCheck) -> list[str]:
    documents = f"{check.documents:,}"
    return [str(check.shard), check.copy, check.node, documents, check.missing or "nothing"]
