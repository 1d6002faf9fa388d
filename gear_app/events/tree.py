"""Texts that were written for many passages at once, and open into these: summaries of a tree."""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.events.base import Event, PassageOfRun, RankedPassage, Verb, in_words
from gear_app.text import count

__all__ = ["NodePassage", "OpenedNode", "TreeSearched"]

OPEN = Verb(
    "open",
    "Passages and summaries of many are compared with the question; a summary opens into the"
    " passages that it was made of.",
    reader=True,
    search=True,
)
ITSELF = "passage itself"  # the part of a score that is its own nearness


@dataclass(frozen=True, slots=True)
class NodePassage(PassageOfRun):
    """A passage below a summary.

    Attributes:
        cosine: of the passage and the summary
    """

    cosine: float


@dataclass(frozen=True, slots=True)
class OpenedNode:
    """A node of the tree near the question.

    Attributes:
        name: "summary 3", by which the parts of scores name it; a passage's own name
        layer: how far above the passages it is, from 1; 0: it is a passage
        text: the summary's words; "" for a passage
        by: the language model that wrote them; "": they are sentences of what is below
        cosine: of the node and the question
        passages: those below it, nearest to it first, or itself
        more: how many more are below it
    """

    name: str
    layer: int
    text: str
    by: str
    cosine: float
    passages: tuple[NodePassage, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class TreeSearched(Event):
    """All nodes of a tree of summaries were compared with the question (RAPTOR's collapsed tree).

    Attributes:
        query: what was searched
        layers: how many nodes each layer has, the passages first
        nodes: the nearest nodes, nearest first
        ranking: the passages; of a score the parts are the passage's own cosine and, where one is
            above it, the summary that gives most: its cosine times that of summary and passage. The
            greatest is the score
    """

    VERB = OPEN
    way = "greatest"

    query: str
    layers: tuple[int, ...]
    nodes: tuple[OpenedNode, ...]
    ranking: tuple[RankedPassage, ...]

    @property
    def summary(self) -> str:
        near = sum(node.layer > 0 for node in self.nodes)
        summaries = count(sum(self.layers[1:]), "summary", "summaries")
        return f"{summaries}, {near} of them among the nearest: {in_words(self.ranking)}"

    def came_by(self, key: str) -> str:
        """The summary that lifts it."""
        lines = (line for line in self.ranking if line.key == key)
        parts = (max(line.parts, key=lambda part: part.value) for line in lines if line.parts)
        return next((f"by {part.source}" for part in parts if part.source != ITSELF), "")
