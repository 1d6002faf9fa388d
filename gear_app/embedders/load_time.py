"""The time a thread spends on loading models, apart from what it measures meanwhile.

A question that is the first to need a model is not the slower question.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

OnLoad = Callable[[float], None]
_ON_LOAD: ContextVar[OnLoad] = ContextVar("on_load", default=lambda ms: None)


@contextmanager
def load_time_to(on_load: OnLoad) -> Iterator[None]:
    """While inside, `on_load` gets the milliseconds of everything that this thread loads."""
    token = _ON_LOAD.set(on_load)
    try:
        yield
    finally:
        _ON_LOAD.reset(token)


@contextmanager
def loading() -> Iterator[None]:
    """Something is loaded inside. What it loads in its turn is counted once, with it."""
    began, on_load = time.perf_counter(), _ON_LOAD.get()
    token = _ON_LOAD.set(lambda ms: None)
    try:
        yield
    finally:
        _ON_LOAD.reset(token)
        on_load((time.perf_counter() - began) * 1000)
