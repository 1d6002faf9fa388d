"""What every slide is made of: a moment of a run becomes columns of cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized
from dataclasses import dataclass

from gear_app.analysis.rankings import CUTS
from gear_app.analysis.timeline import Step
from gear_app.events import Event, RankedPassage, ShownTriple
from gear_app.types import ProximalTriple
from gear_app.views import presenter

ROWS = CUTS[0]  # of a column, so that they fit a hall's screen; recall is of as many passages
FACT, PASSAGE, ENTITY = "Which fact comes next?", "Which passage comes next?", "Which one is next?"


@dataclass(frozen=True, slots=True)
class Card:
    """One thing on a slide.

    `kind` is a colour's name in the palette, "pruned" is dashed. `lead` is a rank, `note` a number
    at its right. `pieces` are words with a mark each ("del", "ins", "mark" or ""), in place of
    `text`; a "mark" is a name by which facts are joined, as the title is where it is `marked`.
    `given` is never covered. A line leads to it from each of `parents`, by their ids.
    """

    id: str
    title: str
    text: str = ""
    kind: str = "passage"
    star: bool = False
    lead: str = ""
    note: str = ""
    pieces: tuple[tuple[str, str], ...] = ()
    marked: bool = False
    given: bool = False
    parents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Column:
    """Cards under each other; `ask` stands on the one that is uncovered next, `more` are left out.

    `roomy`: few cards with many words.
    """

    name: str
    cards: tuple[Card, ...]
    ask: str = ENTITY
    more: int = 0
    roomy: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """What a slide is made from."""

    step: Step
    events: Sequence[Event]
    gold: Sequence[str]
    question: str

    def one(self, kind: type[presenter.Kind]) -> presenter.Kind | None:
        """The step's last event of a kind."""
        there = (event for event in reversed(self.step.events) if isinstance(event, kind))
        return next(there, None)


def passage_card(moment: Moment, rank: int, passage: RankedPassage, text: str = "") -> Card:
    """A passage with its rank, starred where it is gold; `text` is what is said of it."""
    gold = passage.key in moment.gold
    title = passage.name
    kind = "gold" if gold else "passage"
    return Card(f"p{rank}", title, text, kind, star=gold, lead=str(rank))


def fact_card(
    id_: str,
    triple: ProximalTriple | ShownTriple,
    kind: str = "proximal",
    *,
    note: str = "",
    given: bool = False,
) -> Card:
    """A fact, its subject as the title."""
    text = f"{triple.predicate} → {triple.object}"
    return Card(id_, triple.subject, text, kind, note=note, given=given)


def fact_cards(
    prefix: str,
    triples: Iterable[ProximalTriple | ShownTriple],
    kind: str = "proximal",
    *,
    given: bool = False,
) -> tuple[Card, ...]:
    """A card for each fact; ids are the prefix and a number from 0."""
    return tuple(
        fact_card(f"{prefix}{n}", triple, kind, given=given) for n, triple in enumerate(triples)
    )


def left_out(things: Sized) -> int:
    """How many of them have no row on a slide."""
    return max(0, len(things) - ROWS)
