"""Asking an OpenAI-compatible server: several calls at once, asked again where that may help, stopped at once.

The calls run on an event loop in a thread of their own, so that the thread that asks is never stuck in one: every
tenth of a second it looks whether somebody wants to stop, and then the connections are closed, not waited for.
"""

from __future__ import annotations

import asyncio
import dataclasses
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import TypeVar

import openai

from gear_app.models import wire
from gear_app.models.body import Fault, Reply
from gear_app.models.failures import CallFailed, ServerFailed
from gear_app.models.loop import Loop
from gear_app.models.offers import Refused, Request, refused_too
from gear_app.models.retry import Circuit, wait_s
from gear_app.models.server import Server

HEEDED_S = 0.1
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Time:
    """Where time and chance come from; a test gives its own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


class Chat:
    """A chat model behind a server. Use it from one thread at a time, and close it."""

    def __init__(self, server: Server, check: Callable[[], None] = lambda: None, time: Time | None = None) -> None:
        """`check` raises where somebody asked to stop; it is called on the thread that asks."""
        self.server = server
        self._check, self._time = check, time or Time()
        self._circuit = Circuit(server.patience)
        self._refused: Refused = frozenset()
        self._slots = asyncio.Semaphore(server.at_once)
        self._loop = Loop()
        self._client: openai.AsyncOpenAI | None = None

    def ask(self, request: Request) -> Reply:
        """The model's reply. Raises CallFailed, ServerFailed, or what the check raises."""
        ((_, outcome),) = self.ask_all([request])
        if isinstance(outcome, CallFailed):
            raise outcome
        return outcome

    def ask_all(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply | CallFailed]]:
        """Each request's position and what came of it, as they come in; never more at once than the server allows.

        Raises what the check raises. Whoever stops listening cancels what is under way.
        """
        self._check()
        positions = {self._loop.submit(self._call(request)): n for n, request in enumerate(requests)}
        waiting: set[Future[Reply | CallFailed]] = set(positions)
        try:
            while waiting:
                done, waiting = wait(waiting, HEEDED_S, FIRST_COMPLETED)
                for future in sorted(done, key=positions.__getitem__):
                    yield positions[future], future.result()
                self._check()
        finally:
            for future in waiting:
                future.cancel()

    def models(self) -> tuple[str, ...]:
        """The names of the models the server has, in its order. Raises CallFailed with the server's own words."""
        self._check()
        found = self._loop.submit(self._models()).result()
        if isinstance(found, Fault):
            raise self._failure(CallFailed, found.words)
        return found

    def close(self) -> None:
        """End what is under way and close the connections."""
        if self._client is not None and not self._loop.here:
            self._loop.submit(self._client.close()).result()
        self._loop.close()

    async def _call(self, request: Request) -> Reply | CallFailed:
        """One request with all its attempts. It keeps its place between them: a sick server is not sent others."""
        patience, made, failed = self.server.patience, 0, 0
        async with self._slots:
            refused = self._refused  # as it is known by now
            while not self._circuit.is_open(self._time.clock()):
                outcome = await wire.attempt(self._speaker(), self.server, request, refused)
                made += 1
                if isinstance(outcome, Reply):
                    self._circuit.worked()
                    self._refused |= refused
                    return dataclasses.replace(outcome, attempts=made)
                less = refused_too(refused, request, outcome.words) if outcome.refused else None
                if less is not None:
                    refused = less
                    continue
                failed += 1
                waits = wait_s(failed, outcome.after_s, self._time.jitter(), patience) if outcome.again else None
                if waits is None:
                    return self._failed(outcome, made)
                await self._time.sleep(waits)
        return self._failure(ServerFailed, self._circuit.words)

    def _failed(self, fault: Fault, attempts: int) -> CallFailed:
        words = fault.words + (f", after {attempts} attempts" if attempts > 1 else "")
        if fault.after_s and fault.after_s > self.server.patience.longest_wait_s:
            words += f", and asks to wait {fault.after_s:.0f} s"
        if fault.refused:  # it may dislike this prompt and no other
            return self._failure(CallFailed, words)
        opened = self._circuit.failed(words, self._time.clock(), for_good=fault.for_good)
        return self._failure(ServerFailed if opened else CallFailed, words)

    def _failure(self, kind: type[CallFailed], words: str) -> CallFailed:
        return kind(f"The model server at {self.server.base_url} {words}.")

    async def _models(self) -> tuple[str, ...] | Fault:
        return await wire.models(self._speaker(), self.server)

    def _speaker(self) -> openai.AsyncOpenAI:
        if self._client is None:
            self._client = wire.client(self.server)
        return self._client
