"""A frozen dataclass for each method, with the paper's defaults where it states one.

They stand in App. B.2 of gear.txt. Where a default is another, the field says what the paper has in
its place (`ours`).

gear_app/overrides.py reads and sets their fields by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal, TypeVar

from gear_app.errors import BadInput

T = TypeVar("T")
Bounds = Mapping[str, tuple[float, float]]
# Far above what any paper has, and below what keeps a machine busy for hours: a run can come from
# somebody else's file.
MOST_K = 10_000  # passages of a list; neighbours of a beam
MOST_ITERATIONS = 50
MOST_WIDTH, MOST_LENGTH = 1_000, 10
MOST_CANDIDATES = 100
MOST_CONSTANT = 1_000_000
SYNONYMS_FROM = 0.8  # HippoRAG §3.4: names less near than this are not stored as synonyms
PAPER = "paper"  # in a field's metadata: the paper's value


def ours(default: T, *, paper: T) -> T:
    """A field with a default of our own and the value that the method has in its paper, which
    `retrievers.as_paper` sets. Where a paper states no number it is that of what it cites.
    """
    value: T = field(default=default, metadata={PAPER: paper})
    return value


def paper_values(config: Any) -> dict[str, Any]:  # noqa: ANN401
    """What the papers have in the place of a config's own values, by full name: of the settings
    that say so and stand otherwise here.
    """
    found: dict[str, Any] = {}
    for item in fields(config):
        value = getattr(config, item.name)
        if is_dataclass(value):
            found |= {f"{item.name}.{name}": paper for name, paper in paper_values(value).items()}
        elif item.metadata.get(PAPER, value) != value:
            found[item.name] = item.metadata[PAPER]
    return found


@dataclass(frozen=True, slots=True)
class BaseConfig:
    """A base retriever: bm25 and dense need none of it, hybrid and weighted fuse `depth` of
    each.
    """

    depth: int = 100  # ours: both fuse the top 100 of each list
    constant: int = 60  # ours: Cormack et al. 2009; the paper states none
    dense_share: float = 0.6  # ours: what dense counts in weighted; BM25 counts the rest
    BOUNDS: ClassVar[Bounds] = {
        "depth": (1, MOST_K),
        "constant": (0, MOST_CONSTANT),
        "dense_share": (0.0, 1.0),
    }

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True)
class BeamConfig:
    """Diverse triple beam search (GEAR Alg. 1, App. B.2)."""

    width: int = 10  # b
    length: int = 2  # l
    gamma: int | Literal["auto", "none"] = (
        "auto"  # auto = 2 * width; none switches the weighting off (Table 4)
    )
    neighbours: int = 100  # per beam
    scoring: Literal["screened", "exact"] = ours("screened", paper="exact")  # exact encodes all
    screen: int = 32  # screened: how many candidates a step are encoded
    BOUNDS: ClassVar[Bounds] = {
        "width": (1, MOST_WIDTH),
        "length": (1, MOST_LENGTH),
        "neighbours": (1, MOST_K),
        "screen": (1, MOST_K),
    }

    def __post_init__(self) -> None:
        _check(self)
        if isinstance(self.gamma, int) and self.gamma < 1:
            raise BadInput(f"gamma must be at least 1, 'auto' or 'none', not {self.gamma}")

    @property
    def penalty(self) -> int | None:
        """Alg. 1's γ as a number, or None when the weighting is off."""
        if self.gamma == "none":
            return None
        return 2 * self.width if self.gamma == "auto" else self.gamma


@dataclass(frozen=True, slots=True)
class GraphConfig:
    """NaiveGE and SyncGE: a base retriever, a beam search and the fusion of both (GEAR Eq. 3)."""

    base: BaseConfig = field(default_factory=BaseConfig)
    beam: BeamConfig = field(default_factory=BeamConfig)


