"""Building an index from files: passages a second of extraction, documents a second of encoding and
loading, and memory, in one process and by Ray with one and with two; and bytes a document.

    python tests/bench/bench_build.py [PASSAGES]

The demo's passages, repeated under other titles, with the real models. Needs Java 17 and Maven, or
GEAR_OPENSEARCH_URL.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from threading import Event, Thread

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import psutil

from gear_app.cluster.build import Build, BuildOrder, build
from gear_app.cluster.engine import (
    Engine,
    LocalEngine,
    Tools,
    cluster_at,
    environment_embedder,
    extractor_named,
)
from gear_app.cluster.ray_engine import RayOptions, ray_engine
from gear_app.opensearch import catalogue
from gear_app.opensearch.address import URL
from tests.cluster import nodes
from tests.demo import CORPUS

COLLECTION = "bench build"
TOOLS = Tools(partial(extractor_named, "local"), environment_embedder)


class Steps:
    """How long each step took, and how much was done in it."""

    def __init__(self) -> None:
        self._last = time.monotonic()
        self._seconds: dict[str, float] = {}
        self._done: dict[str, int] = {}

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        self._seconds[what] = self._seconds.get(what, 0.0) + now - self._last
        self._done[what], self._last = done, now

    def rate(self, what: str) -> float:
        """A second, with what it took to start the processes and to load the models."""
        return self._done[what] / max(self._seconds[what], 1e-9)


class Memory(Thread):
    """The most that this process, and the largest of those that it started, took."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.driver = self.worker = 0
        self._ended = Event()

    def run(self) -> None:
        me = psutil.Process()
        while not self._ended.wait(0.5):
            self.driver = max(self.driver, me.memory_info().rss)
            for process in me.children(recursive=True):
                try:
                    if process.cmdline()[:1] and process.cmdline()[0].startswith("ray::MapWorker"):
                        self.worker = max(self.worker, process.memory_info().rss)
                except psutil.Error:
                    continue

    def stop(self) -> None:
        self._ended.set()
        self.join()


def corpus(folder: Path, number: int) -> str:
    """The demo's passages, again and again with other titles."""
    path = folder / "corpus.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for place in range(number):
            row = CORPUS[place % len(CORPUS)]
            again = place // len(CORPUS)
            title = f"{row['title']} {again}" if again else row["title"]
            file.write(json.dumps({"id": f"p{place}", "title": title, "text": row["text"]}) + "\n")
    return str(path)


@contextmanager
def engines(actors: int) -> Iterator[Engine]:
    if not actors:
        with LocalEngine() as local:
            yield local
        return
    with ray_engine(RayOptions(cpus=2, actors=actors)) as ray:
        yield ray


def measured(url: str, path: str, actors: int) -> tuple[Build, Steps, Memory]:
    extractor = TOOLS.extractor()
    order = BuildOrder(
        (path,),
        f"{COLLECTION} {actors}",
        url,
        triples=extractor.name,
        maker=extractor.name,
        extractor=extractor.fingerprint,
        embedder=TOOLS.embedder("cpu").fingerprint,
    )
    del extractor
    steps, memory = Steps(), Memory()
    memory.start()
    with engines(actors) as engine:
        made = build(order, TOOLS, engine, steps)
    memory.stop()
    return made, steps, memory


def main(url: str, number: int) -> None:
    head = "engine", "seconds", "extracted/s", "documents/s", "driver MB", "actor MB", "bytes/doc"
    print("".join(f"{name:>14}" for name in head))  # noqa: T201
    cluster = cluster_at(url)
    with tempfile.TemporaryDirectory() as folder:
        path = corpus(Path(folder), number)
        for actors in (0, 1, 2):
            made, steps, memory = measured(url, path, actors)
            (there,) = [one for one in catalogue.stored(cluster) if one.name == made.index]
            row = (
                f"ray, {actors}" if actors else "local",
                f"{made.seconds:.0f}",
                f"{steps.rate('extracting'):.1f}",
                f"{steps.rate('loading'):.1f}",
                f"{memory.driver / 1e6:.0f}",
                f"{memory.worker / 1e6:.0f}",
                f"{there.bytes / there.documents:.0f}",
            )
            print("".join(f"{cell:>14}" for cell in row), flush=True)  # noqa: T201
            catalogue.drop(cluster, [there])


if __name__ == "__main__":
    passages = int(sys.argv[1]) if len(sys.argv) > 1 else 2 * len(CORPUS)
    if os.environ.get(URL):
        main(os.environ[URL], passages)
    else:
        with tempfile.TemporaryDirectory() as node_folder:
            node = nodes.alone(Path(node_folder))
            try:
                main(node.url, passages)
            finally:
                node.kill()
