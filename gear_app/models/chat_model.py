"""A chat model with a cache: replies are parsed and stored, and each call becomes an event.

A reply that cannot be parsed is an error with its raw text.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from gear_app.core.errors import ModelFailed
from gear_app.core.text import count, shortened
from gear_app.models.budget import Budget
from gear_app.models.errors import BudgetReached, CallFailed, KeyEnded, Unusable
from gear_app.models.prices import Price, cost
from gear_app.models.recorded_replies import RecordedReplies
from gear_app.models.reply import Parsed, Reply, Unparsed
from gear_app.models.request import Request
from gear_app.models.server import REPLY_LIMIT, Server
from gear_app.trace.events import Called, Emit, Failed

if TYPE_CHECKING:
    from gear_app.models.client import ModelClient

T = TypeVar("T")


class ParsedReply(NamedTuple, Generic[T]):
    """A reply and its value, or why it has none; `cached`: it was stored before."""

    reply: Reply
    parsed: Parsed[T] | Unusable
    cached: bool = False


class ReplyOrigin(NamedTuple):
    """Origin of a stored reply, for a person who looks into the file."""

    server: str
    model: str
    role: str
    prompt_hash: str


class ReplyCache(Protocol):
    """Store of parsed replies."""

    def get(self, key: bytes) -> Reply | None:
        """The reply stored under this key."""
        ...

    def put(self, key: bytes, reply: Reply, origin: ReplyOrigin) -> None:
        """Store this one, in the place of any other."""
        ...


class ChatModel:
    """A chat model with a cache for its replies, prices and a budget."""

    def __init__(
        self,
        source: ModelClient | RecordedReplies,
        replies: ReplyCache | None = None,
        prices: Mapping[str, Price] | None = None,
        budget: Budget | None = None,
    ) -> None:
        """`replies` are read on the thread that asks, and written where replies come in; those of a
        recording, which may come from somebody else's file, are not written.

        A model that `prices` do not know has an unknown cost.
        """
        self.server = source.server
        self._source, self._replies = source, replies
        self._prices, self._budget = prices or {}, budget
        # Held, since a client may be closed when the model it was made for is collected.
        self._origin: ChatModel | None = None

    def with_budget(
        self, budget: Budget | None, prices: Mapping[str, Price] | None = None
    ) -> ChatModel:
        """The model under another budget (None: no limit), and at these prices, if any."""
        model = copy.copy(self)
        model._budget, model._origin = budget, self
        model._prices = self._prices if prices is None else prices
        return model

    def ask(self, request: Request[T], emit: Emit) -> T:
        """The parsed reply. Emits Called, also where no reply came.

        Emits Failed where only parts of the reply could not be used. Raises Unusable, CallFailed,
        ServerFailed, BudgetReached, or what the source's check raises.
        """
        (outcome,) = self.ask_all([request], emit)
        if isinstance(outcome, ModelFailed):
            raise outcome
        return outcome

    def ask_all(self, requests: Sequence[Request[T]], emit: Emit) -> list[T | ModelFailed]:
        """Ask several requests at once; values and failures are in their order.

        Replies are stored as they come in, whatever this thread does meanwhile; also those that
        are not reported any more since `emit` raised.
        """
        outcomes: dict[int, T | ModelFailed] = {}
        for n, request in enumerate(requests):
            if cached := self.cached(request):
                value = self.report(request, cached, emit)
                outcomes[n] = value
        missing = [n for n in range(len(requests)) if n not in outcomes]

        def on_reply(position: int, reply: Reply) -> ParsedReply[T]:
            return self._parse_and_store(requests[missing[position]], reply)

        try:
            raw = [requests[n] for n in missing]
            for position, outcome in self._source.ask_all(raw, on_reply, self._budget):
                value = self.report(requests[missing[position]], outcome, emit)
                outcomes[missing[position]] = value
        except KeyEnded as error:  # on this thread, while others were under way
            for n in missing:
                if n not in outcomes:
                    self.report(requests[n], error, emit)
            raise
        return [outcomes[n] for n in range(len(requests))]

    def cached(self, request: Request[T]) -> ParsedReply[T] | None:
        """The stored reply, parsed; None where there is none of use."""
        reply = None if self._replies is None else self._replies.get(self._key(request))
        parsed = _parse(request, reply) if reply else None
        if not reply or not isinstance(parsed, Parsed) or not request.keep(parsed.value):
            return None
        return ParsedReply(reply, parsed, cached=True)

    def _parse_and_store(self, request: Request[T], reply: Reply) -> ParsedReply[T]:
        parsed = _parse(request, reply)
        is_usable = isinstance(parsed, Parsed) and request.keep(parsed.value)
        is_recorded = isinstance(self._source, RecordedReplies)
        if self._replies is not None and is_usable and not is_recorded:
            server, model = self.server.base_url, self.server.model
            origin = ReplyOrigin(server, model, request.role, request.prompt.hash)
            self._replies.put(self._key(request), reply, origin)
        return ParsedReply(reply, parsed)

    def report(
        self, request: Request[T], outcome: ParsedReply[T] | CallFailed, emit: Emit
    ) -> T | ModelFailed:
        """The value, or why there is none. Emits the call, unless the budget did not let it
        through, and the parts that were dropped from its reply.
        """
        if isinstance(outcome, BudgetReached):
            return outcome
        model, prompt = self.server.model, request.prompt
        called = Called(request.role, model, prompt.hash, prompt.text, "", 0, 0, 0.0, 0.0)
        if isinstance(outcome, CallFailed):
            emit(replace(called, failed=str(outcome)))
            return outcome
        reply, parsed, cached = outcome
        dollars = cost(self._prices, model, reply.input_tokens, reply.output_tokens)
        emit(
            replace(
                called,
                reply=reply.text,
                input_tokens=reply.input_tokens,
                output_tokens=reply.output_tokens,
                ms=round(reply.ms, 3),
                cost=0.0 if cached else dollars,
                estimated=reply.estimated,
                cached=cached,
                cut=reply.cut,
                attempts=reply.attempts,
            )
        )
        if isinstance(parsed, Unusable):
            return parsed
        if number := len(parsed.dropped):
            first = " ".join(parsed.dropped[0].split())[:80]
            message = f"{count(number, 'part')} of the reply could not be used, as {first!r}"
            emit(Failed(request.role, message, shortened(reply.text), number))
        return parsed.value

    def _key(self, request: Request[T]) -> bytes:
        return reply_key(self.server, request.prompt.text)


def reply_key(server: Server, prompt: str) -> bytes:
    """Key of a stored reply: server, model, prompt and settings, not the server's key."""
    settings = [server.temperature, server.seed, server.max_tokens]
    identity = json.dumps([server.base_url, server.model, prompt, settings], sort_keys=True)
    return hashlib.sha256(identity.encode()).digest()


def _parse(request: Request[T], reply: Reply) -> Parsed[T] | Unusable:
    short = _why_short(reply)
    if short and not request.model.is_list():
        return Unusable(request.role, short, reply.text)
    try:
        return request.parse(reply.text)
    except Unparsed as error:
        return Unusable(request.role, f"{error}; it {short}" if short else str(error), reply.text)


def _why_short(reply: Reply) -> str:
    """Why a reply ended before its end, and what can be done; "" where it did not."""
    if reply.filtered:
        return "was held back by the server's own filter of what may be said"
    if not reply.cut:
        return ""
    at = f"{reply.output_tokens:,} tokens"
    return f"was cut off at {at}, and a higher limit may help ({REPLY_LIMIT})"
