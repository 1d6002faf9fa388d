"""The one place that knows every concrete embedder, extractor and reader. Nothing heavy is imported
before its use.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gear_app.embedders.builtin import CachedEmbedder, MemoryCache
from gear_app.embedders.environment import embedder
from gear_app.embedders.replay import Recalled
from gear_app.errors import ModelFailed, NotReady, Unknown
from gear_app.events import Event
from gear_app.llm.environment import configured
from gear_app.llm.key_borrower import Keys
from gear_app.llm.progress import tell
from gear_app.llm.replay import Recorded
from gear_app.llm.response import Reply
from gear_app.llm.server import Patience, Server, Spec
from gear_app.seams import Embedder, Extractor, Reader, Vectors
from gear_app.store import Store

if TYPE_CHECKING:
    from gear_app.llm.budget import Budget
    from gear_app.llm.chat_model import About, Model


def _local_extractor() -> Extractor:
    from gear_app.extract.local import LocalExtractor

    return LocalExtractor()


def _local_reader(embedder: Embedder) -> Reader:
    from gear_app.reader.local import LocalReader

    return LocalReader(embedder)


EXTRACTORS: Mapping[str, Callable[[], Extractor]] = {"local": _local_extractor}
READERS: Mapping[str, Callable[[Embedder], Reader]] = {"local": _local_reader}
LLM = "llm"  # the reader and the extractor that ask a language model
TWO_STEPS = "llm:two"  # the extractor that asks for the entities first (HippoRAG App. I)
ASKING = (LLM, TWO_STEPS)

ENCODED_AT_ONCE = 64
_CHECK: ContextVar[Callable[[], None]] = ContextVar(
    "check", default=lambda: None
)  # of the calling thread


@contextmanager
def stoppable(check: Callable[[], None]) -> Iterator[None]:
    """While inside, `check` is called before every slice of texts that this thread encodes; it
    stops by raising.
    """
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
    """The workspace's replies of language models, on whichever thread asks
    (models.asking.Replies).
    """

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
    """The models of one workspace: given ones, or those named by the environment, or the built-in
    ones.
    """

    def __init__(
        self, store: Callable[[], Store], embedder: Embedder | None, extractor: Extractor | None
    ) -> None:
        """`store` gives the calling thread's store; vectors are kept there."""
        self._store = store
        self._stored = StoredVectors(store)
        self.replies = StoredReplies(store)
        self._language: Model | None = None  # the last one that was used
        self._languages: weakref.WeakSet[Model] = weakref.WeakSet()  # all that somebody uses
        self.patience = Patience()  # with the servers of language models; a test has less
        self.keys = Keys()
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
            self._embedder = embedder(
                check_stop, lambda model: self._store().embeddings.length(model)
            )
        return self._embedder

    def embedder_of(self, fingerprint: str) -> Embedder:
        """The embedder of a finished run: today's, or where that is another or cannot be had, the
        vectors it left.
        """
        with suppress(ModelFailed, NotReady):
            if self.embedder.fingerprint == fingerprint:
                return self.embedder
        return Recalled(
            fingerprint, self._stored, lambda: self._store().embeddings.length(fingerprint)
        )

    def extractor(
        self, name: str, model: str = "", key_from: str = "", budget: Budget | None = None
    ) -> Extractor:
        """The extractor of this name; one that asks a model asks that of this spec, else that of
        the environment, and takes no more than the budget allows.

        Raises Unknown, or NotReady where the model's key is not to be had.
        """
        if name in ASKING:
            from gear_app.extract.llm import LlmExtractor

            return LlmExtractor(
                self.language(_spec(model, key_from), budget),
                "two" if name == TWO_STEPS else "joint",
            )
        self.check_extractor(name)
        if self._extractor is None or name != self._extractor.name:
            self._extractor = EXTRACTORS[name]()
        return self._extractor

    def check_extractor(self, name: str, model: Spec | None = None) -> None:
        """Raise Unknown where there is no such extractor, and NotReady where it asks a model and
        none is configured.
        """
        if self._extractor is None or name != self._extractor.name:
            _check("extractor", name, EXTRACTORS, ASKING, model)

    def reader(
        self, name: str, model: str = "", key_from: str = "", budget: Budget | None = None
    ) -> Reader:
        """The reader of this name; one that asks a model asks that of this spec, else that of the
        environment, and takes no more than the budget allows.

        Raises Unknown, or NotReady where the model's key is not to be had.
        """
        if name == LLM:
            from gear_app.reader.llm import LlmReader

            return LlmReader(self.language(_spec(model, key_from), budget))
        check_reader(name)
        return READERS[name](self.embedder)

    def reader_again(
        self, name: str, versions: Mapping[str, str], happened: Sequence[Event]
    ) -> Reader:
        """The reader of a finished run of these versions and events; a language model says what it
        said then.
        """
        if name != LLM:
            return self.reader(name)
        from gear_app.llm.chat_model import Model
        from gear_app.reader.llm import LlmReader

        return LlmReader(Model(Recorded(Server(versions["server"], versions["reader"]), happened)))

    def language(self, spec: Spec, budget: Budget | None = None) -> Model:
        """A language model, at the prices there are now; connections to the last one that was used
        are kept.

        Whoever asks the same server shares its connections, so that never more calls are made at
        once than it allows. Raises NotReady where its key is not to be had.
        """
        server = replace(Server.of(spec, self.keys.of(spec)), patience=self.patience)
        found = next((model for model in self._languages if model.server == server), None)
        if found is None:
            from gear_app.llm.chat_model import Model
            from gear_app.llm.completion import Chat

            chat = Chat(server, check_stop, tell=tell)
            found = Model(chat, self.replies)
            self._languages.add(found)
            weakref.finalize(
                found, chat.close
            )  # when no job has it any more, or at the process's end
        self._language = found
        return found.within(budget, self._store().prices.all())


def check_reader(name: str, model: Spec | None = None) -> None:
    """Raise Unknown where there is no such reader, and NotReady where it asks a model and none is
    configured.
    """
    _check("reader", name, READERS, (LLM,), model)


def spec_for(model: Spec | None) -> Spec:
    """The model that was named, else that of the environment. Raises NotReady or BadInput."""
    return model or configured()


def _spec(model: str, key_from: str) -> Spec:
    return Spec.from_json(model, key_from) if model else configured()


def _check(
    what: str, name: str, known: Mapping[str, object], asking: Sequence[str], model: Spec | None
) -> None:
    if name in asking:
        spec_for(model)
    elif name not in known:
        raise Unknown(what, name, [*known, *asking])
