"""A frozen dataclass for each method. A setting is declared once: its default, its name, what
it means, its bounds, and the stops of its dial; forms, dials, checks and the command line read it
here. gear_app/overrides.py reads and sets the fields by name.

Defaults are the paper's where it states one (gear.txt, App. B.2). Where a default is another, the
field says what the paper has in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, NamedTuple, TypeVar

from gear_app.errors import BadInput

T = TypeVar("T")
# Far above what any paper has, and below what keeps a machine busy for hours.
MOST_K = 10_000  # passages of a list; neighbours of a beam
MOST_ITERATIONS = 50
MOST_WIDTH, MOST_LENGTH = 1_000, 10
MOST_CANDIDATES = 100
MOST_CONSTANT = 1_000_000
SYNONYMS_FROM = 0.8  # HippoRAG §3.4: names less near than this are not stored as synonyms
FUSION_CONSTANTS = (0, 1, 3, 10, 60)  # of a reciprocal rank fusion, from first places to long lists
_INFO, PAPER = "info", "paper"  # in a field's metadata
_SAME = object()
ENCODER = "embedder"  # a setting of every method, of none's own configuration
MODELS, NO_MODEL = (ENCODER, "cross_encoder", "weights"), ("", "none")  # settings that name one


class SettingInfo(NamedTuple):
    """What a setting is called, what it means, and what it can be.

    Attributes:
        label: on screen
        help: its meaning in a sentence
        within: its least and its greatest value; None for words and switches
        stops: the values of its dial; none: it has no dial
    """

    label: str
    help: str
    within: tuple[float, float] | None = None
    stops: tuple[float, ...] = ()


ENCODER_INFO = SettingInfo(
    "Encoder",
    "The model whose vectors tell what is near in meaning, as GEAR_EMBEDDER names one; empty: the"
    " workspace's own",
)


def setting(
    default: T,
    label: str,
    help_: str,
    within: tuple[float, float] | None = None,
    stops: tuple[float, ...] = (),
    *,
    paper: object = _SAME,
) -> T:
    """A field of a configuration. `paper`: the value that the method has in its paper, where the
    default is ours, which `retrievers.as_paper` sets. Where a paper states no number it is that of
    what it cites.
    """
    metadata: dict[str, Any] = {_INFO: SettingInfo(label, help_, within, stops)}
    if paper is not _SAME:
        metadata[PAPER] = paper
    value: T = field(default=default, metadata=metadata)
    return value


def setting_infos(config: Any) -> dict[str, SettingInfo]:  # noqa: ANN401
    """What is declared of the settings of a config and of its parts, by full name."""
    infos: dict[str, SettingInfo] = {}
    for item in fields(config):
        value = getattr(config, item.name)
        if is_dataclass(value):
            infos |= {f"{item.name}.{name}": info for name, info in setting_infos(value).items()}
        elif _INFO in item.metadata:
            infos[item.name] = item.metadata[_INFO]
    return infos


def paper_values(config: Any) -> dict[str, Any]:  # noqa: ANN401
    """What the papers have in the place of a config's own values, by full name: of the settings
    that say so and stand otherwise here.
    """
    values: dict[str, Any] = {}
    for item in fields(config):
        value = getattr(config, item.name)
        if is_dataclass(value):
            values |= {f"{item.name}.{name}": paper for name, paper in paper_values(value).items()}
        elif item.metadata.get(PAPER, value) != value:
            values[item.name] = item.metadata[PAPER]
    return values


class Config:
    """A configuration whose settings are within their bounds."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for item in fields(self):  # type: ignore[arg-type]  # every configuration is a dataclass
            value, info = getattr(self, item.name), item.metadata.get(_INFO)
            if info is None or info.within is None:
                continue
            low, high = info.within
            if not low <= value <= high:  # a NaN is not between anything
                raise BadInput(
                    f"{item.name} must be at least {low} and at most {high}, not {value}"
                )


