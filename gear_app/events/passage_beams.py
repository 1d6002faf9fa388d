"""Beams over passages: paths by titles that passages name, or by a question that grows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from gear_app.events.base import Event, PassageOfRun, RankedPassage, Verb, in_words
from gear_app.text import count

__all__ = ["PathPassage", "PathsExtended"]

EXTEND = Verb(
    "extend",
    "Paths of passages: each leads on to passages whose titles its last one names.",
    search=True,
)
EXTEND_BY = {
    "title": EXTEND,
    "dense": replace(
        EXTEND,
        purpose="Chains of passages: each joins the question, and what is near to both comes next.",
    ),
    "proposition": replace(
        EXTEND,
        purpose="Paths of sentences: each leads on to sentences that share a name with its last.",
    ),
}


@dataclass(frozen=True, slots=True)
class PathPassage(PassageOfRun):
    """The last passage of a path.

    Attributes:
        parent: the passage before it, by its place in the round before; none in the first round
        cosine: of the passage and what was searched for
        score: of the whole path
        kept: the path goes on
        named: the words of the passage before that are this one's title, or of a proposition the
            sentence; "" where there are none
    """

    parent: int | None
    cosine: float
    score: float
    kept: bool
    named: str = ""


@dataclass(frozen=True, slots=True)
class PathsExtended(Event):
    """Paths of passages were made longer, in rounds (title beam, dense beam).

    Attributes:
        query: what was searched
        by: `title`: a passage names the next one's title, and a path scores the mean of its
            cosines; `dense`: the next one is near the question and the passages so far, and a chain
            scores the sum; `proposition`: paths are of sentences that share names, scored by the
            cosine of their whole text
        rounds: the paths of each length, from 1, best first; of those that do not go on only some
        ranking: the result; a score's parts are the passages of its best path
        below: how many passages at the end of the ranking no path leads to
    """

    VERB = EXTEND
    ORDERS = True
    way = "terms"

    query: str
    by: Literal["title", "dense", "proposition"]
    rounds: tuple[tuple[PathPassage, ...], ...]
    ranking: tuple[RankedPassage, ...]
    below: int = 0

    @property
    def verb(self) -> Verb:
        return EXTEND_BY[self.by]

    @property
    def summary(self) -> str:
        paths = count(sum(map(len, self.rounds)), "path")
        return f"{paths} of up to {count(len(self.rounds), 'passage')}, {in_words(self.ranking)}"

    def came_by(self, key: str) -> str:
        """The best path that leads to it."""
        lines = (line for line in self.reached if line.key == key)
        names = [part.source for line in lines for part in line.parts]
        return f"by the path {' → '.join(names)}" if len(names) > 1 else ""

    @property
    def is_whole(self) -> bool:
        """Paths name the passage before by its place."""
        before = (0, *map(len, self.rounds))
        return all(
            one.parent is None or one.parent < before[number]
            for number, round_ in enumerate(self.rounds)
            for one in round_
        )
