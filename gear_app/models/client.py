"""A client of one OpenAI-compatible server: chat, vectors and models.

Calls run on an event loop in a thread of its own. The threads that ask look every tenth of a second
whether to stop, and then cancel their calls. The openai package asks again where a server refuses
for a while; what may have been paid for is not asked again by itself.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

import numpy as np
import openai

from gear_app.core.protocols import Vectors
from gear_app.core.text import count, cut, storable
from gear_app.core.thread_context import asked_ago_s, show
from gear_app.core.turns import away
from gear_app.models.budget import Budget
from gear_app.models.errors import BudgetReached, CallFailed, Fault, KeyEnded, ServerFailed
from gear_app.models.network import BROKEN, CALL, Call, explain, make_client
from gear_app.models.reply import IncomingReply, Reply
from gear_app.models.request import Request, Unsupported, add_unsupported, arguments
from gear_app.models.server import Server

CHECK_S = 0.1  # between two checks whether to stop
SHOWN_S = 1.0  # between two sentences on what is waited for
AFTER_END_S = 2.0  # a stream that has ended may go on for so long, to count its tokens
BEGINNING = 80  # characters of a refused text in a message
T = TypeVar("T")
Work = Callable[[], Awaitable[T]]  # raises Fault
PERMANENT = (301, 302, 303, 307, 308, 401, 402, 403, 404, 405)  # statuses of every further call


class ModelClient:
    """The client of a server, for any thread. It closes with the last reference to it, and what is
    under way is cancelled then.
    """

    def __init__(self, server: Server, check: Callable[[], None] = lambda: None) -> None:
        """`check` raises where somebody asked to stop; it is called on the thread that asks."""
        self.server = server
        self._check = check
        self._failures = 0  # calls in a row
        self._stopped_at = -math.inf  # when so many had failed that no more are made for a while
        self._stopped_by = ""
        self._unsupported: Unsupported = frozenset()
        self._most_texts = 0  # of a call for vectors, once a server refused more
        self._slots = asyncio.Semaphore(server.at_once)
        self._package: openai.AsyncOpenAI | None = None
        self._loop, closed = asyncio.new_event_loop(), asyncio.Event()
        threading.Thread(target=_run_until, args=(self._loop, closed), daemon=True).start()
        self.close = weakref.finalize(self, self._loop.call_soon_threadsafe, closed.set)

    def ask_all(
        self,
        requests: Sequence[Request[Any]],
        on_reply: Callable[[int, Reply], T],
        budget: Budget | None = None,
    ) -> Iterator[tuple[int, T | CallFailed]]:
        """Each request's position and outcome, as they come in; see `_run_all`. `on_reply` is
        called on the loop's thread.
        """

        async def work(position: int) -> T:
            return on_reply(position, await self._chat(requests[position], budget))

        return self._run_all([partial(work, n) for n in range(len(requests))])

    def embed(self, texts: Sequence[str], at_once: int) -> list[Vectors]:
        """The texts' vectors in order, (n, d) float32 for so many texts of a call, rows
        L2-normalised. Raises CallFailed, or what the check raises.

        A server that refuses so many texts is sent half as many, from then on.
        """
        size = self._most_texts or at_once
        parts = [texts[n : n + size] for n in range(0, len(texts), size)]
        return self._results([partial(self._embed, part) for part in parts])

    def models(self) -> tuple[str, ...]:
        """The names of the models the server has. Raises CallFailed."""

        async def names(package: openai.AsyncOpenAI) -> list[str]:
            return [storable(str(model.id)) async for model in package.models.list()]

        (models,) = self._results([partial(self._guarded, names)])
        return tuple(map(self.server.key.redact, models))

    # On the threads that ask

    def _results(self, works: Sequence[Work[T]]) -> list[T]:
        results: dict[int, T] = {}
        for n, outcome in self._run_all(works):
            if isinstance(outcome, CallFailed):
                raise outcome
            results[n] = outcome
        return [results[n] for n in range(len(works))]

    def _run_all(self, works: Sequence[Work[T]]) -> Iterator[tuple[int, T | CallFailed]]:
        """Each call's position and outcome, as they come in; at once as many as the server allows.

        Raises what the check raises. Whoever stops iterating cancels what is under way.
        """
        self._check()
        if self._stopped_at <= time.monotonic() - asked_ago_s():
            self._stopped_at = -math.inf  # a person asked since
        calls = [Call() for _ in works]
        positions = {
            asyncio.run_coroutine_threadsafe(self._run(work, calls[n]), self._loop): n
            for n, work in enumerate(works)
        }
        waiting = set(positions)
        began = last_shown = time.monotonic()
        try:
            while waiting:
                with away():
                    while not (done := wait(waiting, CHECK_S, FIRST_COMPLETED).done):
                        self._check()
                        if time.monotonic() - last_shown >= SHOWN_S:
                            last_shown = time.monotonic()
                            show(self._progress(calls, last_shown - began))
                waiting -= done
                for future in sorted(done, key=positions.__getitem__):
                    yield positions[future], future.result()
                self._check()
        finally:
            for future in waiting:
                future.cancel()
            if last_shown > began:
                show("")

    def _progress(self, calls: Sequence[Call], waited_s: float) -> str:
        """A sentence for whoever waits for these calls."""
        fault = next((call.fault for call in calls if call.fault), "")
        before = f" An attempt before failed: it {fault.rstrip('.')}." if fault else ""
        server = urlsplit(self.server.base_url).netloc
        return f"Waiting for the model at {server}, {waited_s:.0f} s so far.{before}"

    # On the loop

    async def _run(self, work: Work[T], call: Call) -> T | CallFailed:
        patience = self.server.patience
        async with self._slots:
            if time.monotonic() - self._stopped_at < patience.rest_s:
                return self._failure(
                    ServerFailed,
                    f"was not asked: {count(self._failures, 'call')} in a row failed, the last"
                    f" since it {self._stopped_by}. It rests for {patience.rest_s:.0f} s; Run"
                    " again, Go on and Extract ask at once",
                )
            CALL.set(call)
            try:
                self.server.key.check()
                result = await work()
            except (KeyEnded, BudgetReached) as error:
                return error
            except Fault as fault:
                return self._call_failure(fault, call.attempts)
            self._failures, self._stopped_at = 0, -math.inf
            return result

    async def _chat(self, request: Request[Any], budget: Budget | None) -> Reply:
        """The reply, after attempts until the server refuses no parameter any more."""
        unsupported = self._unsupported
        while True:
            sent = arguments(self.server, request, unsupported)
            ask = partial(self._complete, request, sent)
            try:
                limit = self.server.max_tokens
                reply = await (budget.spend(request.prompt.text, limit, ask) if budget else ask())
            except Fault as fault:
                refused = add_unsupported(sent, fault.message)
                if not fault.bad_request or not refused:
                    raise
                unsupported |= refused
            else:
                self._unsupported |= unsupported
                return reply

    async def _complete(self, request: Request[Any], sent: dict[str, Any]) -> Reply:
        """A reply. One that comes when the key has ended is dropped: an ended key is empty and
        could not be masked in it.
        """
        began, incoming = time.perf_counter(), IncomingReply()

        async def receive(package: openai.AsyncOpenAI) -> None:
            answer = await package.chat.completions.create(**sent)
            if isinstance(answer, openai.AsyncStream):
                await self._receive_stream(answer, incoming)
            else:
                incoming.add(answer)

        await self._guarded(receive)
        self.server.key.check()
        if not incoming.has_choices:
            raise Fault("sent JSON without a reply", None if incoming.usage else 0)
        ms = (time.perf_counter() - began) * 1000
        reply = incoming.reply(request.prompt.text, bool(request.model.tools), ms)
        # A server may repeat the key it was sent.
        text = self.server.key.redact(reply.text)
        return replace(reply, text=text, attempts=CALL.get().attempts)

    async def _receive_stream(self, stream: openai.AsyncStream[Any], into: IncomingReply) -> None:
        try:
            async with asyncio.timeout(self.server.patience.timeout_s) as limit, stream:
                async for piece in stream:
                    into.add(piece)
                    if into.finish:  # what comes long after the last piece is not waited for
                        limit.reschedule(self._loop.time() + AFTER_END_S)
        except TimeoutError:
            if not into.finish:
                raise
        if into.has_choices and not into.finish:
            raise Fault(BROKEN)

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        async def vectors(package: openai.AsyncOpenAI) -> Vectors:
            answer = await package.embeddings.create(
                model=self.server.model, input=list(texts), encoding_format="float"
            )
            return _unit_vectors(answer.data, len(texts))

        try:
            return await self._guarded(vectors)
        except Fault as fault:
            if not fault.bad_request:
                raise
            if len(texts) == 1:
                beginning = cut(" ".join(texts[0].split()), BEGINNING)
                fault.message += f" (for a text of {len(texts[0]):,} characters: {beginning})"
                raise
            half = (len(texts) + 1) // 2
            parts = [await self._embed(part) for part in (texts[:half], texts[half:])]
            self._most_texts = min(half, self._most_texts or half)
            return np.concatenate(parts)

    async def _guarded(self, ask: Callable[[openai.AsyncOpenAI], Awaitable[T]]) -> T:
        """Result of a request. Raises Fault, without the key."""
        try:
            self._package = self._package or make_client(self.server)
            return await ask(self._package)
        except Exception as error:
            raise explain(error, self.server) from None

    def _call_failure(self, fault: Fault, attempts: int) -> CallFailed:
        message = fault.message.rstrip(".")
        if attempts > 1:
            message += f", after {attempts} attempts"
        if fault.bad_request:  # which may concern this prompt and no other
            return self._failure(CallFailed, message)
        self._failures += 1
        if fault.status not in PERMANENT and self._failures < self.server.patience.failures:
            return self._failure(CallFailed, message)
        self._stopped_at, self._stopped_by = time.monotonic(), message
        return self._failure(ServerFailed, message)

    def _failure(self, kind: type[CallFailed], message: str) -> CallFailed:
        return kind(f"The model server at {self.server.base_url} {message}.")


def _run_until(loop: asyncio.AbstractEventLoop, closed: asyncio.Event) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(closed.wait())


def _unit_vectors(rows: Sequence[Any], texts: int) -> Vectors:
    """(texts, d) float32, rows L2-normalised, by their index; without any, in the order sent.
    Raises Fault for anything else than finite numbers.
    """
    ordered = sorted(rows, key=lambda row: getattr(row, "index", None) or 0)
    if len(ordered) != texts:
        raise Fault(f"sent {len(ordered)} vectors for {texts} texts")
    vectors = np.array([row.embedding for row in ordered], dtype=np.float64)
    with np.errstate(all="ignore"):
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise Fault("sent vectors that are zero or not finite")
    return vectors.astype(np.float32)
