"""A build in a process of its own, so that it can be killed: `python -m tests.cluster.build_process
URL FILE…` with Ray or without.

It says every step on standard output, and at the end the index. With `GEAR_TEST_RAY` it kills a
process that extracts; where that is "nodes" there are two nodes on this machine, and it also kills
the second while documents are loaded. With `GEAR_TEST_KILLED_AT` it is itself killed at that step:
whoever listens would be too late for a short one.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import psutil

from gear_app.cluster.build import build
from gear_app.cluster.engine import LocalEngine, Tools
from gear_app.seams import Extractor
from gear_app.types import Extraction, Passage
from tests.cluster.builds import TOOLS, hashing, order
from tests.workspaces import ToyExtractor

RAY, KILLED_AT = "GEAR_TEST_RAY", "GEAR_TEST_KILLED_AT"
SLOW_S = 0.4


class SlowExtractor(ToyExtractor):
    """Takes its time, so that there is a middle in which something can happen."""

    def extract(self, passages: Sequence[Passage]) -> Iterator[Extraction]:
        time.sleep(SLOW_S)
        return super().extract(passages)


def slow() -> Extractor:
    return SlowExtractor()


def say(**what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def told(what: str, done: int, total: int) -> None:
    say(step=what, done=done, total=total)
    if what == os.environ.get(KILLED_AT) and done:
        os.kill(os.getpid(), signal.SIGKILL)


def alone(url: str, paths: list[str]) -> None:
    with LocalEngine() as engine:
        made = build(order(url, paths), TOOLS, engine, told)
    say(index=made.index, sent=made.sent, failed=made.failed)


def with_ray(url: str, paths: list[str], nodes: bool) -> None:
    from gear_app.cluster.ray_engine import QUIET, RayOptions, ray_engine

    os.environ.update(QUIET)
    from ray.cluster_utils import Cluster

    common = {"num_cpus": 1, "include_dashboard": False, "object_store_memory": 100_000_000}
    cluster = Cluster(initialize_head=True, head_node_args=common)
    victims: dict[str, Callable[[], None]] = {"extracting": kill_actor}
    if nodes:
        second = cluster.add_node(**common)

        def kill_node() -> None:
            cluster.remove_node(second, allow_graceful=False)
            say(killed="node")

        victims["loading"] = kill_node

    def report(what: str, done: int, total: int) -> None:
        told(what, done, total)
        if done < total and what in victims:
            victims.pop(what)()

    try:
        with ray_engine(RayOptions(address=cluster.address)) as engine:
            made = build(order(url, paths), Tools(slow, hashing), engine, report)
        say(index=made.index, sent=made.sent, failed=made.failed)
    finally:
        cluster.shutdown()


def kill_actor() -> None:
    """The first process that works on a step ends at once."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if process.cmdline()[0].startswith("ray::MapWorker"):
                os.kill(process.pid, signal.SIGKILL)
                say(killed="actor")
                return


if __name__ == "__main__":
    address, *files = sys.argv[1:]
    if ray := os.environ.get(RAY):
        with_ray(address, files, nodes=ray == "nodes")
    else:
        alone(address, files)
