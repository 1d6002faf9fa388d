"""What all events have."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """What all events have: the iteration (the paper's n, from 1; 0 before the first or after the
    last).
    """

    iteration: int = dataclasses.field(default=1, kw_only=True)
