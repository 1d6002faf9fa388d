"""What events are made of: passages, triples, candidates and terms, with the words to draw them."""

from __future__ import annotations

from dataclasses import dataclass

from gear_app.types import ProximalTriple, Span

NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class ShownTriple:
    """A stored triple with the words to draw it: its passage by id, key and title, and its source
    sentence.
    """

    id: int
    subject: str
    predicate: str
    object: str
    passage_id: int
    passage_key: str
    passage_title: str
    sentence: str = ""
    span: Span | None = None
    closest: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One term of a fused score: 1 / (constant + rank) of the list `source`; `score` is that list's
    own score.
    """

    source: str
    rank: int
    value: float
    score: float | None = None


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """One line of a ranking of passages. `parts` add up to `score` where it was fused."""

    id: int
    key: str
    title: str
    score: float
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A proximal triple and the stored triple it was linked to; None where nothing was near (GEAR
    Eq. 2).

    `identity` says that it was a stored triple already. `parts` are the terms of the fused score
    otherwise.
    """

    proximal: ProximalTriple
    triple: ShownTriple | None
    identity: bool = False
    score: float | None = None
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """One extension of a beam and its arithmetic, in Algorithm 1's order.

    total = previous + cosine; score = total * weight, weight = e^(-min(position, gamma) / gamma),
    position from 0 among its beam's extensions. `parent` is the position of the extended beam in
    the previous step's `kept`, None in step 1. `encoded` False: the cosine is the screen's estimate
    (mean of stored vectors) and the candidate was dropped for it. `carried` True: a beam that had
    no neighbours and went on unchanged.
    """

    parent: int | None
    path: tuple[int, ...]
    triple: ShownTriple
    previous: float
    cosine: float
    total: float
    position: int
    weight: float
    score: float
    kept: bool
    encoded: bool = True
    carried: bool = False


@dataclass(frozen=True, slots=True)
class BeamStep:
    """One step of the beam search: the beams that go on, in order; the best pruned; the rest as
    (id, score).
    """

    kept: tuple[Candidate, ...]
    pruned: tuple[Candidate, ...]
    others: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class QueryEntity:
    """A named entity of the question, the node it was linked to, and the seed weight this gave
    (HippoRAG §2.3).

    `node` "" and `passages` 0 where the graph has none. `specificity` = 1 / passages, or 1 where it
    is switched off.
    """

    text: str
    node: str
    cosine: float
    passages: int
    specificity: float


@dataclass(frozen=True, slots=True)
class WalkedNode:
    """An entity and its probability after the walk; `seed` is its share of the restarts."""

    name: str
    probability: float
    seed: float = 0.0


@dataclass(frozen=True, slots=True)
class WalkedEdge:
    """An edge between two of the event's nodes (positions): `weight` = `facts` triples + `cosine`
    of a synonymy.

    `flow` is the probability that crosses it from source to target in one step of the walk.
    """

    source: int
    target: int
    weight: float
    facts: int
    cosine: float
    flow: float


@dataclass(frozen=True, slots=True)
class WalkedPassage:
    """A passage's score: the sum of probability × count over `terms`, (position of a node, number
    of its triples).
    """

    id: int
    key: str
    title: str
    score: float
    terms: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Move:
    """A passage's rank before and after a promotion."""

    id: int
    key: str
    title: str
    score: float
    before: int
    after: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of the question: its words, where they stand in it, and the connector that begins it
    ("who", "that").
    """

    text: str
    span: Span
    connector: str = ""


@dataclass(frozen=True, slots=True)
class Match:
    """A partial triple matched to the query's words (GRIEVER §4-5).

    `mention` and `relation` are the query's own words with their places in it, as matched to the
    triple's known side and predicate ("" where the relation was not matched); `new` is the
    remaining, unmatched side. `relation_cosine` is that of the partial triple and the phrase around
    the mention (the mention's clause where there is none); `agreement` is what their words add to
    it. score = mention_cosine · (relation_cosine + agreement) + title_weight · title_cosine, the
    cosine of the mention and the title of the triple's passage, at least 0. `place` is what gives
    way to `new` where it is taken: mention and relation, and what would be left hanging without
    them.
    """

    triple: ShownTriple
    mention: str
    mention_span: Span
    mention_cosine: float
    relation: str
    relation_spans: tuple[Span, ...]
    relation_cosine: float
    known: str
    new: str
    score: float
    taken: bool
    agreement: float = 0.0
    title_cosine: float = 0.0
    title_weight: float = 0.0
    place: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Join:
    """An entity the next hop must touch: its `same_as` synonyms with cosines, how many passages
    that leaves.
    """

    entity: str
    synonyms: tuple[tuple[str, float], ...]
    passages: int
