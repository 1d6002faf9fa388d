"""Time that a thread spends on loading models, told to whoever measures what it does meanwhile: a
question that is the first to need a model is not the slower question.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Told = Callable[[float], None]
_TOLD: ContextVar[Told] = ContextVar("told", default=lambda ms: None)


@contextmanager
def apart(told: Told) -> Iterator[None]:
    """While inside, `told` gets the milliseconds of everything that this thread loads."""
    token = _TOLD.set(told)
    try:
        yield
    finally:
        _TOLD.reset(token)


@contextmanager
def loading() -> Iterator[None]:
    """Something is loaded here. What it loads in its turn is told once, with it."""
    began, told = time.perf_counter(), _TOLD.get()
    token = _TOLD.set(lambda ms: None)
    try:
        yield
    finally:
        _TOLD.reset(token)
        told((time.perf_counter() - began) * 1000)
