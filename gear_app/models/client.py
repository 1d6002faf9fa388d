"""A client of one OpenAI-compatible server: chat, vectors and models.

Calls run on an event loop in a thread of its own. The threads that ask look every tenth of a second
whether to stop, and then cancel their calls. The openai package asks again where a server refuses
for a while; what may have been paid for is not asked again by itself.
"""

from __future__ import annotations

import asyncio
import math
import sys
import threading
import time
import weakref
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import wait
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import httpx2
import numpy as np
import openai

from gear_app.core.protocols import Vectors
from gear_app.core.text import count, storable
from gear_app.core.threads import asked_ago_s, away, show
from gear_app.models.budget import Budget
from gear_app.models.errors import BadRequest, CallFailed, Fault, ServerFailed
from gear_app.models.messages import (
    Request,
    T,
    add_unsupported,
    arguments,
    read_reply,
)
from gear_app.models.network import CALL, Call, explain, make_client
from gear_app.models.server import Server
from gear_app.trace.events import Called

CHECK_S = 0.1  # between two checks whether to stop
SHOWN = 10  # checks between two sentences on what is waited for
Work = Callable[[], Awaitable[T]]  # raises Fault
PERMANENT = (301, 302, 303, 307, 308, 401, 402, 403, 404, 405)  # statuses of every further call
BAD_REQUEST = (400, 422)  # the server took exception to what it was sent


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
        self._unsupported = frozenset[str]()
        self._most_texts = sys.maxsize  # of a call for vectors, until a server refuses so many
        self._slots = asyncio.Semaphore(server.at_once)
        self._package: openai.AsyncOpenAI | None = None
        self._loop, closed = asyncio.new_event_loop(), asyncio.Event()
        threading.Thread(target=_run_until, args=(self._loop, closed), daemon=True).start()
        self.close = weakref.finalize(self, self._loop.call_soon_threadsafe, closed.set)

    def ask_all(
        self,
        requests: Sequence[Request[Any]],
        on_reply: Callable[[Request[Any], Called], None] = lambda request, reply: None,
        budget: Budget | None = None,
    ) -> list[Called | CallFailed]:
        """The outcome of each request, in their order; at once as many as the server allows.

        `on_reply` is called on the loop's thread, as each comes in. Raises what the check raises,
        and cancels what is under way.
        """

        async def work(request: Request[Any]) -> Called:
            reply = await self._chat(request, budget)
            on_reply(request, reply)
            return reply

        return self._run_all([partial(work, request) for request in requests])

    def embed(self, texts: Sequence[str], at_once: int) -> list[Vectors]:
        """The texts' vectors in order, (n, d) float32 for so many texts of a call, rows
        L2-normalised. Raises CallFailed, or what the check raises.

        A server that refuses so many texts is sent half as many, from then on.
        """
        size = min(at_once, self._most_texts)
        calls = [
            partial(self._guarded, partial(self._vectors, texts[n : n + size]))
            for n in range(0, len(texts), size)
        ]
        try:
            return self._results(calls)
        except BadRequest:
            if size == 1:
                raise
            self._most_texts = (size + 1) // 2
            return self.embed(texts, at_once)

    def models(self) -> tuple[str, ...]:
        """The names of the models the server has. Raises CallFailed."""

        async def names(package: openai.AsyncOpenAI) -> list[str]:
            return [storable(str(model.id)) async for model in package.models.list()]

        return tuple(map(self.server.key.redact, *self._results([partial(self._guarded, names)])))

    # On the threads that ask

    def _results(self, works: Sequence[Work[T]]) -> list[T]:
        outcomes = self._run_all(works)
        if failures := [outcome for outcome in outcomes if isinstance(outcome, CallFailed)]:
            raise failures[0]
        return [outcome for outcome in outcomes if not isinstance(outcome, CallFailed)]

    def _run_all(self, works: Sequence[Work[T]]) -> list[T | CallFailed]:
        self._check()
        if self._stopped_at <= time.monotonic() - asked_ago_s():
            self._stopped_at = -math.inf  # a person asked since
        calls = [Call() for _ in works]
        futures = [
            asyncio.run_coroutine_threadsafe(self._run(work, call), self._loop)
            for work, call in zip(works, calls, strict=True)
        ]
        server, checks = urlsplit(self.server.base_url).netloc, 0
        try:
            with away():
                while wait(futures, CHECK_S).not_done:
                    self._check()
                    checks += 1
                    if checks % SHOWN == 0:
                        so_far = f"{checks * CHECK_S:.0f} s"
                        if pieces := sum(call.pieces for call in calls):
                            so_far += f" and {count(pieces, 'piece')} of a reply"
                        show(f"Waiting for the model at {server}, {so_far} so far.")
            return [future.result() for future in futures]
        finally:
            for future in futures:
                future.cancel()
            show("")

    # On the loop

    async def _run(self, work: Work[T], call: Call) -> T | CallFailed:
        rest_s = self.server.patience.rest_s
        async with self._slots:
            if time.monotonic() - self._stopped_at < rest_s:
                return ServerFailed(
                    f"The model server at {self.server.base_url} was not asked:"
                    f" {count(self._failures, 'call')} in a row failed, the last since it"
                    f" {self._stopped_by}. It rests for {rest_s:.0f} s; Run again, Go on and"
                    " Extract ask at once."
                )
            CALL.set(call)
            try:
                self.server.key.check()
                result = await work()
            except CallFailed as failure:  # an ended key, a budget that is reached
                return failure
            except Fault as fault:
                return self._call_failure(fault, call.attempts)
            self._failures, self._stopped_at = 0, -math.inf
            return result

    def _call_failure(self, fault: Fault, attempts: int) -> CallFailed:
        kind, message = CallFailed, fault.message.rstrip(".")
        if attempts > 1:
            message += f", after {attempts} attempts"
        if fault.status in BAD_REQUEST:  # that may concern this prompt and no other
            kind = BadRequest
        else:
            self._failures += 1
            if fault.status in PERMANENT or self._failures >= self.server.patience.failures:
                self._stopped_at, self._stopped_by = time.monotonic(), message
                kind = ServerFailed
        return kind(f"The model server at {self.server.base_url} {message}.")

    async def _chat(self, request: Request[Any], budget: Budget | None) -> Called:
        """The reply, after attempts until the server refuses no parameter any more."""
        unsupported = self._unsupported
        while True:
            sent = arguments(self.server, request, unsupported)
            ask = partial(self._complete, request, sent)
            try:
                text, limit = request.prompt.text, self.server.max_tokens
                reply = await (budget.spend(text, limit, ask) if budget else ask())
                self._unsupported |= unsupported
                return reply
            except Fault as fault:
                refused = add_unsupported(sent, fault.message)
                if fault.status not in BAD_REQUEST or not refused:
                    raise
                unsupported |= refused

    async def _complete(self, request: Request[Any], sent: dict[str, Any]) -> Called:
        """A reply. One that comes when the key has ended is dropped: an ended key is empty and
        could not be masked in it.
        """
        began = time.perf_counter()

        async def receive(package: openai.AsyncOpenAI) -> Called:
            response = await package.post("/chat/completions", cast_to=httpx2.Response, body=sent)
            return read_reply(response.text, request, self.server)

        call = await self._guarded(receive)
        self.server.key.check()
        # A server may repeat the key it was sent.
        text = self.server.key.redact(call.reply)
        return replace(
            call,
            reply=text,
            ms=round((time.perf_counter() - began) * 1000, 3),
            attempts=CALL.get().attempts,
        )

    async def _vectors(self, texts: Sequence[str], package: openai.AsyncOpenAI) -> Vectors:
        """(texts, d) float32, rows L2-normalised, by their index; without any, in the order sent.
        Raises Fault for anything else than finite numbers.
        """
        answer = await package.embeddings.create(
            model=self.server.model, input=list(texts), encoding_format="float"
        )
        ordered = sorted(answer.data, key=lambda row: getattr(row, "index", None) or 0)
        if len(ordered) != len(texts):
            raise Fault(f"sent {len(ordered)} vectors for {len(texts)} texts")
        vectors = np.array([row.embedding for row in ordered], dtype=np.float64)
        with np.errstate(all="ignore"):
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise Fault("sent vectors that are zero or not finite")
        return vectors.astype(np.float32)

    async def _guarded(self, ask: Callable[[openai.AsyncOpenAI], Awaitable[T]]) -> T:
        """Result of a request. Raises Fault, without the key."""
        try:
            self._package = self._package or make_client(self.server)
            return await ask(self._package)
        except Exception as error:
            raise explain(error, self.server) from None


def _run_until(loop: asyncio.AbstractEventLoop, closed: asyncio.Event) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(closed.wait())
