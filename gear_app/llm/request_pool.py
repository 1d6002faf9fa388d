"""Calls of an OpenAI-compatible server: several at once, made again where that may help, stopped at
once.

The calls run on an event loop in a thread of their own, so that the thread that asks is never stuck
in one: every tenth of a second it looks whether somebody wants to stop, and then the connections
are closed, not waited for.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import openai

from gear_app.llm import transport
from gear_app.llm.event_loop import Loop
from gear_app.llm.failures import BudgetReached, CallFailed, KeyEnded, ServerFailed
from gear_app.llm.request import Refused
from gear_app.llm.response import Fault
from gear_app.llm.retry import Circuit, wait_s
from gear_app.llm.server import Server

HEEDED_S = 0.1
T = TypeVar("T")
R = TypeVar("R")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Time:
    """Where time and chance come from; a test gives its own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


class Work(Protocol[T_co]):
    """One call, made as often as it takes."""

    async def attempt(
        self, speaker: openai.AsyncOpenAI, refused: Refused
    ) -> T_co | Fault | BudgetReached:
        """Make it once, without the parts that the server refused. Nothing the server does
        raises.
        """
        ...

    def less(self, refused: Refused, words: str) -> Refused | None:
        """What to leave out after the server refused the rest with these words; None where nothing
        is left.
        """
        ...


class Done(NamedTuple, Generic[T]):
    """What came of a call, and after how many attempts."""

    value: T
    attempts: int


class Calls:
    """A server that is called. Use it from one thread at a time, and close it."""

    def __init__(self, server: Server, check: Callable[[], None], time: Time | None = None) -> None:
        """`check` raises where somebody asked to stop; it is called on the thread that asks, ten
        times a second.
        """
        self._server, self._check, self._time = server, check, time or Time()
        self._circuit = Circuit(server.patience)
        self._refused: Refused = frozenset()
        self._slots = asyncio.Semaphore(server.at_once)
        self._loop = Loop()
        self._client: openai.AsyncOpenAI | None = None
        self._under_way: set[Future[Any]] = set()

    def all(
        self, works: Sequence[Work[T]], then: Callable[[int, Done[T]], R]
    ) -> Iterator[tuple[int, R | CallFailed]]:
        """Each call's position and what came of it, as they come in; never more at once than the
        server allows.

        `then` is told the position, and where it is called is as for `begin`. Raises what the check
        raises. Whoever stops listening cancels what is under way.
        """
        self._heed()
        positions = {self._begin(work, partial(then, n)): n for n, work in enumerate(works)}
        waiting: set[Future[R | CallFailed]] = set(positions)
        try:
            while waiting:
                done, waiting = wait(waiting, HEEDED_S, FIRST_COMPLETED)
                for future in sorted(done, key=positions.__getitem__):
                    yield positions[future], future.result()
                self._heed()
        finally:
            for future in waiting:
                future.cancel()

    @property
    def free(self) -> int:
        """How many calls can be begun now that need not wait for a place; 0 or less where none
        can.
        """
        return self._server.at_once - sum(not future.done() for future in self._under_way.copy())

    def begin(self, work: Work[T], then: Callable[[Done[T]], R]) -> Future[R | CallFailed]:
        """Make a call and go on; cancelling the future closes its connection.

        `then` makes of what came what the future holds, on the loop's thread, before another call
        takes the place. Raises what the check raises, before the call is made.
        """
        self._heed()
        return self._begin(work, then)

    def _begin(self, work: Work[T], then: Callable[[Done[T]], R]) -> Future[R | CallFailed]:
        future = self._loop.submit(self._call(work, then))
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return future

    def once(self, call: Callable[[openai.AsyncOpenAI], Awaitable[T | Fault]]) -> T:
        """What comes of one attempt. Raises CallFailed with the server's own words, or what the
        check raises.
        """
        self._heed()

        async def called() -> T | Fault:
            return await call(self._speaker())

        future = self._loop.submit(called())
        try:
            while not wait([future], HEEDED_S).done:
                self._heed()
        finally:
            future.cancel()
        found = future.result()
        if isinstance(found, Fault):
            raise self._failure(CallFailed, found.words)
        return found

    def close(self) -> None:
        """End what is under way and close the connections."""
        if self._client is not None and not self._loop.here:
            self._loop.submit(self._client.close()).result()
        self._loop.close()

    def _heed(self) -> None:
        """Raise where somebody wants to stop, or where the key may be used no more."""
        self._check()
        self._server.key.check()

    async def _call(self, work: Work[T], then: Callable[[Done[T]], R]) -> R | CallFailed:
        """One call with all its attempts. It keeps its place between them: a sick server is not
        sent others.
        """
        patience, made, failed = self._server.patience, 0, 0
        async with self._slots:
            refused = self._refused  # as it is known by now
            while not self._circuit.is_open(self._time.clock()):
                outcome = await self._attempt(work, refused)
                if isinstance(outcome, BudgetReached) and outcome.fault:
                    return self._failure(ServerFailed, outcome.fault)
                if isinstance(outcome, CallFailed):
                    return outcome
                made += 1
                if not isinstance(outcome, Fault):
                    self._circuit.worked()
                    self._refused |= refused
                    return then(Done(outcome, made))
                less = work.less(refused, outcome.words) if outcome.refused else None
                if less is not None:
                    refused = less
                    continue
                failed += 1
                waits = (
                    wait_s(failed, outcome.after_s, self._time.jitter(), patience)
                    if outcome.again
                    else None
                )
                if waits is None:
                    return self._failed(outcome, made)
                await self._time.sleep(waits)
        return self._failure(ServerFailed, self._circuit.words)

    async def _attempt(self, work: Work[T], refused: Refused) -> T | Fault | CallFailed:
        """Where the key ended meanwhile, what came is not looked at: the key cannot be told from it
        any more.
        """
        try:
            self._server.key.check()
            outcome = await work.attempt(self._speaker(), refused)
            self._server.key.check()
        except KeyEnded as error:
            return error
        return outcome

    def _failed(self, fault: Fault, attempts: int) -> CallFailed:
        words = fault.words.rstrip(".") + (f", after {attempts} attempts" if attempts > 1 else "")
        if fault.after_s and fault.after_s > self._server.patience.longest_wait_s:
            words += f", and asks to wait {fault.after_s:.0f} s"
        if fault.refused:  # it may dislike this prompt and no other
            return self._failure(CallFailed, words)
        opened = self._circuit.failed(words, self._time.clock(), for_good=fault.for_good)
        return self._failure(ServerFailed if opened else CallFailed, words)

    def _failure(self, kind: type[CallFailed], words: str) -> CallFailed:
        return kind(f"The model server at {self._server.base_url} {words}.")

    def _speaker(self) -> openai.AsyncOpenAI:
        if self._client is None:
            self._client = transport.client(self._server)
        return self._client
