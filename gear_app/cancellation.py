"""Stopping what a thread computes: a check that it makes between two pieces of work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_CHECK: ContextVar[Callable[[], None]] = ContextVar("check", default=lambda: None)


@contextmanager
def stoppable(check: Callable[[], None]) -> Iterator[None]:
    """While inside, `check_stop` on this thread calls `check`, which stops the work by raising."""
    token = _CHECK.set(check)
    try:
        yield
    finally:
        _CHECK.reset(token)


def check_stop() -> None:
    """Call the check of this thread, if it has one."""
    _CHECK.get()()
