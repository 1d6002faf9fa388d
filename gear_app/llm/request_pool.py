"""Calls of an OpenAI-compatible server: several at once, retried, and stopped at once.

The calls run on an event loop in a thread of their own, so that the threads that ask are never
stuck in one: every tenth of a second each looks whether somebody wants to stop, and then its
connections are closed, not waited for. Meanwhile others have their turn to compute.
"""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, NamedTuple, Protocol, TypeVar
from urllib.parse import urlsplit

import openai

from gear_app.llm import transport
from gear_app.llm.errors import BudgetReached, CallFailed, KeyEnded, ServerFailed
from gear_app.llm.request import Unsupported
from gear_app.llm.response import Fault
from gear_app.llm.retry import CircuitBreaker, wait_s
from gear_app.llm.server import Server
from gear_app.thread_context import asked_ago_s, show
from gear_app.turns import away

CHECK_S = 0.1  # between two looks whether to stop
TOLD_S = 1.0  # between two sentences on what is waited for
T = TypeVar("T")
R = TypeVar("R")
T_co = TypeVar("T_co", covariant=True)


class LoopThread:
    """An event loop on a thread of its own, which does not keep the process alive."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="model calls", daemon=True
        )
        self._thread.start()

    @property
    def is_current(self) -> bool:
        """Whether the calling thread is the loop's own, as it can be in garbage collection."""
        return threading.current_thread() is self._thread

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Begin the work; cancelling the future cancels it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def close(self) -> None:
        """Cancel all work, wait until it has ended, and stop; on its own thread, just stop."""
        if self.is_current:
            self._loop.stop()
            return
        self.submit(_cancel_others()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class TimeSource:
    """Where time and chance come from; a test gives its own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    jitter: Callable[[], float] = random.random


class Call(Protocol[T_co]):
    """One call, attempted as often as it takes."""

    async def attempt(
        self, client: openai.AsyncOpenAI, unsupported: Unsupported
    ) -> T_co | Fault | BudgetReached:
        """Make it once, without the unsupported parameters. Nothing the server does raises."""
        ...

    def add_unsupported(self, unsupported: Unsupported, message: str) -> Unsupported | None:
        """As request.add_unsupported; None where nothing more can be left out."""
        ...


class CallResult(NamedTuple, Generic[T]):
    """What a call gave, and after how many attempts."""

    value: T
    attempts: int


@dataclass
class _Wait:
    """What calls that were made together are waited for, and since when; `fault` is what their last
    attempt came to, where it failed, and `again_at` when the next one is made.
    """

    server: Server
    clock: Callable[[], float]
    fault: str = ""
    again_at: float = 0.0

    def __post_init__(self) -> None:
        self._since = self._told_at = self.clock()
        self._told = False

    def tell(self) -> None:
        """Show it, at most once a second."""
        now = self.clock()
        if now - self._told_at >= TOLD_S:
            self._told_at, self._told = now, True
            show(self._sentence(now))

    def end(self) -> None:
        """Nothing is waited for any more."""
        if self._told:
            show("")

    def _sentence(self, now: float) -> str:
        model, so_far_s = f"the model at {urlsplit(self.server.base_url).netloc}", now - self._since
        fault = self.fault.rstrip(".")
        if fault and self.again_at > now:
            return (
                f"Waiting: {model} {fault}. It is asked again in {self.again_at - now:.0f} s. To"
                " ask it now, cancel and run again."
            )
        before = f" An attempt before failed: it {fault}." if fault else ""
        return f"Waiting for {model}, {so_far_s:.0f} s so far.{before}"


class RequestPool:
    """Calls of one server, of any thread. Close it."""

    def __init__(
        self, server: Server, check: Callable[[], None], time: TimeSource | None = None
    ) -> None:
        """`check` raises where somebody asked to stop; it is called on the thread that asks."""
        self._server, self._check, self._time = server, check, time or TimeSource()
        self._breaker = CircuitBreaker(server.patience)
        self._unsupported: Unsupported = frozenset()
        self._slots = asyncio.Semaphore(server.at_once)
        self._loop = LoopThread()
        self._client: openai.AsyncOpenAI | None = None
        self._under_way: set[Future[Any]] = set()

    def run_all(
        self,
        calls: Sequence[Call[T]],
        on_result: Callable[[int, CallResult[T]], R],
        shows: Callable[[], bool] = lambda: False,
    ) -> Iterator[tuple[int, R | CallFailed]]:
        """Each call's position and outcome, as they come in; at once as many as the server allows.

        `on_result` gets the position, and is called as for `submit`. `shows` says at every look
        whether something is shown of the replies already; else it is what is waited for, and since
        when. Raises what the check raises. Whoever stops iterating cancels what is under way.
        """
        self._check_stop()
        told = _Wait(self._server, self._time.clock)
        positions = {
            self._submit(call, partial(on_result, n), told): n for n, call in enumerate(calls)
        }
        waiting: set[Future[R | CallFailed]] = set(positions)
        try:
            while waiting:
                with away():
                    done = self._first(waiting, lambda: None if shows() else told.tell())
                waiting -= done
                for future in sorted(done, key=positions.__getitem__):
                    yield positions[future], future.result()
                self._check_stop()
        finally:
            for future in waiting:
                future.cancel()
            told.end()

    def _first(self, waiting: set[Future[T]], look: Callable[[], object]) -> set[Future[T]]:
        """Those that are done, once any is. Raises what the check raises."""
        while not (done := wait(waiting, CHECK_S, FIRST_COMPLETED).done):
            self._check_stop()
            look()
        return done

    @property
    def free_slots(self) -> int:
        """How many calls can be begun now that need not wait; 0 or less where none can."""
        return self._server.at_once - sum(not future.done() for future in self._under_way.copy())

    def submit(
        self, call: Call[T], on_result: Callable[[CallResult[T]], R]
    ) -> Future[R | CallFailed]:
        """Make a call and return at once; cancelling the future closes its connection.

        The future holds what `on_result` returns. It is called on the loop's thread, before another
        call takes the slot. Raises what the check raises, before the call is made.
        """
        self._check_stop()
        return self._submit(call, on_result, _Wait(self._server, self._time.clock))

    def _submit(
        self, call: Call[T], on_result: Callable[[CallResult[T]], R], told: _Wait
    ) -> Future[R | CallFailed]:
        self._breaker.asked_for(self._time.clock() - asked_ago_s())
        future = self._loop.submit(self._run(call, on_result, told))
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return future

    def run_once(self, call: Callable[[openai.AsyncOpenAI], Awaitable[T | Fault]]) -> T:
        """What one attempt gives. Raises CallFailed, or what the check raises."""
        self._check_stop()

        async def attempt() -> T | Fault:
            return await call(self._open_client())

        future = self._loop.submit(attempt())
        try:
            with away():
                self._first({future}, lambda: None)
        finally:
            future.cancel()
        outcome = future.result()
        if isinstance(outcome, Fault):
            raise self._failure(CallFailed, outcome.message)
        return outcome

    def close(self) -> None:
        """End what is under way and close the connections."""
        if self._client is not None and not self._loop.is_current:
            self._loop.submit(self._client.close()).result()
        self._loop.close()

    def _check_stop(self) -> None:
        """Raise where somebody wants to stop, or where the key may be used no more."""
        self._check()
        self._server.key.check()

    async def _run(
        self, call: Call[T], on_result: Callable[[CallResult[T]], R], told: _Wait
    ) -> R | CallFailed:
        """One call with all its attempts.

        It keeps its slot between them: a server in trouble is not sent others.
        """
        patience, attempts, failed = self._server.patience, 0, 0
        async with self._slots:
            unsupported = self._unsupported  # as it is known by now
            while not self._breaker.is_open(self._time.clock()):
                outcome = await self._attempt(call, unsupported)
                if isinstance(outcome, BudgetReached) and outcome.fault:
                    return self._failure(ServerFailed, outcome.fault)
                if isinstance(outcome, CallFailed):
                    return outcome
                attempts += 1
                if not isinstance(outcome, Fault):
                    told.fault = ""
                    self._breaker.succeeded()
                    self._unsupported |= unsupported
                    return on_result(CallResult(outcome, attempts))
                if outcome.bad_request:
                    more = call.add_unsupported(unsupported, outcome.message)
                    if more is not None:
                        unsupported = more
                        continue
                failed += 1
                pause_s = None
                if outcome.retryable:
                    jitter = self._time.jitter()
                    pause_s = wait_s(failed, outcome.retry_after_s, jitter, patience)
                if pause_s is None:
                    return self._call_failure(outcome, attempts)
                told.fault, told.again_at = outcome.message, self._time.clock() + pause_s
                await self._time.sleep(pause_s)
        return self._failure(ServerFailed, self._breaker.sentence(self._time.clock()))

    async def _attempt(self, call: Call[T], unsupported: Unsupported) -> T | Fault | CallFailed:
        """One attempt. Its outcome is dropped where the key ended meanwhile: an ended key is empty,
        so it could not be taken out of the text any more.
        """
        try:
            self._server.key.check()
            outcome = await call.attempt(self._open_client(), unsupported)
            self._server.key.check()
        except KeyEnded as error:
            return error
        return outcome

    def _call_failure(self, fault: Fault, attempts: int) -> CallFailed:
        message = fault.message.rstrip(".")
        if attempts > 1:
            message += f", after {attempts} attempts"
        if fault.retry_after_s and fault.retry_after_s > self._server.patience.longest_wait_s:
            message += f", and asks to wait {fault.retry_after_s:.0f} s"
        if fault.bad_request:  # it may dislike this prompt and no other
            return self._failure(CallFailed, message)
        is_open = self._breaker.failed(message, self._time.clock(), permanent=fault.permanent)
        return self._failure(ServerFailed if is_open else CallFailed, message)

    def _failure(self, kind: type[CallFailed], message: str) -> CallFailed:
        return kind(f"The model server at {self._server.base_url} {message}.")

    def _open_client(self) -> openai.AsyncOpenAI:
        if self._client is None:
            self._client = transport.make_client(self._server)
        return self._client
