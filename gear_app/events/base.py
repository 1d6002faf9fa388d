"""What all events have and are made of, the steps of the pipeline that they belong to, and the
sinks they go to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from gear_app.text import count
from gear_app.types import NamedPassage, ProximalTriple, Span, TripleWords

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
    BEGINS_SEARCH: ClassVar[bool] = False  # a query is asked: a search begins with it
    ORDERS: ClassVar[bool] = False  # its ranking is made of others
    BESIDE: ClassVar[bool] = False  # it is made for what follows: it begins and ends no search

    iteration: int = field(default=1, kw_only=True)

    @property
    def verb(self) -> Verb | None:
        """The step it belongs to: its kind's, unless the kind says otherwise. None: no step."""
        return self.VERB

    @property
    def summary(self) -> str:
        """What happened, in one line for a terminal. Every kind has its own."""
        raise NotImplementedError

    @property
    def listed(self) -> tuple[RankedPassage, ...]:
        """The passages it lists, best first: its ranking, where it has one."""
        ranking: tuple[RankedPassage, ...] = getattr(self, "ranking", ())
        return ranking

    @property
    def reached(self) -> tuple[RankedPassage, ...]:
        """The same without those that merely follow what the searches found; `below` says how many
        these are, where a kind has it.
        """
        below: int = getattr(self, "below", 0)
        return self.listed[: len(self.listed) - below]

    @property
    def so_far(self) -> bool:
        """Whether its ranking is that of all iterations until then "as if it were the last"."""
        return False

    @property
    def way(self) -> Way:
        """How its scores are made of their parts."""
        return "sum"

    @property
    def scored(self) -> tuple[RankedPassage, ...]:
        """Its ranking with the parts of its scores, also where it tells them elsewhere. Of a
        passage that no more is told of they are missing.
        """
        return self.listed

    def way_to(self, key: str) -> str:
        """How it came to a passage of its ranking, in a few words; "" where that is all it says of
        it.
        """
        return ""

    @property
    def facts_handed_on(self) -> tuple[str, ...] | None:
        """The facts that it hands on, in words, best first; None where it hands on none."""
        return None

    @property
    def word_handed_on(self) -> str:
        """What it says to the steps after it, in a sentence; "" where that is no words."""
        return ""

    @property
    def is_whole(self) -> bool:
        """Whether no part of it names another that it has not."""
        return True

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """The triples that it tells of."""
        return ()

    @property
    def names_told(self) -> Iterable[str]:
        """The names that it tells of besides, each an entity's."""
        return ()

    def is_of(self, *verbs: str) -> bool:
        """Whether it belongs to a step of one of these names."""
        return self.verb is not None and self.verb.name in verbs


Way = Literal["sum", "mean", "greatest", "terms", "walk", "interleaved", "gist_first"]
"""How a score is made of its parts: reciprocal ranks added up, normalised scores averaged, the
greatest taken, terms weighted and added up, probabilities of a walk times triples added up, 1 / the
place that a list's turn gave, or a sum with whole numbers for what goes first."""
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
        """The title of its passage, or its key where it has none."""
        return self.passage_title or self.passage_key


def in_words(ranking: Sequence[RankedPassage]) -> str:
    """A ranking in a few words: how many passages it has, and which is the first."""
    first = f", first {ranking[0].key}" if ranking else ""
    return count(len(ranking), "passage") + first
