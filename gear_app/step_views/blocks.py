"""What the telling of a step is made of. Its card on a page is pieces of markup, sentences, tables,
pictures and rankings, drawn in their order; what is selected in one says so as a `Choice`. For a
hall and for paper it is columns of cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gear_app.events import BeamCandidate, RankedPassage
from gear_app.views.markup import Html

Rows = Callable[[], list[dict[str, Any]]]


@dataclass(frozen=True)
class Choice:
    """What is selected in a card: a candidate, a passage by id, or a node; and a changed mark.

    `sums` are the lines of the selected passage's arithmetic where the card does not show them
    itself, `why` is HTML that says why the passage is there, or what else was selected.
    """

    candidate: BeamCandidate | None = None
    passage_id: int | None = None
    node: tuple[tuple[str, str], ...] = ()
    sums: tuple[tuple[str, str], ...] = ()
    why: str = ""
    mark: dict[str, object] | None = None


@dataclass(frozen=True)
class MarkupBlock:
    """A piece of HTML."""

    html: Html


@dataclass(frozen=True)
class SentenceBlock:
    """A sentence about a state and what to do next."""

    sentence: str
    tone: Literal["info", "good", "busy", "bad"] = "info"


@dataclass(frozen=True)
class TableBlock:
    """Rows folded away under a label; `name` tells the table from others of the card."""

    name: str
    label: str
    rows: Rows


@dataclass(frozen=True)
class FoldBlock:
    """Blocks folded away under a label, made when somebody looks: markup and sentences."""

    name: str
    label: str
    parts: Callable[[], Sequence[MarkupBlock | SentenceBlock]]


@dataclass(frozen=True)
class PictureBlock:
    """Columns of cards that can be selected, as the components of the front end draw them. `opens`
    is the card that is selected first, `choose` says what a card is. Where a column shows some of
    its rows only, `more` has all of them, by the column's number.
    """

    name: str
    kind: Literal["beam", "flow"]
    data: Mapping[str, Any]
    opens: str | None
    choose: Callable[[str], Choice]
    more: Callable[[int], list[dict[str, Any]]] | None = None


@dataclass(frozen=True)
class RankingBlock:
    """A ranking; `opens` is the id of the passage selected first, `passages` those that `lines`
    has. `chooses`: the passage selected in it is the card's; then it can be marked as gold, too.
    """

    name: str
    lines: Mapping[str, Any]
    passages: Sequence[RankedPassage]
    opens: int | None
    chooses: bool = True


@dataclass(frozen=True)
class StepLink:
    """A way to another step of the run."""

    name: str
    label: str
    step: int


Block = (
    MarkupBlock | SentenceBlock | TableBlock | FoldBlock | PictureBlock | RankingBlock | StepLink
)


FACT, PASSAGE, ENTITY = "Which fact comes next?", "Which passage comes next?", "Which one is next?"


@dataclass(frozen=True, slots=True)
class Card:
    """One thing that a step is about.

    `kind` is a colour's name in the palette, "pruned" is dashed. `lead` is a rank, `note` a number
    at its right. `pieces` are words with a mark each ("del", "ins", "mark" or ""), in place of
    `text`; a "mark" is a name by which facts are joined, as the title is where it is `marked`.
    `given` is never covered. A line leads to it from each of `parents`, by their ids. Where there
    is room for some cards of a column only, those of greater `weight` go first.
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
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Column:
    """Cards under each other; `ask` stands on the one that is uncovered next, `more` are not among
    them.

    `roomy`: few cards with many words.
    """

    name: str
    cards: tuple[Card, ...]
    ask: str = ENTITY
    more: int = 0
    roomy: bool = False
