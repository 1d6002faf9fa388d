"""Walks over a graph of entities and passages: the facts or names that they start from, and where
they lead (HippoRAG 2, LinearRAG); messages in place of a walk, and votes (GFM-RAG).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gear_app.events.base import Event, RankedPassage, ShownTriple, Verb, in_words
from gear_app.text import count
from gear_app.types import ProximalTriple

__all__ = [
    "Activated",
    "Activation",
    "Chosen",
    "ChosenFact",
    "Propagated",
    "Visited",
    "VisitedEntity",
    "Voted",
    "Voter",
]

CHOOSE = Verb(
    "choose",
    "The facts nearest to the question; the reader leaves out those that do not help.",
    reader=True,
    triples=True,
    search=True,
)
ACTIVATE = Verb(
    "activate",
    "The question's names lead on, by the sentences nearest to it, to what else these name.",
    search=True,
)
PROPAGATE = Verb(
    "propagate",
    "A trained network sends messages from the question's entities along the triples.",
    reader=True,
    triples=True,
    search=True,
)
VOTE = Verb(
    "vote",
    "The entities that the network scores best vote for the passages that name them.",
    triples=True,
    search=True,
)
VISIT = Verb(
    "visit",
    "A walk over entities and the passages that name them; where it is most often ranks high.",
    search=True,
)


@dataclass(frozen=True, slots=True)
class ChosenFact:
    """A fact near the question.

    Attributes:
        triple: the fact, as the first passage that has it says it
        cosine: of its text and the question
        score: the same, stretched to 0 to 1 over all facts of the collection
        kept: the walk starts from it
    """

    triple: ShownTriple
    cosine: float
    score: float
    kept: bool


@dataclass(frozen=True, slots=True)
class Chosen(Event):
    """The facts nearest to the question were chosen from (HippoRAG 2: query to triple, recognition
    memory).

    Attributes:
        query: what was searched
        facts: nearest first
        asked: whether a reader chose; else all are kept
    """

    VERB = CHOOSE

    query: str
    facts: tuple[ChosenFact, ...]
    asked: bool

    @property
    def summary(self) -> str:
        kept = sum(fact.kept for fact in self.facts)
        return f"{kept} of {count(len(self.facts), 'fact')} kept for: {self.query}"

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """The facts, kept or not."""
        return (fact.triple for fact in self.facts)

    @property
    def facts_handed_on(self) -> tuple[str, ...]:
        """Those that are kept."""
        return tuple(fact.triple.text for fact in self.facts if fact.kept)


@dataclass(frozen=True, slots=True)
class Activation:
    """A name, and what activated it.

    Attributes:
        name: as it is shown
        value: its activation; of a name of the question its cosine with the question's own words;
            of a network how far its state is from what it were if the question named nothing
        tier: the round that reached it, from 2; 1: the question names it
        source: the name it was reached from, or the question's own words
        key: the passage of the sentence by which it was reached; "" where the question names it
        title: that passage's title
        sentence: by which it was reached, or the relation of the message
        cosine: of that sentence and the question; `value` is this times the source's value
        kept: its value is at least δ, so it is gone to
    """

    name: str
    value: float
    tier: int
    source: str
    key: str = ""
    title: str = ""
    sentence: str = ""
    cosine: float = 1.0
    kept: bool = True


@dataclass(frozen=True, slots=True)
class Activated(Event):
    """Names were activated, from those of the question through sentences (LinearRAG's semantic
    bridging).

    Attributes:
        query: what was searched
        least: δ, below which a name is not gone to
        names: in the order in which they were reached; a name as often as it was
    """

    VERB = ACTIVATE

    query: str
    least: float
    names: tuple[Activation, ...]

    @property
    def summary(self) -> str:
        return f"{count(sum(one.kept for one in self.names), 'name')} active for: {self.query}"

    @property
    def names_told(self) -> Iterable[str]:
        """The names."""
        return (one.name for one in self.names)


@dataclass(frozen=True, slots=True)
class Propagated(Activated):
    """A network's messages changed entities, layer by layer (GFM-RAG).

    Attributes:
        least: 0: whatever a layer changes is told, up to ten
        names: the question's entities, then by layer those that it has changed most, each with the
            entity whose message differs most by the question's
    """

    VERB = PROPAGATE

    @property
    def summary(self) -> str:
        changed = count(len(set(self.names_told)), "entity", "entities")
        layers = count(max((one.tier for one in self.names), default=1) - 1, "layer")
        return f"{changed} changed in {layers} for: {self.query}"


@dataclass(frozen=True, slots=True)
class VisitedEntity:
    """An entity after the walk.

    Attributes:
        name: as first written
        probability: of being there
        weight: what the walk starts there with, before all weights are made to add up to 1
    """

    name: str
    probability: float
    weight: float = 0.0


@dataclass(frozen=True, slots=True)
class Visited(Event):
    """Personalized PageRank over entities and passages (HippoRAG 2, LinearRAG).

    Attributes:
        query: what was searched
        restart: the probability of going back to where it starts
        steps: how many steps it took to settle
        graph_nodes: entities and passages of the graph
        graph_edges: its edges
        entities: those it starts from, and those that the first passages owe most; most probable
            first
        ranking: the result; a score is the probability of being at the passage, its parts are what
            comes from each entity in a step, and from the start
    """

    VERB = VISIT
    way = "terms"

    query: str
    restart: float
    steps: int
    graph_nodes: int
    graph_edges: int
    entities: tuple[VisitedEntity, ...]
    ranking: tuple[RankedPassage, ...]

    @property
    def summary(self) -> str:
        return f"{count(self.steps, 'step')}, {in_words(self.ranking)}"

    @property
    def names_told(self) -> Iterable[str]:
        """The entities it visits."""
        return (entity.name for entity in self.entities)

    def came_by(self, key: str) -> str:
        """The entity that most of its probability comes from."""
        lines = (line for line in self.ranking if line.key == key)
        parts = next((line.parts for line in lines), ())
        named = [part for part in parts if part.score is not None]
        return f"the walk came to it from {named[0].source}" if named else ""


@dataclass(frozen=True, slots=True)
class Voter:
    """An entity that votes.

    Attributes:
        name: as first written
        score: the network's, of any size
        passages: how many name it; each gets 1 / `passages` of it
    """

    name: str
    score: float
    passages: int


@dataclass(frozen=True, slots=True)
class Voted(Event):
    """The entities that a network scores best voted for passages (GFM-RAG).

    Attributes:
        query: what was searched
        model: the network's weights, by name and hash or revision
        graph_nodes: entities of the graph
        graph_edges: its edges, each in both directions
        voters: best first
        ranking: the result; a score is the sum of the votes, its parts are each voter's
        below: how many passages at the end have no vote, and follow as dense has them
    """

    VERB = VOTE
    way = "terms"

    query: str
    model: str
    graph_nodes: int
    graph_edges: int
    voters: tuple[Voter, ...]
    ranking: tuple[RankedPassage, ...]
    below: int = 0

    @property
    def summary(self) -> str:
        return f"{count(len(self.voters), 'voter')}: {in_words(self.reached)}"

    @property
    def names_told(self) -> Iterable[str]:
        """The voters."""
        return (one.name for one in self.voters)

    def came_by(self, key: str) -> str:
        """Whose vote weighs most."""
        parts = next((line.parts for line in self.reached if line.key == key), ())
        best = max(parts, key=lambda part: part.value, default=None)
        return f"{best.source} voted for it" if best else ""
