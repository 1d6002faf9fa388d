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
    gold_answers = scene.run.answers
    written = scored_answers(scene.events, gold_answers)
    answer = next((answer.answer for answer in written if answer.source == "retrieved"), "")
    cards = tuple(_card(n, answer, scene.events) for n, answer in enumerate(written))
    expected = tuple(Card(f"k{n}", answer, kind="gold") for n, answer in enumerate(gold_answers))
    columns = (Column("written", cards, "What is it?", roomy=True), Column("known", expected))
    start = scene.trace.start
    reader = labels.reader_note(start.reader, labels.model_of(scene.run)) if start else ""
    notes = [f"Answered {reader}." if reader else "", "" if gold_answers else UNKNOWN]
    return Telling(
        headline=f"The answer: {answer}" if answer else "There is no answer",
        columns=tuple(column for column in columns if column.cards),
        opens="a0",
        detail=lambda card: _detail(scene, written, card),
        notes=tuple(filter(None, notes)),
    )


def _card(n: int, answer: ScoredAnswer, events: Sequence[Event]) -> Card:
    near = f" with “{answer.nearest}”" if answer.f1 is not None and 0 < answer.f1 < 1 else ""
    words = f"{heading(answer, events)} · {ABOUT[answer.source]}"
    kind = "kept" if answer.source == "retrieved" else "passage"
    return Card(
        f"a{n}",
        answer.answer or "No answer",
        words,
        kind,
        note=measures(answer) and measures(answer) + near,
        weight=float(answer.source == "retrieved"),
    )


def _detail(scene: Scene, written: Sequence[ScoredAnswer], card: str) -> Detail:
    """The passages that an answer was written from, with their ranks."""
    if not card.startswith("a"):
        return Detail()
    answer = written[int(card[1:])]
    last = scene.trace.result
    ranking = last.ranking if last else ()
    lines = []
    for line in answer.passages:
        rank = rank_of(line.key, ranking)
        star = "★ " if line.key in scene.gold else ""
        place = tag("i", f"rank {rank}" if rank else absent_from(ranking))
        lines.append(tag("li", place, tag("span", star + line.name, dir="auto")))
    title = heading(answer, scene.events)
    return Detail(title, html=tag("ul", join(lines), class_="gear-read"))


def measures(answer: ScoredAnswer) -> str:
    """EM and F1 in words; "" where no answer is known."""
    return (
        "" if answer.em is None or answer.f1 is None else f"EM {answer.em:.0f} · F1 {answer.f1:.2f}"
    )


def heading(answer: ScoredAnswer, events: Sequence[Event]) -> str:
    """Name the passages that an answer was written from, in a few words."""
    number = len(answer.passages)
    if answer.source == "nothing":
        return "Without passages"
    if answer.source == "gold":
        return "From the gold passage" if number == 1 else "From the gold passages"
    passages = "passage" if number == 1 else f"{number} passages"
    if any(event.is_of("promote") for event in RunTrace.of(events)):
        return f"From the {passages} that the cut keeps"
    return f"From the first {passages}" if number else "No passage was found"
