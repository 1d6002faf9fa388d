"""The models of a workspace: every concrete embedder, extractor and reader is made here.

Nothing heavy is imported before its use.
"""

from __future__ import annotations

import copy
import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from gear_app.core.config import ENCODER
from gear_app.core.errors import Unknown
from gear_app.core.protocols import Embedder, Extractor
from gear_app.core.threads import check_stop
from gear_app.models.chat_model import ChatModel, RecordedReplies
from gear_app.models.embedders import ENDPOINT, embedder_choice, make_embedder
from gear_app.models.embedders.cache import AbsentEmbedder, CachedEmbedder
from gear_app.models.extractor import LLM_EXTRACTORS, LLM_TWO_STEPS
from gear_app.models.reader import LLM_READER, RECORDED
from gear_app.models.server import KEYS, Patience, Server, Spec, spec_from_environment
from gear_app.store.rows import RunInfo
from gear_app.trace.events import Event
from gear_app.workspace.connection import Connection

if TYPE_CHECKING:
    from gear_app.models.budget import Budget
    from gear_app.models.client import ModelClient
    from gear_app.models.reader.roles import Reader


LOCAL = "local"  # the extractor and the reader that need no server
MOST_ENCODERS = 2  # besides the workspace's own that are kept loaded


class Models:
    """The models of one workspace: given, named by the environment or a run, or built in."""

    def __init__(
        self, connection: Connection, embedder: Embedder | None, extractor: Extractor | None
    ) -> None:
        self._connection, self._embedder, self._extractor = connection, embedder, extractor
        self._replies = lambda: connection.store.replies
        self._last: ModelClient | None = None  # held open until another is used
        self._in_use: weakref.WeakSet[ModelClient] = weakref.WeakSet()
        self.patience = Patience()  # with the servers of language models; a test has less
        # The words that name the embedder; None: it takes the place of any that a run names.
        self.encoder: str | None = ""
        self._named = lru_cache(MOST_ENCODERS)(self._with_encoder)

    @cached_property
    def embedder(self) -> CachedEmbedder:
        """The embedder, its vectors kept in memory and in the workspace."""
        embedder = self._embedder or make_embedder(check_stop, self._dimensions)
        return CachedEmbedder(embedder, lambda: self._connection.store.embeddings)

    def with_encoder(self, config: Mapping[str, Any], *, calls_server: bool = True) -> Models:
        """Models with the embedder that a run's settings name, as GEAR_EMBEDDER does; these models
        where they name none. `calls_server` False: of a server's embedder the vectors that it has
        given. Raises Unknown or NotReady.
        """
        words = str(config.get(ENCODER, ""))
        if self.encoder is None or words == self.encoder:
            return self
        if not self._embedder and embedder_choice(words) == embedder_choice(self.encoder):
            return self
        return self._named(words, calls_server or embedder_choice(words)[0] != ENDPOINT)

    def _with_encoder(self, words: str, calls_server: bool) -> Models:
        embedder = make_embedder(check_stop, self._dimensions, words=words)
        if not calls_server:
            return self.with_stored_vectors(embedder.fingerprint)
        return self._with(embedder, words)

    def with_stored_vectors(self, fingerprint: str) -> Models:
        """Models over the stored vectors of an embedder, which is not asked."""
        return self._with(AbsentEmbedder(fingerprint, self._dimensions), None)

    def _with(self, embedder: Embedder, words: str | None) -> Models:
        other = copy.copy(self)
        vars(other).pop("embedder", None)
        other._embedder, other.encoder = embedder, words
        return other

    def _dimensions(self, fingerprint: str) -> int | None:
        return self._connection.store.embeddings.length(fingerprint)

    def extractor(
        self, name: str, model: str = "", key_from: str = "", budget: Budget | None = None
    ) -> Extractor:
        """The extractor of this name, within the budget.

        `model` is a spec as JSON; an extractor that asks a model asks that of the environment where
        it is "". Raises Unknown, or NotReady where the model's key is not to be had.
        """
        if name in LLM_EXTRACTORS:
            from gear_app.models.extractor.llm import LlmExtractor

            chat_model = self.chat_model(_spec(model, key_from), budget)
            return LlmExtractor(chat_model, "two" if name == LLM_TWO_STEPS else "joint")
        self.check_extractor(name)
        if self._extractor is None or name != self._extractor.name:
            from gear_app.models.extractor.local import LocalExtractor

            self._extractor = LocalExtractor()
        return self._extractor

    def check_extractor(self, name: str, model: Spec | None = None) -> None:
        """Raise Unknown for no extractor's name, NotReady where it needs a model and has none."""
        if self._extractor is None or name != self._extractor.name:
            _check("extractor", name, LLM_EXTRACTORS, model)

    def reader(
        self, name: str, model: str = "", key_from: str = "", budget: Budget | None = None
    ) -> Reader:
        """The reader of this name, within the budget; parameters and errors as for `extractor`."""
        from gear_app.models.reader.readers import LlmReader, LocalReader, RecordedReader

        if name == LLM_READER:
            return LlmReader(self.chat_model(_spec(model, key_from), budget))
        check_reader(name)
        return RecordedReader(name) if name in RECORDED else LocalReader(self.embedder)

    def recorded_reader(
        self, run: RunInfo, events: Sequence[Event], *, cached: bool = True
    ) -> Reader:
        """The reader of a finished run, to make it again: a language model gives the replies among
        the run's events and those that are `cached` in the workspace. It raises NotReady for any
        other.
        """
        if run.reader != LLM_READER:
            return self.reader(run.reader)
        from gear_app.models.reader.readers import LlmReader

        server = Server(**vars(Spec.from_json(run.model, run.key_from)))
        recorded, prices = RecordedReplies(server, events), self._connection.store.prices.all()
        return LlmReader(ChatModel(recorded, self._replies if cached else None, prices))

    def chat_model(self, spec: Spec, budget: Budget | None = None) -> ChatModel:
        """A language model, at today's prices; the connections of the last one are kept open.

        Whoever asks the same server shares its connections, so that never more calls are made at
        once than it allows. Raises NotReady where its key is not to be had.
        """
        from gear_app.models.client import ModelClient

        server = Server(**vars(spec), key=KEYS.key_for(spec), patience=self.patience)
        client = next((used for used in self._in_use if used.server == server), None)
        self._last = client = client or ModelClient(server, check_stop)
        self._in_use.add(client)
        return ChatModel(client, self._replies, self._connection.store.prices.all(), budget)


def check_reader(name: str, model: Spec | None = None) -> None:
    """Raise Unknown for no reader's name, NotReady where it needs a model and has none. Recorded
    ones, which nobody is offered, need none.
    """
    if name not in RECORDED:
        _check("reader", name, (LLM_READER,), model)


def spec_for(model: Spec | None) -> Spec:
    """The model that was named, else that of the environment. Raises NotReady or BadInput."""
    return model or spec_from_environment()


def _spec(model: str, key_from: str) -> Spec:
    return Spec.from_json(model, key_from) if model else spec_from_environment()


def _check(kind: str, name: str, llm: Sequence[str], model: Spec | None) -> None:
    if name in llm:
        spec_for(model)
    elif name != LOCAL:
        raise Unknown(kind, name, [LOCAL, *llm])
