"""The answers that a run wrote, and how near each comes to the known ones."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.core.types import Source
from gear_app.display import labels
from gear_app.display.labels import absent_from
from gear_app.display.markup import join, tag
from gear_app.display.telling import Card, Column, Detail, Scene, Telling, teller
from gear_app.trace.events import Answered, Event
from gear_app.trace.metrics import ScoredAnswer, scored_answers
from gear_app.trace.rankings import rank_of
from gear_app.trace.trace import RunTrace

ABOUT: dict[Source, str] = {
    "retrieved": "this run’s answer",
    "gold": "upper bound of retrieval",
    "nothing": "lower bound of retrieval",
}
UNKNOWN = "No answer is known for this question, so exact match and F1 are not defined."


@teller("answer", Answered, "What is the answer?")
def answers(scene: Scene, event: Answered) -> Telling:
    """All answers, with the passages that each was written from."""
    known = scene.run.answers
    written = scored_answers(scene.events, known)
    own = next((one.answer for one in written if one.source == "retrieved"), "")
    cards = tuple(_card(n, one, scene.events) for n, one in enumerate(written))
    expected = tuple(Card(f"k{n}", answer, kind="gold") for n, answer in enumerate(known))
    columns = (Column("written", cards, "What is it?", roomy=True), Column("known", expected))
    start = scene.trace.start
    reader = labels.reader_note(start.reader, labels.model_of(scene.run)) if start else ""
    notes = [f"Answered {reader}." if reader else "", "" if known else UNKNOWN]
    return Telling(
        headline=f"The answer: {own}" if own else "There is no answer",
        columns=tuple(column for column in columns if column.cards),
        opens="a0",
        detail=lambda card: _detail(scene, written, card),
        notes=tuple(filter(None, notes)),
    )


def _card(n: int, one: ScoredAnswer, events: Sequence[Event]) -> Card:
    near = f" with “{one.nearest}”" if one.f1 is not None and 0 < one.f1 < 1 else ""
    words = f"{heading(one, events)} · {ABOUT[one.source]}"
    kind = "kept" if one.source == "retrieved" else "passage"
    return Card(
        f"a{n}",
        one.answer or "No answer",
        words,
        kind,
        note=measures(one) and measures(one) + near,
        weight=float(one.source == "retrieved"),
    )


def _detail(scene: Scene, written: Sequence[ScoredAnswer], card: str) -> Detail:
    """The passages that an answer was written from, with their ranks."""
    if not card.startswith("a"):
        return Detail()
    one = written[int(card[1:])]
    last = scene.trace.result
    ranking = last.ranking if last else ()
    lines = []
    for line in one.passages:
        rank = rank_of(line.key, ranking)
        star = "★ " if line.key in scene.gold else ""
        place = tag("i", f"rank {rank}" if rank else absent_from(ranking))
        lines.append(tag("li", place, tag("span", star + line.name, dir="auto")))
    title = heading(one, scene.events)
    return Detail(title, html=tag("ul", join(lines), class_="gear-read"))


def measures(one: ScoredAnswer) -> str:
    """EM and F1 in words; "" where no answer is known."""
    return "" if one.em is None or one.f1 is None else f"EM {one.em:.0f} · F1 {one.f1:.2f}"


def heading(one: ScoredAnswer, events: Sequence[Event]) -> str:
    """Name the passages that an answer was written from, in a few words."""
    number = len(one.passages)
    if one.source == "nothing":
        return "Without passages"
    if one.source == "gold":
        return "From the gold passage" if number == 1 else "From the gold passages"
    passages = "passage" if number == 1 else f"{number} passages"
    if any(event.is_of("promote") for event in RunTrace.of(events)):
        return f"From the {passages} that the cut keeps"
    return f"From the first {passages}" if number else "No passage was found"
