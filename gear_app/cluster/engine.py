"""Where the steps of a build are computed, in this process or by Ray (cluster.ray_engine), and what
a process of it works with.

A step is made once in every process that works on it, as a model is loaded once there; then it gets
rows, some at once, and gives one result for them. Rows come from items, which are expanded where
the rows are needed. What a step does may be done twice, where a process dies in the middle: it must
come to the same.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar

import numpy as np

from gear_app.embedders import make_embedder
from gear_app.errors import NotReady
from gear_app.models import Models
from gear_app.opensearch.address import URL, address_of
from gear_app.opensearch.cluster import Cluster, connect
from gear_app.seams import Embedder, Extractor
from gear_app.store import Store

Item = TypeVar("Item")
Row = TypeVar("Row")
Result = TypeVar("Result")
Worker = Callable[[Sequence[Row]], Result]
Load = Literal["light", "extractor", "embedder"]


class Shared(Protocol):
    """An array, or what holds arrays, that lies where every process can read it."""

    def get(self) -> Any:  # noqa: ANN401
        """It, without a copy of its own where that is possible."""
        ...


@dataclass(frozen=True)  # with slots Python 3.11 makes no class of a generic one
class BuildStep(Generic[Row, Result]):
    """What is done with rows. `make` gives what does it, in the process that works, and is told
    the device for models, as torch names it; `at_once` is how many rows it gets; `load` says what
    it holds: no model, an extractor or an embedder.
    """

    make: Callable[[str], Worker[Row, Result]]
    at_once: int
    load: Load = "light"


class Engine(Protocol):
    """Computes steps."""

    def run(
        self,
        items: Sequence[Item],
        expand: Callable[[Item], Iterable[Row]],
        step: BuildStep[Row, Result],
    ) -> Iterator[Result]:
        """The results of a step over the rows of all items, in order."""
        ...

    def share(self, value: Any) -> Shared:  # noqa: ANN401
        """Lay a value where every process can read it."""
        ...


@dataclass(frozen=True, slots=True)
class _Mapped:
    """An array in a file."""

    path: Path

    def get(self) -> Any:  # noqa: ANN401
        return np.load(self.path, mmap_mode="r", allow_pickle=False)


@dataclass(frozen=True, slots=True)
class _Held:
    """What lies in this process."""

    value: Any

    def get(self) -> Any:  # noqa: ANN401
        return self.value


class LocalEngine:
    """This process alone. Arrays are shared through files, so that memory does not grow."""

    def __init__(self) -> None:
        """A temporary folder is made, and removed with this."""
        self._folder = tempfile.TemporaryDirectory(prefix="gear-build-")
        self._arrays = 0

    def __enter__(self) -> LocalEngine:
        return self

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()

    def run(
        self,
        items: Sequence[Item],
        expand: Callable[[Item], Iterable[Row]],
        step: BuildStep[Row, Result],
    ) -> Iterator[Result]:
        """The results of a step over the rows of all items, in order."""
        work = step.make("cpu")
        rows = (row for item in items for row in expand(item))
        while some := list(islice(rows, step.at_once)):
            yield work(some)

    def share(self, value: Any) -> Shared:  # noqa: ANN401
        """Lay a value where it can be read."""
        if not isinstance(value, np.ndarray):
            return _Held(value)
        self._arrays += 1
        path = Path(self._folder.name) / f"{self._arrays}.npy"
        np.save(path, value, allow_pickle=False)
        return _Mapped(path)


@lru_cache(maxsize=1)
def cluster_at(addresses: str) -> Cluster:
    """The cluster, connected to once in a process. A login is the environment's of the machine that
    the process is on; it is not handed from one to another.
    """
    os.environ[URL] = addresses  # the command named it, so it is logged in to
    return connect(address_of(addresses))


@dataclass(frozen=True, slots=True)
class Tools:
    """How a process makes its models; each is checked to be the one that the build began with."""

    extractor: Callable[[], Extractor]
    embedder: Callable[[str], Embedder]

    def make_extractor(self, fingerprint: str) -> Extractor:
        """The extractor with this fingerprint. Raises NotReady where this machine has another."""
        made = self.extractor()
        _check("extractor", made.fingerprint, fingerprint)
        return made

    def make_embedder(self, fingerprint: str, device: str) -> Embedder:
        """The embedder with this fingerprint. Raises NotReady where this machine has another."""
        made = self.embedder(device)
        _check("embedding model", made.fingerprint, fingerprint)
        return made


def extractor_named(name: str) -> Extractor:
    """The extractor of this name; a language model's as the environment of this process says. What
    it replies is kept only in what is built.
    """
    store = Store(":memory:")
    return Models(lambda: store, None, None).extractor(name)


def environment_embedder(device: str) -> Embedder:
    """The embedder that the environment names."""
    return make_embedder(lambda: None, lambda fingerprint: None, device)


def _check(what: str, here: str, wanted: str) -> None:
    if here != wanted:
        raise NotReady(
            f"The {what} of this machine is {here}, and the build began with {wanted}. Every"
            " machine needs the same installation and the same variables (GEAR_EMBEDDER,"
            " GEAR_MODEL, OPENAI_BASE_URL)."
        )
