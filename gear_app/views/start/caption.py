"""What a caption over a run is made of: its lines and cards, and words that share a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from gear_app.analysis.rankings import CUTS
from gear_app.events import ShownTriple
from gear_app.text import normalise_entity
from gear_app.types import ProximalTriple

SEEN = CUTS[0]  # passages that a reader sees
SIMPLE = (
    "bm25",
    "dense",
    "hybrid",
    "weighted",
    "sentences",
    "composed",
)  # they rank by words and meaning alone
Kind = Literal["passage", "missed", "cut", "fact", "pruned", "link", "memory"]


class StoryPiece(NamedTuple):
    """Words; `mark` is the number of a name that several facts share, None for other words.

    `entity` is a name's normal form, by which it lights up wherever it is pointed at.
    """

    text: str
    mark: int | None = None
    entity: str = ""


@dataclass(frozen=True, slots=True)
class CaptionItem:
    """A line or card of a caption, which opens the run at `step`.

    `head` is what stands before or above its words: a rank, an iteration, a fact's passage. `tone`
    is that of the note: "yes" and "no" for a verdict.
    """

    kind: Kind
    words: tuple[StoryPiece, ...] = ()
    head: tuple[StoryPiece, ...] = ()
    star: bool = False
    note: str = ""
    tone: Literal["", "yes", "no"] = ""
    more: str = ""
    step: int | None = None


@dataclass(frozen=True, slots=True)
class Recall:
    """Gold passages among the first five: after every iteration, and in the first search."""

    found: tuple[int, ...]
    first: int
    gold: int
    name: str  # the method


@dataclass(frozen=True, slots=True)
class Caption:
    """One of the captions over a run."""

    title: str
    words: tuple[StoryPiece, ...]
    items: tuple[CaptionItem, ...]
    recall: Recall | None = None


def shared_names(facts: Iterable[ShownTriple | ProximalTriple]) -> dict[str, int]:
    """Names that two facts or more have as subject or object, numbered as they first appear."""
    once = {normalise_entity(fact.text): fact for fact in facts}
    names = [
        name
        for fact in once.values()
        for name in dict.fromkeys(map(normalise_entity, (fact.subject, fact.object)))
    ]
    times = Counter(name for name in names if name)
    shared = [name for name in dict.fromkeys(names) if times[name] > 1]
    return {name: number for number, name in enumerate(shared)}


def name_piece(words: str, marks: Mapping[str, int]) -> StoryPiece:
    """A name, with its number in `marks` where several facts share it."""
    entity = normalise_entity(words)
    return StoryPiece(words, marks.get(entity), entity)


def fact_pieces(
    fact: ShownTriple | ProximalTriple, marks: Mapping[str, int]
) -> tuple[StoryPiece, ...]:
    """A fact with its two names."""
    return (
        name_piece(fact.subject, marks),
        StoryPiece(f" {fact.predicate} "),
        name_piece(fact.object, marks),
    )
