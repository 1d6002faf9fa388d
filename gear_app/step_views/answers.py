"""The answers a run wrote, and how near each comes to those known when it was made.

Safe HTML and rows.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from gear_app.analysis.metrics import ScoredAnswer, scored_answers
from gear_app.analysis.rankings import rank_of
from gear_app.analysis.trace import RunTrace
from gear_app.events import Answered, Event, RankedPassage
from gear_app.step_views.blocks import Block, Card, Column, MarkupBlock, TableBlock
from gear_app.step_views.view import StepView
from gear_app.types import Source
from gear_app.views import labels
from gear_app.views.labels import absent_from
from gear_app.views.markup import Html, join, tag

ABOUT: dict[Source, str] = {
    "retrieved": "this run’s answer",
    "gold": "upper bound of retrieval",
    "nothing": "lower bound of retrieval",
}
UNKNOWN = "No answer is known for this question, so exact match and F1 are not defined."


class AnswerView(StepView[Answered], verb="answer", kind=Answered, asks="What is the answer?"):
    """The answers that were written after the ranking."""

    @property
    def own(self) -> str | None:
        """The answer from what was retrieved; "" where there is none, None where none was tried."""
        return next((one.answer for one in self.events if one.source == "retrieved"), None)

    def headline_of(self, event: Answered) -> str:
        """The answer from what was retrieved."""
        return f"The answer: {self.own}" if self.own else "There is no answer"

    @property
    def blocks(self) -> list[Block]:
        """All answers, with the passages that each was written from."""
        scene = self.scene
        events, known = scene.events, scene.run.answers
        if not self.events:
            return self.failures
        begun = RunTrace.of(events).start
        by = labels.reader_note(begun.reader, labels.model_of(scene.run)) if begun else ""
        return [
            *self.failures,
            MarkupBlock(cards(events, known, scene.gold)),
            *([MarkupBlock(tag("p", f"Answered {by}.", class_="gear-note"))] if by else []),
            TableBlock("answers", "As a table", partial(rows, events, known, scene.gold)),
        ]

    def columns_of(self, event: Answered) -> tuple[Column, ...]:
        """The answer from what was retrieved."""
        if self.own is None:
            return ()
        card = Card("a", self.own or "No answer", kind="kept")
        return (Column("", (card,), "What is it?", roomy=True),)


def measures(one: ScoredAnswer) -> str:
    """EM and F1 in words; "" where no answer is known."""
    return "" if one.em is None or one.f1 is None else f"EM {one.em:.0f} · F1 {one.f1:.2f}"


def cards(events: Sequence[Event], known: Sequence[str], gold: Collection[str]) -> Html:
    """The known answers, and a card for each answer with its measures and passages."""
    ranking = _ranking(events)
    cards = [
        _card(one, heading(one, events), ranking, gold) for one in scored_answers(events, known)
    ]
    return tag("div", _known(known), tag("div", join(cards), class_="gear-answers"))


def rows(
    events: Sequence[Event], known: Sequence[str], gold: Collection[str]
) -> list[dict[str, Any]]:
    """A line for every answer and passage it was written from.

    One without passages has a line too.
    """
    ranking = _ranking(events)
    return [
        {
            "from": heading(one, events),
            "answer": one.answer,
            "EM": one.em,
            "F1": one.f1,
            "passage": line.name if line else "",
            "rank": rank_of(line.key, ranking) if line else None,
            "gold": line.key in gold if line else None,
        }
        for one in scored_answers(events, known)
        for line in one.passages or (None,)
    ]


def heading(one: ScoredAnswer, events: Sequence[Event]) -> str:
    """What an answer was written from, in a few words."""
    number = len(one.passages)
    if one.source == "nothing":
        return "Without passages"
    if one.source == "gold":
        return "From the gold passage" if number == 1 else "From the gold passages"
    passages = "passage" if number == 1 else f"{number} passages"
    if any(event.is_of("promote") for event in events):
        return f"From the {passages} that the cut keeps"
    return f"From the first {passages}" if number else "No passage was found"


def _ranking(events: Sequence[Event]) -> tuple[RankedPassage, ...]:
    last = RunTrace.of(events).result
    return last.ranking if last else ()


def _known(known: Sequence[str]) -> Html:
    if not known:
        return tag("p", UNKNOWN, class_="gear-note")
    lead = "Known answer" if len(known) == 1 else "Known answers, of which the nearest counts"
    names = [tag("span", name, class_="gear-alias", dir="auto") for name in known]
    return tag(
        "p", tag("span", lead, class_="gear-note"), " ", join(names, " "), class_="gear-known"
    )


def _card(
    one: ScoredAnswer, words: str, ranking: Sequence[RankedPassage], gold: Collection[str]
) -> Html:
    said = (
        tag("b", one.answer, dir="auto")
        if one.answer
        else tag("span", "no answer", class_="gear-absent")
    )
    lines = [tag("li", join(_line(line, ranking, gold))) for line in one.passages]
    return tag(
        "div",
        tag("div", tag("b", words), tag("span", ABOUT[one.source]), class_="gear-stage"),
        tag("div", said, class_="gear-answer"),
        *_measured(one),
        tag("ul", join(lines), class_="gear-read"),
        class_="gear-thought" + (" gear-own" if one.source == "retrieved" else ""),
    )


def _measured(one: ScoredAnswer) -> list[Html]:
    if one.em is None or one.f1 is None:
        return []
    matches = ("✓ exact match", "gear-yes") if one.em else ("✗ no exact match", "gear-no")
    near = f" with “{one.nearest}”" if 0 < one.f1 < 1 else ""
    return [
        tag(
            "div",
            tag("span", matches[0], class_=matches[1]),
            tag("span", f"F1 {one.f1:.2f}{near}", dir="auto"),
            class_="gear-measures",
        )
    ]


def _line(
    line: RankedPassage, ranking: Sequence[RankedPassage], gold: Collection[str]
) -> list[Html]:
    rank, title = rank_of(line.key, ranking), line.name
    where = tag("i", f"rank {rank}" if rank else absent_from(ranking))
    if line.key in gold:
        return [where, tag("span", f"★ {title}", class_="gear-star", dir="auto")]
    return [where, tag("span", title, dir="auto")]
