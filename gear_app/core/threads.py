"""What work on a thread heeds and reports: turns at the processor, requests to stop, what it waits
for, and the time that it spends on models, arrays and vectors, which are for everybody.

Of several pieces of work one computes at a time, and those that wait for a server are away
meanwhile. Questions wait in store.runs until they are begun.
"""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from gear_app.core.errors import Cancelled


class Processor:
    """Lock that several threads hold one at a time, in the order in which they asked for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queue: deque[Turn] = deque()
        self.turn: Turn | None = None  # of who has it

    @property
    def waiting(self) -> int:
        """How many wait for it."""
        return len(self._queue)

    def ask(self, turn: Turn) -> None:
        """Call this turn once all that asked before have been."""
        with self._lock:
            if self.turn is None:
                self._call(turn)
            else:
                self._queue.append(turn)

    def give(self) -> None:
        """Call the turn that has waited longest."""
        with self._lock:
            self.turn = None
            if self._queue:
                self._call(self._queue.popleft())

    def _call(self, turn: Turn) -> None:
        self.turn = turn
        turn.since = time.monotonic()
        turn.called.set()


class Turn:
    """A piece of work's turns at a processor. `left` is set once it went away, `waited_ms` is what
    it has waited for its turns.
    """

    def __init__(self, processor: Processor) -> None:
        self._processor = processor
        self.called, self.left = threading.Event(), threading.Event()
        self.since = self.waited_ms = 0.0

    @property
    def wanted(self) -> bool:
        """Whether others wait for theirs."""
        return self._processor.waiting > 0

    def take(self) -> None:
        """Wait for a turn, and have it."""
        began = time.perf_counter()
        self._processor.ask(self)
        self.called.wait()
        self.waited_ms += (time.perf_counter() - began) * 1000

    def give(self) -> None:
        """Give it back, where it has one."""
        if self.called.is_set():
            self.called.clear()
            self._processor.give()


_TURN: ContextVar[Turn | None] = ContextVar("turn", default=None)


@contextmanager
def in_turn(turn: Turn) -> Iterator[None]:
    """While inside, this thread computes in turn with others."""
    token = _TURN.set(turn)
    try:
        turn.take()
        yield
    finally:
        turn.give()
        _TURN.reset(token)


@contextmanager
def away() -> Iterator[None]:
    """While inside, this thread only waits, and others have their turn. Not inside a transaction:
    whoever has the turn may need the file.

    Who was asked to stop needs no other turn: nothing is computed after that.
    """
    turn = _TURN.get()
    if turn is None:
        yield
        return
    turn.give()
    turn.left.set()
    ended = False
    try:
        yield
    except Cancelled:
        ended = True
        raise
    finally:
        if not ended:
            turn.take()


def turn_wanted() -> bool:
    """Whether others wait for the turn that this thread has."""
    turn = _TURN.get()
    return turn is not None and turn.wanted


def waited_for_turns_ms() -> float:
    """Time that this thread has waited for its turns so far: no part of what its work takes."""
    turn = _TURN.get()
    return 0.0 if turn is None else turn.waited_ms


def _ignore(*_: object) -> None:
    """Sink that ignores what it gets."""


@dataclass(frozen=True, slots=True)
class Context:
    """The listeners of the work on a thread."""

    check: Callable[[], None] = _ignore  # stops the work by raising
    show: Callable[[str], None] = _ignore  # gets what the thread waits for; "" at the end
    on_load: Callable[[float], None] = _ignore  # gets milliseconds of loading
    asked_at: float = -math.inf  # when a person asked for it, in seconds since 1970


_CONTEXT: ContextVar[Context] = ContextVar("context", default=Context())  # noqa: B039 - it is frozen


@contextmanager
def working(**changes: Any) -> Iterator[None]:  # noqa: ANN401
    """While inside, these fields of the thread's `Context` are replaced."""
    token = _CONTEXT.set(replace(_CONTEXT.get(), **changes))
    try:
        yield
    finally:
        _CONTEXT.reset(token)


def check_stop() -> None:
    """Call the check of this thread, if it has one."""
    _CONTEXT.get().check()


def show(text: str) -> None:
    """Show a sentence on what this thread waits for; "" once it waits no more."""
    _CONTEXT.get().show(text)


@contextmanager
def load_timer() -> Iterator[None]:
    """Something is loaded inside. What it loads in its turn is counted once, with it; what it waits
    for its turns is not.
    """
    began, on_load = time.perf_counter() - waited_for_turns_ms() / 1000, _CONTEXT.get().on_load
    try:
        with working(on_load=_ignore):
            yield
    finally:
        on_load((time.perf_counter() - began) * 1000 - waited_for_turns_ms())


def asked_ago_s() -> float:
    """How long ago a person asked for what this thread does; infinite where nobody did."""
    return max(0.0, time.time() - _CONTEXT.get().asked_at)
