"""The one place that knows every concrete embedder, extractor and reader. Nothing heavy is imported before its use."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

import numpy as np

from gear_app.errors import Unknown
from gear_app.events import Event
from gear_app.models.body import Reply
from gear_app.models.configured import configured
from gear_app.models.embedder import CachedEmbedder, HashingEmbedder, MemoryCache, MiniLM
from gear_app.models.recorded import Recorded
from gear_app.models.server import Server
from gear_app.seams import Embedder, Extractor, Reader, Vectors
from gear_app.store import Store

if TYPE_CHECKING:
    from gear_app.models.asking import About, Model


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
LLM = "llm"  # the reader and the extractor that ask the language model of the environment

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


class StoredReplies:
    """The workspace's replies of language models, on whichever thread asks (models.asking.Replies)."""

    def __init__(self, store: Callable[[], Store]) -> None:
        """`store` gives the calling thread's store."""
        self._store = store

    def get(self, key: bytes) -> Reply | None:
        """The reply kept under this key."""
        return self._store().replies.get(key)

    def put(self, key: bytes, reply: Reply, about: About) -> None:
        """Keep this one."""
        self._store().replies.put(key, reply, about)


class Models:
    """The models of one workspace: given ones, or those named by the environment, or the built-in ones."""

    def __init__(self, store: Callable[[], Store], embedder: Embedder | None, extractor: Extractor | None) -> None:
        """`store` gives the calling thread's store; vectors are kept there."""
        self._stored = StoredVectors(store)
        self._replies = StoredReplies(store)
        self._language: Model | None = None
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
        """The extractor of this name. Raises Unknown, or NotReady where it asks a model and none is configured."""
        self.check_extractor(name)
        if name == LLM:
            from gear_app.extract.llm import LlmExtractor

            return LlmExtractor(self.language)
        if self._extractor is None or name != self._extractor.name:
            self._extractor = EXTRACTORS[name]()
        return self._extractor

    def check_extractor(self, name: str) -> None:
        """Raise Unknown where there is no such extractor, and NotReady where it asks a model and none is configured."""
        if self._extractor is None or name != self._extractor.name:
            _check("extractor", name, EXTRACTORS)

    def reader(self, name: str) -> Reader:
        """The reader of this name. Raises Unknown, or NotReady where it asks a model and none is configured."""
        check_reader(name)
        if name == LLM:
            from gear_app.reader.llm import LlmReader

            return LlmReader(self.language)
        return READERS[name](self.embedder)

    def reader_again(self, name: str, versions: Mapping[str, str], happened: Sequence[Event]) -> Reader:
        """The reader of a finished run of these versions and events; a language model says what it said then."""
        if name != LLM:
            return self.reader(name)
        from gear_app.models.asking import Model
        from gear_app.reader.llm import LlmReader

        return LlmReader(Model(Recorded(Server(versions["server"], versions["reader"]), happened)))

    @property
    def language(self) -> Model:
        """The language model of the environment, one for all threads. Raises NotReady or BadInput."""
        server = configured()
        if self._language is None or self._language.server != server:
            from gear_app.models.asking import Model
            from gear_app.models.chat import Chat

            chat = Chat(server, check_stop)
            weakref.finalize(self, chat.close)  # at the end of the process at the latest
            self._language = Model(chat, self._replies)
        return self._language


def check_reader(name: str) -> None:
    """Raise Unknown where there is no such reader, and NotReady where it asks a model and none is configured."""
    _check("reader", name, READERS)


def _check(what: str, name: str, known: Mapping[str, object]) -> None:
    if name == LLM:
        configured()
    elif name not in known:
        raise Unknown(what, name, [*known, LLM])
