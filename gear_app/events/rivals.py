"""The events of HippoRAG, of the iterative methods over a single-step one, and of GRIEVER."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gear_app.events.base import Event
from gear_app.events.parts import (
    Clause,
    Join,
    Match,
    Move,
    QueryEntity,
    RankedPassage,
    WalkedEdge,
    WalkedNode,
    WalkedPassage,
)
from gear_app.types import ProximalTriple


@dataclass(frozen=True, slots=True)
class Recognised(Event):
    """The question's named entities and the nodes they were linked to (HippoRAG §2.3)."""

    query: str
    entities: tuple[QueryEntity, ...]


@dataclass(frozen=True, slots=True)
class Walked(Event):
    """Personalized PageRank over the entity graph and the passages it leads to (HippoRAG §2.3).

    `nodes`, most probable first, are the seeds and all that touch `passages` with a probability
    above 0; `edges`, for drawing, the ways from a seed to the strongest entity of each of the first
    passages, and those that carry most. `passages` are those of the ranking that the walk gave a
    score, under an iterative method the first of them. `spread` says how probability went: the
    walk, or an ablation of Table 5. `ensembled`: the scores were averaged with the dense ones, both
    min-max-normalised (App. F.2), because of `uncertain`, an entity linked with a cosine below the
    threshold; then `ranking` has the parts of the mean.
    """

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


@dataclass(frozen=True, slots=True)
class Thought(Event):
    """A reader thought: in the style of a method, or BDTR's fast or slow thought.

    `query` is what is searched next because of it; where nothing is, it is "" and `unasked` says
    why.
    """

    style: Literal["ircot", "gcot", "tog", "irgs", "fast", "slow"]
    text: str
    query: str
    final: bool = False
    answer: str = ""
    because: tuple[ProximalTriple, ...] = ()
    unasked: str = ""


@dataclass(frozen=True, slots=True)
class Pooled(Event):
    """The pool after an iteration: every passage with its best normalised score (BDTR Eq. 3-4).

    `queries` are all asked so far, `ranking` the pool, best first. A passage's `parts` are its
    places in the queries' lists ("query 2"): `score` the retriever's own, `value` normalised; the
    passage's score is the greatest value. `entered` are the ids that were not in the pool before.
    The last `below` lines of `ranking` are not in the pool: they are what else the first query
    found, in its order, with score 0 (docs/decisions/0011-iterative-methods.md).
    """

    queries: tuple[str, ...]
    normalised: Literal["min-max", "reciprocal rank"]
    ranking: tuple[RankedPassage, ...]
    entered: tuple[int, ...]
    below: int = 0


@dataclass(frozen=True, slots=True)
class Chained(Event):
    """The reasoning chain from the final pool (BDTR §3.2)."""

    nodes: tuple[str, ...]
    because: tuple[ProximalTriple, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified(Event):
    """Which of the first `shown` passages of the pool support the chain, strongest first (BDTR Eq.
    5).

    `ignored` are numbers of the reply that name none of the passages shown, or one named before.
    """

    shown: int
    passages: tuple[RankedPassage, ...]
    reasons: tuple[str, ...] = ()
    ignored: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Promoted(Event):
    """The pool with the verified passages on top, and what is handed to answering (BDTR Eq. 6).

    `moves` are all passages whose rank changed, with their scores in the pool. In `ranking` the
    n-th promoted one scores 1 + 1 / n, the others what they score in the pool; `below` is as in
    Pooled. `threshold` = `mean` + `deviation` (population) of the pool's scores of the first
    `considered`; `kept` are the ids handed on: at or above it, promoted, or among the least to
    keep.
    """

    moves: tuple[Move, ...]
    promoted: tuple[int, ...]
    ranking: tuple[RankedPassage, ...]
    considered: int
    mean: float
    deviation: float
    threshold: float
    kept: tuple[int, ...]
    below: int = 0


@dataclass(frozen=True, slots=True)
class Split(Event):
    """The question's relative clauses (GRIEVER §1); one clause is the whole question."""

    question: str
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, slots=True)
class Matched(Event):
    """Partial triples matched to the query (GRIEVER §3-5): how many there were, the shortlist, and
    what it joins next.

    `triples` of the passages found were looked at, `shortlisted` of their partial triples were
    matched (each triple has two); `matches` are the best, best first; those `taken` have at least
    the score `sure`, and `joins` are their new entities, which the next hop must touch.
    """

    query: str
    triples: int
    shortlisted: int
    matches: tuple[Match, ...]
    joins: tuple[Join, ...] = ()
    sure: float = 0.0
