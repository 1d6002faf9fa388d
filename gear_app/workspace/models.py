"""The one place that knows every concrete embedder, extractor and reader. Nothing heavy is imported before its use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from gear_app.errors import Unknown
from gear_app.models.embedder import CachedEmbedder, HashingEmbedder, MemoryCache, MiniLM
from gear_app.seams import Embedder, Extractor, Reader, Vectors
from gear_app.store import Store


def _minilm() -> Embedder:
    # Threads of OpenMP that wait by spinning cost four fifths of the speed where cores are shared with other work.
    # It is read once, when torch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    return MiniLM()


def _local_extractor() -> Extractor:
    from gear_app.extract.local import LocalExtractor

    return LocalExtractor()


def _local_reader(embedder: Embedder) -> Reader:
    from gear_app.reader.local import LocalReader

    return LocalReader(embedder)


EMBEDDERS: Mapping[str, Callable[[], Embedder]] = {"minilm": _minilm, "hashing": HashingEmbedder}
EXTRACTORS: Mapping[str, Callable[[], Extractor]] = {"local": _local_extractor}
READERS: Mapping[str, Callable[[Embedder], Reader]] = {"local": _local_reader}


ENCODED_AT_ONCE = 64
_CHECK: ContextVar[Callable[[], None]] = ContextVar("check", default=lambda: None)  # of the calling thread


@contextmanager
def stoppable(check: Callable[[], None]) -> Iterator[None]:
    """While inside, `check` is called before every slice of texts that this thread encodes; it stops by raising."""
    token = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(token)


def check_stop() -> None:
    """Call the check of this thread, if it has one."""
    _CHECK.get()()


class Sliced:
    """An embedder that encodes in slices, so that a request to stop is heeded in between."""

    def __init__(self, inner: Embedder) -> None:
        """The same model under the same name."""
        self._inner = inner
        self.name, self.fingerprint = inner.name, inner.fingerprint

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As the embedder inside. Raises what the check raises."""
        slices = []
        for start in range(0, max(1, len(texts)), ENCODED_AT_ONCE):
            check_stop()
            slices.append(self._inner.embed(texts[start : start + ENCODED_AT_ONCE]))
        return np.concatenate(slices)


class StoredVectors:
    """The workspace's vectors as a cache of an embedder, on whichever thread asks."""

    def __init__(self, store: Callable[[], Store]) -> None:
        """`store` gives the calling thread's store."""
        self._store = store

    def get_many(self, fingerprint: str, texts: Sequence[str]) -> Mapping[str, Vectors]:
        """The vectors it has, by text."""
        return self._store().embeddings.get_many(fingerprint, texts)

    def put_many(self, fingerprint: str, vectors: Mapping[str, Vectors]) -> None:
        """Keep these."""
        self._store().embeddings.put_many(fingerprint, vectors)


class Models:
    """The models of one workspace: given ones, or those named by the environment, or the built-in ones."""

    def __init__(self, store: Callable[[], Store], embedder: Embedder | None, extractor: Extractor | None) -> None:
        """`store` gives the calling thread's store; vectors are kept there."""
        self._stored = StoredVectors(store)
        self._embedder = embedder
        self._extractor = extractor
        self._cached: Embedder | None = None

    @property
    def embedder(self) -> Embedder:
        """The embedder, its vectors kept in memory and in the workspace."""
        if self._cached is None:
            self._cached = CachedEmbedder(Sliced(self.inner), MemoryCache(), self._stored)
        return self._cached

    @property
    def inner(self) -> Embedder:
        """The embedder itself: for texts that need not be kept in memory."""
        if self._embedder is None:
            name = os.environ.get("GEAR_EMBEDDER", "minilm")
            if name not in EMBEDDERS:
                raise Unknown("embedder", name, EMBEDDERS)
            self._embedder = EMBEDDERS[name]()
        return self._embedder

    def extractor(self, name: str) -> Extractor:
        """The extractor of this name. Raises Unknown."""
        self.check_extractor(name)
        if self._extractor is None or name != self._extractor.name:
            self._extractor = EXTRACTORS[name]()
        return self._extractor

    def check_extractor(self, name: str) -> None:
        """Raise Unknown where there is no such extractor."""
        if name not in EXTRACTORS and (self._extractor is None or name != self._extractor.name):
            raise Unknown("extractor", name, EXTRACTORS)

    def reader(self, name: str) -> Reader:
        """The reader of this name. Raises Unknown."""
        check_reader(name)
        return READERS[name](self.embedder)


def check_reader(name: str) -> None:
    """Raise Unknown where there is no such reader."""
    if name not in READERS:
        raise Unknown("reader", name, READERS)
