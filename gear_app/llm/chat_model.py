"""A model that is asked and understood: what it said before is not asked again, what it cost is
told, and what cannot be understood is an error with the raw reply.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from gear_app.errors import ModelFailed
from gear_app.events import Called, Emit, Failed
from gear_app.llm.budget import Budget
from gear_app.llm.failures import BudgetReached, CallFailed, KeyEnded, Unusable
from gear_app.llm.prices import Price, cost
from gear_app.llm.reply_parser import Parsed, Unparsed
from gear_app.llm.request import Request, Schema
from gear_app.llm.response import Reply
from gear_app.llm.server import Server
from gear_app.prompts import Prompt
from gear_app.text import count, shortened

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """One thing to ask: the role, the prompt, and how the reply is understood (it raises Unparsed
    where it is not).

    `schema` is the JSON schema of the reply; a server that knows of none is asked without. `whole`:
    a reply that was cut off is of no use; of a list, what came before the cut is. `keep` says of
    what was understood whether the reply is kept for the next time; one that is not is asked for
    again.
    """

    role: str
    prompt: Prompt
    parse: Callable[[str], Parsed[T]]
    schema: Schema | None = None
    whole: bool = True
    keep: Callable[[T], bool] = lambda value: True


class Heard(NamedTuple, Generic[T]):
    """A reply and what was understood of it; `cached`: it was kept from before."""

    ask: Ask[T]
    reply: Reply
    understood: Parsed[T] | Unusable
    cached: bool = False


class About(NamedTuple):
    """What a kept reply is about, for a person who looks into the file."""

    server: str
    model: str
    role: str
    prompt_hash: str


class Asked(Protocol):
    """Who is asked: a server (llm.completion), or what was recorded of one (llm.replay)."""

    @property
    def server(self) -> Server:
        """Where, and which model."""
        ...

    def ask_all(
        self,
        requests: Sequence[Request],
        heard: Callable[[int, Reply], T],
        budget: Budget | None = None,
    ) -> Iterable[tuple[int, T | CallFailed]]:
        """Each request's position and what `heard` makes of its reply where it comes in, or why
        none came.
        """
        ...


@runtime_checkable
class Beginning(Asked, Protocol):
    """Who can be asked without waiting for the reply (llm.completion)."""

    @property
    def free(self) -> int:
        """How many more calls can be under way."""
        ...

    def begin(
        self, request: Request, heard: Callable[[Reply], T], budget: Budget | None = None
    ) -> Future[T | CallFailed]:
        """Ask, and go on; `heard` is called with the reply where it comes in."""
        ...


class Replies(Protocol):
    """Where replies are kept that were understood."""

    def get(self, key: bytes) -> Reply | None:
        """The reply kept under this key."""
        ...

    def put(self, key: bytes, reply: Reply, about: About) -> None:
        """Keep this one, in the place of any other."""
        ...


class Forgetful:
    """Keeps nothing."""

    def get(self, key: bytes) -> Reply | None:
        """Nothing."""
        return None

    def put(self, key: bytes, reply: Reply, about: About) -> None:
        """Not kept."""


class Model:
    """A chat model with a memory for its replies and a price."""

    def __init__(
        self,
        chat: Asked,
        replies: Replies | None = None,
        prices: Mapping[str, Price] | None = None,
        budget: Budget | None = None,
    ) -> None:
        """`replies` are read on the thread that asks, and written where replies come in.

        A model that `prices` do not know has an unknown cost.
        """
        self.server = chat.server
        self._chat, self._replies = chat, Forgetful() if replies is None else replies
        self._prices, self._budget = prices or {}, budget
        self._origin: Model | None = (
            None  # kept, since a chat may be closed when the model it was made for goes
        )

    def within(self, budget: Budget | None, prices: Mapping[str, Price] | None = None) -> Model:
        """The same model under a budget in the place of its own (None sets no limit), and at these
        prices, if any.
        """
        made = copy.copy(self)
        made._budget, made._origin = budget, self
        made._prices = self._prices if prices is None else prices
        return made

    def ask(self, ask: Ask[T], emit: Emit) -> T:
        """What the model says, understood. Raises Unusable, CallFailed, ServerFailed,
        BudgetReached, or what the chat's check raises.

        Emits Called, also where no reply came, and Failed where only pieces of the reply could not
        be used.
        """
        (found,) = self.ask_all([ask], emit)
        if isinstance(found, ModelFailed):
            raise found
        return found

    def ask_all(self, asks: Sequence[Ask[T]], emit: Emit) -> list[T | ModelFailed]:
        """As `ask`, several at once, in the order asked; what failed stands in its place.

        Replies are kept as they come in, whatever this thread does meanwhile; also those that are
        not told any more since `emit` raised.
        """
        found: dict[int, T | ModelFailed] = {}
        for n, ask in enumerate(asks):
            kept = self.kept(ask)
            if kept is not None:
                value = self.tell(kept, emit)
                found[n] = value
        missing = [n for n in range(len(asks)) if n not in found]
        requests = [_request(asks[n]) for n in missing]

        def heard(place: int, reply: Reply) -> Heard[T]:
            return self.heard(asks[missing[place]], reply)

        try:
            came = self._chat.ask_all(requests, heard, self._budget) if requests else ()
            for place, outcome in came:
                n = missing[place]
                if isinstance(outcome, CallFailed):
                    self.tell_failure(asks[n], outcome, emit)
                    found[n] = outcome
                else:
                    value = self.tell(outcome, emit)
                    found[n] = value
        except KeyEnded as error:  # on this thread, while others were under way
            for n in missing:
                if n not in found:
                    self.tell_failure(asks[n], error, emit)
            raise
        return [found[n] for n in range(len(asks))]

    @property
    def free(self) -> int:
        """How many more calls can be begun and be under way at once."""
        return self._ahead.free

    def begin(self, ask: Ask[T]) -> Future[Heard[T] | CallFailed]:
        """Ask without waiting. The reply is understood and kept as it comes in, whatever this
        thread does meanwhile.

        `tell` it once it is there. Nothing is looked for among the replies `kept`.
        """
        return self._ahead.begin(_request(ask), partial(self.heard, ask), self._budget)

    def kept(self, ask: Ask[T]) -> Heard[T] | None:
        """What is understood of the reply that was kept from before; None where there is none of
        use.
        """
        reply = self._replies.get(key_of(self.server, ask))
        understood = None if reply is None else _understood(ask, reply)
        if reply is None or not isinstance(understood, Parsed) or not ask.keep(understood.value):
            return None
        return Heard(ask, reply, understood, cached=True)

    def heard(self, ask: Ask[T], reply: Reply) -> Heard[T]:
        """A reply that came just now is kept where it is understood, before anything else can go
        wrong.
        """
        understood = _understood(ask, reply)
        if isinstance(understood, Parsed) and ask.keep(understood.value):
            about = About(self.server.base_url, self.server.model, ask.role, ask.prompt.hash)
            self._replies.put(key_of(self.server, ask), reply, about)
        return Heard(ask, reply, understood)

    def tell(self, heard: Heard[T], emit: Emit) -> T | Unusable:
        """The value, or why there is none, after the events: the call, and what was dropped from
        its reply.
        """
        ask, reply, understood, cached = heard
        emit(self._called(ask, reply, cached=cached))
        if isinstance(understood, Unusable):
            return understood
        if understood.dropped:
            dropped, first = len(understood.dropped), " ".join(understood.dropped[0].split())[:80]
            emit(
                Failed(
                    ask.role,
                    f"{count(dropped, 'part')} of the reply could not be used, as {first!r}",
                    shortened(reply.text),
                    dropped,
                )
            )
        return understood.value

    def tell_failure(self, ask: Ask[T], error: CallFailed, emit: Emit) -> None:
        """Emit the call that got no reply; nothing where the budget did not let it through."""
        if isinstance(error, BudgetReached):
            return
        model, prompt = self.server.model, ask.prompt
        emit(
            Called(ask.role, model, prompt.hash, prompt.text, "", 0, 0, 0.0, 0.0, failed=str(error))
        )

    @cached_property
    def _ahead(self) -> Beginning:
        assert isinstance(self._chat, Beginning), "what was recorded is not asked ahead"
        return self._chat

    def _called(self, ask: Ask[T], reply: Reply, *, cached: bool) -> Called:
        dollars = cost(self._prices, self.server.model, reply.input_tokens, reply.output_tokens)
        return Called(
            ask.role,
            self.server.model,
            ask.prompt.hash,
            ask.prompt.text,
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


def _request(ask: Ask[T]) -> Request:
    return Request(ask.role, ask.prompt.text, ask.schema)


def key_of(server: Server, ask: Ask[T]) -> bytes:
    """What a reply is kept under: server, model, prompt and settings. The key of the server is no
    part of it.
    """
    return key_for(server, ask.prompt.text, ask.schema)


def key_for(server: Server, prompt: str, schema: Schema | None) -> bytes:
    """As `key_of`, of a prompt that was asked before."""
    settings = [server.temperature, server.seed, server.max_tokens, schema]
    whole = json.dumps([server.base_url, server.model, prompt, settings], sort_keys=True)
    return hashlib.sha256(whole.encode()).digest()


def _understood(ask: Ask[T], reply: Reply) -> Parsed[T] | Unusable:
    if reply.cut and ask.whole:
        return Unusable(ask.role, f"was cut off at {reply.output_tokens:,} tokens", reply.text)
    try:
        return ask.parse(reply.text)
    except Unparsed as error:
        cut = (
            f"; it was cut off at {reply.output_tokens:,} tokens, and a higher limit may help"
            if reply.cut
            else ""
        )
        return Unusable(ask.role, f"{error}{cut}", reply.text)
