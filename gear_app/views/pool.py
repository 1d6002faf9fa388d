"""The pool of an iterative method after an iteration: what is new, what rose, and which query each
score is from.
"""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.events import Event, Pooled, RankedPassage, Thought
from gear_app.views.markup import Html, join, tag

NORMALISED = {
    "min-max": "Each query's scores are stretched to 0 to 1 first, so that queries compare.",
    "reciprocal rank": (
        "Each query's scores are sums of reciprocal ranks, so 1 / rank takes their place here."
    ),
}


def ranking(event: Pooled) -> tuple[RankedPassage, ...]:
    """The pool itself, without what else the first query found below it."""
    return event.ranking[: len(event.ranking) - event.below]


def badges(event: Pooled, events: Sequence[Event]) -> dict[int, str]:
    """Words beside a passage: "new" where it was not in the pool before, "better" where its best
    score rose.
    """
    before = _before(event, events)
    if before is None:  # everything is new in the first pool
        return {}
    scores = {passage.id: passage.score for passage in ranking(before)}
    found = dict.fromkeys(event.entered, "new")
    for passage in ranking(event):
        if passage.id not in found and passage.score > scores.get(passage.id, passage.score):
            found[passage.id] = f"better, was {scores[passage.id]:.2f}"
    return found


def queries(event: Pooled, events: Sequence[Event]) -> Html:
    """The queries so far, numbered as the arithmetic names them, each with who asked it."""
    lines = [
        tag(
            "li",
            tag("i", f"query {n}"),
            tag("span", words, dir="auto"),
            tag("em", _asker(words, n, events)),
        )
        for n, words in enumerate(event.queries, start=1)
    ]
    new = len(event.entered)
    size = len(ranking(event))
    first = _before(event, events) is None
    grown = f"{size} passages in the pool" + ("" if first else f", {new} of them new")
    below = f"; below it follow {event.below} more of the first query" if event.below else ""
    note = (
        f"{grown}{below}. A passage scores the greatest of its scores, not their sum."
        f" {NORMALISED[event.normalised]}"
    )
    return tag(
        "div", tag("ol", join(lines), class_="gear-queries"), tag("p", note, class_="gear-note")
    )


def _before(event: Pooled, events: Sequence[Event]) -> Pooled | None:
    earlier = [one for one in events if isinstance(one, Pooled) and one.iteration < event.iteration]
    return earlier[-1] if earlier else None


def _asker(words: str, n: int, events: Sequence[Event]) -> str:
    if n == 1:
        return "the question"
    thought = next((one for one in events if isinstance(one, Thought) and one.query == words), None)
    if thought is None:
        return ""
    kind = f"{thought.style} thought" if thought.style in ("fast", "slow") else "thought"
    return f"{kind} of iteration {thought.iteration}"
