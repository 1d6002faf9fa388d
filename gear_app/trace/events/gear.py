"""Base retrieval, graph expansion, fusion, and the agent of GEAR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gear_app.core.text import count
from gear_app.core.types import ProximalTriple, ScoreSum, Substitution, TripleId
from gear_app.trace.events.base import (
    Event,
    PassageOfRun,
    RankedPassage,
    ScorePart,
    ShownTriple,
    in_words,
)


@dataclass(frozen=True, slots=True)
class Retrieved(Event, verb="retrieve", begins_search=True):
    """Base retrieval, C′q(n) = h(q(n), C, k)."""

    query: str
    base: str  # the base retriever
    ranking: tuple[RankedPassage, ...]
    # words were weighed by Lucene's idf, since by rank-bm25's no passage scores above 0
    lucene: bool = False

    @property
    def summary(self) -> str:
        by = " (words weighed as in Lucene)" if self.lucene else ""
        return f"{self.base} found {in_words(self.ranking)}{by} for: {self.query}"


@dataclass(frozen=True, slots=True)
class ReadPassage(PassageOfRun):
    """A passage that a reader was given."""


@dataclass(frozen=True, slots=True)
class Read(Event, summary="{purpose}: {triples:triple} for: {query}"):
    """A reader gave proximal triples."""

    # `sync`, places where the search starts (GEAR Eq. 1), or `gist`, what to remember (Eq. 4)
    purpose: Literal["sync", "gist"]
    query: str  # what it was asked
    triples: tuple[ProximalTriple, ...]  # selected, best first
    passed_over: tuple[ProximalTriple, ...] = ()  # the best of those it rejected
    # how their scores came about, one for each of `triples`, then of `passed_over`: terms of value
    # × weight that add up to s, and the score is 1 / (1 + e^((even − s) / slope)); none where a
    # model wrote the triples, or they are only the nearest to the query
    sums: tuple[ScoreSum, ...] = ()
    passages: tuple[ReadPassage, ...] = ()  # those it was given, best first
    # the stored triples among those above, each with its passage and sentence
    stored: tuple[ShownTriple, ...] = ()

    @property
    def verb(self) -> str:
        return "read" if self.purpose == "sync" else "remember"


@dataclass(frozen=True, slots=True)
class Link:
    """A proximal triple and the stored triple it was linked to."""

    proximal: ProximalTriple
    triple: ShownTriple | None  # None where nothing is near
    identity: bool = False  # it was a stored one already
    score: float | None = None  # of the search for it
    parts: tuple[ScorePart, ...] = ()  # the terms of that score


@dataclass(frozen=True, slots=True)
class Linked(Event, verb="link"):
    """Proximal triples were linked to stored ones (tripleLink, GEAR Eq. 2)."""

    links: tuple[Link, ...]

    @property
    def summary(self) -> str:
        linked = sum(link.triple is not None for link in self.links)
        return f"{linked} of {count(len(self.links), 'triple')} linked"


@dataclass(frozen=True, slots=True)
class BeamCandidate:
    """One extension of a beam, with its arithmetic in the order of Algorithm 1: total = previous +
    cosine, score = total × weight.
    """

    parent: int | None  # place of the beam it extends in the previous `kept`; None in step 1
    path: tuple[TripleId, ...]  # its triples
    triple: ShownTriple  # the last of them
    previous: float  # the beam's score before
    cosine: float  # of the query and the sequence
    total: float  # their sum
    position: int  # among its beam's extensions, from 0
    weight: float  # e^(−min(position, γ)/γ)
    score: float  # total × weight
    kept: bool  # it goes on
    # the cosine is exact; else it is the estimate it was dropped for, the mean of stored vectors
    encoded: bool = True
    carried: bool = False  # a beam without neighbours that goes on unchanged


@dataclass(frozen=True, slots=True)
class BeamStep:
    """One step of the beam search."""

    kept: tuple[BeamCandidate, ...]  # the beams that go on, in order
    pruned: tuple[BeamCandidate, ...]  # the best of the others
    others: tuple[tuple[TripleId, float], ...] = ()  # the rest, with scores


@dataclass(frozen=True, slots=True)
class Expanded(Event, verb="expand", summary="{starts} starts, {steps:step}, {passages}"):
    """The diverse triple beam search (GEAR Alg. 1)."""

    query: str  # what candidates were compared with
    starts: int  # how many initial triples there were
    steps: tuple[BeamStep, ...]  # one for each length, from 1
    passages: tuple[RankedPassage, ...]  # the beams' passages, flattened breadth-first

    @property
    def listed(self) -> tuple[RankedPassage, ...]:
        """The passages that the beams led to."""
        return self.passages

    @property
    def beams(self) -> tuple[BeamStep, ...]:
        return self.steps


@dataclass(frozen=True, slots=True)
class Fused(
    Event, verb="fuse", variant="variant", summary="{purpose}: {ranking} from {lists} by {fusion}"
):
    """Lists were fused."""

    # `iteration`, the ranking of this round (GEAR Eq. 3), or `final`, all rounds as of now (Eq. 9)
    purpose: Literal["iteration", "final"]
    lists: tuple[str, ...]  # their names, which the parts of the scores refer to
    ranking: tuple[RankedPassage, ...]  # the result
    # `rrf`, reciprocal rank, or the name of another arithmetic
    fusion: str
    rest: str = ""  # the base retriever in whose order passages follow that no list has

    @property
    def variant(self) -> str:
        """The fusion; of reciprocal ranks what was fused."""
        if self.fusion != "rrf":
            return self.fusion
        if self.so_far:
            return "final"
        return "beams" if "beams" in self.lists else "lists"

    @property
    def reached(self) -> tuple[RankedPassage, ...]:
        """The passages that a fused list has."""
        return tuple(passage for passage in self.ranking if passage.parts or passage.score > 0)

    @property
    def so_far(self) -> bool:
        """Whether it fuses all iterations until then."""
        return self.purpose == "final"


@dataclass(frozen=True, slots=True)
class Remembered(
    Event,
    verb="remember",
    summary="{added:#} new, {repeated:#} repeated, {size} in the gist memory",
):
    """The gist memory grew (GEAR Eq. 5)."""

    added: tuple[ProximalTriple, ...]  # new facts
    repeated: tuple[ProximalTriple, ...]  # facts it had already, which are not added again
    size: int  # how many it holds now


@dataclass(frozen=True, slots=True)
class PassagesLinked(Event, verb="remember"):
    """A gist triple was linked to passages (passageLink, GEAR Eq. 8 and 10)."""

    # of the list that comes of it, as the parts of later rankings' scores call it: `gist 1` for the
    # first triple of the memory
    name: str
    query: str  # the triple's words
    # the list, fused by reciprocal rank: of the passages found for these words, and of the
    # different passages of the triples found for them
    ranking: tuple[RankedPassage, ...]
    size: int  # how many of it, the first ones, are the list that counts

    @property
    def summary(self) -> str:
        return f"{self.name}: {in_words(self.ranking[: self.size])} for: {self.query}"


@dataclass(frozen=True, slots=True)
class Reasoned(Event, verb="reason"):
    """The verdict on the gist memory (GEAR Eq. 6)."""

    answerable: bool  # it answers the question
    reason: str  # why, or why not
    answer: str = ""  # the answer, where there is one

    @property
    def verdict(self) -> str:
        """The verdict in words, with the answer where there is one."""
        if not self.answerable:
            return "not answerable yet"
        return f"answerable: {self.answer}" if self.answer else "answerable"

    @property
    def summary(self) -> str:
        between = ", because " if self.answerable else ": "
        return self.verdict + (between + self.reason if self.reason else "")


@dataclass(frozen=True, slots=True)
class Rewrote(Event, verb="rewrite", summary="{query}"):
    """The next query (GEAR Eq. 7; GRIEVER)."""

    query: str  # its words; empty where nothing could be rewritten
    substitutions: tuple[Substitution, ...] = ()  # words that were replaced, where a rule did it
