"""A step's telling by its verb, with the short steps that led to it and the calls of a language
model; and the step as data for the presenter's screen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

from gear_app.core.text import count, cut
from gear_app.core.types import NamedPassage
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
from gear_app.display.labels import capital
from gear_app.display.markup import join
from gear_app.display.telling import (
    TELLERS,
    Card,
    Column,
    Detail,
    Fact,
    K,
    Message,
    Scene,
    Table,
    Telling,
    fact_card,
)
from gear_app.trace.events import VERBS, Event, Failed, ShownTriple
from gear_app.trace.events.base import PassageOfRun
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


LONGEST = 120  # characters of a headline
LISTED = 8  # cards of a column in the picture
HIDDEN = ("key", "title", "id", "kept")  # fields of a thing that its card has no words for
Scalar = str | int | float


def telling(scene: Scene) -> Telling:
    """A step as its teller describes it, else its ranking and the fields of its events."""
    step, teller = scene.step, TELLERS.get(scene.step.verb)
    events = scene.of(teller.kind) if teller else []
    description = teller.describe(scene, events[-1]) if teller and events else general(scene)
    failures, title = scene.of(Failed), capital(labels.step_label(step))
    gave_up = step.failed and all(isinstance(e, Failed) or not e.verb for e in step.events)
    cards = tuple(
        Card(f"f{n}", "This step gave up", event.message, "pruned", uncovered=True)
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
        return Message(f"{calls.reason(event)} The reply is under “Model calls of this step”.")
    return Message(f"{labels.gave_up(step)}: {calls.reason(event)}", "bad")


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
    """All cards as table rows, without columns that are empty."""
    rows: list[dict[str, Any]] = [
        {
            "column": column.name,
            "card": " ".join(filter(None, (card.lead, "★" if card.star else "", card.title))),
            "words": "".join(text for text, _ in card.pieces) or card.text,
            "note": card.note,
            "from": card.source,
            "state": "left out" if card.kind == "pruned" else "",
        }
        for column in columns
        for card in column.cards
    ]
    empty = {name for name in rows[0] if not any(row[name] for row in rows)} if rows else set()
    return [{name: value for name, value in row.items() if name not in empty} for row in rows]


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


# A step without a teller of its own


def general(scene: Scene) -> Telling:
    """A step as its events' rankings, lists and fields."""
    events = [event for event in scene.step.events if event.verb]
    event = next((event for event in events if event.listed), None)
    summaries = [capital(event.summary) for event in events]
    headline = cut(next(iter(summaries), ""), LONGEST)
    telling = search.ranked(scene, event) if event else Telling(headline=headline)
    things = dict(pair for event in events for pair in _things(event))
    columns: dict[str, list[Card]] = {}
    for id_, thing in things.items():
        card = _card(scene, id_, thing)
        if card.title:
            columns.setdefault(id_.partition("-")[0].replace("_", " "), []).append(card)
    things |= {
        f"p{rank}": passage for rank, passage in enumerate(event.listed if event else (), start=1)
    }
    fields_table = Table("fields", "Fields of its events", lambda: _rows(events))
    lists = tuple(_column(name, cards) for name, cards in columns.items())
    return replace(
        telling,
        columns=(*lists, *telling.columns),
        picture=bool(lists),
        detail=lambda id_: _detail(things.get(id_)),
        notes=tuple(summaries),
        tables=(*telling.tables, fields_table),
    )


def _column(name: str, cards: list[Card]) -> Column:
    """A list of which the first cards are drawn, and all up to the last gold one."""
    gold = [place for place, card in enumerate(cards, start=1) if card.star]
    return Column(name, tuple(cards), shown=max([LISTED, *gold]))


def _things(event: Event) -> Iterator[tuple[str, Any]]:
    """Ids that an event lists besides its ranking, by the ids of cards: the field and a number."""
    for name, value in _fields(event).items():
        for n, thing in enumerate(value) if isinstance(value, tuple) else ():
            if name not in ("ranking", "passages") or not event.listed:
                yield f"{name}-{n}", thing


def _fields(thing: object) -> dict[str, Any]:
    """The fields of a dataclass by name; a word or number is its own only field."""
    if isinstance(thing, Scalar):
        return {"": thing}
    return {field.name: getattr(thing, field.name) for field in fields(thing)}  # type: ignore[arg-type]


def _card(scene: Scene, id_: str, thing: object) -> Card:
    """A card: a fact, a passage, or the first words of a thing with its other fields; without a
    title where it has no words.
    """
    values = _fields(thing)
    number = next((name for name, value in values.items() if isinstance(value, float)), "")
    note = f"{values[number]:.3f}" if number else ""
    kind = "kept" if values.get("kept", True) else "pruned"
    triple = thing if isinstance(thing, Fact) else values.get("triple")
    if triple is not None:
        return fact_card(id_, triple, kind, note)
    words = {name: _words(value) for name, value in values.items() if _words(value)}
    title = next((name for name, value in values.items() if isinstance(value, str)), "")
    hidden = (title, number, *HIDDEN)
    rest = " · ".join(
        f"{name.replace('_', ' ')} {value}" for name, value in words.items() if name not in hidden
    )
    if isinstance(thing, NamedPassage):
        return replace(scene.passage_card(id_, thing, text=rest), note=note)
    return Card(id_, words.get(title, ""), rest, kind, note=note)


def _words(value: object) -> str:
    """A word, a number above 0, or several words; "" for anything else."""
    if isinstance(value, tuple):
        return ", ".join(part for part in value if isinstance(part, str))
    return str(value) if isinstance(value, Scalar) and value else ""


def _detail(thing: object) -> Detail:
    triple = thing if isinstance(thing, ShownTriple) else getattr(thing, "triple", None)
    passage = thing.id if isinstance(thing, PassageOfRun) else None
    return Detail(triple=triple, passage=passage)


def _rows(events: list[Event]) -> list[dict[str, Any]]:
    """The fields of events in words; of a list how much it holds."""
    return [
        {
            "event": type(event).__name__,
            "field": name.replace("_", " "),
            "value": count(len(value), "item") if isinstance(value, tuple) else str(value),
        }
        for event in events
        for name, value in _fields(event).items()
    ]
