"""A finished run's model calls in the place of the server: making the run again costs nothing and
needs no key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from gear_app.errors import NotReady
from gear_app.events import Called, Event, Stopped
from gear_app.llm.budget import Budget
from gear_app.llm.failures import BudgetReached, CallFailed
from gear_app.llm.request import Request
from gear_app.llm.response import Reply
from gear_app.llm.server import Server

T = TypeVar("T")


class Recorded:
    """Gives to every prompt what came of it then (asking.Asked): the reply, also one that could not
    be used, or the failure to reply.
    """

    def __init__(self, server: Server, happened: Sequence[Event]) -> None:
        """The calls among these events; `server` is the one that was asked."""
        self.server = server
        stops = [
            event.sentence
            for event in happened
            if isinstance(event, Stopped) and event.why == "budget"
        ]
        self._stopped = stops[-1] if stops else ""
        self._came: dict[tuple[str, str], list[Reply | CallFailed]] = defaultdict(list)
        for event in happened:
            if isinstance(event, Called):
                self._came[event.role, event.prompt].append(_came(event))

    def ask_all(
        self,
        requests: Sequence[Request],
        heard: Callable[[int, Reply], T],
        budget: Budget | None = None,
    ) -> Iterator[tuple[int, T | CallFailed]]:
        """As they were; of several to one prompt, the first first. Nothing is spent; the run's own
        budget is reached where it was. Raises NotReady where a prompt was otherwise never asked.
        """
        for position, request in enumerate(requests):
            left = self._came.get((request.role, request.prompt))
            if not left and self._stopped:
                yield position, BudgetReached(self._stopped)
                continue
            if not left:
                raise NotReady(
                    f"The run has no reply of {self.server.model} to this prompt for"
                    f" '{request.role}': none came then, or the prompt is another one now. Ask the"
                    " question again."
                )
            came = left.pop(0) if len(left) > 1 else left[0]
            yield position, came if isinstance(came, CallFailed) else heard(position, came)


def _came(call: Called) -> Reply | CallFailed:
    """What came of a call."""
    if call.failed:
        return CallFailed(call.failed)
    return Reply(
        call.reply, call.input_tokens, call.output_tokens, call.ms, call.estimated, call.cut
    )
