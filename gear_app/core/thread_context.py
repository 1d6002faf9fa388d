"""What the work on a thread heeds and reports, whoever began it: requests to stop, what it waits
for, the time it spends on what is kept for everybody (models, arrays and vectors), how much of a
model's reply has come, and when a person asked for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any

from gear_app.core.turns import waited_for_turns_ms


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
