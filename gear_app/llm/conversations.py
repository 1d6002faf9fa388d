"""Conversations with a model: several requests about one subject, one after another.

A conversation is a generator: it yields a request, is sent the parsed reply, and returns its
result. Many can be under way at once.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from gear_app.errors import ModelFailed
from gear_app.events import Emit
from gear_app.llm.chat_model import ChatModel, ParsedReply, TypedRequest
from gear_app.llm.errors import CallFailed, Unusable
from gear_app.llm.reply_text import Parsed

K = TypeVar("K")
V = TypeVar("V")
Conversation = Generator[TypedRequest[Any], Any, V]


class ConversationResult(NamedTuple, Generic[K, V]):
    """The value of a conversation, or why it has none, and its replies in order.

    `dropped` counts the parts of replies that could not be used, `cut` says that one ended at the
    limit of tokens.
    """

    subject: K
    value: V | ModelFailed
    replies: tuple[str, ...]
    dropped: int
    cut: bool


@dataclass
class _OpenConversation(Generic[K, V]):
    """A conversation that goes on: its last request, and what came of the earlier ones."""

    subject: K
    conversation: Conversation[V]
    request: TypedRequest[Any] | None = None
    replies: tuple[str, ...] = ()
    dropped: int = 0
    cut: bool = False

    def add(self, parsed_reply: ParsedReply[Any]) -> None:
        self.replies += (parsed_reply.reply.text,)
        self.cut |= parsed_reply.reply.cut
        if isinstance(parsed_reply.parsed, Parsed):
            self.dropped += len(parsed_reply.parsed.dropped)

    def result(self, value: V | ModelFailed) -> ConversationResult[K, V]:
        return ConversationResult(self.subject, value, self.replies, self.dropped, self.cut)


class ConversationPool(Generic[K, V]):
    """Conversations that go on between two polls. Use it from one thread."""

    def __init__(self, model: ChatModel, emit: Emit) -> None:
        """`emit` gets the events of every reply when it is polled, on the thread that polls."""
        self._model, self._emit = model, emit
        self._waiting: dict[Future[ParsedReply[Any] | CallFailed], _OpenConversation[K, V]] = {}
        self._results: list[ConversationResult[K, V]] = []
        self._closed = False

    @property
    def subjects(self) -> list[K]:
        """The subjects of the conversations whose results were not polled yet."""
        going_on = [conversation.subject for conversation in self._waiting.values()]
        return going_on + [result.subject for result in self._results]

    @property
    def free_slots(self) -> int:
        """How many more conversations can be begun whose first call need not wait."""
        return 0 if self._closed else self._model.free_slots

    def start(self, subject: K, conversation: Conversation[V]) -> None:
        """Start a conversation. One whose replies were all stored has ended when this returns."""
        self._advance(_OpenConversation(subject, conversation), None)

    def poll(self, timeout_s: float) -> list[ConversationResult[K, V]]:
        """The results since the last poll; where there is none, waits so long for a reply."""
        if self._waiting:
            wait(self._waiting, 0 if self._results else timeout_s, FIRST_COMPLETED)
        self._take_replies()
        results, self._results = self._results, []
        return results

    def close(self) -> list[ConversationResult[K, V]]:
        """Close the connections of all calls under way; the results until now."""
        self._closed = True
        self._waiting = {
            future: conversation
            for future, conversation in self._waiting.items()
            if not future.cancel()
        }
        return self.poll(0)

    def _take_replies(self) -> None:
        """Take the replies that came, in the order of their requests.

        Raises StoreFailed, after all others were taken, where one could not be stored.
        """
        failed: BaseException | None = None
        for future in [future for future in self._waiting if future.done()]:
            conversation, error = self._waiting.pop(future), future.exception()
            if error is not None:
                failed = error
                continue
            outcome = future.result()
            if isinstance(outcome, CallFailed):
                assert conversation.request is not None  # it waited for a reply
                self._model.report_failure(conversation.request, outcome, self._emit)
                self._results.append(conversation.result(outcome))
            else:
                self._take(conversation, outcome)
        if failed is not None:
            raise failed

    def _take(self, conversation: _OpenConversation[K, V], parsed_reply: ParsedReply[Any]) -> None:
        conversation.add(parsed_reply)
        value = self._model.report(parsed_reply, self._emit)
        if isinstance(value, Unusable):
            self._results.append(conversation.result(value))
        else:
            self._advance(conversation, value)

    def _advance(self, conversation: _OpenConversation[K, V], value: object) -> None:
        """Make the next request. After `close` none is made, and the conversation is dropped; its
        replies so far are stored.
        """
        try:
            request = conversation.conversation.send(value)
        except StopIteration as end:
            self._results.append(conversation.result(end.value))
            return
        cached = self._model.cached(request)
        if cached is not None:
            self._take(conversation, cached)
        elif not self._closed:
            conversation.request = request
            self._waiting[self._model.submit(request)] = conversation


def run_conversations(
    model: ChatModel, conversations: Sequence[Conversation[V]], emit: Emit
) -> list[V | ModelFailed]:
    """Each conversation's value, in order; all first requests at once, then all second ones."""
    values: dict[int, V | ModelFailed] = {}
    sent: dict[int, Any] = dict.fromkeys(range(len(conversations)))
    while sent:
        requests: dict[int, TypedRequest[Any]] = {}
        for n, reply in sent.items():
            try:
                requests[n] = conversations[n].send(reply)
            except StopIteration as end:
                values[n] = end.value
        replies = dict(zip(requests, model.ask_all(list(requests.values()), emit), strict=True))
        values |= {n: reply for n, reply in replies.items() if isinstance(reply, ModelFailed)}
        sent = {n: reply for n, reply in replies.items() if n not in values}
    return [values[n] for n in range(len(conversations))]
