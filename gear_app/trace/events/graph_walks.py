"""Walks over a graph of entities and passages: the facts or names that they start from, and where
they lead (HippoRAG, HippoRAG 2, LinearRAG); messages in place of a walk, and votes (GFM-RAG).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gear_app.core.text import count
from gear_app.core.types import EntityName
from gear_app.trace.events.base import Event, PassageOfRun, RankedPassage, ShownTriple, Way

TERM, FACTOR = 6, 9  # decimals of a term of a score, and of a factor of one


@dataclass(frozen=True, slots=True)
class QueryEntity:
    """A named entity of the question."""

    text: EntityName
    node: str  # the node it was linked to; empty where there is none as near as 0.6
    cosine: float  # how near that, or else the nearest one, is
    passages: int  # how many passages name the node, or have the title
    # 1 / `passages`, its weight as a seed; 1 where that is switched off, 0 where it was left out
    specificity: float
    # where no node is near, the title of the passages whose entities share its weight; empty where
    # there is none either, and the entity was left out
    title: str = ""

    def __str__(self) -> str:
        if self.node:
            return f"{self.text} = {self.node}"
        return (
            f"{self.text} = the passage {self.title}" if self.title else f"{self.text} (left out)"
        )


@dataclass(frozen=True, slots=True)
class Recognised(Event, verb="recognise", begins_search=True):
    """The question's named entities and their nodes (HippoRAG §2.3)."""

    query: str
    entities: tuple[QueryEntity, ...]  # each with its node, the title it was matched to, or neither

    @property
    def summary(self) -> str:
        return ", ".join(map(str, self.entities)) or "none"


@dataclass(frozen=True, slots=True)
class WalkedNode:
    """An entity after the walk."""

    name: EntityName  # as first written
    probability: float  # of being there
    seed: float = 0.0  # its share of the restarts


@dataclass(frozen=True, slots=True)
class WalkedPassage(PassageOfRun):
    """A passage's score as the sum of probability × count."""

    score: float  # the sum
    terms: tuple[tuple[int, int], ...]  # positions of nodes, and how many of its triples name each


@dataclass(frozen=True, slots=True)
class Walked(
    Event, verb="walk", variant="spread", summary="{nodes:entity/entities} reached, {ranking}"
):
    """Personalized PageRank over the graph of entities, and the passages it leads to (HippoRAG
    §2.3).
    """

    query: str
    spread: Literal["pagerank", "seeds", "neighbours"]  # PageRank, or an ablation of Table 5
    restart: float  # the probability of going back to a seed
    steps: int  # how many steps it took to settle
    # the seeds, and those that touch `passages` with a probability above 0; most probable first
    nodes: tuple[WalkedNode, ...]
    # scores as sums over nodes, of those passages of the ranking that the walk gave a score; under
    # an iterative method of the first of them
    passages: tuple[WalkedPassage, ...]
    ranking: tuple[RankedPassage, ...]  # where scores were averaged, with the parts of the mean
    ensembled: bool = False  # averaged with dense ones, both min-max-normalised (App. F.2)
    # how many passages at the end of the ranking the walk does not reach more than one that
    # restarts anywhere; they have score 0 and are in the order of hybrid
    below: int = 0

    @property
    def way(self) -> Way:
        """The walk's own scores, or the mean with dense ones."""
        return "mean" if self.ensembled else "walk"


@dataclass(frozen=True, slots=True)
class ChosenFact:
    """A fact near the question."""

    triple: ShownTriple  # the fact, as the first passage that has it says it
    cosine: float  # of its text and the question
    score: float  # the same, stretched to 0 to 1 over all facts of the collection
    kept: bool  # the walk starts from it


@dataclass(frozen=True, slots=True)
class Chosen(Event, verb="choose"):
    """The facts nearest to the question were chosen from (HippoRAG 2: query to triple, recognition
    memory).
    """

    query: str
    facts: tuple[ChosenFact, ...]  # nearest first
    asked: bool  # whether a reader chose; else all are kept

    @property
    def summary(self) -> str:
        selected = sum(fact.kept for fact in self.facts)
        return f"{selected} of {count(len(self.facts), 'fact')} kept for: {self.query}"


@dataclass(frozen=True, slots=True)
class Activation:
    """A name, and what activated it."""

    name: EntityName  # as it is shown
    # its activation; of a name of the question its cosine with the question's own words; of a
    # network how far its state is from what it were if the question named nothing
    value: float
    tier: int  # the round that reached it, from 2; 1: the question names it
    source: str  # the name it was reached from, or the question's own words
    key: str = ""  # passage of the sentence it was reached by; "" where the question names it
    title: str = ""  # that passage's title
    sentence: str = ""  # by which it was reached, or the relation of the message
    cosine: float = 1.0  # of that sentence and the question; times the source's value it is `value`
    kept: bool = True  # its value is at least δ, so it is gone to


@dataclass(frozen=True, slots=True)
class Activated(Event, verb="activate"):
    """Names were activated, from those of the question through sentences (LinearRAG's semantic
    bridging).
    """

    query: str
    least: float  # δ, below which a name is not gone to
    names: tuple[Activation, ...]  # in the order in which they were reached, as often as they were

    @property
    def summary(self) -> str:
        active = sum(activation.kept for activation in self.names)
        return f"{count(active, 'name')} active for: {self.query}"


@dataclass(frozen=True, slots=True)
class Propagated(Activated, verb="propagate"):
    """A network's messages changed entities, layer by layer (GFM-RAG). `least` is 0; `names` are
    the question's entities, then by layer the ten that it has changed most, each with the entity
    whose message differs most by the question's.
    """

    @property
    def summary(self) -> str:
        changed = count(len({name.name for name in self.names}), "entity", "entities")
        layers = count(max((name.tier for name in self.names), default=1) - 1, "layer")
        return f"{changed} changed in {layers} for: {self.query}"


@dataclass(frozen=True, slots=True)
class VisitedEntity:
    """An entity after the walk."""

    name: EntityName  # as first written
    probability: float  # of being there
    weight: float = 0.0  # what the walk starts there with, before weights are made to add up to 1


@dataclass(frozen=True, slots=True)
class Visited(
    Event,
    verb="visit",
    way="terms",
    summary="{steps} steps, {ranking}",
    came_by="the walk came to it from {}",
):
    """Personalized PageRank over entities and passages (HippoRAG 2, LinearRAG)."""

    query: str
    restart: float  # the probability of going back to where it starts
    steps: int  # how many steps it took to settle
    # those it starts from, and those that the first passages owe most; most probable first
    entities: tuple[VisitedEntity, ...]
    # a score is the probability of being at the passage, its parts are what comes from each entity
    # in a step, and from the start
    ranking: tuple[RankedPassage, ...]


@dataclass(frozen=True, slots=True)
class Voter:
    """An entity that votes."""

    name: EntityName  # as first written
    score: float  # the network's, of any size
    passages: int  # how many name it; each gets 1 / `passages` of it


@dataclass(frozen=True, slots=True)
class Voted(
    Event,
    verb="vote",
    way="terms",
    summary="{voters:voter}: {reached}",
    came_by="{} voted for it",
):
    """The entities that a network scores best voted for passages (GFM-RAG)."""

    query: str
    model: str  # the network's weights, by name and hash or revision
    voters: tuple[Voter, ...]  # best first
    ranking: tuple[RankedPassage, ...]  # a score is the sum of the votes, its parts are the votes
    below: int = 0  # how many passages at the end have no vote, and follow as dense has them
