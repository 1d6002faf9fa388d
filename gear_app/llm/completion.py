"""A client for chat completions: prompts to replies, as many at once as its server allows."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

import openai

from gear_app.llm import transport
from gear_app.llm.budget import Budget
from gear_app.llm.errors import BudgetReached, CallFailed
from gear_app.llm.request import Request, Unsupported, add_unsupported
from gear_app.llm.request_pool import CallResult, RequestPool, TimeSource
from gear_app.llm.response import Fault, Reply
from gear_app.llm.server import Server

PROGRESS_S = 0.5  # at least, between two reports
T = TypeVar("T")
Progress = Callable[[str, int], None]  # the role and the characters that have come


@dataclass
class _Completion:
    """A request under way (request_pool.Call); `characters` of a streamed reply have come."""

    server: Server
    request: Request
    budget: Budget | None = None
    characters: int = 0

    async def attempt(
        self, client: openai.AsyncOpenAI, unsupported: Unsupported
    ) -> Reply | Fault | BudgetReached:
        def call() -> Awaitable[Reply | Fault]:
            return transport.complete(
                client, self.server, self.request, unsupported, self._set_characters
            )

        if self.budget is None:
            return await call()
        return await self.budget.spend(self.request.prompt, self.server.max_tokens, call)

    def add_unsupported(self, unsupported: Unsupported, message: str) -> Unsupported | None:
        return add_unsupported(self.server, self.request, unsupported, message)

    def _set_characters(self, characters: int) -> None:
        self.characters = characters


@dataclass
class _Reported:
    """How much has come of what was asked at once, as far as it was reported."""

    progress: Progress
    clock: Callable[[], float]
    completions: Sequence[_Completion]
    characters: int = 0
    at: float = 0.0

    def look(self) -> bool:
        """Report it where it is time; whether anything has come."""
        characters = sum(completion.characters for completion in self.completions)
        now = self.clock()
        if characters > self.characters and now - self.at >= PROGRESS_S:
            self.characters, self.at = characters, now
            self.progress(self.completions[0].request.role, characters)
        return characters > 0

    def end(self) -> None:
        """All has come."""
        if self.characters:
            self.progress(self.completions[0].request.role, 0)


class ChatClient:
    """A chat model behind a server, for any thread. Close it."""

    def __init__(
        self,
        server: Server,
        check: Callable[[], None] = lambda: None,
        time: TimeSource | None = None,
        progress: Progress = lambda role, characters: None,
    ) -> None:
        """`check` raises where somebody asked to stop; it is called on the thread that asks.

        So is `progress`, where replies are streamed: with the role and how many characters have
        come of all that was asked at once, at most twice a second, and with 0 at the end.
        """
        self.server = server
        self._progress = progress
        self._clock = (time or TimeSource()).clock
        self._pool = RequestPool(server, check, time)

    def ask(self, request: Request) -> Reply:
        """The model's reply. Raises CallFailed, ServerFailed, or what the check raises."""
        ((_, outcome),) = self.ask_all([request], lambda n, reply: reply)
        if isinstance(outcome, CallFailed):
            raise outcome
        return outcome

    def ask_all(
        self,
        requests: Sequence[Request],
        on_reply: Callable[[int, Reply], T],
        budget: Budget | None = None,
    ) -> Iterator[tuple[int, T | CallFailed]]:
        """Each request's position and outcome, as they come in; see RequestPool.run_all."""

        def on_result(position: int, result: CallResult[Reply]) -> T:
            return on_reply(position, _with_attempts(result))

        completions = [_Completion(self.server, request, budget) for request in requests]
        reported = _Reported(self._progress, self._clock, completions)
        yield from self._pool.run_all(completions, on_result, reported.look)
        reported.end()

    @property
    def free_slots(self) -> int:
        """How many calls can be begun now that need not wait; 0 or less where none can."""
        return self._pool.free_slots

    def submit(
        self, request: Request, on_reply: Callable[[Reply], T], budget: Budget | None = None
    ) -> Future[T | CallFailed]:
        """Ask and return at once; see RequestPool.submit."""
        completion = _Completion(self.server, request, budget)
        return self._pool.submit(completion, lambda result: on_reply(_with_attempts(result)))

    def models(self) -> tuple[str, ...]:
        """The names of the models the server has, in its order. Raises CallFailed."""
        return self._pool.run_once(lambda client: transport.list_models(client, self.server))

    def close(self) -> None:
        """End what is under way and close the connections."""
        self._pool.close()


def _with_attempts(result: CallResult[Reply]) -> Reply:
    return dataclasses.replace(result.value, attempts=result.attempts)
