"""A client of one OpenAI-compatible server: chat, vectors and models.

Calls run on an event loop in a thread of its own. The threads that ask look every tenth of a second
whether to stop, and then cancel their calls. The openai package asks again where a server refuses
for a while; what may have been paid for is not asked again by itself.
"""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
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
from gear_app.models.network import (
    BROKEN,
    CALL,
    BoundedStream,
    Call,
    explain,
    make_client,
    text_fault,
)
from gear_app.models.reply import IncomingReply, Reply
from gear_app.models.request import Request, Unsupported, add_unsupported, arguments
from gear_app.models.server import Server

CHECK_S = 0.1  # between two checks whether to stop
SHOWN_S = 1.0  # between two sentences on what is waited for
AFTER_END_S = 2.0  # a stream that has ended may go on for so long, to count its tokens
BEGINNING = 80  # characters of a refused text in a message
T = TypeVar("T")
R = TypeVar("R")
Work = Callable[[], Awaitable[T]]  # raises Fault


class ModelClient:
    """The client of a server, for any thread. Close it."""

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
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="model calls", daemon=True
        )
        self._thread.start()

    def ask_all(
        self,
        requests: Sequence[Request[Any]],
        on_reply: Callable[[int, Reply], T],
        budget: Budget | None = None,
    ) -> Iterator[tuple[int, T | CallFailed]]:
        """Each request's position and outcome, as they come in; see `_run_all`."""
        role = requests[0].role if requests else ""
        return self._run_all([self._chat(r, budget) for r in requests], on_reply, role)

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

    def close(self) -> None:
        """Cancel what is under way and close the connections; harmless when closed already."""
        if threading.current_thread() is self._thread:  # as it can be in garbage collection
            self._loop.stop()
        elif self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    # On the threads that ask

    def _results(self, works: Sequence[Work[T]]) -> list[T]:
        results: dict[int, T] = {}
        for n, outcome in self._run_all(works, lambda n, outcome: outcome):
            if isinstance(outcome, CallFailed):
                raise outcome
            results[n] = outcome
        return [results[n] for n in range(len(works))]

    def _run_all(
        self, works: Sequence[Work[T]], on_result: Callable[[int, T], R], role: str = ""
    ) -> Iterator[tuple[int, R | CallFailed]]:
        """Each call's position and outcome, as they come in; at once as many as the server allows.

        `on_result` is called on the loop's thread, before another call takes the slot. Raises what
        the check raises. Whoever stops iterating cancels what is under way.
        """
        self._check_stop()
        calls = [Call(role) for _ in works]
        positions = {
            self._submit(work, partial(on_result, n), calls[n]): n for n, work in enumerate(works)
        }
        waiting = set(positions)
        began = last_shown = time.monotonic()
        try:
            while waiting:
                with away():
                    while not (done := wait(waiting, CHECK_S, FIRST_COMPLETED).done):
                        self._check_stop()
                        if time.monotonic() - last_shown >= SHOWN_S:
                            last_shown = time.monotonic()
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

    def _progress(self, calls: Sequence[Call], waited_s: float) -> str:
        """A sentence on calls that were made together, for whoever waits for them."""
        if characters := sum(call.characters for call in calls):
            return f"{calls[0].role.replace('_', ' ')}: {characters:,} characters so far."
        fault = next((call.fault for call in calls if call.fault), "")
        before = f" An attempt before failed: it {fault.rstrip('.')}." if fault else ""
        server = urlsplit(self.server.base_url).netloc
        return f"Waiting for the model at {server}, {waited_s:.0f} s so far.{before}"

    def _check_stop(self) -> None:
        self._check()
        self.server.key.check()

    def _submit(
        self, work: Work[T], on_result: Callable[[T], R], call: Call
    ) -> Future[R | CallFailed]:
        if self._stopped_at <= time.monotonic() - asked_ago_s():
            self._stopped_at = -math.inf  # a person asked since
        return asyncio.run_coroutine_threadsafe(self._run(work, on_result, call), self._loop)

    # On the loop

    async def _run(self, work: Work[T], on_result: Callable[[T], R], call: Call) -> R | CallFailed:
        """One call. A reply is dropped where the key ended meanwhile: an ended key is empty and
        could not be masked any more.
        """
        rest_s = self.server.patience.rest_s
        async with self._slots:
            if time.monotonic() - self._stopped_at < rest_s:
                failures = count(self._failures, "call")
                return self._failure(
                    ServerFailed,
                    f"was not asked: {failures} in a row failed, the last since it"
                    f" {self._stopped_by}. It rests for {rest_s:.0f} s; Run again, Go on and"
                    " Extract ask at once",
                )
            CALL.set(call)
            try:
                self.server.key.check()
                result = await work()
                self.server.key.check()
            except (KeyEnded, BudgetReached) as error:
                return error
            except Fault as fault:
                return self._call_failure(fault, call.attempts)
            self._failures, self._stopped_at = 0, -math.inf
            return on_result(result)

    def _chat(self, request: Request[Any], budget: Budget | None) -> Work[Reply]:
        async def work() -> Reply:
            """Attempts until the server refuses no parameter any more."""
            unsupported = self._unsupported
            while True:
                sent = arguments(self.server, request, unsupported)
                ask = partial(self._complete, request, sent)
                try:
                    limit = self.server.max_tokens
                    reply = await (
                        budget.spend(request.prompt.text, limit, ask) if budget else ask()
                    )
                except Fault as fault:
                    refused = add_unsupported(sent, fault.message)
                    if not fault.bad_request or not refused:
                        raise
                    unsupported |= refused
                else:
                    self._unsupported |= unsupported
                    return reply

        return work

    async def _complete(self, request: Request[Any], sent: dict[str, Any]) -> Reply:
        began, incoming, call = time.perf_counter(), IncomingReply(), CALL.get()
        await self._guarded(partial(self._receive, sent, incoming))
        ms = (time.perf_counter() - began) * 1000
        reply = incoming.reply(request.prompt.text, bool(request.model.tools), ms)
        # A server may repeat the key it was sent.
        text = self.server.key.redact(reply.text)
        return replace(reply, text=text, attempts=call.attempts)

    async def _receive(
        self, sent: dict[str, Any], incoming: IncomingReply, package: openai.AsyncOpenAI
    ) -> None:
        """Let the reply come in, streamed or not, until its end. Raises where there is none."""
        answer = await package.chat.completions.create(**sent)
        if isinstance(answer, str):
            raise text_fault(answer, self.server.key)
        if isinstance(answer, openai.AsyncStream):
            await _receive_stream(answer, incoming)
        else:
            incoming.add(answer)
        if not incoming.has_choices:
            raise Fault("sent JSON without a reply", None if incoming.usage else 0)

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
        """Result of a request, within the server's time. Raises Fault, without the key."""
        call = CALL.get()
        try:
            self._package = self._package or make_client(self.server)
            async with asyncio.timeout(None) as call.limit:
                return await ask(self._package)
        except Exception as error:
            raise explain(error, call, self.server) from None

    def _call_failure(self, fault: Fault, attempts: int) -> CallFailed:
        message = fault.message.rstrip(".")
        if attempts > 1:
            message += f", after {attempts} attempts"
        if fault.bad_request:  # which may concern this prompt and no other
            return self._failure(CallFailed, message)
        self._failures += 1
        if not fault.permanent and self._failures < self.server.patience.failures:
            return self._failure(CallFailed, message)
        self._stopped_at, self._stopped_by = time.monotonic(), message
        return self._failure(ServerFailed, message)

    def _failure(self, kind: type[CallFailed], message: str) -> CallFailed:
        return kind(f"The model server at {self.server.base_url} {message}.")

    async def _end(self) -> None:
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._package is not None:
            await self._package.close()


async def _receive_stream(stream: openai.AsyncStream[Any], incoming: IncomingReply) -> None:
    response, call = stream.response, CALL.get()
    if not isinstance(response.stream, BoundedStream) or response.is_closed:
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
    await response.aclose()
    if not incoming.finish and not response.stream.ended:
        raise Fault(BROKEN)


def _unit_vectors(rows: Sequence[Any], texts: int) -> Vectors:
    """(texts, d) float32, rows L2-normalised, by their index; without any, in the order sent.
    Raises Fault for anything else than finite numbers.
    """
    ordered = sorted(rows, key=lambda row: getattr(row, "index", None) or 0)
    if len(ordered) != texts:
        raise Fault(f"sent {len(ordered)} vectors for {texts} texts")
    vectors = np.array([row.embedding for row in ordered], dtype=np.float64)
    with np.errstate(all="ignore"):
        vectors /= np.abs(vectors).max(axis=1, keepdims=True)  # no square is too large or small
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise Fault("sent vectors that are zero or not finite")
    return vectors.astype(np.float32)
