"""What events of several methods are made of: passages and triples with the words to draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gear_app.text import count
from gear_app.types import Span

__all__ = ["Part", "RankedPassage", "ShownTriple"]


@dataclass(frozen=True, slots=True)
class RankedPassage:
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


@dataclass(frozen=True, slots=True)
class Part:
    """A term of a score that was made of several lists.

    Attributes:
        source: the list
        rank: the place in it, from 1
        value: what it contributes: 1 / (constant + rank) where lists were fused by reciprocal rank
        score: the list's own score
    """

    source: str
    rank: int
    value: float
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ShownTriple:
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


def in_words(ranking: Sequence[RankedPassage]) -> str:
    """A ranking in a few words: how many passages it has, and which is the first."""
    first = f", first {ranking[0].key}" if ranking else ""
    return count(len(ranking), "passage") + first