# Of several methods.
_ITERATIONS = SettingInfo(
    "Iterations at most", "Counting retrievals", (1, MOST_ITERATIONS), (1, 2, 4, 6)
)
_FUSION_CONSTANT = SettingInfo(
    "RRF constant of the final fusion",
    "A rank counts 1 / (constant + rank): the smaller, the more a first place counts",
    (0, MOST_CONSTANT),
    FUSION_CONSTANTS,
)
_THRESHOLD = SettingInfo(
    "Synonyms from cosine τ",
    "Two names as near as this count as synonyms",
    (SYNONYMS_FROM, 1.0),
)
_RESTART = SettingInfo(
    "Restart probability", "Of the walk, at each step", (0.01, 0.99), (0.1, 0.3, 0.5, 0.7, 0.9)
)
_POOL_K = SettingInfo("Passages a query", "So many of each query's enter the pool", (1, MOST_K))
_FIRST_K = SettingInfo(
    "Passages of the question",
    "So many it brings itself, if more than a query does",
    (0, MOST_K),
)
_LATER_POWER = SettingInfo(
    "Power of later queries",
    "Their scores from 0 to 1 are raised to it: above 1 only their first hits count",
    (0.1, 10.0),
)
_PROMPT_K = SettingInfo("Passages read", "So many of the pool the reader sees", (1, MOST_K))
_UNSURE_WEIGHT = SettingInfo(
    "An unsure query counts",
    "It rests on no sure fact. 1: whole, as in the paper",
    (0.0, 1.0),
)


@dataclass(frozen=True, slots=True)
class BaseConfig(Config):
    """A base retriever: bm25 and dense need none of it, hybrid and weighted fuse `depth` of
    each.
    """

    # ours: both fuse the top 100 of each list
    depth: int = setting(
        100, "Depth of both lists", "So many of BM25's and of dense's are fused", (1, MOST_K)
    )
    # ours: Cormack et al. 2009; the paper states none
    constant: int = setting(
        60,
        "RRF constant",
        "Of hybrid and Eq. 3; a rank counts 1 / (constant + rank)",
        (0, MOST_CONSTANT),
        (1, 10, 60, 200),
    )
    # ours: what dense counts in weighted; BM25 counts the rest
    dense_share: float = setting(
        0.6,
        "Share of dense",
        "In weighted hybrid, from which chain starts; BM25 has the rest",
        (0.0, 1.0),
        (0.0, 0.3, 0.6, 0.8, 1.0),
    )


@dataclass(frozen=True, slots=True)
class BeamConfig(Config):
    """Diverse triple beam search (GEAR Alg. 1, App. B.2)."""

    # b
    width: int = setting(
        10, "Width b", "Beams that go on after each step", (1, MOST_WIDTH), (1, 2, 5, 10, 20)
    )
    # l
    length: int = setting(2, "Length l", "Triples in a beam", (1, MOST_LENGTH), (1, 2, 3, 4))
    # auto = 2 * width; none switches the weighting off (Table 4)
    gamma: int | Literal["auto", "none"] = setting(
        "auto", "Diversity γ", "A whole number, auto (2 × width) or none"
    )
    neighbours: int = setting(
        100, "Neighbours", "Looked at for each beam", (1, MOST_K), (5, 20, 50, 100, 200)
    )
    scoring: Literal["screened", "exact"] = setting(
        "screened", "Scoring", "exact encodes every candidate, as the paper", paper="exact"
    )
    screen: int = setting(
        32, "Candidates encoded", "A step, where scoring is screened", (1, MOST_K)
    )

    def __post_init__(self) -> None:
        Config.__post_init__(self)
        if isinstance(self.gamma, int) and self.gamma < 1:
            raise BadInput(f"gamma must be at least 1, 'auto' or 'none', not {self.gamma}")

    @property
    def penalty(self) -> int | None:
        """Alg. 1's γ as a number, or None when the weighting is off."""
        if self.gamma == "none":
            return None
        return 2 * self.width if self.gamma == "auto" else self.gamma


