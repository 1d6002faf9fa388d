"""A client of one OpenAI-compatible server: chat, vectors and models; several calls at once,
attempted again, streamed, and stopped at once.

The calls run on an event loop in a thread of their own, so that the threads that ask are never
stuck in one: every tenth of a second each looks whether somebody wants to stop, and then its
calls are cancelled, not waited for. Meanwhile others have their turn to compute.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import random
import re
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import numpy as np
import openai

from gear_app.llm.budget import Budget
from gear_app.llm.errors import BudgetReached, CallFailed, KeyEnded, ServerFailed
from gear_app.llm.faults import FAULTS, explain, web_page
from gear_app.llm.network import BoundedStream, make_client
from gear_app.llm.reply import (
    ErrorWithin,
    Fault,
    IncomingReply,
    Reply,
    model_names,
    unit_vectors,
)
from gear_app.llm.request import Request, Unsupported, add_unsupported, arguments
from gear_app.llm.server import Patience, Server
from gear_app.seams import Vectors
from gear_app.text import cut
from gear_app.thread_context import asked_ago_s, show
from gear_app.turns import away

CHECK_S = 0.1  # between two looks whether to stop
SHOWN_S = 1.0  # between two sentences on what is waited for
AFTER_END_S = 2.0  # a stream that has ended may go on for so long, to count its tokens
SPREAD = 0.25  # of a wait, by chance: calls that failed together do not come back together
BEGINNING = 80  # characters of a text that was refused
_TOO_MANY = re.compile(
    r"batch.{0,20}(?:size|larger|exceed|limit)|too many (?:inputs?|texts)|array.{0,20}too long"
    r"|(?:at most|maximum|limit)\b.{0,30}\b(?:inputs|texts|items)",
    re.IGNORECASE,
)
T = TypeVar("T")
R = TypeVar("R")


class Breaker:
    """Opens after so many failed calls in a row, and rests; then one failure opens it again."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._failed, self._message = 0, ""
        self._opened: float | None = None

    def is_open(self, now: float) -> bool:
        """Whether no call should be made now."""
        return self._opened is not None and now - self._opened < self._patience.rest_s

    def sentence(self, now: float) -> str:
        """Why no call was made while it was open, to follow the server's name."""
        calls = "a call" if self._failed == 1 else f"{self._failed} calls in a row"
        return (
            f"was not asked: {calls} had failed, the last one {now - (self._opened or now):.0f} s"
            f" before, when it {self._message}. For {self._patience.rest_s:.0f} s it is asked only"
            " where a person asks for it: Run again, Go on and Extract ask at once"
        )

    def close_for(self, asked_at: float) -> None:
        """A person asked for the next call at this time: what failed before does not hold it."""
        if self._opened is not None and self._opened <= asked_at:
            self._opened = None

    def succeeded(self) -> None:
        """A call got a reply."""
        self._failed, self._opened = 0, None

    def failed(self, message: str, now: float, *, permanent: bool) -> bool:
        """A call failed; `permanent` opens it at once. Returns whether it is open now."""
        self._failed += 1
        if permanent or self._failed >= self._patience.failures:
            self._opened, self._message = now, message
        return self._opened is not None


@dataclass
class _Waiting:
    """What calls that were made together are waited for: how many characters of the replies have
    come, or why their last attempt failed (`fault`) and when the next one is made (`again_at`).
    """

    server: Server
    clock: Callable[[], float]
    role: str = ""
    characters: int = 0
    fault: str = ""
    again_at: float = 0.0

    def __post_init__(self) -> None:
        self._since = self._shown_at = self.clock()
        self._shown = 0  # characters
        self._shows = False

    def look(self) -> None:
        """Show it, at most once a second."""
        now = self.clock()
        if now - self._shown_at < SHOWN_S or (self.characters and self.characters == self._shown):
            return
        self._shown_at, self._shown, self._shows = now, self.characters, True
        show(self._sentence(now))

    def end(self) -> None:
        """Nothing is waited for any more."""
        if self._shows:
            show("")

    def _sentence(self, now: float) -> str:
        if self.characters:
            return f"{self.role.replace('_', ' ')}: {self.characters:,} characters so far."
        model = f"the model at {urlsplit(self.server.base_url).netloc}"
        fault = self.fault.rstrip(".")
        if fault and self.again_at > now:
            return (
                f"Waiting: {model} {fault}. It is asked again in {self.again_at - now:.0f} s. To"
                " ask it now, cancel and run again."
            )
        before = f" An attempt before failed: it {fault}." if fault else ""
        return f"Waiting for {model}, {now - self._since:.0f} s so far.{before}"