@dataclass(frozen=True, slots=True)
class GearConfig:
    """The agent (GEAR §5)."""

    max_iterations: int = 4  # App. B.1: 4, and 2 for two-hop sets; a collection can hold its own
    round_k: int = 10  # App. B.2: passages a round, before synchronisation
    link_k: int = 10  # App. B.2: passages each gist triple is linked to (Eq. 8)
    fusion: Literal["rrf", "interleaved", "gist_first"] = "rrf"  # Eq. 9; the others are ours
    wait_for_memory: bool = ours(True, paper=False)  # later rounds count once a fact is there
    fusion_constant: int = ours(1, paper=60)  # of Eq. 8 to 10's RRF, whose lists are short
    base: BaseConfig = field(default_factory=BaseConfig)
    beam: BeamConfig = field(default_factory=BeamConfig)
    BOUNDS: ClassVar[Bounds] = {
        "max_iterations": (1, MOST_ITERATIONS),
        "round_k": (1, MOST_K),
        "link_k": (1, MOST_K),
        "fusion_constant": (0, MOST_CONSTANT),
    }

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True)
class HippoConfig:
    """HippoRAG (hipporag.txt §2.3, §3.4) and the ablations of its Table 5 that concern
    retrieval.
    """

    restart: float = 0.5  # §3.4: the probability that the walk restarts from the query nodes
    threshold: float = 0.8  # §3.4, τ: two names as near as this are synonyms
    specificity: bool = True  # Table 5, "w/o Node Specificity"
    synonymy: bool = True  # Table 5, "w/o Synonymy Edges"
    spread: Literal["pagerank", "seeds", "neighbours"] = "pagerank"  # Table 5, "PPR Alternatives"
    chance: bool = ours(True, paper=False)  # more than by a walk that restarts anywhere
    ensemble: Literal["none", "uncertainty"] = "none"  # App. F.2
    certain: float = (
        0.9  # App. F.2, θ: an entity linked less surely than this makes the scores be ensembled
    )
    BOUNDS: ClassVar[Bounds] = {
        "restart": (0.01, 0.99),
        "threshold": (SYNONYMS_FROM, 1.0),
        "certain": (0.0, 1.0),
    }

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True)
class GrieverConfig:
    """GRIEVER (griever.txt) and the ablations of its last table."""

    max_iterations: int = 4  # ours: hops
    candidates: int = 5  # ours, the paper's c: dense ranks the sparse retriever's top k * c
    hop_k: int = 10  # ours: passages that a later hop brings into the final fusion
    fusion_constant: int = ours(3, paper=60)  # of the RRF over hops, whose lists are short
    sure: float = 1.0  # ours: the score from which a match rewrites the query
    threshold: float = 0.95  # ours: two names as near as this are the same
    triples: Literal["partial", "full"] = "partial"  # "w/ full_triples"
    shortlist: bool = True  # "wo/ shortlisting"
    composed: bool = True  # "wo/ composed_retriever": RRF of sparse and dense instead
    same_as: bool = True  # ours: without synonyms of the join entities
    base: BaseConfig = field(default_factory=BaseConfig)
    BOUNDS: ClassVar[Bounds] = {
        "max_iterations": (1, MOST_ITERATIONS),
        "candidates": (1, MOST_CANDIDATES),
        "hop_k": (1, MOST_K),
        "fusion_constant": (0, MOST_CONSTANT),
        "sure": (0.0, 2.0),
        "threshold": (SYNONYMS_FROM, 1.0),
    }

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True)
class ChainConfig:
    """Chain (ours): links between passages that share a rare mention, and the weights of the terms
    of a score (steps/chain.py).

    The weights were fitted once for all texts (docs/results/chain.md).
    """

    link_rounds: int = 2  # the second starts from the ranking of the first
    starts: int = 10  # passages whose mentions are followed in a round
    most_holders: int = 25  # a mention that more passages hold links none of them
    base_weight: float = 0.75
    alone_weight: float = 7.0
    parts_weight: float = 10.0
    link_weight: float = 0.8
    start_weight: float = 2.0
    cover_weight: float = 5.5
    spread_weight: float = 1.5
    base: BaseConfig = field(default_factory=BaseConfig)
    BOUNDS: ClassVar[Bounds] = {
        "link_rounds": (1, 5),
        "starts": (1, 50),
        "most_holders": (2, 200),
        "base_weight": (0.0, 100.0),
        "alone_weight": (0.0, 100.0),
        "parts_weight": (0.0, 100.0),
        "link_weight": (0.0, 100.0),
        "start_weight": (0.0, 100.0),
        "cover_weight": (0.0, 100.0),
        "spread_weight": (0.0, 100.0),
    }

    def __post_init__(self) -> None:
        _check(self)

    @property
    def weights(self) -> tuple[float, ...]:
        """Of the terms, in their order."""
        return (
            self.base_weight,
            self.alone_weight,
            self.parts_weight,
            self.link_weight,
            self.start_weight,
            self.cover_weight,
            self.spread_weight,
        )


