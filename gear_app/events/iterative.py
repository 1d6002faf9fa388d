"""Iterative methods over a single-step one: thoughts, the pool, and what BDTR makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from gear_app.events.base import (
    Countable,
    Event,
    PassageOfRun,
    RankedPassage,
    ShownTriple,
    Verb,
    in_words,
)
from gear_app.types import ProximalTriple

__all__ = [
    "Analysed",
    "AnalysedPassage",
    "Chained",
    "Move",
    "Pooled",
    "Promoted",
    "Thought",
    "Verified",
]

THINK = Verb(
    "think",
    "The reader says what the passages found so far make of the question; that is the next query.",
    reader=True,
    heading="question",
)
THINK_AS = {
    "ircot": replace(
        THINK,
        purpose="The reader adds one thought to those before; the thought is the next query.",
    ),
    "gcot": replace(
        THINK, purpose="The reader says what is still missing; that is the next query."
    ),
    "tog": replace(
        THINK,
        purpose="The reader judges whether what was found suffices, and if not, what to look for"
        " next.",
    ),
    "irgs": replace(
        THINK,
        purpose="The reader reasons towards an answer; the question and this reasoning are the next"
        " query.",
    ),
    **dict.fromkeys(
        ("search_r1", "search_o1"),
        replace(THINK, purpose="The agent thinks, and searches, answers, or does neither."),
    ),
    **dict.fromkeys(
        ("fast", "slow"),
        replace(
            THINK,
            purpose="Two queries of different kinds: the fast thought asks directly, the slow one"
            " asks for the bridge.",
        ),
    ),
}
POOL = Verb(
    "pool",
    "The passages of all queries so far in one pool; each keeps its best score.",
    heading="",
)
ANALYSE = Verb(
    "analyse",
    "A second call reads the documents; the agent sees only what it writes.",
    reader=True,
    heading="",
)
CHAIN = Verb(
    "chain",
    "The reader puts what was found into one chain from the question to its answer.",
    reader=True,
    heading="question",
)
VERIFY = Verb(
    "verify",
    "The reader picks the passages of the pool that support the chain.",
    reader=True,
    heading="question",
)
PROMOTE = Verb(
    "promote",
    "The passages picked move to the top; a cut by mean and deviation says what answering is"
    " given.",
    heading="question",
)


@dataclass(frozen=True, slots=True)
class Thought(Event):
    """A reader thought.

    Attributes:
        style: `ircot`, `gcot`, `tog`, `irgs`, BDTR's `fast` or `slow`, or an agent's `search_r1` or
            `search_o1`
        text: the thought
        query: what is searched next because of it; empty where nothing is
        final: it is the last, as "So the answer is:" says
        answer: what followed these words
        because: the facts it puts into words
        unasked: why it is not searched, where it is not
    """

    VERB = THINK

    style: Literal["ircot", "gcot", "tog", "irgs", "fast", "slow", "search_r1", "search_o1"]
    text: str
    query: str
    final: bool = False
    answer: str = ""
    because: tuple[ProximalTriple, ...] = ()
    unasked: str = ""

    @property
    def verb(self) -> Verb:
        return THINK_AS[self.style]

    @property
    def summary(self) -> str:
        return f"{self.style}: {self.text or 'nothing'}"

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """The facts that it puts into words."""
        return self.because

    @property
    def answer_concluded(self) -> str:
        return self.answer

    @property
    def leaves_open(self) -> bool:
        return not self.answer

    @property
    def facts_taken(self) -> tuple[ProximalTriple, ...]:
        return self.because

    @property
    def word_handed_on(self) -> str:
        """The next query."""
        return f"The next query is: {self.query or 'none'}"


@dataclass(frozen=True, slots=True)
class AnalysedPassage(PassageOfRun):
    """A document that an analysis was made of. A sentence is in the analysis where half of its
    content words are, whatever is said with them.

    Attributes:
        taken: its sentences that are in the analysis
        left: the others
    """

    taken: tuple[str, ...]
    left: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Analysed(Event):
    """What an agent is shown in the place of documents (Search-o1), and what of them is not in it.

    Attributes:
        query: what was searched
        text: the analysis
        passages: the documents it was made of, in rank order
    """

    VERB = ANALYSE

    query: str
    text: str
    passages: tuple[AnalysedPassage, ...]

    @property
    def summary(self) -> str:
        left = sum(len(passage.left) for passage in self.passages)
        every = left + sum(len(passage.taken) for passage in self.passages)
        return f"{left} of {every} sentences left out: {self.text}"

    @property
    def countable(self) -> Mapping[str, Countable]:
        left = (sentence for passage in self.passages for sentence in passage.left)
        return {"sentences left out": Countable.of(left)}


GIVEN = "what the agent was given"  # the part of a pool's score that says so


@dataclass(frozen=True, slots=True)
class Pooled(Event):
    """The pool after an iteration: every passage with its best normalised score (BDTR Eq. 3 and 4).

    Attributes:
        queries: all asked so far
        normalised: how scores of several queries compare: `min-max` or `reciprocal rank`
        ranking: the pool, best first; a passage's parts are its places in the queries' lists
            ("query 2"), with the retriever's own score and as value the normalised one, of a later
            query raised to `power`, times the query's weight; its score is the greatest
            value. The n-th document that an agent was given has a part of 1 + 1 / n more
        entered: ids that were not in the pool before
        below: how many of the last lines are not in the pool but follow it: what else the first
            query found, in its order, with score 0
        weights: how much each query counts: 1, or less where it rests on no sure fact
        power: what the min-max scores of all queries but the first are raised to
    """

    VERB = POOL
    so_far = True
    way = "greatest"

    queries: tuple[str, ...]
    normalised: Literal["min-max", "reciprocal rank"]
    ranking: tuple[RankedPassage, ...]
    entered: tuple[int, ...]
    below: int = 0
    weights: tuple[float, ...] = ()
    power: float = 1.0

    @property
    def summary(self) -> str:
        pool = f"{in_words(self.ranking)} from {len(self.queries)} queries"
        return f"{pool}, {len(self.entered)} new in the pool"


@dataclass(frozen=True, slots=True)
class Chained(Event):
    """The reasoning chain from the final pool (BDTR §3.2).

    Attributes:
        nodes: what leads from the question to its answer
        because: the facts it is made of
    """

    VERB = CHAIN

    nodes: tuple[str, ...]
    because: tuple[ProximalTriple, ...] = ()

    @property
    def summary(self) -> str:
        return " → ".join(self.nodes) or "no chain"

    @property
    def triples_told(self) -> Iterable[ProximalTriple | ShownTriple]:
        """The facts that it is made of."""
        return self.because

    @property
    def names_told(self) -> Iterable[str]:
        """What leads to the answer."""
        return self.nodes


@dataclass(frozen=True, slots=True)
class Verified(Event):
    """Which passages of the pool support the chain (BDTR Eq. 5).

    Attributes:
        shown: how many of the pool the verifier saw, the first ones
        passages: those it chose, strongest first
        reasons: as many, where it gave them
        ignored: numbers in its reply that name no passage, or one named before
    """

    VERB = VERIFY

    shown: int
    passages: tuple[RankedPassage, ...]
    reasons: tuple[str, ...] = ()
    ignored: tuple[int, ...] = ()

    @property
    def summary(self) -> str:
        support = "supports" if len(self.passages) == 1 else "support"
        return f"{len(self.passages)} of {self.shown} {support} the chain"


@dataclass(frozen=True, slots=True)
class Move(PassageOfRun):
    """A passage that changed its rank.

    Attributes:
        score: in the pool
        before: rank before
        after: rank after
        reason: the verifier's
    """

    score: float
    before: int
    after: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Promoted(Event):
    """The verified passages on top of the pool, and the cut: what is handed to answering (BDTR Eq.
    6).

    Attributes:
        moves: passages whose rank changed
        promoted: ids of the verified passages
        ranking: the new order; the n-th promoted passage scores 1 + 1 / n, the others what they
            score in the pool
        considered: how many scores give the mean and the deviation, the first of the pool
        mean: μ of these
        deviation: σ of these, of the population
        threshold: their sum
        kept: ids handed on to answering: at or above the threshold, promoted, or among the least to
            keep
        below: as in `Pooled`
    """

    VERB = PROMOTE
    so_far = True
    way = "greatest"

    moves: tuple[Move, ...]
    promoted: tuple[int, ...]
    ranking: tuple[RankedPassage, ...]
    considered: int
    mean: float
    deviation: float
    threshold: float
    kept: tuple[int, ...]
    below: int = 0

    @property
    def handed_to_answering(self) -> tuple[RankedPassage, ...]:
        return tuple(line for line in self.ranking if line.id in self.kept)

    @property
    def summary(self) -> str:
        moved = f"{len(self.promoted)} promoted, {len(self.kept)} handed on"
        return f"{moved}, {in_words(self.ranking)}"
