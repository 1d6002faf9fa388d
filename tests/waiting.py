"""Waiting for another process or thread, and for what must end."""

from __future__ import annotations

import time
from collections.abc import Callable

from gear_app.workspace.worker import Worker

PATIENCE_S = 60.0


def until(true: Callable[[], object]) -> None:
    """Return as soon as it holds; fail after a minute."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)


def finish(turns: Worker) -> None:
    """Take turns until nothing waits and nothing is under way."""
    until(lambda: not turns.take() and not turns.count_unfinished())


def ends(work: Callable[[], object]) -> None:
    """Do it; fail if it kept the processor for a minute: a square of 200,000 characters does."""
    began = time.process_time()
    work()
    assert time.process_time() - began < PATIENCE_S, "it took too long"
