"""HippoRAG: the question's entities, and the walk from them to passages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from gear_app.events.base import (
    Countable,
    Event,
    PassageOfRun,
    RankedPassage,
    ScorePart,
    Verb,
    WalkPath,
    Way,
    in_words,
)

__all__ = [
    "QueryEntity",
    "Recognised",
    "Walked",
    "WalkedEdge",
    "WalkedNode",
    "WalkedPassage",
]

TERM, FACTOR = 6, 9  # decimals of a term of a score, and of a factor of one
RECOGNISE = Verb(
    "recognise",
    "The reader names the question's entities; each is linked to its nearest in the graph of"
    " entities, or to the passage it is the title of.",
    reader=True,
    search=True,
    heading="",
)
WALK = Verb(
    "walk",
    "A walk over facts restarts at the question's entities; passages that name what it visits rank"
    " high.",
    triples=True,
    search=True,
)
WALK_BY = {
    "pagerank": WALK,
    "seeds": replace(
        WALK,
        purpose="No walk: only the question's entities themselves have a probability (an"
        " ablation).",
    ),
    "neighbours": replace(
        WALK,
        purpose="No walk: the question's entities and their direct neighbours have a probability"
        " (an ablation).",
    ),
}


@dataclass(frozen=True, slots=True)
class QueryEntity:
    """A named entity of the question.

    Attributes:
        text: its words
        node: the node it was linked to; empty where there is none as near as 0.6
        cosine: how near that, or else the nearest one, is
        passages: how many passages name the node, or have the title
        specificity: 1 / `passages`, its weight as a seed; 1 where that is switched off, 0 where it
            was left out
        title: where no node is near, the title of the passages whose entities share its weight;
            empty where there is none either, and the entity was left out
    """

    text: str
    node: str
    cosine: float
    passages: int
    specificity: float
    title: str = ""


@dataclass(frozen=True, slots=True)
class Recognised(Event):
    """The question's named entities and their nodes (HippoRAG §2.3).

    Attributes:
        query: where they were looked for
        entities: each with its node, the title it was matched to, or neither
    """

    VERB = RECOGNISE
    BEGINS_SEARCH = True

    query: str
    entities: tuple[QueryEntity, ...]

    @property
    def summary(self) -> str:
        return ", ".join(map(_linked, self.entities)) or "none"

    @property
    def names_told(self) -> Iterable[str]:
        """The question's entities."""
        return (entity.text for entity in self.entities)


def _linked(entity: QueryEntity) -> str:
    if entity.node:
        return f"{entity.text} = {entity.node}"
    if entity.title:
        return f"{entity.text} = the passage {entity.title}"
    return f"{entity.text} (left out)"


@dataclass(frozen=True, slots=True)
class WalkedNode:
    """An entity after the walk.

    Attributes:
        name: as first written
        probability: of being there
        seed: its share of the restarts
    """

    name: str
    probability: float
    seed: float = 0.0


@dataclass(frozen=True, slots=True)
class WalkedEdge:
    """An edge between two nodes of the event.

    Attributes:
        source: position of the one
        target: position of the other
        weight: `facts` + `cosine`
        facts: triples between the two
        cosine: of the two names, where they are synonyms
        flow: probability that crosses it from source to target in one step
    """

    source: int
    target: int
    weight: float
    facts: int
    cosine: float
    flow: float


