"""A chat model with a cache: replies are parsed and stored, and each call becomes an event. In a
replay a finished run's calls take the place of the server, and cost nothing.

A reply that cannot be parsed is an error with its raw text.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gear_app.core.errors import ModelFailed, NotReady
from gear_app.core.text import count, shortened
from gear_app.models.budget import Budget, Price, cost
from gear_app.models.errors import BudgetReached, CallFailed, Unusable
from gear_app.models.messages import Parsed, Request, T, Unparsed
from gear_app.models.server import REPLY_LIMIT, Server
from gear_app.trace.events import Called, Emit, Event, Failed, Stopped

if TYPE_CHECKING:
    from gear_app.models.client import ModelClient


class RecordedReplies:
    """Gives each prompt its recorded reply, also an unusable one, or its recorded failure, in the
    place of a server (client.ModelClient).
    """

    def __init__(self, server: Server, events: Sequence[Event]) -> None:
        """The calls among a run's events; `server` is the one that was asked."""
        self.server = server
        self._stopped = [  # by the run's budget
            BudgetReached(event.sentence)
            for event in events
            if isinstance(event, Stopped) and event.why == "budget"
        ]
        self._calls: dict[tuple[str, str], list[Called]] = defaultdict(list)
        for call in (event for event in events if isinstance(event, Called)):
            self._calls[call.role, call.prompt].append(call)

    def ask_all(self, requests: Sequence[Request[Any]], *_: object) -> list[Called | CallFailed]:
        """The recorded outcome of each request; of several to one prompt, in their order.

        Nothing is spent or stored; the run's own budget is reached where it was. Raises NotReady
        for any other prompt without a recorded call.
        """
        return [self._outcome(request) for request in requests]

    def _outcome(self, request: Request[Any]) -> Called | CallFailed:
        calls = self._calls[request.role, request.prompt.text]
        if not calls and self._stopped:
            return self._stopped[0]
        if not calls:
            raise NotReady(
                f"{self.server.model} would read something for {request.role!r} that it has not"
                " read yet, and nobody is asked here. Ask the question as a run of its own."
            )
        call = calls.pop(0) if len(calls) > 1 else calls[0]
        return CallFailed(call.failed) if call.failed else replace(call, cached=False)


@dataclass(frozen=True)
class ChatModel:
    """A chat model with a cache for its replies, prices and a budget.

    `replies` gives the cache of the calling thread (store.replies): it is read on the one that
    asks, and written where replies come in. Those of a recording, which may come from somebody
    else's file, are not written. A model that `prices` do not know has an unknown cost.
    """

    source: ModelClient | RecordedReplies
    replies: Callable[[], Any] | None = None
    prices: Mapping[str, Price] = field(default_factory=dict)
    budget: Budget | None = None

    @property
    def server(self) -> Server:
        """The server that is asked, with the model's name."""
        return self.source.server

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
        stored = [(request, self._stored(request)) for request in requests]
        missing = [request for request, call in stored if call is None]
        asked = iter(self.source.ask_all(missing, self._store, self.budget))
        return [self._report(request, call or next(asked), emit) for request, call in stored]

    def _stored(self, request: Request[Any]) -> Called | None:
        stored = self.replies and self.replies().get(
            reply_key(self.server, request), request.call(self.server)
        )
        return replace(stored, cached=True) if stored and _usable(request, stored) else None

    def _store(self, request: Request[Any], call: Called) -> None:
        if self.replies is not None and _usable(request, call):
            self.replies().put(reply_key(self.server, request), call, self.server.base_url)

    def _report(self, request: Request[Any], outcome: Called | CallFailed, emit: Emit) -> Any:  # noqa: ANN401
        """The value, or why there is none. Emits the call, unless the budget did not let it
        through, and the parts that were dropped from its reply.
        """
        if isinstance(outcome, CallFailed):
            if not isinstance(outcome, BudgetReached):
                emit(replace(request.call(self.server), failed=str(outcome)))
            return outcome
        dollars = cost(self.prices, outcome.model, outcome.input_tokens, outcome.output_tokens)
        emit(replace(outcome, cost=0.0 if outcome.cached else dollars))
        parsed = _parse(request, outcome)
        if isinstance(parsed, Unusable):
            return parsed
        if number := len(parsed.dropped):
            first = " ".join(parsed.dropped[0].split())[:80]
            message = f"{count(number, 'part')} of the reply could not be used, as {first!r}"
            emit(Failed(request.role, message, shortened(outcome.reply), number))
        return parsed.value


def reply_key(server: Server, request: Request[Any]) -> bytes:
    """Key of a stored reply: server, model, prompt and settings, not the server's key."""
    prompt, settings = request.prompt.text, [server.temperature, server.seed, server.max_tokens]
    identity = json.dumps([server.base_url, server.model, prompt, settings])
    return hashlib.sha256(identity.encode()).digest()


def _usable(request: Request[Any], call: Called) -> bool:
    parsed = _parse(request, call)
    return isinstance(parsed, Parsed) and request.keep(parsed.value)


def _parse(request: Request[T], call: Called) -> Parsed[T] | Unusable:
    short = (
        f"was cut off at {call.output_tokens:,} tokens: a higher limit may help ({REPLY_LIMIT}),"
        " unless the server's filter ended it"
    )
    try:
        if call.cut and not request.model.is_list():
            raise Unparsed(short)
        return request.parse(call.reply)
    except Unparsed as error:
        return Unusable(request.role, short if call.cut else str(error), call.reply)
