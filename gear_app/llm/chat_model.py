"""A chat model with a cache: replies are parsed and stored, and each call becomes an event.

A reply that cannot be parsed is an error with its raw text.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from gear_app.errors import ModelFailed
from gear_app.events import Called, Emit, Failed
from gear_app.llm.budget import Budget
from gear_app.llm.errors import BudgetReached, CallFailed, KeyEnded, Unusable
from gear_app.llm.prices import Price, cost
from gear_app.llm.reply import Reply
from gear_app.llm.reply_text import Parsed, Unparsed
from gear_app.llm.request import REPLY_LIMIT, Request, Schema
from gear_app.llm.server import Server
from gear_app.prompts import Prompt
from gear_app.text import shortened

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TypedRequest(Generic[T]):
    """A prompt for a role, and how its reply is parsed; `parse` raises Unparsed where it cannot.

    `schema` is the JSON schema of the reply; a server without schemas is asked without. `whole`: a
    reply that was cut off is of no use; else what came before the cut is. `keep` decides by the
    parsed value whether the reply is stored; one that is not is asked for again.
    """

    role: str
    prompt: Prompt
    parse: Callable[[str], Parsed[T]]
    schema: Schema | None = None
    whole: bool = True
    keep: Callable[[T], bool] = lambda value: True

    @property
    def raw(self) -> Request:
        """What the server is sent."""
        return Request(self.role, self.prompt.text, self.schema)


class ParsedReply(NamedTuple, Generic[T]):
    """A reply and what it was parsed to; `cached`: it was stored before."""

    request: TypedRequest[T]
    reply: Reply
    parsed: Parsed[T] | Unusable
    cached: bool = False


class ReplyOrigin(NamedTuple):
    """Where a stored reply comes from, for a person who looks into the file."""

    server: str
    model: str
    role: str
    prompt_hash: str


class ReplySource(Protocol):
    """A server (client.ModelClient), or what was recorded of one (RecordedReplies)."""

    @property
    def server(self) -> Server:
        """The server and model that are, or were, asked."""
        ...

    def ask_all(
        self,
        requests: Sequence[Request],
        on_reply: Callable[[int, Reply], T],
        budget: Budget | None = None,
    ) -> Iterable[tuple[int, T | CallFailed]]:
        """Each request's position, and what `on_reply` makes of its reply or why none came."""
        ...


@runtime_checkable
class ConcurrentReplySource(ReplySource, Protocol):
    """A source that can be asked without waiting for the reply (client.ModelClient)."""

    @property
    def free_slots(self) -> int:
        """How many more calls can be under way."""
        ...

    def submit(
        self, request: Request, on_reply: Callable[[Reply], T], budget: Budget | None = None
    ) -> Future[T | CallFailed]:
        """Ask, and return at once; `on_reply` is called when the reply comes in."""
        ...


