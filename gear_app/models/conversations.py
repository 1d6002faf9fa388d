"""Conversations with a model: several requests about one subject, one after another.

A conversation is a generator: it yields a request, is sent the parsed reply, and returns its
result. Many can be under way at once.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from gear_app.core.errors import ModelFailed
from gear_app.models.chat_model import ChatModel, ParsedReply, TypedRequest
from gear_app.models.errors import CallFailed
from gear_app.models.reply_text import Parsed
from gear_app.trace.events import Emit

K = TypeVar("K")
V = TypeVar("V")
Conversation = Generator[TypedRequest[Any], Any, V]


@dataclass
class OpenConversation(Generic[K, V]):
    """A conversation, and what came of it so far."""

    subject: K
    steps: Conversation[V]
    request: TypedRequest[Any] | None = None  # the last one
    value: Any = None  # V, or why it has none (ModelFailed), once it has ended
    replies: list[str] = field(default_factory=list)
    dropped: int = 0  # parts of replies that could not be used
    cut: bool = False  # a reply ended at the limit of tokens


class ConversationPool(Generic[K, V]):
    """Conversations that go on between two polls. Use it from one thread."""

    def __init__(self, model: ChatModel, emit: Emit) -> None:
        """`emit` gets the events of every reply when it is polled, on the thread that polls."""
        self._model, self._emit = model, emit
        self._waiting: dict[Future[ParsedReply[Any] | CallFailed], OpenConversation[K, V]] = {}
        self._ended: list[OpenConversation[K, V]] = []
        self._closed = False

    @property
    def subjects(self) -> list[K]:
        """The subjects of the conversations whose results were not polled yet."""
        return [conversation.subject for conversation in (*self._waiting.values(), *self._ended)]

    @property
    def free_slots(self) -> int:
        """How many more conversations can start without waiting."""
        return 0 if self._closed else self._model.free_slots

    def start(self, subject: K, conversation: Conversation[V]) -> None:
        """Start a conversation. One whose replies were all stored has ended when this returns."""
        self._advance(OpenConversation(subject, conversation), None)

    def poll(self, timeout_s: float) -> list[OpenConversation[K, V]]:
        """The conversations that ended since the last poll; where none did, waits so long for a
        reply. Raises StoreFailed, after all others were taken, where one could not be stored.
        """
        if self._waiting:
            wait(self._waiting, 0 if self._ended else timeout_s, FIRST_COMPLETED)
        done = {f: self._waiting.pop(f) for f in list(self._waiting) if f.done()}
        failed = [future for future in done if future.exception()]
        for future, conversation in done.items():
            if future not in failed:
                self._take(conversation, future.result())
        for future in failed:
            future.result()
        ended, self._ended = self._ended, []
        return ended

    def close(self) -> list[OpenConversation[K, V]]:
        """Close the connections of all calls under way; the results until now."""
        self._closed = True
        self._waiting = {f: open_ for f, open_ in self._waiting.items() if not f.cancel()}
        return self.poll(0)

    def _take(
        self, conversation: OpenConversation[K, V], outcome: ParsedReply[Any] | CallFailed
    ) -> None:
        assert conversation.request is not None
        if isinstance(outcome, ParsedReply):
            conversation.replies.append(outcome.reply.text)
            conversation.cut |= outcome.reply.cut
            if isinstance(outcome.parsed, Parsed):
                conversation.dropped += len(outcome.parsed.dropped)
        value = self._model.report(conversation.request, outcome, self._emit)
        if isinstance(value, ModelFailed):
            conversation.value = value
            self._ended.append(conversation)
        else:
            self._advance(conversation, value)

    def _advance(self, conversation: OpenConversation[K, V], value: object) -> None:
        """Make the next request. After `close` none is made, and the conversation is dropped; its
        replies so far are stored.
        """
        try:
            request = conversation.request = conversation.steps.send(value)
        except StopIteration as end:
            conversation.value = end.value
            self._ended.append(conversation)
            return
        if cached := self._model.cached(request):
            self._take(conversation, cached)
        elif not self._closed:
            self._waiting[self._model.submit(request)] = conversation


def run_conversations(
    model: ChatModel, conversations: Sequence[Conversation[V]], emit: Emit
) -> list[V | ModelFailed]:
    """Each conversation's value, in order; all first requests at once, then all second ones."""
    values: dict[int, V | ModelFailed] = {}
    replies: dict[int, Any] = dict.fromkeys(range(len(conversations)))
    while replies:
        requests: dict[int, TypedRequest[Any]] = {}
        for n, reply in replies.items():
            try:
                requests[n] = conversations[n].send(reply)
            except StopIteration as end:
                values[n] = end.value
        replies = dict(zip(requests, model.ask_all(list(requests.values()), emit), strict=True))
        failed = {n: reply for n, reply in replies.items() if isinstance(reply, ModelFailed)}
        values |= failed
        replies = {n: reply for n, reply in replies.items() if n not in failed}
    return [values[n] for n in range(len(conversations))]
