"""The command `build`: a collection in a cluster, from files, without a workspace."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any

from gear_app.cli.clusters import LoadProgress, address, listing_refused
from gear_app.cli.options import (
    CLUSTER,
    Commands,
    collection_option,
    extractor_option,
    positive,
    storage_options,
)
from gear_app.cli.output import note, write, write_json
from gear_app.collections.clusters import PushOptions
from gear_app.text import count

if TYPE_CHECKING:
    from gear_app.pipeline.build import Build
    from gear_app.pipeline.engine import Engine

LISTED = 20  # failures; all of them with --json


def add_to(commands: Commands) -> None:
    """Add `build`."""
    about = "a collection in a cluster from files, without a workspace; run again, it goes on"
    made = commands.add_parser("build", help=about, description=about)
    made.set_defaults(command=build, creates=False)
    made.add_argument("files", metavar="FILE", nargs="+", help="JSONL, Parquet, text, CSV")
    collection_option(made)
    made.add_argument("--to", dest="index", metavar="URL", help=CLUSTER)
    made.add_argument(
        "--engine",
        choices=("ray", "local"),
        default="ray",
        help="ray (default): several processes or machines; local: this process alone",
    )
    made.add_argument(
        "--address", metavar="HOST:PORT", help="of a Ray cluster; without it this machine is used"
    )
    _number(made, "--cpus", "processors of this machine that Ray uses; default: all")
    _number(made, "--actors", "processes that hold a model at once; default: one a processor")
    extractor_option(made)
    made.add_argument("--triples", metavar="SET", help="the set's name; default: the extractor's")
    storage_options(made)
    made.add_argument("--json", action="store_true", help="JSON on standard output")


def _number(command: argparse.ArgumentParser, name: str, help_: str) -> None:
    command.add_argument(name, type=positive, default=0, metavar="N", help=help_)


def build(arguments: argparse.Namespace) -> int:
    """Build an index from files; run again it goes on where it was. 1 where passages failed."""
    from gear_app.pipeline.build import BuildOrder
    from gear_app.pipeline.build import build as build_index
    from gear_app.pipeline.tools import Tools, environment_embedder, extractor_named

    PushOptions(arguments.shards, arguments.replicas)  # raises for what is out of bounds
    tools = Tools(partial(extractor_named, arguments.extractor), environment_embedder)
    extractor = tools.extractor()
    order = BuildOrder(
        files=tuple(arguments.files),
        collection=arguments.collection,
        addresses=address(arguments),
        triples=arguments.triples or extractor.name,
        maker=extractor.name,
        extractor=extractor.fingerprint,
        embedder=tools.embedder("cpu").fingerprint,
        shards=arguments.shards,
        replicas=arguments.replicas,
        hnsw=arguments.hnsw,
    )
    del extractor
    with listing_refused(json=arguments.json), _engine(arguments) as engine:
        made = build_index(order, tools, engine, LoadProgress())
    if arguments.json:
        write_json(_public(made))
    else:
        _tell(arguments.collection, made)
    return 1 if made.failed else 0


@contextmanager
def _engine(arguments: argparse.Namespace) -> Iterator[Engine]:
    if arguments.engine == "local":
        from gear_app.pipeline.engine import LocalEngine

        with LocalEngine() as local:
            yield local
        return
    from gear_app.pipeline.ray_engine import RayOptions, ray_engine

    options = RayOptions(arguments.address or "", arguments.cpus, arguments.actors)
    with ray_engine(options) as ray:
        yield ray


def _public(made: Build) -> dict[str, Any]:
    return {
        **asdict(made),
        "failures": [failure._asdict() for failure in made.failures],
        "left_out": made.left_out._asdict(),
        "copies": [copy._asdict() for copy in made.copies],
    }


def _tell(collection: str, made: Build) -> None:
    rate = made.passages / max(made.seconds, 1e-9)
    write(
        f"{collection} is open as {made.index}: {count(made.passages, 'passage')} with"
        f" {count(made.triples, 'triple')}; {made.extracted:,} extracted and"
        f" {made.sent:,} documents sent now, {count(len(made.copies), 'copy', 'copies')} of shards"
        f" checked ({made.seconds:.0f} s, {rate:,.1f} passages a second)"
    )
    left = made.left_out
    remarks = [
        (left.same, "passage", "occurring again, stored once"),
        (left.renamed, "passage", "with the id of another, kept with the file's name before it"),
        (left.triples, "triple", "of the files left out: a build extracts its own"),
    ]
    for number, what, why in remarks:
        if number:
            note(f"{count(number, what)} {why}")
    if made.failed:
        note(f"{count(made.failed, 'passage')} failed; the same command tries them again:")
        for failure in made.failures[:LISTED]:
            note(f"{failure.title or failure.passage} ({failure.passage}): {failure.error}")
        if made.failed > LISTED:
            note(f"and {made.failed - LISTED:,} more; --json lists them")
