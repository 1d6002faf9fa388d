"""Turns at the processor: of several pieces of work under way one computes, and those that wait for
a server are away meanwhile. Questions wait in store.runs until they are begun.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
