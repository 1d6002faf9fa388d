"""A frozen dataclass for each method. A setting is declared once: its default, its name, what
it means, its bounds, and the stops of its dial; forms, dials, checks and the command line read it
here. gear_app/core/overrides.py reads and sets the fields by name.

Defaults are the paper's where it states one (gear.txt, App. B.2). Where a default is another, the
field says what the paper has in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, NamedTuple, TypeVar

from gear_app.core.errors import BadInput

T = TypeVar("T")
# Far above what any paper has, and below what keeps a machine busy for hours.
MOST_K = 10_000  # passages of a list; neighbours of a beam
MOST_ITERATIONS = 50
MOST_CANDIDATES = 100
MOST_CONSTANT = 1_000_000
SYNONYMS_FROM = 0.8  # HippoRAG §3.4: names less near than this are not stored as synonyms
FUSION_CONSTANTS = (0, 1, 3, 10, 60)  # of a reciprocal rank fusion, from first places to long lists
_INFO, PAPER = "info", "paper"  # in a field's metadata
_UNSET = object()
ENCODER = "embedder"  # a setting of every method, of none's own configuration
MODELS, NO_MODEL = (ENCODER, "cross_encoder", "weights"), ("", "none")  # settings that name one


class SettingInfo(NamedTuple):
    """Label, meaning and bounds of a setting.

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
    bounds: tuple[float, float] | None = None,
    stops: tuple[float, ...] = (),
    *,
    paper: object = _UNSET,
) -> T:
    """A field of a configuration; bounds and stops become numbers of the default's type. `paper`
    is the value in the method's paper, where the default is ours (`retrievers.as_paper` sets it).
    """
    if isinstance(default, float):
        bounds = (float(bounds[0]), float(bounds[1])) if bounds else None
        stops = tuple(map(float, stops))
    metadata: dict[str, Any] = {_INFO: SettingInfo(label, help_, bounds, stops)}
    if paper is not _UNSET:
        metadata[PAPER] = paper
    value: T = field(default=default, metadata=metadata)
    return value


def setting_infos(config: Any) -> dict[str, SettingInfo]:  # noqa: ANN401
    """Declarations of the settings of a config and of its parts, by full name."""
    infos: dict[str, SettingInfo] = {}
    for item in fields(config):
        value = getattr(config, item.name)
        if is_dataclass(value):
            infos |= {f"{item.name}.{name}": info for name, info in setting_infos(value).items()}
        elif _INFO in item.metadata:
            infos[item.name] = item.metadata[_INFO]
    return infos


def paper_values(config: Any) -> dict[str, Any]:  # noqa: ANN401
    """Values of the papers in place of a config's defaults, by full name: of the settings
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
ITERATIONS = SettingInfo(
    "Iterations at most", "Counting retrievals", (1, MOST_ITERATIONS), (1, 2, 4, 6)
)
FUSION_CONSTANT = SettingInfo(
    "RRF constant of the final fusion",
    "A rank counts 1 / (constant + rank): the smaller, the more a first place counts",
    (0, MOST_CONSTANT),
    FUSION_CONSTANTS,
)
THRESHOLD = SettingInfo(
    "Synonyms from cosine τ",
    "Two names as near as this count as synonyms",
    (SYNONYMS_FROM, 1.0),
)
RESTART = SettingInfo(
    "Restart probability", "Of the walk, at each step", (0.01, 0.99), (0.1, 0.3, 0.5, 0.7, 0.9)
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


CANDIDATES = SettingInfo(
    "Candidates c", "Dense ranks the k × c passages that BM25 ranks first", (1, MOST_CANDIDATES)
)


def _weight(default: float, term: str, help_: str) -> float:
    return setting(default, f"Weight of {term}", help_, (0.0, 100.0))


@dataclass(frozen=True, slots=True)
class ChainConfig(Config):
    """Chain (ours): links between passages that share a rare mention, and the weights of the terms
    of a score (index/links.py).

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
        """Names of the terms, in their order."""
        names = (item.name for item in fields(self) if item.name.endswith("_weight"))
        return tuple(getattr(self, name) for name in names)