class ReplyCache(Protocol):
    """Where parsed replies are stored."""

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
        source: ReplySource,
        replies: ReplyCache | None = None,
        prices: Mapping[str, Price] | None = None,
        budget: Budget | None = None,
    ) -> None:
        """`replies` are read on the thread that asks, and written where replies come in.

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
        """The same model under another budget (None: no limit), and at these prices, if any."""
        model = copy.copy(self)
        model._budget, model._origin = budget, self
        model._prices = self._prices if prices is None else prices
        return model

    def ask(self, request: TypedRequest[T], emit: Emit) -> T:
        """The parsed reply. Emits Called, also where no reply came.

        Emits Failed where only pieces of the reply could not be used. Raises Unusable, CallFailed,
        ServerFailed, BudgetReached, or what the source's check raises.
        """
        (outcome,) = self.ask_all([request], emit)
        if isinstance(outcome, ModelFailed):
            raise outcome
        return outcome

    def ask_all(self, requests: Sequence[TypedRequest[T]], emit: Emit) -> list[T | ModelFailed]:
        """As `ask`, several at once, in the order given; what failed stands in its place.

        Replies are stored as they come in, whatever this thread does meanwhile; also those that
        are not reported any more since `emit` raised.
        """
        outcomes: dict[int, T | ModelFailed] = {}
        for n, request in enumerate(requests):
            cached = self.cached(request)
            if cached is not None:
                value = self.report(cached, emit)
                outcomes[n] = value
        missing = [n for n in range(len(requests)) if n not in outcomes]

        def on_reply(position: int, reply: Reply) -> ParsedReply[T]:
            return self._parse_and_store(requests[missing[position]], reply)

        try:
            raw = [requests[n].raw for n in missing]
            replies = self._source.ask_all(raw, on_reply, self._budget) if raw else ()
            for position, outcome in replies:
                n = missing[position]
                if isinstance(outcome, CallFailed):
                    self.report_failure(requests[n], outcome, emit)
                    outcomes[n] = outcome
                else:
                    value = self.report(outcome, emit)
                    outcomes[n] = value
        except KeyEnded as error:  # on this thread, while others were under way
            for n in missing:
                if n not in outcomes:
                    self.report_failure(requests[n], error, emit)
            raise
        return [outcomes[n] for n in range(len(requests))]

    @property
    def free_slots(self) -> int:
        """How many more calls can be begun and be under way at once."""
        return self._concurrent.free_slots

    def submit(self, request: TypedRequest[T]) -> Future[ParsedReply[T] | CallFailed]:
        """Ask without waiting. The reply is parsed and stored as it comes in.

        `report` it once it is there. Stored replies are not looked up: see `cached`.
        """
        on_reply = partial(self._parse_and_store, request)
        return self._concurrent.submit(request.raw, on_reply, self._budget)

    def cached(self, request: TypedRequest[T]) -> ParsedReply[T] | None:
        """The stored reply, parsed; None where there is none of use."""
        reply = None if self._replies is None else self._replies.get(self._key(request))
        if reply is None:
            return None
        parsed = _parse(request, reply)
        if isinstance(parsed, Unusable) or not request.keep(parsed.value):
            return None
        return ParsedReply(request, reply, parsed, cached=True)

    def _parse_and_store(self, request: TypedRequest[T], reply: Reply) -> ParsedReply[T]:
        """The reply that just came, parsed; stored before anything else can go wrong."""
        parsed = _parse(request, reply)
        usable = isinstance(parsed, Parsed) and request.keep(parsed.value)
        if usable and self._replies is not None:
            origin = ReplyOrigin(
                self.server.base_url, self.server.model, request.role, request.prompt.hash
            )
            self._replies.put(self._key(request), reply, origin)
        return ParsedReply(request, reply, parsed)

    def report(self, parsed_reply: ParsedReply[T], emit: Emit) -> T | Unusable:
        """The value, or why there is none. Emits the call, and what was dropped from its reply."""
        request, reply, parsed, cached = parsed_reply
        emit(self._call_event(request, reply, cached=cached))
        if isinstance(parsed, Unusable):
            return parsed
        if parsed.dropped:
            count, first = len(parsed.dropped), " ".join(parsed.dropped[0].split())[:80]
            parts = "part" if count == 1 else "parts"
            message = f"{count} {parts} of the reply could not be used, as {first!r}"
            emit(Failed(request.role, message, shortened(reply.text), count))
        return parsed.value

    def report_failure(self, request: TypedRequest[T], error: CallFailed, emit: Emit) -> None:
        """Emit the call that got no reply; nothing where the budget did not let it through."""
        if isinstance(error, BudgetReached):
            return
        model, prompt = self.server.model, request.prompt
        called = Called(request.role, model, prompt.hash, prompt.text, "", 0, 0, 0.0, 0.0)
        emit(replace(called, failed=str(error)))

    @cached_property
    def _concurrent(self) -> ConcurrentReplySource:
        assert isinstance(self._source, ConcurrentReplySource), "a recording has no calls under way"
        return self._source

    def _key(self, request: TypedRequest[T]) -> bytes:
        return reply_key(self.server, request.prompt.text)

    def _call_event(self, request: TypedRequest[T], reply: Reply, *, cached: bool) -> Called:
        dollars = cost(self._prices, self.server.model, reply.input_tokens, reply.output_tokens)
        return Called(
            request.role,
            self.server.model,
            request.prompt.hash,
            request.prompt.text,
            reply.text,
            reply.input_tokens,
            reply.output_tokens,
            round(reply.ms, 3),
            0.0 if cached else dollars,
            reply.estimated,
            cached,
            reply.cut,
            reply.attempts,
        )


def reply_key(server: Server, prompt: str) -> bytes:
    """What a reply is stored under: server, model, prompt and settings, not the server's key."""
    settings = [server.temperature, server.seed, server.max_tokens]
    whole = json.dumps([server.base_url, server.model, prompt, settings], sort_keys=True)
    return hashlib.sha256(whole.encode()).digest()


def _parse(request: TypedRequest[T], reply: Reply) -> Parsed[T] | Unusable:
    short = _why_short(reply)
    if short and request.whole:
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
