"""What all events have and are made of, the steps of the pipeline that they belong to, and the
sinks they go to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from gear_app.text import count
from gear_app.types import NamedPassage, Span, TripleWords

__all__ = [
    "Emit",
    "Event",
    "Part",
    "RankedPassage",
    "ShownTriple",
    "Verb",
    "during",
    "ignore",
]


@dataclass(frozen=True, slots=True)
class Verb:
    """A step of the pipeline: a stop of the strip and the slider that a run is walked through with.

    Attributes:
        name: "retrieve", "read", …: steps are told apart by it
        purpose: what the step is for, in one sentence for the screen
        reader: whether it asks the reader
        triples: whether it uses the triples of the index
        search: whether it is a part of a search, that is of all that one query leads to
        heading: what is written above its card: the query that it works on, the question, or
            nothing, because the card shows its queries itself
    """

    name: str
    purpose: str
    reader: bool = False
    triples: bool = False
    search: bool = False
    heading: Literal["query", "question", ""] = "query"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run.

    A kind of event is a subclass in one of the modules of this folder. Its docstring says what
    happened and lists its fields; `docs/events.md` is written from it. A field that is called
    `ranking` is a ranking of passages: all that draws and compares rankings finds it by that name.

    Attributes:
        iteration: the iteration it happened in (the paper's n), from 1; 0 before the first and
            after the last
    """

    VERB: ClassVar[Verb | None] = None

    iteration: int = field(default=1, kw_only=True)

    @property
    def verb(self) -> Verb | None:
        """The step it belongs to: its kind's, unless the kind says otherwise. None: no step."""
        return self.VERB

    @property
    def summary(self) -> str:
        """What happened, in one line for a terminal. Every kind has its own."""
        raise NotImplementedError


Emit = Callable[[Event], None]
"""A sink. `events.append` is one."""


def ignore(event: Event) -> None:
    """The sink that keeps nothing."""


def during(emit: Emit, iteration: int) -> Emit:
    """A sink that stamps the iteration on every event before it passes it on."""
    return lambda event: emit(replace(event, iteration=iteration))


@dataclass(frozen=True, slots=True)
class RankedPassage(NamedPassage):
    """A line of a ranking.

    Attributes:
        id: the passage
        key: its name
        title: its title
        score: higher is better
        parts: what the score is made of; in a fused ranking they add up to it
    """

    id: int
    key: str
    title: str
    score: float
    parts: tuple[Part, ...] = ()


BY_SCORE = " score"  # what a list's name ends with where its scores were fused, not its ranks


@dataclass(frozen=True, slots=True)
class Part:
    """A term of a score that was made of several lists.

    Attributes:
        source: the list
        rank: the place in it, from 1
        value: what it contributes: 1 / (constant + rank) where lists were fused by reciprocal rank
        score: the list's own score; from 0 to 1, before its weight, where scores were fused
    """

    source: str
    rank: int
    value: float
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ShownTriple(TripleWords):
    """A stored triple, ready to be drawn.

    Attributes:
        id: the triple
        subject: its head
        predicate: its relation
        object: its tail
        passage_id: the passage it belongs to
        passage_key: that passage's name
        passage_title: that passage's title
        sentence: the source sentence
        span: where the sentence is in the passage's text
        closest: the sentence is only the closest match
    """

    id: int
    subject: str
    predicate: str
    object: str
    passage_id: int
    passage_key: str
    passage_title: str
    sentence: str = ""
    span: Span | None = None
    closest: bool = False

    @property
    def passage_name(self) -> str:
        """The title of the passage, or its key where it has none."""
        return self.passage_title or self.passage_key


def in_words(ranking: Sequence[RankedPassage]) -> str:
    """A ranking in a few words: how many passages it has, and which is the first."""
    first = f", first {ranking[0].key}" if ranking else ""
    return count(len(ranking), "passage") + first
