"""What events cannot tell of a passage: whether it is there, its triples, how deep a ranking has
it, what it shares with others. Gathered by `runs.why_not`; all that is not known may be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from gear_app.text import normalise_entity, tokenise
from gear_app.types import Triple


class DeepRank(NamedTuple):
    """A passage's rank in a search that goes down to the last passage; None: it is not found.

    `deeper`: only a search with more candidates than the run's settings allow has it. `unknown`: no
    search went further down than the run shows.
    """

    rank: int | None
    deeper: bool = False
    unknown: bool = False


class NearestEntity(NamedTuple):
    """Of the names that beams end in and those of a passage's triples the two that are nearest."""

    reached: str
    own: str
    cosine: float


class SharedMention(NamedTuple):
    """A mention that a passage shares with one that a search started from; so many hold it.

    `size` is how many passages the collection has.
    """

    start: str
    mention: str
    holders: int
    size: int


@dataclass(frozen=True, slots=True)
class PassageFacts:
    """What is known of a passage of a run's collection, as it was then.

    Attributes:
        ids: the passage, or its parts where a document was cut; none: it is not in the collection
        title: its title
        triples: its triples in the run's set; None where the run has no set, or it is not known
        ranks: by query, its rank in what the first retriever finds all the way down
        nearest: by query, the nearest that the beams came to one of its entities
        shared: by query, what it shares with the passages that links were followed from, rarest
            first, however many hold it; not what the query itself mentions
    """

    ids: tuple[int, ...] = ()
    title: str = ""
    triples: tuple[Triple, ...] | None = None
    ranks: Mapping[str, DeepRank] = field(default_factory=dict)
    nearest: Mapping[str, NearestEntity] = field(default_factory=dict)
    shared: Mapping[str, tuple[SharedMention, ...]] = field(default_factory=dict)

    @property
    def triple_ids(self) -> frozenset[int]:
        """The ids of its triples."""
        return frozenset(triple.id for triple in self.triples or ())

    @property
    def entities(self) -> frozenset[str]:
        """The normalised names in its triples: what makes it a neighbour."""
        names = (name for triple in self.triples or () for name in (triple.subject, triple.object))
        return frozenset(filter(None, map(normalise_entity, names)))

    def shares(self, *names: str) -> bool:
        """Whether one of these names is one of its entities, as beams compare names."""
        return not self.entities.isdisjoint(map(normalise_entity, names))

    def leads(self, *names: str) -> bool:
        """Whether one of these names leads a reader to it: it is its title or an entity of its
        triples, or all words of the one are in the other ("Mirrorball", "Mirrorball (pilot)").
        """
        known = {*self.entities, normalise_entity(self.title)} - {""}
        return any(_same_name(name, own) for name in names for own in known)


def _same_name(one: str, other: str) -> bool:
    """Whether names are equal, or the words of the one are among the other's. A number, or words of
    three letters and less, do not make a name.
    """
    words = sorted((set(tokenise(one)), set(tokenise(other))), key=len)
    tells = any(len(word) > 3 and not word.isdigit() for word in words[0])
    return words[0] == words[1] != set() or (tells and words[0] <= words[1])
