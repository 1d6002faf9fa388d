"""The most calls of a language model that a method can make: what an estimate before a run is of.

A method says so in METHODS (`calls`); how often it asks a base is a call named SEARCH, in whose
place the base's stand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

SEARCH = "search"


class Call(NamedTuple):
    """One call: its prompt by the file's name, the passages in it at most, and how many earlier
    replies it repeats.
    """

    prompt: str
    passages: int = 0
    repeats: int = 0


MostCalls = Callable[[Any, int], Sequence[Call]]  # of a configuration and the run's k


def nothing(config: object, k: int) -> Sequence[Call]:
    """Of a method that asks no reader."""
    return ()
