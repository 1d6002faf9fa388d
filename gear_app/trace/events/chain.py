"""Chain: the links that passages' shared mentions make, and the ranking by the terms of a sum."""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.core.types import EntityName, PassageId, Span
from gear_app.trace.events.base import Event, RankedPassage

TERMS = ("base", "alone", "parts", "link", "start", "cover", "spread")  # of a score, in order


@dataclass(frozen=True, slots=True)
class QueryMention:
    """Something that the query mentions."""

    name: str  # its normal form
    span: Span  # its first place in the query
    passages: int  # how many passages hold it
    share: float  # its part of the query, by inverse document frequency; all add up to 1


@dataclass(frozen=True, slots=True)
class LinkedSentence:
    """A sentence at one end of a link."""

    text: str  # its words
    # where the shared mention stands in it; none where it is in the title
    marks: tuple[Span, ...]
    covers: tuple[str, ...]  # the query's mentions in it or in its passage's title, by name
    part: str  # the part of the query that it was compared with; by the best cut
    cosine: float  # of its vector and that of the part
    counted: float = 1.0  # the share of the cosine that counts; less than 1 for a short sentence


@dataclass(frozen=True, slots=True)
class OtherLink:
    """Another mention that a passage shares with a start."""

    start: PassageId
    mention: EntityName  # as it is written
    passages: int  # how many passages hold it


@dataclass(frozen=True, slots=True)
class LinkedPassage:
    """A passage and its best link, with all that its terms are computed from."""

    id: PassageId
    start: PassageId  # the passage that it is linked from; one of the round's starts
    round: int  # the round in which the link was followed, from 1
    mention: EntityName  # in both, as it is written
    passages: int  # how many passages hold it; no other two of the collection where it is 2
    start_sentence: LinkedSentence  # the start's sentence
    end_sentence: LinkedSentence  # the passage's sentence
    parts: float  # the mean of both sentences' cosines
    weight: float  # what the mention counts as a link
    covered: float  # the share of the query that `start_sentence` covers
    cover: float  # the share that only `end_sentence` covers
    others: tuple[OtherLink, ...] = ()  # further mentions that join it with starts, rarest first


@dataclass(frozen=True, slots=True)
class TermWeight:
    """How much a term counts."""

    term: str  # base, alone, parts, link, start, cover or spread
    weight: float  # what its value is multiplied by


@dataclass(frozen=True, slots=True)
class Followed(Event, verb="follow", summary="round {round}: {links:link}, {ranking}"):
    """The mentions of the best passages were followed to others, and all were ranked again."""

    query: str  # what was searched
    round: int  # from 1; the second starts from the ranking of the first
    rounds: int  # how many there are
    size: int  # passages of the collection
    limit: int  # a mention that more passages hold links none of them
    mentions: tuple[QueryMention, ...]  # what the query mentions, in its order
    starts: tuple[RankedPassage, ...]  # the passages that were started from, best first
    weights: tuple[TermWeight, ...]  # of the terms, in their order
    # of the first passages of the ranking that have one, in the ranking's order
    links: tuple[LinkedPassage, ...]
    # the result; the parts of the first ones add up to their scores, a part's `score` is the term
    # before its weight. A passage keeps the better of its rounds. Under GEAR, SyncGE and NaiveGE it
    # has only the passages that are handed on
    ranking: tuple[RankedPassage, ...]
    base: str  # the base retriever whose ranking the first round starts from
