"""What all events have and are made of, the steps of the pipeline that they belong to, and the
sinks they go to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from gear_app.text import count
from gear_app.types import NamedPassage, ProximalTriple, Span, Substitution, TripleWords

if TYPE_CHECKING:
    from gear_app.events.gear import BeamStep

__all__ = [
    "Countable",
    "Emit",
    "Event",
    "LinkPath",
    "RankedPassage",
    "ScorePart",
    "ShownTriple",
    "Verb",
    "WalkPath",
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
    happened and lists its fields. A field that is called
    `ranking` is a ranking of passages: all that draws and compares rankings finds it by that name.

    Attributes:
        iteration: the iteration it happened in (the paper's n), from 1; 0 before the first and
            after the last
    """

    VERB: ClassVar[Verb | None] = None
    BEGINS_SEARCH: ClassVar[bool] = False  # a query is asked: a search begins with it
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
    def query_told(self) -> str:
        """The query that it asks, or that follows from it; "" for none."""
        query: str = getattr(self, "query", "")
        return query

    @property
    def searched_by(self) -> str:
        """The base retriever that asked it, by its registered name; "" for none."""
        base: str = getattr(self, "base", "")
        return base

    @property
    def lists_fused(self) -> tuple[str, ...]:
        """The names of the lists that its ranking was fused of."""
        lists: tuple[str, ...] = getattr(self, "lists", ())
        return lists

    @property
    def query_changes(self) -> tuple[Substitution, ...]:
        """Which words of the query gave way to which."""
        changes: tuple[Substitution, ...] = getattr(self, "substitutions", ())
        return changes

    @property
    def facts_added(self) -> tuple[ProximalTriple, ...]:
        """The facts that it adds to the gist memory."""
        facts: tuple[ProximalTriple, ...] = getattr(self, "added", ())
        return facts

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

    def came_by(self, key: str) -> str:
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
    def answer_concluded(self) -> str:
        """The answer that a reader comes to; "" for none."""
        return ""

    @property
    def leaves_open(self) -> bool:
        """Whether a reader says with it that the question is not answered."""
        return False

    @property
    def facts_taken(self) -> tuple[ProximalTriple, ...]:
        """The facts that a reader took, or that its thought rests on, best first."""
        return ()

    @property
    def facts_left(self) -> tuple[ProximalTriple, ...]:
        """The best facts that a reader considered and left."""
        return ()

    @property
    def triples_stored(self) -> Iterable[ShownTriple]:
        """The stored triples of what a reader took or left, each with its passage and sentence."""
        return ()

    @property
    def beams(self) -> tuple[BeamStep, ...]:
        """The steps of its beam search, one for each length."""
        return ()

    @property
    def orders_anew(self) -> str:
        """The method whose first passages it orders anew; "" for none."""
        return ""

    @property
    def link_round(self) -> tuple[int, int]:
        """Which round of links it is, from 1, and of how many; 0 for what is none."""
        return 0, 0

    @property
    def link_starts(self) -> tuple[RankedPassage, ...]:
        """The passages that its links start from."""
        return ()

    @property
    def handed_to_answering(self) -> tuple[RankedPassage, ...] | None:
        """What it hands to answering; None where it decides nothing about that."""
        return None

    @property
    def countable(self) -> Mapping[str, Countable]:
        """What a lesson can count of it, by what that is called there; besides its passages."""
        return {}

    def way_to(self, keys: Collection[str]) -> WalkPath | LinkPath | None:
        """How it led to a passage, by its key or those of its parts, where it tells of a way."""
        return None

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


class Countable(NamedTuple):
    """So many things, and as many of them in words as are told."""

    number: int
    words: tuple[str, ...] = ()

    @classmethod
    def of(cls, words: Iterable[str], more: int = 0) -> Countable:
        """Things in words, and more that there are no words for."""
        told = tuple(words)
        return cls(len(told) + more, told)


class WalkPath(NamedTuple):
    """Entities from a seed to the one that gives a passage's score most, by name.

    `triples` of the passage name that last entity.
    """

    names: tuple[str, ...]
    triples: int


class LinkPath(NamedTuple):
    """A mention that a passage shares with the one it is linked from, by that one's title.

    `passages` of the collection's `size` hold it.
    """

    start: str
    mention: str
    passages: int
    size: int


def ignore(event: Event) -> None:
    """The sink that keeps nothing."""


def during(emit: Emit, iteration: int) -> Emit:
    """A sink that stamps the iteration on every event before it passes it on."""
    return lambda event: emit(replace(event, iteration=iteration))


@dataclass(frozen=True, slots=True)
class PassageOfRun(NamedPassage):
    """A passage that a run has come to.

    Attributes:
        id: the passage
        key: its name
        title: its title
    """

    id: int
    key: str
    title: str


@dataclass(frozen=True, slots=True)
class RankedPassage(PassageOfRun):
    """A line of a ranking.

    Attributes:
        score: higher is better
        parts: what the score is made of; in a fused ranking they add up to it
    """

    score: float
    parts: tuple[ScorePart, ...] = ()


BY_SCORE = " score"  # what a list's name ends with where its scores were fused, not its ranks


@dataclass(frozen=True, slots=True)
class ScorePart:
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
