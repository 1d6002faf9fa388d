"""A flat list of events as the pipeline's steps: what the strip, the slider and the arrow keys walk through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gear_app.events import (
    Event,
    Expanded,
    Failed,
    Fused,
    Linked,
    Ranked,
    Read,
    Reasoned,
    Remembered,
    Retrieved,
    Rewrote,
    Started,
    Stopped,
)

VERBS = ("retrieve", "read", "link", "expand", "fuse", "remember", "reason", "rewrite", "rank")

PURPOSE = {
    "retrieve": "Base retrieval ranks passages by the words and the meaning of the query.",
    "read": "The reader takes proximal triples from the passages found: facts that touch the query.",
    "link": "Each proximal triple is linked to its nearest stored triple; these start the beam search.",
    "expand": "The diverse beam search follows shared entities from triple to triple.",
    "fuse": "The base ranking and the beams' passages become one ranking by reciprocal rank.",
    "remember": "The reader adds to the gist memory what the question needs.",
    "reason": "The reader decides whether the gist memory answers the question.",
    "rewrite": "What was found is put into the next query.",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One stop of the slider: what one verb did in one iteration. `number` counts from 0 in the order of events."""

    number: int
    iteration: int
    verb: str
    events: tuple[Event, ...]
    failed: bool = False
    iterates: bool = True  # False: the method has one round, which is not called an iteration

    @property
    def label(self) -> str:
        """In words, for the slider and for screen readers."""
        place = f"iteration {self.iteration}, " if self.iteration and self.iterates else ""
        return f"{place}{self.verb}" + (" (failed)" if self.failed else "")

    @property
    def title(self) -> str:
        """The heading of the large card."""
        verb = self.verb.capitalize()
        return f"{verb}, iteration {self.iteration}" if self.iteration and self.iterates else verb


def purpose(step: Step, events: Sequence[Event]) -> str:
    """What a step is for, in one sentence."""
    if step.verb != "rank":
        return PURPOSE[step.verb]
    if any(isinstance(event, Remembered) for event in events):
        return "The final ranking: every iteration's ranking and the passages the gist links to, fused."
    if any(isinstance(event, Fused) for event in events):
        return "The final ranking: base retrieval and the beams' passages, fused."
    return "The final ranking: the retrieval's own, nothing was added to it."


def iterates(events: Sequence[Event]) -> bool:
    """Whether the run's method works in iterations; the others have one round only."""
    begun = started(events)
    named = begun is not None and begun.method.partition(":")[0] == "gear"
    return named or iterations(events) > 1 or any(isinstance(event, Remembered) for event in events)


def steps(events: Sequence[Event]) -> tuple[Step, ...]:
    """Steps in the order they happened. Fusions "as if it were the last" and the start and stop are no steps."""
    found: list[Step] = []
    rounds = iterates(events)
    for event in events:
        verb = _verb(event, found[-1].verb if found else "retrieve")
        if verb is None:
            continue
        failed = isinstance(event, Failed)
        if found and (found[-1].verb, found[-1].iteration) == (verb, event.iteration):
            found[-1] = replace(found[-1], events=(*found[-1].events, event), failed=found[-1].failed or failed)
        else:
            found.append(Step(len(found), event.iteration, verb, (event,), failed, rounds))
    return tuple(found)


def _verb(event: Event, before: str) -> str | None:
    match event:
        case Retrieved():
            return "retrieve"
        case Read(purpose="sync"):
            return "read"
        case Linked():
            return "link"
        case Expanded():
            return "expand"
        case Fused(purpose="iteration"):
            return "fuse"
        case Read() | Remembered():
            return "remember"
        case Reasoned():
            return "reason"
        case Rewrote():
            return "rewrite"
        case Ranked():
            return "rank"
        case Failed():
            return event.step if event.step in VERBS else before
        case _:
            return None


def started(events: Sequence[Event]) -> Started | None:
    """The event that opened the run, if it has begun."""
    return next((event for event in events if isinstance(event, Started)), None)


def stopped(events: Sequence[Event]) -> Stopped | None:
    """The event that says why the run ended, if it has."""
    return next((event for event in reversed(events) if isinstance(event, Stopped)), None)


def ranked(events: Sequence[Event]) -> Ranked | None:
    """The final ranking, if there is one."""
    return next((event for event in reversed(events) if isinstance(event, Ranked)), None)


def iterations(events: Sequence[Event]) -> int:
    """How many iterations have begun."""
    return max((event.iteration for event in events), default=0)


def at_iteration(events: Sequence[Event], iteration: int) -> tuple[Event, ...]:
    """The events of one iteration."""
    return tuple(event for event in events if event.iteration == iteration)
