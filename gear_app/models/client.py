"""A client of one OpenAI-compatible server: chat, vectors and models.

Calls run on an event loop in a thread of its own. The threads that ask look every tenth of a second
whether to stop, and then cancel their calls. Attempts are repeated here and not by the openai
package: each may have to be paid for, so each passes the budget, and a stream can break off after
the package has returned it.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import random
import re
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import numpy as np
import openai

from gear_app.core.protocols import Vectors
from gear_app.core.text import count, cut
from gear_app.core.thread_context import asked_ago_s, show
from gear_app.core.turns import away
from gear_app.models.budget import Budget
from gear_app.models.errors import BudgetReached, CallFailed, KeyEnded, ServerFailed
from gear_app.models.faults import FAULTS, explain, text_fault
from gear_app.models.network import BoundedStream, make_client
from gear_app.models.reply import (
    ErrorWithin,
    Fault,
    IncomingReply,
    Reply,
    model_names,
    unit_vectors,
)
from gear_app.models.request import Request, Unsupported, add_unsupported, arguments
from gear_app.models.server import Patience, Secret, Server

CHECK_S = 0.1  # between two checks whether to stop
SHOWN_S = 1.0  # between two sentences on what is waited for
AFTER_END_S = 2.0  # a stream that has ended may go on for so long, to count its tokens
SPREAD = 0.25  # of a wait, by chance: calls that failed together do not come back together
BEGINNING = 80  # characters of a refused text in a message
_TOO_MANY = re.compile(
    r"batch.{0,20}(?:size|larger|exceed|limit)|too many (?:inputs?|texts)|array.{0,20}too long"
    r"|(?:at most|maximum|limit)\b.{0,30}\b(?:inputs|texts|items)",
    re.IGNORECASE,
)
T = TypeVar("T")
R = TypeVar("R")


@dataclass
class _Call(Generic[T]):
    """A call, what became of its attempts, and how many characters of its reply have come."""

    attempt: Callable[[_Call[T]], Awaitable[T]]  # raises Fault
    role: str = ""
    attempts: int = 0
    characters: int = 0
    fault: str = ""  # of the last attempt
    again_at: float = 0.0  # when the next attempt is made


class ModelClient:
    """The client of a server, for any thread. Close it."""

    def __init__(
        self,
        server: Server,
        check: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        """`check` raises where somebody asked to stop; it is called on the thread that asks."""
        self.server = server
        self._check, self._clock, self._sleep = check, clock, sleep
        self._failures = 0  # calls in a row
        self._stopped_at = -math.inf  # when so many had failed that no more are made for a while
        self._stopped_by = ""
        self._unsupported: Unsupported = frozenset()
        self._most_texts = 0  # of a call for vectors, once a server refused more
        self._slots = asyncio.Semaphore(server.at_once)
        self._package: openai.AsyncOpenAI | None = None
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="model calls", daemon=True
        )
        self._thread.start()

    def ask_all(
        self,
        requests: Sequence[Request],
        on_reply: Callable[[int, Reply], T],
        budget: Budget | None = None,
    ) -> Iterator[tuple[int, T | CallFailed]]:
        """Each request's position and outcome, as they come in; see `_run_all`."""
        return self._run_all([self._chat_call(request, budget) for request in requests], on_reply)

    def embed(self, texts: Sequence[str], at_once: int) -> list[Vectors]:
        """The texts' vectors in order, (n, d) float32 for so many texts of a call, rows
        L2-normalised. Raises CallFailed, or what the check raises.

        A server that refuses so many texts is sent half as many, from then on.
        """
        size = self._most_texts or at_once
        parts = [texts[n : n + size] for n in range(0, len(texts), size)]
        return self._results([_Call(partial(self._embed, part)) for part in parts])

    def models(self) -> tuple[str, ...]:
        """The names of the models the server has. Raises CallFailed."""

        async def names(package: openai.AsyncOpenAI) -> tuple[str, ...]:
            raw = await package.models.with_raw_response.list()
            return model_names(json.loads(raw.http_response.content))

        (names_listed,) = self._results([_Call(lambda call: self._guarded(names))])
        return tuple(map(self.server.key.redact, names_listed))

    def close(self) -> None:
        """Cancel what is under way and close the connections; harmless when closed already."""
        if self._closed:
            return
        self._closed = True
        if threading.current_thread() is self._thread:  # as it can be in garbage collection
            self._loop.stop()
            return
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # On the threads that ask

    def _results(self, calls: Sequence[_Call[T]]) -> list[T]:
        """Results of the calls, in order. Raises CallFailed for the first that failed."""
        results: dict[int, T] = {}
        for n, outcome in self._run_all(calls, lambda n, outcome: outcome):
            if isinstance(outcome, CallFailed):
                raise outcome
            results[n] = outcome
        return [results[n] for n in range(len(calls))]

    def _run_all(
        self, calls: Sequence[_Call[T]], on_result: Callable[[int, T], R]
    ) -> Iterator[tuple[int, R | CallFailed]]:
        """Each call's position and outcome, as they come in; at once as many as the server allows.

        `on_result` is called on the loop's thread, before another call takes the slot. Raises what
        the check raises. Whoever stops iterating cancels what is under way.
        """
        self._check_stop()
        positions = {self._submit(c, partial(on_result, n)): n for n, c in enumerate(calls)}
        waiting = set(positions)
        began = last_shown = self._clock()
        try:
            while waiting:
                with away():
                    while not (done := wait(waiting, CHECK_S, FIRST_COMPLETED).done):
                        self._check_stop()
                        if self._clock() - last_shown >= SHOWN_S:
                            last_shown = self._clock()
                            show(self._progress(calls, last_shown - began))
                waiting -= done
                for future in sorted(done, key=positions.__getitem__):
                    yield positions[future], future.result()
                self._check_stop()
        finally:
            for future in waiting:
                future.cancel()
            if last_shown > began:
                show("")

    def _progress(self, calls: Sequence[_Call[T]], waited_s: float) -> str:
        """A sentence on calls that were made together, for whoever waits for them."""
        if characters := sum(call.characters for call in calls):
            return f"{calls[0].role.replace('_', ' ')}: {characters:,} characters so far."
        model = f"the model at {urlsplit(self.server.base_url).netloc}"
        last = max(calls, key=lambda call: call.again_at)
        fault, wait_s = last.fault.rstrip("."), last.again_at - self._clock()
        if fault and wait_s > 0:
            return (
                f"Waiting: {model} {fault}. It is asked again in {wait_s:.0f} s. To ask it now,"
                " cancel and run again."
            )
        before = f" An attempt before failed: it {fault}." if fault else ""
        return f"Waiting for {model}, {waited_s:.0f} s so far.{before}"

    def _check_stop(self) -> None:
        """Raise where somebody wants to stop, or where the key has ended."""
        self._check()
        self.server.key.check()

    def _submit(self, call: _Call[T], on_result: Callable[[T], R]) -> Future[R | CallFailed]:
        if self._stopped_at <= self._clock() - asked_ago_s():
            self._stopped_at = -math.inf  # a person asked since
        return asyncio.run_coroutine_threadsafe(self._run(call, on_result), self._loop)

    # On the loop

    async def _run(self, call: _Call[T], on_result: Callable[[T], R]) -> R | CallFailed:
        """One call with all its attempts.

        It keeps its slot between them: a server in trouble is not sent others. A reply is dropped
        where the key ended meanwhile: an ended key is empty and could not be masked any more.
        """
        rest_s = self.server.patience.rest_s
        async with self._slots:
            for failed in itertools.count(1):
                if (ago_s := self._clock() - self._stopped_at) < rest_s:
                    break
                try:
                    self.server.key.check()
                    result = await call.attempt(call)
                    self.server.key.check()
                except (KeyEnded, BudgetReached) as error:
                    fault = error.fault if isinstance(error, BudgetReached) else ""
                    return self._failure(ServerFailed, fault) if fault else error
                except Fault as error:
                    pause_s = _pause_s(error, failed, self.server.patience)
                    if pause_s is None:
                        return self._call_failure(error, call.attempts)
                    call.fault, call.again_at = error.message, self._clock() + pause_s
                else:
                    call.fault = ""
                    self._failures, self._stopped_at = 0, -math.inf
                    return on_result(result)
                await self._sleep(pause_s)
        return self._failure(
            ServerFailed,
            f"was not asked: {count(self._failures, 'call')} in a row failed, the last one"
            f" {ago_s:.0f} s before, when it {self._stopped_by}. For {rest_s:.0f} s it is asked"
            " only where a person asks for it: Run again, Go on and Extract ask at once",
        )

    def _chat_call(self, request: Request, budget: Budget | None) -> _Call[Reply]:
        async def attempt(call: _Call[Reply]) -> Reply:
            """Attempts until the server refuses no parameter any more."""
            unsupported = self._unsupported
            while True:
                call_once = partial(self._complete, request, unsupported, call)
                limit = self.server.max_tokens
                try:
                    reply = await (
                        budget.spend(request.prompt, limit, call_once) if budget else call_once()
                    )
                except Fault as fault:
                    less = add_unsupported(self.server, request, unsupported, fault.message)
                    if less is None or not fault.bad_request:
                        raise
                    unsupported = less
                else:
                    self._unsupported |= unsupported
                    return replace(reply, attempts=call.attempts)

        return _Call(attempt, request.role)

    async def _complete(
        self, request: Request, unsupported: Unsupported, call: _Call[Reply]
    ) -> Reply:
        began, incoming = time.perf_counter(), IncomingReply()
        call.attempts, call.characters = call.attempts + 1, 0
        sent = arguments(self.server, request, unsupported)
        await self._guarded(lambda package: self._receive(package, sent, incoming, call))
        reply = incoming.reply(request, (time.perf_counter() - began) * 1000)
        # A server may repeat the key it was sent.
        return replace(reply, text=self.server.key.redact(reply.text))

    async def _receive(
        self,
        package: openai.AsyncOpenAI,
        sent: dict[str, Any],
        incoming: IncomingReply,
        call: _Call[Reply],
    ) -> None:
        """Let the reply come in, streamed or not, until its end. Raises where there is none."""
        answer = await package.chat.completions.create(**sent)
        if isinstance(answer, str):
            raise text_fault(answer, self.server.key)
        if isinstance(answer, openai.AsyncStream):
            await _receive_stream(answer, incoming, call, self.server.key)
        else:
            incoming.add(answer)
        if not incoming.has_choices:
            raise Fault("sent JSON without a reply", retryable=True, unbilled=not incoming.usage)

    async def _embed(self, texts: Sequence[str], call: _Call[Vectors]) -> Vectors:
        async def vectors(package: openai.AsyncOpenAI) -> Vectors:
            raw = await package.embeddings.with_raw_response.create(
                model=self.server.model, input=list(texts), encoding_format="float"
            )
            return unit_vectors(json.loads(raw.http_response.content), len(texts))

        call.attempts += 1
        try:
            return await self._guarded(vectors)
        except Fault as fault:
            if fault.bad_request and len(texts) > 1 and _TOO_MANY.search(fault.message):
                half = (len(texts) + 1) // 2
                self._most_texts = min(half, self._most_texts or half)
                parts = texts[:half], texts[half:]
                return np.concatenate([await self._embed(part, call) for part in parts])
            if fault.bad_request:
                longest = max(texts, key=len)  # mostly the refused one; it begins with its title
                fault.message += (
                    f" (for {len(texts)} texts of up to {len(longest):,} characters). The longest"
                    f" begins: {cut(' '.join(longest.split()), BEGINNING)}"
                )
            raise

    async def _guarded(self, call: Callable[[openai.AsyncOpenAI], Awaitable[T]]) -> T:
        """Result of the call within the server's time. Raises Fault, without the key."""
        timeout_s = self.server.patience.timeout_s
        try:
            self._package = self._package or make_client(self.server)
            async with asyncio.timeout(timeout_s):
                return await call(self._package)
        except FAULTS as error:
            raise explain(error, timeout_s, time.time(), self.server.key) from None

    def _call_failure(self, fault: Fault, attempts: int) -> CallFailed:
        message = fault.message.rstrip(".")
        if attempts > 1:
            message += f", after {attempts} attempts"
        if fault.wait_s and fault.wait_s > self.server.patience.longest_wait_s:
            message += f", and asks to wait {fault.wait_s:.0f} s"
        if fault.bad_request:  # which may concern this prompt and no other
            return self._failure(CallFailed, message)
        self._failures += 1
        if fault.permanent or self._failures >= self.server.patience.failures:
            self._stopped_at, self._stopped_by = self._clock(), message
        stopped = self._stopped_at > -math.inf
        return self._failure(ServerFailed if stopped else CallFailed, message)

    def _failure(self, kind: type[CallFailed], message: str) -> CallFailed:
        return kind(f"The model server at {self.server.base_url} {message}.")

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._package is not None:
            await self._package.close()