@dataclass(frozen=True, slots=True)
class GraphConfig(Config):
    """NaiveGE and SyncGE: a base retriever, a beam search and the fusion of both (GEAR Eq. 3)."""

    base: BaseConfig = field(default_factory=BaseConfig)
    beam: BeamConfig = field(default_factory=BeamConfig)


@dataclass(frozen=True, slots=True)
class GearConfig(Config):
    """The agent (GEAR §5)."""

    # App. B.1: 4, and 2 for two-hop sets; a collection can hold its own
    max_iterations: int = setting(4, *_ITERATIONS)
    # App. B.2: passages a round, before synchronisation
    round_k: int = setting(
        10,
        "Passages a round",
        "What the base retriever finds each iteration",
        (1, MOST_K),
        (5, 10, 20),
    )
    # App. B.2: passages each gist triple is linked to (Eq. 8)
    link_k: int = setting(
        10,
        "Passages a gist triple",
        "So many each triple of the gist memory is linked to",
        (1, MOST_K),
    )
    # Eq. 9; the others are ours
    fusion: Literal["rrf", "interleaved", "gist_first"] = setting(
        "rrf",
        "Final fusion",
        "rrf is the paper's Eq. 9; interleaved: the gist memory and the iterations take turns;"
        " gist_first: the passages that gist triples come from, then Eq. 9",
    )
    wait_for_memory: bool = setting(
        True,
        "Later rounds wait for a fact",
        "They count in the final ranking once something is remembered; off: always, as in the"
        " paper",
        paper=False,
    )
    # of Eq. 8 to 10's RRF, whose lists are short
    fusion_constant: int = setting(1, *_FUSION_CONSTANT, paper=60)
    base: BaseConfig = field(default_factory=BaseConfig)
    beam: BeamConfig = field(default_factory=BeamConfig)


@dataclass(frozen=True, slots=True)
class HippoConfig(Config):
    """HippoRAG (hipporag.txt §2.3, §3.4) and the ablations of its Table 5 that concern
    retrieval.
    """

    # §3.4: the probability that the walk restarts from the query nodes
    restart: float = setting(0.5, *_RESTART)
    # §3.4, τ: two names as near as this are synonyms
    threshold: float = setting(0.8, *_THRESHOLD)
    # Table 5, "w/o Node Specificity"
    specificity: bool = setting(
        True, "Node specificity", "Off: every entity of the question weighs the same"
    )
    # Table 5, "w/o Synonymy Edges"
    synonymy: bool = setting(True, "Synonymy edges", "Off: the walk crosses triples only")
    # Table 5, "PPR Alternatives"
    spread: Literal["pagerank", "seeds", "neighbours"] = setting(
        "pagerank", "Spread", "pagerank walks; seeds and neighbours are the paper's ablations"
    )
    chance: bool = setting(
        True,
        "More than by chance",
        "Off: whatever the walk touches is ranked, as in the paper",
        paper=False,
    )
    # App. F.2
    ensemble: Literal["none", "uncertainty"] = setting(
        "none", "Ensemble", "uncertainty: averaged with dense where an entity is linked unsurely"
    )
    # App. F.2, θ: an entity linked less surely than this makes the scores be ensembled
    certain: float = setting(
        0.9, "Sure from cosine θ", "Below it a link is unsure; for the ensemble", (0.0, 1.0)
    )


@dataclass(frozen=True, slots=True)
class Hippo2Config(Config):
    """HippoRAG 2, by its authors' code: no paper of it is among ours."""

    facts: int = setting(
        5,
        "Facts",
        "So many of those nearest to the question are looked at",
        (1, 100),
        (1, 3, 5, 10),
    )
    # recognition memory; nobody asked: all of them start the walk
    filter: Literal["reader", "none"] = setting(
        "reader", "Filter", "reader leaves out facts that do not help; none keeps all"
    )
    phrases: int = setting(
        5, "Entities", "So many of the facts' entities start the walk", (1, 100), (1, 3, 5, 10)
    )
    passage_share: float = setting(
        0.05,
        "Weight of passages",
        "Of nearness in meaning, as the walk starts from all passages too",
        (0.0, 10.0),
        (0.0, 0.05, 0.5),
    )
    restart: float = setting(0.5, *_RESTART)
    threshold: float = setting(0.8, *_THRESHOLD)
    synonymy: bool = setting(True, "Synonymy edges", "Off: the walk crosses triples only")


