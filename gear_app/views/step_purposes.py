"""What a step is for, in one sentence that is true of the method whose step it is."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis.searches import searches
from gear_app.analysis.timeline import Step
from gear_app.events import VERBS, Event, Matched, Recognised, Retrieved

FALLBACK = (
    "None of the question's entities is in the graph, so dense retrieval ranks by meaning instead."
)
RANKED = (  # what the final ranking is, by the first of these steps that the run has
    (
        "remember",
        "The final ranking: every iteration's ranking and the passages the gist links to, fused.",
    ),
    ("promote", "The final ranking: the pool with the verified passages on top."),
    ("pool", "The final ranking: the pool of all queries, each passage by its best score."),
    ("split", "The final ranking: the rankings of all iterations, fused."),
    ("match", "The final ranking: the rankings of all iterations, fused."),
    ("walk", "The final ranking: the walk's own, nothing was added to it."),
    ("fuse", "The final ranking: base retrieval and the beams' passages, fused."),
)


def purpose(step: Step, events: Sequence[Event]) -> str:
    """What a step is for, in one sentence: its verb's, unless its method makes something else of
    it.
    """
    if step.verb == "rank":
        return _rank(events)
    if step.verb == "retrieve" and _falls_back(step, events):
        return FALLBACK
    verbs = (event.verb for event in step.events if event.verb)
    usual = next(verbs, VERBS[step.verb]).purpose
    retrieved = any(isinstance(event, Retrieved) for event in step.events)
    return _within(usual, step, events) if retrieved else usual


def _falls_back(step: Step, events: Sequence[Event]) -> bool:
    """Whether a search began with entities and goes on with a retrieval in place of a walk."""
    asked = next(
        (
            search
            for search in searches(events)
            if any(events[search.stop - 1] is event for event in step.events)
        ),
        None,
    )
    return asked is not None and isinstance(events[asked.start], Recognised)


def _within(sentence: str, step: Step, events: Sequence[Event]) -> str:
    """GRIEVER searches from its second iteration on only where the entities found before are
    named.
    """
    joins = next(
        (
            event.joins
            for event in events
            if isinstance(event, Matched) and event.iteration == step.iteration - 1
        ),
        (),
    )
    names = " or ".join(found.entity for found in joins)
    return f"{sentence} Only passages that name {names} are considered." if joins else sentence


def _rank(events: Sequence[Event]) -> str:
    there = {event.verb.name for event in events if event.verb}
    return next((words for verb, words in RANKED if verb in there), VERBS["rank"].purpose)
