"""A model that is asked and understood: what it said before is not asked again, what it cost is told, and what cannot
be understood is an error with the raw reply.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, Protocol, TypeVar

from gear_app.errors import ModelFailed
from gear_app.events import Called, Emit, Failed
from gear_app.models.body import Reply
from gear_app.models.failures import CallFailed, Unusable
from gear_app.models.offers import Request, Schema
from gear_app.models.prices import Price, cost, prices
from gear_app.models.said import Parsed, Unparsed
from gear_app.models.server import Server
from gear_app.prompts import Prompt

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """One thing to ask: the role, the prompt, and how the reply is understood (it raises Unparsed where it is not).

    `schema` is the JSON schema of the reply; a server that knows of none is asked without. `whole`: a reply that was
    cut off is of no use; of a list, what came before the cut is.
    """

    role: str
    prompt: Prompt
    parse: Callable[[str], Parsed[T]]
    schema: Schema | None = None
    whole: bool = True


class About(NamedTuple):
    """What a kept reply is about, for a person who looks into the file."""

    server: str
    model: str
    role: str
    prompt_hash: str


class Asked(Protocol):
    """Who is asked: a server (models.chat), or what was recorded of one (models.recorded)."""

    @property
    def server(self) -> Server:
        """Where, and which model."""
        ...

    def ask_all(self, requests: Sequence[Request]) -> Iterable[tuple[int, Reply | CallFailed]]:
        """Each request's position and what came of it, as they come in."""
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

    def __init__(self, chat: Asked, replies: Replies | None = None, table: Mapping[str, Price] | None = None) -> None:
        """`replies` are used on the thread that asks."""
        self.server = chat.server
        self._chat, self._replies = chat, replies or Forgetful()
        self._prices = prices() if table is None else table

    def ask(self, ask: Ask[T], emit: Emit) -> T:
        """What the model says, understood. Raises Unusable, CallFailed, ServerFailed, or what the chat's check raises.

        Emits Called, and Failed where only pieces of the reply could not be used.
        """
        (found,) = self.ask_all([ask], emit)
        if isinstance(found, ModelFailed):
            raise found
        return found

    def ask_all(self, asks: Sequence[Ask[T]], emit: Emit) -> list[T | ModelFailed]:
        """As `ask`, several at once, in the order asked; what failed stands in its place. Kept as they come in."""
        found: dict[int, T | ModelFailed] = {}
        for n, ask in enumerate(asks):
            kept = self._replies.get(key_of(self.server, ask))
            understood = None if kept is None else _understood(ask, kept)
            if kept is not None and isinstance(understood, Parsed):
                found[n] = self._told(ask, kept, understood, emit, cached=True)
        missing = [n for n in range(len(asks)) if n not in found]
        requests = [Request(asks[n].role, asks[n].prompt.text, asks[n].schema) for n in missing]
        for place, outcome in self._chat.ask_all(requests) if requests else ():
            ask = asks[missing[place]]
            if isinstance(outcome, Reply):
                heard = self._heard(ask, outcome, emit)
                found[missing[place]] = heard
            else:
                found[missing[place]] = outcome
        return [found[n] for n in range(len(asks))]

    def _heard(self, ask: Ask[T], reply: Reply, emit: Emit) -> T | Unusable:
        """A reply that came just now is kept where it is understood, before anything else can go wrong."""
        understood = _understood(ask, reply)
        if isinstance(understood, Unusable):
            emit(self._called(ask, reply, cached=False))
            return understood
        about = About(self.server.base_url, self.server.model, ask.role, ask.prompt.hash)
        self._replies.put(key_of(self.server, ask), reply, about)
        return self._told(ask, reply, understood, emit, cached=False)

    def _told(self, ask: Ask[T], reply: Reply, parsed: Parsed[T], emit: Emit, *, cached: bool) -> T:
        """The value, after the events: the call, and what was dropped from its reply."""
        emit(self._called(ask, reply, cached=cached))
        if parsed.dropped:
            count, first = len(parsed.dropped), " ".join(parsed.dropped[0].split())[:80]
            parts = "part" if count == 1 else "parts"
            emit(Failed(ask.role, f"{count} {parts} of the reply could not be used, as {first!r}", reply.text))
        return parsed.value

    def _called(self, ask: Ask[T], reply: Reply, *, cached: bool) -> Called:
        dollars = cost(self._prices, self.server.model, reply.input_tokens, reply.output_tokens)
        return Called(
            ask.role, self.server.model, ask.prompt.hash, ask.prompt.text, reply.text, reply.input_tokens,
            reply.output_tokens, round(reply.ms, 3), 0.0 if cached else dollars, reply.estimated, cached, reply.cut,
            reply.attempts,
        )  # fmt: skip


def key_of(server: Server, ask: Ask[T]) -> bytes:
    """What a reply is kept under: server, model, prompt and settings. The key of the server is no part of it."""
    settings = [server.temperature, server.seed, server.max_tokens, ask.schema]
    whole = json.dumps([server.base_url, server.model, ask.prompt.text, settings], sort_keys=True)
    return hashlib.sha256(whole.encode()).digest()


def _understood(ask: Ask[T], reply: Reply) -> Parsed[T] | Unusable:
    if reply.cut and ask.whole:
        return Unusable(ask.role, f"was cut off at {reply.output_tokens:,} tokens", reply.text)
    try:
        return ask.parse(reply.text)
    except Unparsed as error:
        return Unusable(ask.role, str(error), reply.text)
