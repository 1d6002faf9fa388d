"""The answers that a run wrote, and how near each comes to the known ones."""

from __future__ import annotations

from collections.abc import Sequence

from gear_app.core.types import Source
from gear_app.display import labels
from gear_app.display.telling import Card, Column, Scene, Telling, teller
from gear_app.trace.events import Answered, Event
from gear_app.trace.metrics import ScoredAnswer, scored_answers

ABOUT: dict[Source, str] = {
    "retrieved": "this run’s answer",
    "gold": "upper bound of retrieval",
    "nothing": "lower bound of retrieval",
}
UNKNOWN = "No answer is known for this question, so exact match and F1 are not defined."


@teller("answer", Answered, "What is the answer?")
def answers(scene: Scene, event: Answered) -> Telling:
    """All answers, with the passages that each was written from."""
    written = scored_answers(scene.trace, scene.run.answers)
    answer = next((answer.answer for answer in written if answer.source == "retrieved"), "")
    cards = tuple(_card(n, answer, scene.trace) for n, answer in enumerate(written))
    gold_cards = tuple(
        Card(f"k{n}", answer, kind="gold") for n, answer in enumerate(scene.run.answers)
    )
    start = scene.trace.start
    reader = labels.reader_note(start.reader, labels.model_of(scene.run)) if start else ""
    notes = [f"Answered {reader}." if reader else "", "" if gold_cards else UNKNOWN]
    return Telling(
        headline=f"The answer: {answer}" if answer else "There is no answer",
        columns=(Column("written", cards, "What is it?", roomy=True), Column("known", gold_cards)),
        opens="a0",
        notes=tuple(filter(None, notes)),
    )


def _card(n: int, answer: ScoredAnswer, events: Sequence[Event]) -> Card:
    retrieved = answer.source == "retrieved"
    return Card(
        f"a{n}",
        answer.answer or "No answer",
        f"{heading(answer, events)} · {ABOUT[answer.source]}",
        "kept" if retrieved else "passage",
        note=measures(answer),
        weight=float(retrieved),
        source=", ".join(passage.name for passage in answer.passages),
    )


def measures(answer: ScoredAnswer) -> str:
    """EM and F1 in words; "" where no answer is known."""
    return (
        "" if answer.em is None or answer.f1 is None else f"EM {answer.em:.0f} · F1 {answer.f1:.2f}"
    )


def heading(answer: ScoredAnswer, events: Sequence[Event]) -> str:
    """Name the passages that an answer was written from, in a few words."""
    if answer.source == "nothing":
        return "Without passages"
    number = len(answer.passages)
    passages = "passage" if number == 1 else f"{number} passages"
    if answer.source == "gold":
        return f"From the gold passage{'s' * (number != 1)}"
    cut = any(event.is_of("promote") for event in events)
    return f"From the {passages} that the cut keeps" if cut else f"From the first {passages}"