@dataclass(frozen=True, slots=True)
class CommunitiesConfig(Config):
    """GraphRAG's local search, by its authors' code; `reports` is ours, there a limit of tokens."""

    entities: int = setting(
        10, "Entities", "So many of those nearest to the question", (1, 100), (1, 3, 5, 10, 20)
    )
    level: int = setting(
        2, "Level", "So often communities of more than 10 entities are cut again", (0, 5), (0, 1, 2)
    )
    reports: int = setting(
        3, "Reports", "On so many communities, those with most of the entities", (0, 20), (0, 1, 3)
    )


@dataclass(frozen=True, slots=True)
class LinearConfig(Config):
    """LinearRAG, by its authors' code (defaults of its command line)."""

    bridges: int = setting(
        2,
        "Rounds of bridging",
        "So often sentences lead from names to other names",
        (1, 10),
        (1, 2, 4),
    )
    sentences: int = setting(
        1,
        "Sentences a name",
        "The nearest to the question that a name leads on by",
        (1, 50),
        (1, 4),
    )
    # ours: cosines of the bundled model are lower; of 0.1 to 0.5 the best on two train sets
    delta: float = setting(
        0.3,
        "Least activation δ",
        "A name below it is not gone to",
        (0.0, 1.0),
        (0.1, 0.3, 0.5),
        paper=0.5,
    )
    nearness: float = setting(
        1.5, "Weight of nearness λ", "Of a passage's own nearness to the question", (0.0, 10.0)
    )
    passage_share: float = setting(
        0.05, "Weight of passages", "As the walk starts from passages too", (0.0, 10.0)
    )
    restart: float = setting(0.5, *_RESTART)


@dataclass(frozen=True, slots=True)
class GfmConfig(Config):
    """GFM-RAG, by its authors' code: no paper of it is among ours."""

    weights: str = setting(
        "none", "Weights", "The trained network, by name or folder; none: nothing can be asked"
    )
    voters: int = setting(
        20, "Voters", "So many entities that score best vote for passages", (1, 1_000), (5, 20, 50)
    )
    threshold: float = setting(0.8, *_THRESHOLD)
    synonymy: bool = setting(True, "Synonymy edges", "Off: messages go along triples only")


_CANDIDATES = SettingInfo(
    "Candidates c", "Dense ranks the k × c passages that BM25 ranks first", (1, MOST_CANDIDATES)
)


@dataclass(frozen=True, slots=True)
class ComposedConfig(Config):
    """GRIEVER's conditional hybrid retrieval alone."""

    candidates: int = setting(5, *_CANDIDATES)  # ours, the paper's c


_SUMMARIES = SettingInfo(
    "Summaries", "sentences: those nearest to the middle; reader: the reader writes them"
)


@dataclass(frozen=True, slots=True)
class RaptorConfig(Config):
    """RAPTOR, by its authors' code."""

    clusters: int = setting(
        50, "Clusters at most", "Of a layer; how many there are, BIC decides", (1, 200), (5, 20, 50)
    )
    layers: int = setting(5, "Layers at most", "Of summaries above the passages", (1, 10), (1, 5))
    # ours: a small collection has a tree as well
    smallest: int = setting(
        4, "Least layer", "One with fewer texts is not clustered", (3, 1_000), (4, 12), paper=12
    )
    membership: float = setting(
        0.1,
        "Membership from",
        "A text is in each cluster that it belongs to with this probability",
        (0.01, 1.0),
        (0.1, 0.5),
    )
    # ours: sentences ask nobody
    summaries: Literal["sentences", "reader"] = setting("sentences", *_SUMMARIES, paper="reader")


