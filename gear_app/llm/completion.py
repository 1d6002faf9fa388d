"""Asking a chat model: prompts to replies, as many at once as its server allows."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TypeVar

import openai

from gear_app.llm import transport
from gear_app.llm.budget import Budget
from gear_app.llm.failures import BudgetReached, CallFailed
from gear_app.llm.request import Refused, Request, refused_too
from gear_app.llm.request_pool import Calls, Done, Time
from gear_app.llm.response import Fault, Reply
from gear_app.llm.server import Server

TOLD_S = 0.5
T = TypeVar("T")
Tell = Callable[[str, int], None]


@dataclass
class _Asking:
    """A request that is being asked (calls.Work); `characters` of the reply have come, where it is
    streamed.
    """

    server: Server
    request: Request
    budget: Budget | None = None
    characters: int = 0

    async def attempt(
        self, speaker: openai.AsyncOpenAI, refused: Refused
    ) -> Reply | Fault | BudgetReached:
        def call() -> Awaitable[Reply | Fault]:
            return transport.attempt(speaker, self.server, self.request, refused, self._came)

        if self.budget is None:
            return await call()
        return await self.budget.spend(self.request.prompt, self.server.max_tokens, call)

    def less(self, refused: Refused, words: str) -> Refused | None:
        return refused_too(self.server, self.request, refused, words)

    def _came(self, characters: int) -> None:
        self.characters = characters


class Chat:
    """A chat model behind a server. Use it from one thread at a time, and close it."""

    def __init__(
        self,
        server: Server,
        check: Callable[[], None] = lambda: None,
        time: Time | None = None,
        tell: Tell = lambda role, characters: None,
    ) -> None:
        """`check` raises where somebody asked to stop; it is called on the thread that asks.

        So is `tell`, where replies are streamed: with the role and how many characters have come of
        all that was asked at once, at most twice a second, and with 0 when the last one is there.
        """
        self.server = server
        self._check, self._tell, self._clock = check, tell, (time or Time()).clock
        self._calls = Calls(server, self._look, time)
        self._asked: list[_Asking] = []
        self._told, self._told_at = 0, 0.0

    def ask(self, request: Request) -> Reply:
        """The model's reply. Raises CallFailed, ServerFailed, or what the check raises."""
        ((_, outcome),) = self.ask_all([request], lambda n, reply: reply)
        if isinstance(outcome, CallFailed):
            raise outcome
        return outcome

    def ask_all(
        self,
        requests: Sequence[Request],
        heard: Callable[[int, Reply], T],
        budget: Budget | None = None,
    ) -> Iterator[tuple[int, T | CallFailed]]:
        """Each request's position and what came of it, as they come in; never more at once than the
        server allows.

        `heard` is as `begin`'s, and is told the position. Raises what the check raises. Whoever
        stops listening cancels what is under way.
        """

        def done(position: int, came: Done[Reply]) -> T:
            return heard(position, _reply(came))

        self._asked, self._told = [_Asking(self.server, request, budget) for request in requests], 0
        yield from self._calls.all(self._asked, done)
        if self._told:
            self._tell(self._asked[0].request.role, 0)

    @property
    def free(self) -> int:
        """How many calls can be begun now that need not wait for a place; 0 or less where none
        can.
        """
        return self._calls.free

    def begin(
        self, request: Request, heard: Callable[[Reply], T], budget: Budget | None = None
    ) -> Future[T | CallFailed]:
        """Ask and go on; cancelling the future closes the connection.

        `heard` makes of the reply what the future holds, on another thread, before another call
        takes the place. Raises what the check raises, before the server is asked.
        """
        return self._calls.begin(
            _Asking(self.server, request, budget), lambda came: heard(_reply(came))
        )

    def models(self) -> tuple[str, ...]:
        """The names of the models the server has, in its order. Raises CallFailed with the server's
        own words.
        """
        return self._calls.once(lambda speaker: transport.models(speaker, self.server))

    def close(self) -> None:
        """End what is under way and close the connections."""
        self._calls.close()

    def _look(self) -> None:
        """Whether to stop, and what there is to tell."""
        self._check()
        come, now = sum(asking.characters for asking in self._asked), self._clock()
        if come > self._told and now - self._told_at >= TOLD_S:
            self._told, self._told_at = come, now
            self._tell(self._asked[0].request.role, come)


def _reply(came: Done[Reply]) -> Reply:
    return dataclasses.replace(came.value, attempts=came.attempts)
