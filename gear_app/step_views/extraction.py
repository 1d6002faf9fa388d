"""Triples made while a question was asked: which passages were read and what came of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from gear_app.events import Event, Extracted, Failed, RankedPassage, ShownTriple
from gear_app.step_views.blocks import (
    FACT,
    Block,
    Column,
    FoldBlock,
    MarkupBlock,
    SentenceBlock,
    TableBlock,
)
from gear_app.step_views.view import StepView, fact_cards, failure
from gear_app.text import count
from gear_app.views import labels
from gear_app.views.extraction import maker
from gear_app.views.markup import Html, join, tag, triple_words

TRIPLES_SHOWN = 2  # triples of a passage, before "and 9 more"


class ExtractView(
    StepView[Extracted],
    verb="extract",
    kind=Extracted,
    asks="Which facts do these passages state?",
):
    """What was extracted from each passage."""

    def headline_of(self, event: Extracted) -> str:
        """How many facts, from how many passages."""
        return f"{count(len(event.triples), 'fact')} from {count(len(event.passages), 'passage')}"

    @property
    def blocks(self) -> list[Block]:
        """Replies that could not be used are folded away below, for there may be one for every
        passage.
        """
        failures = self.scene.of(Failed)
        drawn: list[Block] = [*_failures([one for one in failures if not one.reply])]
        drawn += [block for event in self.events for block in self.card_of(event)]
        replies = [one for one in failures if one.reply]
        if replies:
            label = unusable_replies(replies)
            drawn.append(FoldBlock("extract-failed", label, partial(_failures, replies)))
        return drawn

    def card_of(self, event: Extracted) -> list[Block]:
        """Every passage with its triples."""
        scene = self.scene
        words = event_summary(event, labels.model_of(scene.run))
        all_of = count(len(event.triples), "triple")
        label = f"All {all_of} as a table" if event.triples else "As a table"
        rows = partial(passages_read_rows, event, scene.gold)
        return [
            MarkupBlock(tag("p", words, class_="gear-note")),
            MarkupBlock(passages_read(event, scene.gold)),
            TableBlock(f"extracted-{scene.key}", label, rows),
        ]

    def columns_of(self, event: Extracted) -> tuple[Column, ...]:
        """The facts that were extracted."""
        cards = fact_cards("t", event.triples, "kept")
        return (Column("the first facts", cards, FACT),) if cards else ()


def _failures(events: Sequence[Failed]) -> list[MarkupBlock | SentenceBlock]:
    return [block for event in events for block in failure(event, event.step)]


def run_total(events: Sequence[Event]) -> str:
    """How many passages a run extracted on its way, in words; "" for none."""
    read = sum(
        len(event.passages) - len(event.meanwhile)
        for event in events
        if isinstance(event, Extracted)
    )
    return f"{count(read, 'passage')} extracted on the way" if read else ""


def event_summary(event: Extracted, model: str = "") -> str:
    """What was read, what came of it, by whom, and what that made of the collection."""
    others = sum(triple.passage_id in event.meanwhile for triple in event.triples)
    own, read = len(event.triples) - others, len(event.passages) - len(event.meanwhile)
    said = []
    if read:
        failed = f"; {count(len(event.failed), 'passage')} failed" if event.failed else ""
        had = "had no triples and was read" if read == 1 else "had no triples and were read"
        by = maker(event.extractor, model)
        said.append(
            f"{count(read, 'passage')} {had}: {count(own, 'triple')}, made on the way by"
            f" {by}{failed}."
        )
    if event.meanwhile:
        said.append(
            f"{count(len(event.meanwhile), 'passage')} had been read by a job or another run"
            f" meanwhile, with {count(others, 'triple')}, and none was asked about again."
        )
    if own:
        said.append(
            "The triples stay for the next question: the collection is at revision"
            f" {event.revision} now."
        )
    return " ".join(said)


def unusable_replies(failures: Sequence[Failed]) -> str:
    """How many replies of a language model were of no use, and how many not wholly."""
    partly = sum(bool(event.dropped) for event in failures)
    parts = ((len(failures) - partly, "could not be used"), (partly, "could be used in part only"))
    return "; ".join(
        f"{count(number, 'reply', 'replies')} {what}" for number, what in parts if number
    )


def passages_read(event: Extracted, gold: Collection[str]) -> Html:
    """Every passage with the first of its triples."""
    return tag(
        "div",
        join(_passage_read(event, passage, gold) for passage in event.passages),
        class_="gear-list",
    )


def passages_read_rows(event: Extracted, gold: Collection[str]) -> list[dict[str, Any]]:
    """A line for every triple, and one for every passage that gave none."""
    lines: list[dict[str, Any]] = []
    for passage in event.passages:
        about, note = {"passage": _passage_title(passage, gold)}, {"note": _note(event, passage)}
        facts = [
            {
                "subject": t.subject,
                "predicate": t.predicate,
                "object": t.object,
                "sentence": t.sentence,
            }
            for t in _triples_of(event, passage)
        ]
        lines += [{**about, **fact, **note} for fact in facts] or [{**about, **note}]
    return lines


def _passage_read(event: Extracted, passage: RankedPassage, gold: Collection[str]) -> Html:
    made = _triples_of(event, passage)
    said = [count(len(made), "triple")] if made else []
    said += [_note(event, passage)] if not made or passage.id in event.meanwhile else []
    head = tag(
        "div",
        tag("b", _passage_title(passage, gold)),
        " ",
        tag("span", ", ".join(said), class_="gear-why"),
        dir="auto",
    )
    more = (
        tag("span", f"and {len(made) - TRIPLES_SHOWN} more", class_="gear-why")
        if len(made) > TRIPLES_SHOWN
        else ""
    )
    facts = join(tag("div", triple_words(triple), dir="auto") for triple in made[:TRIPLES_SHOWN])
    return tag(
        "div",
        head,
        facts,
        more,
        class_=f"gear-item gear-made {'gear-kept' if made else 'gear-nothing'}",
    )


def _triples_of(event: Extracted, passage: RankedPassage) -> list[ShownTriple]:
    return [triple for triple in event.triples if triple.passage_id == passage.id]


def _note(event: Extracted, passage: RankedPassage) -> str:
    if passage.id in event.failed:
        return "failed; the next run that touches it tries again"
    if passage.id in event.meanwhile:
        return "made meanwhile by a job or another run"
    return "made on the way" if _triples_of(event, passage) else "nothing found in it"


def _passage_title(passage: RankedPassage, gold: Collection[str]) -> str:
    return ("★ " if passage.key in gold else "") + passage.name