@dataclass(frozen=True, slots=True)
class ThoughtConfig:
    """IRCoT, GCoT, ToG and IRGS over a single-step method (bdtr.txt App. A.6)."""

    max_iterations: int = ours(4, paper=2)  # as GEAR's, BDTR §4.1 has 2; counting retrievals
    pool_k: int = 10  # ours: passages that each query brings into the pool
    first_k: int = ours(0, paper=0)  # the question itself brings, where it is more than pool_k
    later_power: float = ours(1.0, paper=1.0)  # what min-max scores of later queries are raised to
    prompt_k: int = 10  # ours: passages of the pool that the reader sees
    unsure_weight: float = ours(0.5, paper=1.0)  # of a query that rests on no sure fact
    base: Any = field(default_factory=BaseConfig)
    BOUNDS: ClassVar[Bounds] = {
        "max_iterations": (1, MOST_ITERATIONS),
        "pool_k": (1, MOST_K),
        "first_k": (0, MOST_K),
        "later_power": (0.1, 10.0),
        "prompt_k": (1, MOST_K),
        "unsure_weight": (0.0, 1.0),
    }

    def __post_init__(self) -> None:
        _check(self)


@dataclass(frozen=True, slots=True)
class BdtrConfig:
    """BDTR (bdtr.txt §3, App. A.3) and its ablations DTR and BGEC (Table 5)."""

    rounds: int = 2  # ours, R: rounds after the first retrieval
    thoughts: Literal["dual", "single"] = "dual"  # single: one IRCoT query a round, as BGEC alone
    calibrate: bool = True  # False: DTR alone, without chain, verifier and promotion
    verify_k: int = 30  # Fig. 9: passages the verifier sees
    cut_k: int = 50  # Eq. 6: passages whose scores give μ and σ
    least: int = 5  # Eq. 6: passages handed on in any case
    pool_k: int = 10  # ours: passages that each query brings into the pool
    first_k: int = ours(0, paper=0)  # the question itself brings, where it is more than pool_k
    later_power: float = ours(1.0, paper=1.0)  # what min-max scores of later queries are raised to
    prompt_k: int = 10  # ours: passages of the pool that the reader sees
    unsure_weight: float = ours(0.5, paper=1.0)  # of a query that rests on no sure fact
    base: Any = field(default_factory=BaseConfig)
    BOUNDS: ClassVar[Bounds] = {
        "rounds": (1, MOST_ITERATIONS),
        "verify_k": (1, MOST_K),
        "cut_k": (1, MOST_K),
        "least": (1, MOST_K),
        "pool_k": (1, MOST_K),
        "first_k": (0, MOST_K),
        "later_power": (0.1, 10.0),
        "prompt_k": (1, MOST_K),
        "unsure_weight": (0.0, 1.0),
    }

    def __post_init__(self) -> None:
        _check(self)

    @property
    def pool_size(self) -> int:
        """The passages of the pool at most, all of which its cut can keep."""
        later = self.rounds * (2 if self.thoughts == "dual" else 1)
        return max(self.pool_k, self.first_k) + later * self.pool_k


def _check(config: Any) -> None:  # noqa: ANN401
    for name, (low, high) in config.BOUNDS.items():
        value = getattr(config, name)
        if not low <= value <= high:  # a NaN is not between anything
            raise BadInput(f"{name} must be at least {low} and at most {high}, not {value}")