@dataclass(frozen=True, slots=True)
class RerankConfig(Config):
    """A reranker over a single-step method."""

    judged: int = setting(
        20, "Passages judged", "The first of the method below", (1, 1_000), (5, 10, 20, 50, 100)
    )
    cross_encoder: str = setting(
        "none",
        "Cross-encoder",
        "A model of sentence-transformers, by name or folder; none: late interaction, as colbert",
    )
    base: Any = field(default_factory=BaseConfig)


@dataclass(frozen=True, slots=True)
class GrieverConfig(Config):
    """GRIEVER (griever.txt) and the ablations of its last table."""

    max_iterations: int = setting(4, *_ITERATIONS)  # ours: hops
    # ours, the paper's c: dense ranks the sparse retriever's top k * c
    candidates: int = setting(5, *_CANDIDATES)
    # ours: passages that a later hop brings into the final fusion
    hop_k: int = setting(10, "Passages a later hop", "So many enter the final fusion", (1, MOST_K))
    # of the RRF over hops, whose lists are short
    fusion_constant: int = setting(3, *_FUSION_CONSTANT, paper=60)
    # ours: the score from which a match rewrites the query
    sure: float = setting(1.0, "Sure from score", "A match below it rewrites nothing", (0.0, 2.0))
    # ours: two names as near as this are the same
    threshold: float = setting(0.95, *_THRESHOLD)
    # "w/ full_triples"
    triples: Literal["partial", "full"] = setting(
        "partial", "Triples matched", "partial leaves one side out, as the paper; full does not"
    )
    # "wo/ shortlisting"
    shortlist: bool = setting(
        True, "Shortlist", "Off: all triples of the passages found are matched"
    )
    # "wo/ composed_retriever": RRF of sparse and dense instead
    composed: bool = setting(
        True, "Composed retrieval", "Off: BM25 and dense are fused by rank instead"
    )
    # ours: without synonyms of the join entities
    same_as: bool = setting(
        True, "Synonyms of join entities", "Off: only the entity's own name joins"
    )
    base: BaseConfig = field(default_factory=BaseConfig)


def _weight(default: float, term: str, help_: str) -> float:
    return setting(default, f"Weight of {term}", help_, (0.0, 100.0))


@dataclass(frozen=True, slots=True)
class ChainConfig(Config):
    """Chain (ours): links between passages that share a rare mention, and the weights of the terms
    of a score (steps/chain.py).

    The weights were fitted once for all texts (docs/results/README.md).
    """

    link_rounds: int = setting(
        2, "Rounds of links", "Each starts from the ranking of the one before it", (1, 5), (1, 2, 3)
    )
    starts: int = setting(
        10,
        "Passages started from",
        "Their mentions are followed to others, each round",
        (1, 50),
        (3, 5, 10, 20),
    )
    most_holders: int = setting(
        25,
        "Holders at most",
        "A mention that more passages hold links none of them",
        (2, 200),
        (5, 25, 100),
    )
    base_weight: float = _weight(0.75, "base", "Of the rank before any link")
    alone_weight: float = _weight(
        7.0, "alone", "For a passage that no link reaches, in place of a link's"
    )
    parts_weight: float = _weight(
        10.0, "parts", "Of how near parts of the query a link's sentences are"
    )
    link_weight: float = _weight(0.8, "link", "Of how few passages hold what a link goes by")
    start_weight: float = _weight(
        2.0, "start", "Of what a link's first sentence covers of the query"
    )
    cover_weight: float = _weight(
        5.5, "cover", "Of what a link's second sentence adds of the query"
    )
    spread_weight: float = _weight(1.5, "spread", "Of what a walk over shared mentions brings")
    base: BaseConfig = field(default_factory=BaseConfig)

    @property
    def weights(self) -> tuple[float, ...]:
        """Of the terms, in their order."""
        names = (item.name for item in fields(self) if item.name.endswith("_weight"))
        return tuple(getattr(self, name) for name in names)


