"""The first passages of another method, judged again."""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.events.base import Event, RankedPassage, Verb, in_words
from gear_app.text import count
from gear_app.types import NamedPassage

__all__ = ["Moved", "Reranked"]

RERANK = Verb(
    "rerank",
    "The first passages are judged again, each together with the question, and ordered by that.",
    search=True,
)


@dataclass(frozen=True, slots=True)
class Moved(NamedPassage):
    """A passage that was judged.

    Attributes:
        key: its name
        title: its title
        before: its rank until then, from 1
        after: its rank now
        lacks: the words of the question that it has in no form
    """

    key: str
    title: str
    before: int
    after: int
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reranked(Event):
    """The first passages of a method were judged again.

    Attributes:
        query: what was searched
        of: the method whose ranking it was
        by: the cross-encoder's name; "": late interaction
        moves: those judged, in their new order
        ranking: the result; a score's parts are the rank until then, which adds nothing, and the
            judgement: of late interaction each word of the query and the word that won it
        below: how many passages at the end were not judged, and follow as they were
    """

    VERB = RERANK
    way = "terms"

    query: str
    of: str
    by: str
    moves: tuple[Moved, ...]
    ranking: tuple[RankedPassage, ...]
    below: int = 0

    @property
    def orders_anew(self) -> str:
        """The method below."""
        return self.of

    @property
    def summary(self) -> str:
        lifted = sum(one.after < one.before for one in self.moves)
        judged = count(len(self.moves), "passage")
        return f"{judged} judged again, {lifted} lifted: {in_words(self.ranking)}"

    def came_by(self, key: str) -> str:
        """From where it was lifted."""
        moves = (one for one in self.moves if one.key == key and one.after < one.before)
        return next((f"lifted from rank {one.before} by the reranker" for one in moves), "")
