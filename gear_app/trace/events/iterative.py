"""Iterative methods over a single-step one: thoughts, the pool, and what BDTR makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gear_app.core.types import EntityName, PassageId, ProximalTriple
from gear_app.trace.events.base import Event, PassageOfRun, RankedPassage

GIVEN = "what the agent was given"  # the part of a pool's score that says so


@dataclass(frozen=True, slots=True)
class Thought(Event, verb="think", variant="style", summary="{style}: {text}"):
    """A reader thought."""

    # a method of Trivedi et al. and others, BDTR's two, or an agent's two
    style: Literal["ircot", "gcot", "tog", "irgs", "fast", "slow", "search_r1", "search_o1"]
    text: str  # the thought
    query: str  # what is searched next because of it; empty where nothing is
    final: bool = False  # it is the last, as "So the answer is:" says
    answer: str = ""  # what followed these words
    because: tuple[ProximalTriple, ...] = ()  # the facts it puts into words
    skip_reason: str = ""  # why it is not searched, where it is not


@dataclass(frozen=True, slots=True)
class AnalysedPassage(PassageOfRun):
    """A document that an analysis was made of. A sentence is in the analysis where half of its
    content words are, whatever is said with them.
    """

    taken: tuple[str, ...]  # its sentences that are in the analysis
    left: tuple[str, ...]  # the others


@dataclass(frozen=True, slots=True)
class Analysed(Event, verb="analyse"):
    """An analysis that an agent gets in the place of documents (Search-o1), and the sentences that
    are not in it.
    """

    query: str
    text: str  # the analysis
    passages: tuple[AnalysedPassage, ...]  # the documents it was made of, in rank order

    @property
    def summary(self) -> str:
        left = sum(len(passage.left) for passage in self.passages)
        total = left + sum(len(passage.taken) for passage in self.passages)
        return f"{left} of {total} sentences left out: {self.text}"


@dataclass(frozen=True, slots=True)
class Pooled(
    Event,
    verb="pool",
    so_far=True,
    way="greatest",
    summary="{ranking} from {queries:query/queries}, {entered:#} new in the pool",
):
    """The pool after an iteration: every passage with its best normalised score (BDTR Eq. 3 and
    4).
    """

    queries: tuple[str, ...]  # all asked so far
    normalised: Literal["min-max", "reciprocal rank"]  # how scores of several queries compare
    # the pool, best first; a passage's parts are its places in the queries' lists ("query 2"), with
    # the retriever's own score and as value the normalised one, of a later query raised to a power,
    # times the query's weight; its score is the greatest value. The n-th document that an agent was
    # given has a part of 1 + 1 / n more
    ranking: tuple[RankedPassage, ...]
    entered: tuple[PassageId, ...]  # those that were not in the pool before
    # how many of the last lines are not in the pool but follow it: what else the first query found,
    # in its order, with score 0
    below: int = 0
    weights: tuple[float, ...] = ()  # of each query: 1, or less where it rests on no sure fact


@dataclass(frozen=True, slots=True)
class Chained(Event, verb="chain"):
    """The reasoning chain from the final pool (BDTR §3.2)."""

    nodes: tuple[EntityName, ...]  # what leads from the question to its answer
    because: tuple[ProximalTriple, ...] = ()  # the facts it is made of

    @property
    def summary(self) -> str:
        return " → ".join(self.nodes) or "no chain"


@dataclass(frozen=True, slots=True)
class Verified(Event, verb="verify", summary="{passages:#} of {shown} support the chain"):
    """Which passages of the pool support the chain (BDTR Eq. 5)."""

    shown: int  # how many of the pool the verifier saw, the first ones
    passages: tuple[RankedPassage, ...]  # selected, strongest first
    reasons: tuple[str, ...] = ()  # as many, where it gave them


@dataclass(frozen=True, slots=True)
class Move(PassageOfRun):
    """A passage that changed its rank."""

    score: float  # in the pool
    before: int  # rank before
    after: int  # rank after
    reason: str = ""  # the verifier's


@dataclass(frozen=True, slots=True)
class Promoted(
    Event,
    verb="promote",
    so_far=True,
    way="greatest",
    summary="{promoted:#} promoted, {kept:#} handed on, {ranking}",
):
    """The verified passages on top of the pool, and the cut: what is handed to answering (BDTR Eq.
    6).
    """

    moves: tuple[Move, ...]  # passages whose rank changed
    promoted: tuple[PassageId, ...]  # the verified passages
    # the n-th promoted passage scores 1 + 1 / n, the others what they score in the pool
    ranking: tuple[RankedPassage, ...]
    considered: int  # how many scores give the mean and the deviation, the first of the pool
    mean: float  # μ of these
    deviation: float  # σ of these, of the population
    threshold: float  # their sum
    # handed on to answering: at or above the threshold, promoted, or among the least to keep
    kept: tuple[PassageId, ...]
    below: int = 0  # as in `Pooled`
