"""The calls of a language model in a run, each with the failures that its reply led to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.events import Called, Event, Failed
from gear_app.text import shortened


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call, and the failures that are about its reply."""

    call: Called
    failures: tuple[Failed, ...] = ()

    @property
    def dropped(self) -> int:
        """How many parts of the reply could not be used."""
        return sum(failure.dropped for failure in self.failures)

    @property
    def unusable(self) -> bool:
        """Whether nothing of the reply could be used."""
        return any(not failure.dropped for failure in self.failures)

    @property
    def fell_short(self) -> bool:
        """Whether there was no reply, or one that could not be used wholly."""
        return bool(self.call.failed or self.failures)


def model_calls(events: Sequence[Event]) -> list[ModelCall]:
    """The calls in the order their replies came."""
    calls: list[ModelCall] = []
    for event in events:
        if isinstance(event, Called):
            calls.append(ModelCall(event))
        elif isinstance(event, Failed):
            place = _about(calls, event)
            if place is not None:
                calls[place] = ModelCall(calls[place].call, (*calls[place].failures, event))
    return calls


def _about(calls: Sequence[ModelCall], failed: Failed) -> int | None:
    """Which call's reply a failure is about; None where it is about none, as where no reply came.

    Parts that were dropped are told right after the call. Several calls of a role can be asked at
    once, and their failures told in that order afterwards, so it is the first one with that reply
    of which nothing was told.
    """
    if not failed.replied:
        return None
    same = [
        place
        for place, one in enumerate(calls)
        if failed.reply in (one.call.reply, shortened(one.call.reply))
    ]
    if not same or failed.dropped:
        return same[-1] if same else None
    role = calls[same[-1]].call.role
    for place in same:
        if not calls[place].failures and calls[place].call.role == role:
            return place
    return None