async def _receive_stream(
    stream: openai.AsyncStream[Any], incoming: IncomingReply, call: _Call[Reply], key: Secret
) -> None:
    response = stream.response
    try:
        if "event-stream" not in response.headers.get("content-type", ""):
            incoming.add(json.loads(await response.aread()))  # some servers stream nothing
            return
        # What comes long after the last piece is not waited for.
        with suppress(TimeoutError):
            async with asyncio.timeout(None) as limit:
                async for piece in stream:
                    incoming.add(piece)
                    call.characters = incoming.characters
                    if incoming.finish and limit.when() is None:
                        limit.reschedule(asyncio.get_running_loop().time() + AFTER_END_S)
        ended = isinstance(response.stream, BoundedStream) and response.stream.ended
        if not incoming.finish and not ended:
            raise Fault("broke off before its reply was whole", retryable=True)
    except (openai.APIError, ErrorWithin) as error:
        if not incoming.characters or isinstance(error, openai.APIConnectionError):
            raise
        fault = explain(error, 0.0, 0.0, key)  # after a part of it, which may have been charged for
        words = fault.message.removeprefix("answered: ")
        message = f"broke off with an error: {words}"
        raise replace(fault, message=message, unbilled=False) from None
    finally:
        await response.aclose()


def _pause_s(fault: Fault, failed: int, patience: Patience) -> float | None:
    """How long to wait after the failed-th attempt, from 1; None where it was the last.

    Doubles each time, but is never less than the server asked for; a server that asks for more than
    the longest wait is not waited for.
    """
    asked_s = fault.wait_s or 0.0
    if not fault.retryable or failed > patience.retries or asked_s > patience.longest_wait_s:
        return None
    doubled = min(patience.longest_wait_s, patience.first_wait_s * 2.0 ** (failed - 1))
    return max(doubled, asked_s) * (1 + SPREAD * random.random())  # noqa: S311