@dataclass(frozen=True, slots=True)
class WalkedPassage(PassageOfRun):
    """A passage's score as the sum of probability × count.

    Attributes:
        score: the sum
        terms: pairs of a node's position and the number of the passage's triples that name it
    """

    score: float
    terms: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Walked(Event):
    """Personalized PageRank over the graph of entities, and the passages it leads to (HippoRAG
    §2.3).

    Attributes:
        query: what was searched
        spread: `pagerank`, or an ablation of Table 5: `seeds` or `neighbours`
        restart: the probability of going back to a seed
        steps: how many steps it took to settle
        graph_nodes: size of the whole graph
        graph_edges: its edges
        nodes: the seeds, and those that touch `passages` with a probability above 0; most probable
            first
        edges: for drawing: the ways from a seed to the strongest entity of each of the first
            passages, and those that carry most
        passages: scores as sums over nodes, of those passages of the ranking that the walk gave a
            score; under an iterative method of the first of them
        ranking: the result; where scores were averaged, with the parts of the mean
        ensembled: whether scores were averaged with dense ones, both min-max-normalised (App. F.2)
        uncertain: the entity that was the reason: it was linked with a cosine below the threshold
        below: how many passages at the end of the ranking the walk does not reach more than one
            that restarts anywhere; they have score 0 and are in the order of hybrid
    """

    VERB = WALK

    query: str
    spread: Literal["pagerank", "seeds", "neighbours"]
    restart: float
    steps: int
    graph_nodes: int
    graph_edges: int
    nodes: tuple[WalkedNode, ...]
    edges: tuple[WalkedEdge, ...]
    passages: tuple[WalkedPassage, ...]
    ranking: tuple[RankedPassage, ...]
    ensembled: bool = False
    uncertain: str = ""
    below: int = 0

    @property
    def verb(self) -> Verb:
        return WALK_BY[self.spread]

    @property
    def summary(self) -> str:
        return f"{len(self.nodes)} entities reached, {in_words(self.ranking)}"

    @property
    def names_told(self) -> Iterable[str]:
        """The entities it visits."""
        return (node.name for node in self.nodes)

    @property
    def countable(self) -> Mapping[str, Countable]:
        return {"entities": Countable.of(self.names_told)}

    @property
    def distances(self) -> dict[int, int]:
        """Edges between each node and the seeds, by position; without nodes that no edge leads
        to.
        """
        distance = {place: 0 for place, node in enumerate(self.nodes) if node.seed}
        for away in range(1, len(self.nodes) + 1):
            near = {edge.target for edge in self.edges if distance.get(edge.source) == away - 1}
            new = near - distance.keys()
            if not new:
                break
            distance |= dict.fromkeys(new, away)
        return distance

    def path_from_seed(self, node: int) -> list[int]:
        """Positions from a seed to the node, by the strongest edge of every step back.

        The node alone where no edge of the event leads to it.
        """
        distance, path = self.distances, [node]
        while not self.nodes[path[0]].seed:
            here = distance.get(path[0], 0)
            edges = [edge for edge in self.edges if edge.target == path[0]]
            nearer = [edge for edge in edges if distance.get(edge.source, here) < here]
            if not nearer:
                break
            path.insert(0, max(nearer, key=lambda edge: edge.flow).source)
        return path

    def way_to(self, keys: Collection[str]) -> WalkPath | None:
        """The way to the entity that gives the passage's score most."""
        passage = next((passage for passage in self.passages if passage.key in keys), None)
        if passage is None or not passage.terms:
            return None
        node, triples = max(passage.terms, key=self.contribution)
        return WalkPath(tuple(self.nodes[at].name for at in self.path_from_seed(node)), triples)

    @property
    def way(self) -> Way:
        """The walk's own scores, or the mean with dense ones."""
        return "mean" if self.ensembled else "walk"

    def contribution(self, term: tuple[int, int]) -> float:
        """What a term adds to its passage's score: probability × number of triples."""
        return self.nodes[term[0]].probability * term[1]

    @property
    def scored(self) -> tuple[RankedPassage, ...]:
        """The terms of a walk's scores are its parts, the greatest first: the entity, how many
        triples name it, and its probability.
        """
        if self.ensembled:
            return self.ranking
        terms = {one.id: sorted(one.terms, key=self._order) for one in self.passages}
        return tuple(
            replace(line, parts=tuple(self._part(*term) for term in terms.get(line.id, ())))
            for line in self.ranking
        )

    def _order(self, term: tuple[int, int]) -> float:
        return -self.contribution(term)

    def _part(self, node: int, number: int) -> ScorePart:
        entity = self.nodes[node]
        value = round(round(entity.probability, FACTOR) * number, TERM)
        return ScorePart(entity.name, number, value, entity.probability)
