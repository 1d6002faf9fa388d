"""Waiting for another process or thread."""

from __future__ import annotations

import time
from collections.abc import Callable

PATIENCE_S = 60.0


def until(true: Callable[[], object]) -> None:
    """Return as soon as it holds; fail after a minute."""
    end = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.02)
