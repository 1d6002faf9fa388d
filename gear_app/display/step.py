"""A step's telling by its verb, with the short steps that led to it and the calls of a language
model; and the step as data for the presenter's screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from gear_app.display import (  # noqa: F401 - each registers its tellers
    answers,
    beams,
    calls,
    chain,
    gear,
    griever,
    labels,
    search,
    thoughts,
)
from gear_app.display.general import general
from gear_app.display.labels import capital
from gear_app.display.markup import join
from gear_app.display.telling import TELLERS, Card, Column, K, Message, Scene, Table, Telling
from gear_app.trace.events import VERBS, Failed
from gear_app.trace.timeline import Step

EXPECTED = "What comes of the step “{}”?"
TOGETHER = (  # short ones, drawn under each other as they happen
    ("read", "link"),
    ("remember", "reason", "rewrite"),
    ("recognise", "walk"),
    ("choose", "visit"),
    ("activate", "visit"),
    ("chain", "verify", "promote"),
    ("match", "rewrite"),
)


def telling(scene: Scene) -> Telling:
    """A step as its teller describes it, else its ranking and the fields of its events."""
    step, teller = scene.step, TELLERS.get(scene.step.verb)
    events = scene.of(teller.kind) if teller else []
    description = teller.tell(scene, events[-1]) if teller and events else general(scene)
    failures, title = scene.of(Failed), capital(labels.step_label(step))
    gave_up = step.failed and all(isinstance(e, Failed) or not e.verb for e in step.events)
    cards = tuple(
        Card(f"f{n}", "This step gave up", event.message, "pruned", given=True)
        for n, event in enumerate(failures[:2])
    )
    columns = description.columns or (Column("", cards, roomy=True),)
    columns = tuple(column for column in columns if column.cards)
    replies = (event.reply for event in failures if event.reply and not event.dropped)
    purposes = (event.explanation for event in step.events if event.verb)
    return replace(
        description,
        question=description.question
        or (teller.question if teller else EXPECTED.format(step.verb)),
        headline=labels.gave_up(step.verb) if gave_up else description.headline or title,
        title=description.title or title,
        purpose=description.purpose or next(purposes, VERBS[step.verb].purpose),
        messages=(*(failure(event, step.verb) for event in failures), *description.messages),
        extra=join([description.extra, *map(calls.raw, replies)]),
        columns=columns,
        picture=description.picture and bool(columns),
    )


def failure(event: Failed, step: str) -> Message:
    """Why a step gave up, or which parts of a reply could not be used."""
    if event.dropped:
        return Message(f"{calls.why(event)} The reply is under “Model calls of this step”.")
    return Message(f"{labels.gave_up(step)}: {calls.why(event)}", "bad")


def scenes(scene: Scene) -> Iterator[Scene]:
    """The short steps that led to a step and are drawn above it, and the step itself, last."""
    verb = scene.step.verb
    verbs = {name for group in TOGETHER if verb in group for name in group} - {verb}
    for step in scene.before:
        if step.verb in verbs and step.search == scene.step.search:
            yield replace(scene, step=step)
    yield scene


def tables(description: Telling) -> tuple[Table, ...]:
    """The tables of a step; all cards as a table where the picture has some of them only."""
    if all(column.drawn == column.cards for column in description.columns):
        return description.tables
    cards = Table("cards", "All cards as a table", lambda: card_rows(description.columns))
    return (cards, *description.tables)


def card_rows(columns: Sequence[Column]) -> list[dict[str, Any]]:
    """All cards as table rows."""
    return [
        {
            "column": column.name,
            "": " ".join(filter(None, (card.lead, "★" if card.star else "", card.title))),
            "words": "".join(text for text, _ in card.pieces) or card.text,
            "number": card.note,
            "from": card.source,
            "state": "left out" if card.kind == "pruned" else "",
        }
        for column in columns
        for card in column.cards
    ]


def slide(scene: Scene, steps: Sequence[Step]) -> dict[str, Any]:
    """The step as data for the screen. The scene's events are those known at it, `steps` the whole
    run's.
    """
    step, description = scene.step, telling(scene)
    iteration = [step_ for step_ in steps if step_.iteration == step.iteration]
    stages = {step_.verb: step_.number for step_ in reversed(iteration)}
    verbs = [verb for verb in dict.fromkeys(step_.verb for step_ in iteration) if verb]
    place = f"iteration {step.iteration} · " if step.iteration and step.iterates else ""
    return {
        "question": scene.run.question,
        "prompt": description.question,
        "heading": description.headline,
        "columns": [asdict(column) for column in fitting(description.columns)],
        "number": step.number,
        "count": len(steps),
        "place": f"{place}{step.verb} · step {step.number + 1} of {len(steps)}",
        "dots": [{"number": step_.number, "label": step_.verb} for step_ in iteration],
        "stages": [{"number": stages[verb], "label": verb} for verb in verbs],
    }


def fitting(columns: Sequence[Column]) -> list[Column]:
    """Columns with as many cards as a hall can read: those that lead to the cards of the next
    one, then those of greatest weight, then the first.
    """
    fitted: list[Column] = []
    leading: set[str] = set()
    for column in reversed(columns):
        worth = {card.id: (card.id in leading, card.weight) for card in column.cards}
        chosen = set(sorted(worth, key=lambda id_: worth[id_], reverse=True)[:K])
        cards = tuple(card for card in column.cards if card.id in chosen)
        leading = {parent for card in cards for parent in card.parents}
        more = column.more + len(column.cards) - len(cards)
        fitted.insert(0, replace(column, cards=cards, more=more))
    return fitted
