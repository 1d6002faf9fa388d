"""Chain: the links that passages' shared mentions make, and the ranking by the terms of a sum."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gear_app.events.base import Event, LinkPath, RankedPassage, Verb, in_words
from gear_app.types import Span

__all__ = ["Followed", "LinkedPassage", "LinkedSentence", "OtherLink", "QueryMention", "TermWeight"]

TERMS = ("base", "alone", "parts", "link", "start", "cover", "spread")  # of a score, in order
FOLLOW = Verb(
    "follow",
    "What the first passages name leads on: to passages that name the same, and few others do.",
    search=True,
)


@dataclass(frozen=True, slots=True)
class QueryMention:
    """Something that the query mentions.

    Attributes:
        name: its normal form
        span: its first place in the query
        passages: how many passages hold it
        share: its part of the query, by inverse document frequency; all add up to 1
    """

    name: str
    span: Span
    passages: int
    share: float


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A sentence at one end of a link.

    Attributes:
        text: its words
        marks: where the shared mention stands in it; none where it stands in the title or above
        covers: the query's mentions in it or in its passage's title, by name
        part: the part of the query that it was compared with; by the best cut
        cosine: of its vector and that of the part
        above: the heading, head of a column or author's line that names the mention for it; ""
            where it stands in the sentence or in the title
        counted: the share of the cosine that counts; less than 1 for a short sentence
    """

    text: str
    marks: tuple[Span, ...]
    covers: tuple[str, ...]
    part: str
    cosine: float
    above: str = ""
    counted: float = 1.0


@dataclass(frozen=True, slots=True)
class OtherLink:
    """Another mention that a passage shares with a start.

    Attributes:
        start: id of the start
        mention: as it is written
        passages: how many passages hold it
    """

    start: int
    mention: str
    passages: int


@dataclass(frozen=True, slots=True)
class LinkedPassage:
    """A passage and its best link, with all that its terms are computed from.

    Attributes:
        id: the passage
        start: id of the passage that it is linked from; one of the round's starts
        round: the round in which the link was followed, from 1
        mention: what both hold, as it is written
        passages: how many passages hold it; no other two of the collection where it is 2
        here: the start's sentence
        there: the passage's sentence
        parts: the mean of both sentences' cosines
        weight: what the mention counts as a link
        covered: the share of the query that `here` covers
        cover: the share that `there` covers and `here` does not
        others: further mentions that join it with starts, rarest first
    """

    id: int
    start: int
    round: int
    mention: str
    passages: int
    here: LinkedSentence
    there: LinkedSentence
    parts: float
    weight: float
    covered: float
    cover: float
    others: tuple[OtherLink, ...] = ()


@dataclass(frozen=True, slots=True)
class TermWeight:
    """How much a term counts.

    Attributes:
        term: base, alone, parts, link, start, cover or spread
        weight: what its value is multiplied by
    """

    term: str
    weight: float


@dataclass(frozen=True, slots=True)
class Followed(Event):
    """The mentions of the best passages were followed to others, and all were ranked again.

    Attributes:
        query: what was searched
        round: from 1; the second starts from the ranking of the first
        rounds: how many there are
        size: passages of the collection
        limit: a mention that more passages hold links none of them
        mentions: what the query mentions, in its order
        starts: the passages that were started from, best first
        weights: of the terms, in their order
        links: of the first passages of the ranking that have one, in the ranking's order
        ranking: the result; the parts of the first ones add up to their scores, a part's `score` is
            the term before its weight. A passage keeps the better of its rounds. Under GEAR, SyncGE
            and NaiveGE it has only the passages that are handed on
        base: the base retriever whose ranking the first round starts from
    """

    VERB = FOLLOW

    query: str
    round: int
    rounds: int
    size: int
    limit: int
    mentions: tuple[QueryMention, ...]
    starts: tuple[RankedPassage, ...]
    weights: tuple[TermWeight, ...]
    links: tuple[LinkedPassage, ...]
    ranking: tuple[RankedPassage, ...]
    base: str

    @property
    def summary(self) -> str:
        return f"round {self.round}: {len(self.links)} links, {in_words(self.ranking)}"

    @property
    def link_round(self) -> tuple[int, int]:
        return self.round, self.rounds

    @property
    def link_starts(self) -> tuple[RankedPassage, ...]:
        return self.starts

    def way_to(self, keys: Collection[str]) -> LinkPath | None:
        """The best link into the passage."""
        ids = {passage.id for passage in self.ranking if passage.key in keys}
        link = next((link for link in self.links if link.id in ids), None)
        if link is None:
            return None
        start = next((p for p in (*self.starts, *self.ranking) if p.id == link.start), None)
        title = start.name if start else "a passage"
        return LinkPath(title, link.mention, link.passages, self.size)

    @property
    def names_told(self) -> Iterable[str]:
        """What passages are linked by."""
        return (
            mention
            for link in self.links
            for mention in (link.mention, *(other.mention for other in link.others))
        )
