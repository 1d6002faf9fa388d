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

from gear_app.turns import waited_for_turns_ms

_CHECK: ContextVar[Callable[[], None]] = ContextVar("check", default=lambda: None)
Show = Callable[[str], None]
_SHOW: ContextVar[Show] = ContextVar("show", default=lambda text: None)
OnLoad = Callable[[float], None]
_ON_LOAD: ContextVar[OnLoad] = ContextVar("on_load", default=lambda ms: None)


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


@contextmanager
def progress_to(show: Show) -> Iterator[None]:
    """While inside, `show` gets a sentence on the replies this thread waits for; "" at the end."""
    token = _SHOW.set(show)
    try:
        yield
    finally:
        _SHOW.reset(token)


def show(text: str) -> None:
    """Show a sentence on what this thread waits for; "" once it waits no more."""
    _SHOW.get()(text)


@contextmanager
def load_time_to(on_load: OnLoad) -> Iterator[None]:
    """While inside, `on_load` gets the milliseconds of everything that this thread loads."""
    token = _ON_LOAD.set(on_load)
    try:
        yield
    finally:
        _ON_LOAD.reset(token)


@contextmanager
def load_timer() -> Iterator[None]:
    """Something is loaded inside. What it loads in its turn is counted once, with it; what it waits
    for its turns is not.
    """
    began, on_load = time.perf_counter() - waited_for_turns_ms() / 1000, _ON_LOAD.get()
    token = _ON_LOAD.set(lambda ms: None)
    try:
        yield
    finally:
        _ON_LOAD.reset(token)
        on_load((time.perf_counter() - began) * 1000 - waited_for_turns_ms())


_ASKED: ContextVar[float] = ContextVar("asked", default=-math.inf)


@contextmanager
def asked_for(at: float) -> Iterator[None]:
    """While inside, this thread does what a person asked for at this time (seconds since 1970)."""
    token = _ASKED.set(at)
    try:
        yield
    finally:
        _ASKED.reset(token)


def asked_ago_s() -> float:
    """How long ago a person asked for what this thread does; infinite where nobody did."""
    return max(0.0, time.time() - _ASKED.get())
