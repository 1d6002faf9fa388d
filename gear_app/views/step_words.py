"""A step in words: its name, and what it is for in the method whose step it is."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.analysis.rankings import searches
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


def label(step: Step) -> str:
    """A step's name for the slider and for screen readers."""
    return place(step) + (" (failed)" if step.failed else "")


def place(step: Step) -> str:
    """The same without whether it failed: "iteration 2, fast, retrieve"."""
    iteration = f"iteration {step.iteration}" if step.iteration and step.iterates else ""
    return ", ".join(filter(None, [iteration, step.search, step.verb]))


def title(step: Step) -> str:
    """The heading of the large card."""
    iteration = f"iteration {step.iteration}" if step.iteration and step.iterates else ""
    by_thought = step.search in ("fast", "slow")
    search = f"{step.search} thought’s query" if by_thought else step.search
    return ", ".join(filter(None, [step.verb.capitalize(), iteration, search]))


def purpose(step: Step, events: Sequence[Event]) -> str:
    """What a step is for: its verb's sentence, unless its method makes something else of it."""
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
    for search in searches(events):
        if any(events[search.stop - 1] is event for event in step.events):
            return isinstance(events[search.start], Recognised)
    return False


def _within(sentence: str, step: Step, events: Sequence[Event]) -> str:
    """GRIEVER searches, from its second iteration on, only passages that name an entity matched."""
    matched = (event for event in events if isinstance(event, Matched))
    before = (event for event in matched if event.iteration == step.iteration - 1)
    names = " or ".join(join.entity for event in list(before)[:1] for join in event.joins)
    return f"{sentence} Only passages that name {names} are considered." if names else sentence


def _rank(events: Sequence[Event]) -> str:
    there = {event.verb.name for event in events if event.verb}
    return next((words for verb, words in RANKED if verb in there), VERBS["rank"].purpose)
