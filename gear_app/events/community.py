"""Entities near the question, the communities that they belong to, and the passages that have them
(GraphRAG's local search).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gear_app.events.base import Event, RankedPassage, ShownTriple, Verb, in_words
from gear_app.text import count
from gear_app.types import ProximalTriple

__all__ = ["Community", "Gathered", "MappedEntity"]

GATHER = Verb(
    "gather",
    "The entities nearest to the question; with them come their passages, their facts, and what is"
    " reported of the communities that they belong to.",
    reader=True,
    triples=True,
    search=True,
)


@dataclass(frozen=True, slots=True)
class MappedEntity:
    """An entity near the question.

    Attributes:
        name: as first written
        cosine: the mean of its facts' cosines with the question
        community: the number of its community
    """

    name: str
    cosine: float
    community: int


@dataclass(frozen=True, slots=True)
class Community:
    """A community with entities near the question.

    Attributes:
        number: tells it from others of the graph
        names: its entities, those with most facts first; not all where there are many
        size: how many entities it has
        report: what the reader reports of it, from its facts alone; "" where it has none, or the
            reply was of no use
    """

    number: int
    names: tuple[str, ...]
    size: int
    report: str


@dataclass(frozen=True, slots=True)
class Gathered(Event):
    """What lies around the entities nearest to the question (GraphRAG's local search).

    Attributes:
        query: what was searched
        entities: nearest first
        communities: those that were reported on; those with most of the entities first
        facts: of the entities, those between two of them first; not all where there are many
        total: how many communities the graph has
        ranking: the result; a score is a whole number for the nearest entity that the passage names
            and a fraction for how many of its facts are there
        below: how many passages at the end name none of the entities, and follow by meaning
    """

    VERB = GATHER
    way = "terms"

    query: str
    entities: tuple[MappedEntity, ...]
    communities: tuple[Community, ...]
    facts: tuple[ShownTriple, ...]
    total: int
    ranking: tuple[RankedPassage, ...]
    below: int = 0

    @property
    def summary(self) -> str:
        where = count(len(self.communities), "community", "communities")
        near = count(len(self.entities), "entity", "entities")
        return f"{near}, {where} reported on, {in_words(self.ranking)}"

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """The facts of the entities."""
        return self.facts

    @property
    def names_told(self) -> Iterable[str]:
        """The entities near the question, and those of their communities."""
        yield from (one.name for one in self.entities)
        for community in self.communities:
            yield from community.names

    @property
    def facts_handed_on(self) -> tuple[str, ...]:
        """The facts of the entities."""
        return tuple(fact.text for fact in self.facts)

    def came_by(self, key: str) -> str:
        """The entity that it names."""
        lines = (line for line in self.reached if line.key == key)
        parts = next((line.parts for line in lines), ())
        return f"it names {parts[0].source}, which is near the question" if parts else ""
