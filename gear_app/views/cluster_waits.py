"""What a run waited for its cluster, in words and rows; "" and none where it was not in one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gear_app.analysis.timeline import Step
from gear_app.text import count
from gear_app.types import Waiting
from gear_app.views.labels import duration, step_place


def of_run(trips: int, ms: float) -> str:
    """In a run's line of facts: "of it 212 ms waiting for the cluster, 14 round trips"."""
    if not trips:
        return ""
    return f"of it {duration(ms)} waiting for the cluster, {count(trips, 'round trip')}"


def of_step(waiting: Waiting) -> str:
    """Behind a step's name: "waited 31 ms for the cluster in 2 round trips"."""
    if not waiting.calls:
        return ""
    return f"waited {duration(waiting.ms)} for the cluster in {count(waiting.trips, 'round trip')}"


def bars(waiting: Waiting) -> dict[str, Any]:
    """Of a stop of the strip: a bar for each call, and what they took together."""
    return {
        "waits": list(waiting.calls),
        "waited": duration(waiting.ms) if waiting.calls else "",
    }


def rows(steps: Sequence[Step], waiting: Sequence[Waiting]) -> list[dict[str, Any]]:
    """A line for every step that waited, and one for all of them."""
    lines = [
        _row(step_place(step), of) for step, of in zip(steps, waiting, strict=True) if of.calls
    ]
    together = sum(waiting, Waiting())
    return [*lines, {**_row("all steps", together), "each call": ""}]


def _row(step: str, waiting: Waiting) -> dict[str, Any]:
    return {
        "step": step,
        "round trips": waiting.trips,
        "waited": duration(waiting.ms),
        "each call": " · ".join(map(duration, waiting.calls)),
    }
