"""The last caption: what the memory holds in each iteration, or what is ranked in the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from gear_app.analysis import timeline
from gear_app.analysis.gold import base
from gear_app.analysis.metrics import Gold, found_at, gold_count
from gear_app.analysis.rankings import final, keys, per_iteration
from gear_app.analysis.timeline import GistIteration
from gear_app.events import Event
from gear_app.text import cut
from gear_app.views.labels import method_name
from gear_app.views.start.caption import (
    SEEN,
    Caption,
    CaptionItem,
    Recall,
    StoryPiece,
    fact_pieces,
    name_piece,
)

FACTS = 2  # of one iteration
LONGEST = 90  # characters of a query


def memory(
    iterations: Sequence[GistIteration],
    marks: Mapping[str, int],
    events: Sequence[Event],
    recall: Recall | None,
) -> Caption:
    """What every iteration remembered, the verdict on it, and what it asks next."""
    words = (
        "Each iteration keeps what it learned, asks whether that is enough, and searches for what"
        " is missing."
    )
    items = tuple(_memory_item(one, marks, events) for one in iterations)
    last = next((one.verdict for one in reversed(iterations) if one.verdict), None)
    enough = last is None or last.answerable
    title = "The memory holds it" if enough else "The memory is not enough"
    return Caption(title, (StoryPiece(words),), items, recall)


def _memory_item(
    one: GistIteration, marks: Mapping[str, int], events: Sequence[Event]
) -> CaptionItem:
    words: list[StoryPiece] = []
    for at, triple in enumerate(one.added[:FACTS]):
        words += [StoryPiece("; ")] * bool(at) + list(fact_pieces(triple, marks))
    if len(one.added) > FACTS:
        words.append(StoryPiece(f"; and {len(one.added) - FACTS} more"))
    verdict, asked = one.verdict, one.rewrote
    tone: Literal["", "yes", "no"] = ""
    note = more = ""
    if verdict is not None:
        tone = "yes" if verdict.answerable else "no"
        told = f": {verdict.answer}" if verdict.answer else ""
        note = f"answerable{told}" if verdict.answerable else "not answerable yet"
    if asked is not None and asked.query:
        more = f"asks next: {cut(asked.query, LONGEST)}"
    step = timeline.step_number(events, "remember", one.iteration)
    if step is None:
        step = timeline.step_number(events, "reason", one.iteration)
    return CaptionItem(
        "memory",
        tuple(words) or (StoryPiece("nothing new"),),
        (StoryPiece(str(one.iteration)),),
        note=note,
        tone=tone,
        more=more,
        step=step,
    )


def ranking(
    events: Sequence[Event], gold: Gold, marks: Mapping[str, int], recall: Recall | None
) -> Caption:
    """For a run without a memory: the first passages of what it ends with."""
    last = len(timeline.steps(events)) - 1
    items = tuple(
        CaptionItem(
            "passage",
            (name_piece(one.name, marks),),
            (StoryPiece(str(rank)),),
            one.key in gold,
            step=last,
        )
        for rank, one in enumerate(final(events)[:SEEN], start=1)
    )
    return Caption(
        "What a reader sees now",
        (StoryPiece("The first five passages of the final ranking."),),
        items,
        recall,
    )


def recall_of(events: Sequence[Event], method: str, gold: Sequence[str]) -> Recall | None:
    """Recall after every iteration; None without gold passages, or without a search."""
    first = base(events)
    if not gold or first is None:
        return None
    found = tuple(found_at(keys(one), gold, SEEN) for one in per_iteration(events).values())
    before = found_at(keys(first.ranking), gold, SEEN)
    return Recall(found, before, gold_count(gold), method_name(method))
