"""A demonstration: a workspace that strangers may look at and ask, and not change (GEAR_DEMO=1).

Its rules are those of the web process; the worker and the command line, which are the operator's,
write as ever. What may be written is decided in store.database, where every statement passes.
"""

from __future__ import annotations

import os
from collections.abc import Collection

from gear_app.errors import Refused

VARIABLE = "GEAR_DEMO"
CLOSED = "This is a demonstration: it can be looked at and asked, not changed."
WAY_OUT = f"{CLOSED} To do more, install the program: gear-app then has all of it."
BUSY = "This demonstration has enough to do. Ask again when runs have ended."
# Caps on runs: passages of one; that wait or go on, of one visitor and of all; that are kept.
MOST_PASSAGES, MOST_OF_ONE, MOST_OF_ALL, MOST_KEPT = 20, 8, 24, 2_000


def is_on() -> bool:
    """Whether the environment asks for a demonstration."""
    return os.environ.get(VARIABLE, "").strip() not in ("", "0")


def check_caps(k: int, own: int, going: int, kept: int) -> None:
    """Raise Refused where a visitor may not ask for one more run of k passages. `own` of theirs and
    `going` of everybody's wait or go on, `kept` are stored.
    """
    if k > MOST_PASSAGES:
        raise Refused(f"In this demonstration k is at most {MOST_PASSAGES}, not {k}.")
    if own >= MOST_OF_ONE:
        raise Refused(BUSY)
    check_waiting(going)
    if kept >= MOST_KEPT:
        raise Refused(
            f"This demonstration has kept its {MOST_KEPT:,} runs. Open one of those, or install the"
            " program: gear-app"
        )


def check_models(named: Collection[str]) -> None:
    """Raise Refused where models are named: each is one more in memory, and says what is here."""
    if named:
        raise Refused(f"In this demonstration no other models are loaded. {WAY_OUT}")


def check_waiting(going: int) -> None:
    """Raise Refused where so many runs or variants that wait or go on are enough."""
    if going >= MOST_OF_ALL:
        raise Refused(BUSY)
