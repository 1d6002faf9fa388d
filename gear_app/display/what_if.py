"""A what-if in words and as a picture of both rankings."""

from __future__ import annotations

from typing import Any

from gear_app.display.markup import Html, tag
from gear_app.trace.difference import FIRST, RunDifference, StepDifference
from gear_app.trace.rankings import is_among

MOST = 5  # items of a step that are listed as entered or left


def sentence(words: str, difference: RunDifference) -> Html:
    """The change, and the passages that it brings in and puts out."""
    start = f"W{words[1:]}" if words.startswith("without ") else f"With {words}"
    lead = tag("b", f"{start}: ")
    return tag("div", lead, difference.sentence, class_="gear-what-told", role="status", dir="auto")


def chart(difference: RunDifference, after: str) -> dict[str, Any]:
    """Both rankings side by side, as Compare draws them; `after` is the head of the second."""
    k, crossing = difference.k, {(False, True): "in", (True, False): "out"}
    gold = [move.key for move in difference.moves if move.gold]
    head = {"state": "done", "words": "", "facts": "", "length": FIRST}
    passages = [
        {
            "key": move.key,
            "title": move.title,
            "gold": gold.index(move.key) + 1 if move.gold else 0,
            "kind": crossing.get((is_among(move.before, k), is_among(move.after, k)), ""),
            "ranks": [move.before, move.after],
        }
        for move in difference.moves
    ]
    columns = [{**head, "label": "As it was run"}, {**head, "label": after}]
    return {"columns": columns, "passages": passages, "rows": FIRST, "cut": k}


def rows(difference: RunDifference) -> list[dict[str, Any]]:
    """The line picture as a table."""
    return [
        {
            "passage": move.title,
            "before": move.before,
            "after": move.after,
            "gold": "★" if move.gold else "",
        }
        for move in difference.moves
    ]


def step_sentence(step: StepDifference) -> str:
    """Items that entered a step and left it."""
    if step.before is None or step.after is None:
        return f"Only the {'changed run' if step.before is None else 'run'} has this step."
    parts = [
        f"{name}: {'; '.join(items[:MOST])}"
        + (f" and {len(items) - MOST} more" * (len(items) > MOST))
        for name, items in (("In", step.entered), ("Out", step.left))
        if items
    ]
    return " · ".join(parts) or "The same items in another order."
