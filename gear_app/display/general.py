"""The telling of a step that has no teller of its own: its ranking, what its events list as columns
of cards, and their other fields.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

from gear_app.core.text import count, cut
from gear_app.core.types import NamedPassage
from gear_app.display import search
from gear_app.display.labels import capital
from gear_app.display.telling import Card, Column, Detail, Fact, Scene, Table, Telling, fact_card
from gear_app.trace.events import Event, ShownTriple
from gear_app.trace.events.base import PassageOfRun
from gear_app.trace.rankings import of_event

LONGEST = 120  # characters of a headline
LISTED = 8  # cards of a column in the picture
HIDDEN = ("key", "title", "id", "kept")  # fields of a thing that its card has no words for
Scalar = str | int | float


def general(scene: Scene) -> Telling:
    """A step as its events' rankings, lists and fields."""
    events = [event for event in scene.step.events if event.verb]
    event = next((event for event in events if of_event(event)), None)
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
        f"p{rank}": passage
        for rank, passage in enumerate(of_event(event) if event else (), start=1)
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
            if name not in ("ranking", "passages") or not of_event(event):
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
