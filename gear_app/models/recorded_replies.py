"""A finished run's model calls in the place of the server: a replay costs nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from gear_app.core.errors import NotReady
from gear_app.models.budget import Budget
from gear_app.models.errors import BudgetReached, CallFailed
from gear_app.models.reply import Reply
from gear_app.models.request import Request
from gear_app.models.server import Server
from gear_app.trace.events import Called, Event, Stopped

T = TypeVar("T")


class RecordedReplies:
    """Gives each prompt its recorded reply, also an unusable one, or its recorded failure, in the
    place of a server (client.ModelClient).
    """

    def __init__(self, server: Server, events: Sequence[Event]) -> None:
        """The calls among a run's events; `server` is the one that was asked."""
        self.server = server
        self._stopped = ""  # the sentence of the budget that stopped the run
        self._calls: dict[tuple[str, str], list[Called]] = defaultdict(list)
        for event in events:
            if isinstance(event, Stopped) and event.why == "budget":
                self._stopped = event.sentence
            elif isinstance(event, Called):
                self._calls[event.role, event.prompt].append(event)

    def ask_all(
        self,
        requests: Sequence[Request[Any]],
        on_reply: Callable[[Request[Any], Reply], T],
        budget: Budget | None = None,
    ) -> list[T | CallFailed]:
        """The recorded outcome of each request; of several to one prompt, in their order.

        Nothing is spent; the run's own budget is reached where it was. Raises NotReady for any
        other prompt without a recorded call.
        """
        return [self._outcome(request, on_reply) for request in requests]

    def _outcome(
        self, request: Request[Any], on_reply: Callable[[Request[Any], Reply], T]
    ) -> T | CallFailed:
        calls = self._calls[request.role, request.prompt.text]
        if not calls and self._stopped:
            return BudgetReached(self._stopped)
        if not calls:
            raise NotReady(
                f"{self.server.model} would read something for {request.role!r} that it has not"
                " read yet, and nobody is asked here. Ask the question as a run of its own."
            )
        call = calls.pop(0) if len(calls) > 1 else calls[0]
        if call.failed:
            return CallFailed(call.failed)
        numbers = call.input_tokens, call.output_tokens, call.ms
        return on_reply(request, Reply(call.reply, *numbers, call.estimated, call.cut))