@dataclass(frozen=True, slots=True)
class ThoughtConfig(Config):
    """IRCoT, GCoT, ToG and IRGS over a single-step method (bdtr.txt App. A.6)."""

    # as GEAR's, BDTR §4.1 has 2; counting retrievals
    max_iterations: int = setting(4, *_ITERATIONS, paper=2)
    pool_k: int = setting(10, *_POOL_K)  # ours: passages that each query brings into the pool
    first_k: int = setting(0, *_FIRST_K, paper=0)
    later_power: float = setting(1.0, *_LATER_POWER, paper=1.0)
    prompt_k: int = setting(10, *_PROMPT_K)  # ours: passages of the pool that the reader sees
    unsure_weight: float = setting(0.5, *_UNSURE_WEIGHT, paper=1.0)
    base: Any = field(default_factory=BaseConfig)


@dataclass(frozen=True, slots=True)
class AgentConfig(Config):
    """An agent's loop over a single-step method, in the form of Search-R1 or Search-o1."""

    # search_o1: a second call reads the documents, and the agent sees only its analysis
    form: Literal["search_r1", "search_o1"] = setting(
        "search_r1", "Form", "search_r1: it reads the documents; search_o1: an analysis of them"
    )
    # Search-o1's searches; Search-R1's script has no limit
    max_iterations: int = setting(10, *_ITERATIONS)
    # Search-R1; Search-o1 has 10
    shown_k: int = setting(
        3,
        "Documents a search",
        "So many of a query's passages are read",
        (1, MOST_K),
        (1, 3, 5, 10),
    )
    pool_k: int = setting(10, *_POOL_K)  # ours, as of the thoughts
    first_k: int = setting(0, *_FIRST_K, paper=0)
    later_power: float = setting(1.0, *_LATER_POWER, paper=1.0)
    base: Any = field(default_factory=BaseConfig)


@dataclass(frozen=True, slots=True)
class BdtrConfig(Config):
    """BDTR (bdtr.txt §3, App. A.3) and its ablations DTR and BGEC (Table 5). Of the pool it has the
    settings of ThoughtConfig.
    """

    # ours, R: rounds after the first retrieval
    rounds: int = setting(2, "Rounds R", "After the first retrieval", (1, MOST_ITERATIONS))
    # single: one IRCoT query a round, as BGEC alone
    thoughts: Literal["dual", "single"] = setting(
        "dual", "Thoughts a round", "dual: a fast and a slow one; single: one, as IRCoT"
    )
    # False: DTR alone, without chain, verifier and promotion
    calibrate: bool = setting(
        True, "Calibrate", "Off: no chain, no verifier, no promotion", stops=(False, True)
    )
    # Fig. 9: passages the verifier sees
    verify_k: int = setting(
        30,
        "Passages verified",
        "So many of the pool the verifier sees",
        (1, MOST_K),
        (5, 10, 30, 50),
    )
    # Eq. 6: passages whose scores give μ and σ
    cut_k: int = setting(
        50, "Scores for the cut", "So many give its mean and deviation", (1, MOST_K)
    )
    # Eq. 6: passages handed on in any case
    least: int = setting(
        5, "Handed on at least", "Passages given to answering in any case", (1, MOST_K)
    )
    pool_k: int = setting(10, *_POOL_K)
    first_k: int = setting(0, *_FIRST_K, paper=0)
    later_power: float = setting(1.0, *_LATER_POWER, paper=1.0)
    prompt_k: int = setting(10, *_PROMPT_K)
    unsure_weight: float = setting(0.5, *_UNSURE_WEIGHT, paper=1.0)
    base: Any = field(default_factory=BaseConfig)

    @property
    def pool_size(self) -> int:
        """The passages of the pool at most, all of which its cut can keep."""
        later = self.rounds * (2 if self.thoughts == "dual" else 1)
        return max(self.pool_k, self.first_k) + later * self.pool_k
