"""A demonstration: a workspace that strangers may look at and ask, and not change (GEAR_DEMO=1).

Its rules are those of the web process; the worker and the command line, which are the operator's,
write as ever. What may be written is decided in store.database, where every statement passes.
"""

from __future__ import annotations

import os

from gear_app.core.errors import Refused

VARIABLE = "GEAR_DEMO"
VISITOR = "visitor "  # begins the owner of visitors' runs
CLOSED = "This is a demonstration: it can be looked at and asked, not changed."
WAY_OUT = f"{CLOSED} To do more, install the program: gear-app then has all of it."
BUSY = "This demonstration has enough to do. Ask again when runs have ended."
# Caps on runs: passages of one; that wait or go on, of one visitor and of all; of visitors that are
# kept.
MOST_PASSAGES, MOST_OF_ONE, MOST_OF_ALL, MOST_KEPT = 20, 8, 24, 2_000


def is_on() -> bool:
    """Whether the environment asks for a demonstration."""
    return os.environ.get(VARIABLE, "").strip() not in ("", "0")


def visitor(owner: str) -> str:
    """The owner of a visitor's runs, told apart from the operator's."""
    return VISITOR + owner


def check_caps(k: int, unfinished: int, going: int) -> None:
    """Raise Refused where a visitor may not ask for one more run of k passages. `unfinished` of
    theirs and `going` of everybody's wait or go on.
    """
    if k > MOST_PASSAGES:
        raise Refused(f"In this demonstration k is at most {MOST_PASSAGES}, not {k}.")
    if unfinished >= MOST_OF_ONE:
        raise Refused(BUSY)
    check_waiting(going)


def check_waiting(going: int) -> None:
    """Raise Refused where so many runs or variants that wait or go on are enough."""
    if going >= MOST_OF_ALL:
        raise Refused(BUSY)