@dataclass(frozen=True)
class _Call(Generic[T]):
    """A call: one attempt at it, and what else may be left out after a refusal (add_unsupported).
    Nothing that the server does raises.
    """

    attempt: Callable[[Unsupported, _Waiting], Awaitable[T | Fault | BudgetReached]]
    less: Callable[[Unsupported, str], Unsupported | None] = lambda unsupported, message: None
    role: str = ""


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
        self._breaker = Breaker(server.patience)
        self._unsupported: Unsupported = frozenset()
        self._most_texts = 0  # of a call for vectors, once a server refused more
        self._under_way: set[Future[Any]] = set()
        self._slots = asyncio.Semaphore(server.at_once)
        self._package: openai.AsyncOpenAI | None = None
        self._closed = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="model calls", daemon=True
        )
        self._thread.start()

    # Chat

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
        """Each request's position and outcome, as they come in; see `_run_all`."""
        calls = [self._chat_call(request, budget) for request in requests]
        return self._run_all(calls, lambda n, reply, tries: on_reply(n, _tried(reply, tries)))

    def submit(
        self, request: Request, on_reply: Callable[[Reply], T], budget: Budget | None = None
    ) -> Future[T | CallFailed]:
        """Ask and return at once; cancelling the future cancels the call.

        The future holds what `on_reply` returns. It is called on the loop's thread, before another
        call takes the slot. Raises what the check raises, before the call is made.
        """
        self._check_stop()
        call = self._chat_call(request, budget)
        waiting = _Waiting(self.server, self._clock)
        return self._submit(call, lambda reply, tries: on_reply(_tried(reply, tries)), waiting)

    @property
    def free_slots(self) -> int:
        """How many calls can be begun now that need not wait; 0 or less where none can."""
        return self.server.at_once - sum(not future.done() for future in self._under_way.copy())

    def _chat_call(self, request: Request, budget: Budget | None) -> _Call[Reply]:
        async def attempt(
            unsupported: Unsupported, waiting: _Waiting
        ) -> Reply | Fault | BudgetReached:
            call = partial(self._complete, request, unsupported, waiting)
            if budget is None:
                return await call()
            return await budget.spend(request.prompt, self.server.max_tokens, call)

        less = partial(add_unsupported, self.server, request)
        return _Call(attempt, less, request.role)

    async def _complete(
        self, request: Request, unsupported: Unsupported, waiting: _Waiting
    ) -> Reply | Fault:
        began = time.perf_counter()
        sent = arguments(self.server, request, unsupported)
        incoming = IncomingReply()
        fault = await self._guarded(lambda package: _receive(package, sent, incoming, waiting))
        if fault is not None:
            waiting.characters -= incoming.characters
            return fault
        reply = incoming.reply(request, (time.perf_counter() - began) * 1000)
        # A server may repeat the key it was sent.
        return dataclasses.replace(reply, text=self.server.key.redact(reply.text))

    # Vectors and models

    def embed(self, texts: Sequence[str], at_once: int) -> list[Vectors]:
        """The texts' vectors in order, (n, d) float32 for so many texts of a call, rows
        L2-normalised. Raises CallFailed, or what the check raises.

        A server that refuses so many texts is sent half as many, from then on.
        """
        at_once = self._most_texts or at_once
        parts = [texts[n : n + at_once] for n in range(0, len(texts), at_once)]
        calls = [_Call(partial(self._embed, part)) for part in parts]
        vectors: dict[int, Vectors] = {}
        for n, outcome in self._run_all(calls, lambda n, outcome, tries: outcome):
            if isinstance(outcome, CallFailed):
                raise outcome
            vectors[n] = outcome
        return [vectors[n] for n in range(len(parts))]

    async def _embed(
        self, texts: Sequence[str], unsupported: Unsupported, waiting: _Waiting
    ) -> Vectors | Fault:
        async def call(package: openai.AsyncOpenAI) -> Vectors | Fault:
            raw = await package.embeddings.with_raw_response.create(
                model=self.server.model, input=list(texts), encoding_format="float"
            )
            return unit_vectors(_json_of(raw.http_response.content), len(texts))

        outcome = await self._guarded(call)
        if not isinstance(outcome, Fault) or not outcome.bad_request:
            return outcome
        if len(texts) > 1 and _TOO_MANY.search(outcome.message):
            half = (len(texts) + 1) // 2
            self._most_texts = min(half, self._most_texts or half)
            first = await self._embed(texts[:half], unsupported, waiting)
            if isinstance(first, Fault):
                return first
            second = await self._embed(texts[half:], unsupported, waiting)
            return second if isinstance(second, Fault) else np.concatenate([first, second])
        longest = max(texts, key=len)  # mostly what was refused; it begins with its title
        refused = f"{len(texts)} texts of up to {len(longest):,} characters"
        begins = cut(" ".join(longest.split()), BEGINNING)
        message = f"{outcome.message} (for {refused}). The longest begins: {begins}"
        return outcome._replace(message=message)

    def models(self) -> tuple[str, ...]:
        """The names of the models the server has, by one attempt. Raises CallFailed."""
        self._check_stop()

        async def call(package: openai.AsyncOpenAI) -> tuple[str, ...] | Fault:
            raw = await package.models.with_raw_response.list()
            return model_names(_json_of(raw.http_response.content))

        future = self._start(self._guarded(call))
        try:
            with away():
                self._first({future}, lambda: None)
        finally:
            future.cancel()
        outcome = future.result()
        if isinstance(outcome, Fault):
            raise self._failure(CallFailed, outcome.message)
        return tuple(map(self.server.key.redact, outcome))

    def close(self) -> None:
        """Cancel what is under way and close the connections; harmless when closed already."""
        if self._closed:
            return
        self._closed = True
        if threading.current_thread() is self._thread:  # as it can be in garbage collection
            self._loop.stop()
            return
        self._start(self._end()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # Calls

    def _run_all(
        self, calls: Sequence[_Call[T]], on_result: Callable[[int, T, int], R]
    ) -> Iterator[tuple[int, R | CallFailed]]:
        """Each call's position and outcome, as they come in; at once as many as the server allows.

        `on_result` gets the position, what the call gave, and after how many attempts; it is called
        as for `submit`. Raises what the check raises. Whoever stops iterating cancels what is under
        way.
        """
        self._check_stop()
        shown = _Waiting(self.server, self._clock, calls[0].role if calls else "")
        positions = {
            self._submit(call, partial(on_result, n), shown): n for n, call in enumerate(calls)
        }
        waiting: set[Future[R | CallFailed]] = set(positions)
        try:
            while waiting:
                with away():
                    done = self._first(waiting, shown.look)
                waiting -= done
                for future in sorted(done, key=positions.__getitem__):
                    yield positions[future], future.result()
                self._check_stop()
        finally:
            for future in waiting:
                future.cancel()
            shown.end()

    def _first(self, waiting: set[Future[T]], look: Callable[[], None]) -> set[Future[T]]:
        """Those that are done, once any is. Raises what the check raises."""
        while not (done := wait(waiting, CHECK_S, FIRST_COMPLETED).done):
            self._check_stop()
            look()
        return done

    def _check_stop(self) -> None:
        """Raise where somebody wants to stop, or where the key may be used no more."""
        self._check()
        self.server.key.check()

    def _start(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _submit(
        self, call: _Call[T], on_result: Callable[[T, int], R], waiting: _Waiting
    ) -> Future[R | CallFailed]:
        self._breaker.close_for(self._clock() - asked_ago_s())
        future = self._start(self._run(call, on_result, waiting))
        self._under_way.add(future)
        future.add_done_callback(self._under_way.discard)
        return future

    async def _run(
        self, call: _Call[T], on_result: Callable[[T, int], R], waiting: _Waiting
    ) -> R | CallFailed:
        """One call with all its attempts.

        It keeps its slot between them: a server in trouble is not sent others.
        """
        patience, attempts, failed = self.server.patience, 0, 0
        async with self._slots:
            unsupported = self._unsupported  # as it is known by now
            while not self._breaker.is_open(self._clock()):
                outcome = await self._attempt(call, unsupported, waiting)
                if isinstance(outcome, BudgetReached) and outcome.fault:
                    return self._failure(ServerFailed, outcome.fault)
                if isinstance(outcome, CallFailed):
                    return outcome
                attempts += 1
                if not isinstance(outcome, Fault):
                    waiting.fault = ""
                    self._breaker.succeeded()
                    self._unsupported |= unsupported
                    return on_result(outcome, attempts)
                more = call.less(unsupported, outcome.message) if outcome.bad_request else None
                if more is not None:
                    unsupported = more
                    continue
                failed += 1
                pause_s = _pause_s(outcome, failed, patience)
                if pause_s is None:
                    return self._call_failure(outcome, attempts)
                waiting.fault, waiting.again_at = outcome.message, self._clock() + pause_s
                await self._sleep(pause_s)
        return self._failure(ServerFailed, self._breaker.sentence(self._clock()))

    async def _attempt(
        self, call: _Call[T], unsupported: Unsupported, waiting: _Waiting
    ) -> T | Fault | CallFailed:
        """One attempt. Its outcome is dropped where the key ended meanwhile: an ended key is empty,
        so it could not be taken out of the text any more.
        """
        try:
            self.server.key.check()
            outcome = await call.attempt(unsupported, waiting)
            self.server.key.check()
        except KeyEnded as error:
            return error
        return outcome

    async def _guarded(
        self, call: Callable[[openai.AsyncOpenAI], Awaitable[T | Fault]]
    ) -> T | Fault:
        """What the call gives within the server's time; where it fails a Fault, without the key."""
        timeout_s = self.server.patience.timeout_s
        try:
            if self._package is None:
                self._package = make_client(self.server)
            async with asyncio.timeout(timeout_s):
                outcome = await call(self._package)
        except FAULTS as error:
            outcome = explain(error, timeout_s, time.time())
        if isinstance(outcome, Fault):
            return outcome._replace(message=self.server.key.redact_cut(outcome.message))
        return outcome

    def _call_failure(self, fault: Fault, attempts: int) -> CallFailed:
        message = fault.message.rstrip(".")
        if attempts > 1:
            message += f", after {attempts} attempts"
        if fault.wait_s and fault.wait_s > self.server.patience.longest_wait_s:
            message += f", and asks to wait {fault.wait_s:.0f} s"
        if fault.bad_request:  # it may dislike this prompt and no other
            return self._failure(CallFailed, message)
        is_open = self._breaker.failed(message, self._clock(), permanent=fault.permanent)
        return self._failure(ServerFailed if is_open else CallFailed, message)

    def _failure(self, kind: type[CallFailed], message: str) -> CallFailed:
        return kind(f"The model server at {self.server.base_url} {message}.")

    async def _end(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._package is not None:
            await self._package.close()


async def _receive(
    package: openai.AsyncOpenAI,
    sent: dict[str, Any],
    incoming: IncomingReply,
    waiting: _Waiting,
) -> Fault | None:
    """Let the reply come in, streamed or not, until its end. Raises where there is none."""
    answer = await package.chat.completions.create(**sent)
    if isinstance(answer, str):
        return web_page(answer)
    if not isinstance(answer, openai.AsyncStream):
        incoming.add(answer)
    elif fault := await _receive_stream(answer, incoming, waiting):
        return fault
    if incoming.has_choices:
        return None
    counted = bool(incoming.usage)
    return Fault("sent JSON without a reply", retryable=True, unbilled=not counted)


async def _receive_stream(
    stream: openai.AsyncStream[Any], incoming: IncomingReply, waiting: _Waiting
) -> Fault | None:
    response = stream.response
    try:
        if "event-stream" in response.headers.get("content-type", ""):
            await _receive_pieces(stream, incoming, waiting)
            ended = isinstance(response.stream, BoundedStream) and response.stream.ended
            if not incoming.finish and not ended:
                return Fault("broke off before its reply was whole", retryable=True)
        else:  # some servers stream nothing
            incoming.add(_json_of(await response.aread()))
    except (openai.APIError, ErrorWithin) as error:
        if not incoming.characters or isinstance(error, openai.APIConnectionError):
            raise
        fault = explain(error, 0.0, 0.0)  # after a part of it, which may have been charged for
        words = fault.message.removeprefix("answered: ")
        return fault._replace(message=f"broke off with an error: {words}", unbilled=False)
    finally:
        await response.aclose()
    return None


async def _receive_pieces(
    stream: openai.AsyncStream[Any], incoming: IncomingReply, waiting: _Waiting
) -> None:
    """Take the pieces; what comes long after the last one is not waited for."""
    with suppress(TimeoutError):
        async with asyncio.timeout(None) as limit:
            async for piece in stream:
                before = incoming.characters
                incoming.add(piece)
                waiting.characters += incoming.characters - before
                if incoming.finish and limit.when() is None:
                    limit.reschedule(asyncio.get_running_loop().time() + AFTER_END_S)


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


def _json_of(body: bytes) -> Any:  # noqa: ANN401
    return json.loads(body.decode("utf-8"))


def _tried(reply: Reply, attempts: int) -> Reply:
    return dataclasses.replace(reply, attempts=attempts)
