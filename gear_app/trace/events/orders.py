"""Passages ordered by communities of entities (GraphRAG), by summaries above them (RAPTOR), or by a
second judgement of the first passages.
"""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.core.text import count
from gear_app.core.types import EntityName, NamedPassage
from gear_app.trace.events.base import Event, RankedPassage, ShownTriple, in_words


@dataclass(frozen=True, slots=True)
class MappedEntity:
    """An entity near the question."""

    name: EntityName  # as first written
    cosine: float  # the mean of its facts' cosines with the question
    community: int  # the number of its community


@dataclass(frozen=True, slots=True)
class Community:
    """A community with entities near the question."""

    number: int  # tells it from others of the graph
    names: tuple[EntityName, ...]  # its entities, those with most facts first; not all of many
    size: int  # how many entities it has
    report: str  # the reader's, from its facts alone; "" where the reply was of no use


@dataclass(frozen=True, slots=True)
class Gathered(
    Event,
    verb="gather",
    way="terms",
    summary="{entities:entity/entities}, {communities:community/communities} read, {ranking}",
    came_by="it names {}, which is near the question",
):
    """Surroundings of the entities nearest to the question (GraphRAG's local search)."""

    query: str
    entities: tuple[MappedEntity, ...]  # nearest first
    communities: tuple[Community, ...]  # with a report; those with most of the entities first
    facts: tuple[ShownTriple, ...]  # of the entities, between two of them first; not all of many
    total: int  # how many communities the graph has
    # a score is a whole number for the nearest entity that the passage names and a fraction for how
    # many of its facts are there
    ranking: tuple[RankedPassage, ...]
    below: int = 0  # how many passages at the end name none of the entities, and follow by meaning


@dataclass(frozen=True, slots=True)
class OpenedNode:
    """A node of the tree near the question."""

    name: str  # "summary 3", by which the parts of scores name it; a passage's own name
    layer: int  # how far above the passages it is, from 1; 0: it is a passage
    text: str  # the summary's words; "" for a passage
    by: str  # the language model that wrote them; "": they are sentences of what is below
    cosine: float  # of the node and the question
    passages: int  # how many are below it; 0: it is one


@dataclass(frozen=True, slots=True)
class TreeSearched(Event, verb="open", way="greatest", came_by="by {}"):
    """All nodes of a tree of summaries were compared with the question (RAPTOR's collapsed
    tree).
    """

    query: str
    layers: tuple[int, ...]  # how many nodes each layer has, the passages first
    nodes: tuple[OpenedNode, ...]  # the nearest nodes, nearest first
    # of a score the parts are the passage's own cosine and, where one is above it, the summary that
    # gives most: its cosine times that of summary and passage. The greatest is the score
    ranking: tuple[RankedPassage, ...]

    @property
    def summary(self) -> str:
        near = sum(node.layer > 0 for node in self.nodes)
        summaries = count(sum(self.layers[1:]), "summary", "summaries")
        return f"{summaries}, {near} of them among the nearest: {in_words(self.ranking)}"


@dataclass(frozen=True, slots=True)
class Moved(NamedPassage):
    """A passage that was judged."""

    key: str
    title: str
    before: int  # its rank until then, from 1
    after: int  # its rank now
    lacks: tuple[str, ...] = ()  # the words of the question that it has in no form


@dataclass(frozen=True, slots=True)
class Reranked(Event, verb="rerank", way="terms"):
    """The first passages of a method were judged again."""

    query: str
    of: str  # the method whose ranking it was
    by: str  # the cross-encoder's name; "": late interaction
    moves: tuple[Moved, ...]  # those judged, in their new order
    # a score's parts are the rank until then, which adds nothing, and the judgement: of late
    # interaction each word of the query and the word that won it
    ranking: tuple[RankedPassage, ...]
    below: int = 0  # how many passages at the end were not judged, and follow as they were

    @property
    def summary(self) -> str:
        lifted = sum(move.after < move.before for move in self.moves)
        judged = count(len(self.moves), "passage")
        return f"{judged} judged again, {lifted} lifted: {in_words(self.ranking)}"

    def came_by(self, key: str) -> str:
        """The rank that it was lifted from."""
        lifted = [move for move in self.moves if move.key == key and move.after < move.before]
        return f"lifted from rank {lifted[0].before} by the reranker" if lifted else ""
