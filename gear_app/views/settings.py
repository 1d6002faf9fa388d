"""A method's settings as a form and in words, for every field of its configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal, NamedTuple

from gear_app.config import BaseConfig
from gear_app.errors import GearError
from gear_app.overrides import bounds, choices, settings
from gear_app.retrievers import BASE_SETTINGS, METHODS, as_paper, config_for, is_as_paper
from gear_app.views.labels import PAPER, base_name_capital, method_name
from gear_app.views.markup import Html, tag

LABELS: Mapping[str, tuple[str, str]] = {
    "max_iterations": ("Iterations at most", "Counting retrievals"),
    "round_k": ("Passages a round", "What the base retriever finds each iteration"),
    "link_k": ("Passages a gist triple", "So many each triple of the gist memory is linked to"),
    "fusion": (
        "Final fusion",
        "rrf is the paper's Eq. 9; interleaved: the gist memory and the iterations take turns;"
        " gist_first: the passages that gist triples come from, then Eq. 9",
    ),
    "wait_for_memory": (
        "Later rounds wait for a fact",
        "They count in the final ranking once something is remembered; off: always, as in the"
        " paper",
    ),
    "fusion_constant": (
        "RRF constant of the final fusion",
        "A rank counts 1 / (constant + rank): the smaller, the more a first place counts",
    ),
    "depth": ("Depth of both lists", "So many of BM25's and of dense's are fused"),
    "constant": ("RRF constant", "Of hybrid and Eq. 3; a rank counts 1 / (constant + rank)"),
    "dense_share": (
        "Share of dense",
        "In weighted hybrid, from which chain starts; BM25 has the rest",
    ),
    "width": ("Width b", "Beams that go on after each step"),
    "length": ("Length l", "Triples in a beam"),
    "gamma": ("Diversity γ", "A whole number, auto (2 × width) or none"),
    "neighbours": ("Neighbours", "Looked at for each beam"),
    "scoring": ("Scoring", "exact encodes every candidate, as the paper"),
    "screen": ("Candidates encoded", "A step, where scoring is screened"),
    "restart": ("Restart probability", "Of the walk, at each step"),
    "threshold": ("Synonyms from cosine τ", "Two names as near as this count as synonyms"),
    "chance": ("More than by chance", "Off: whatever the walk touches is ranked, as in the paper"),
    "specificity": ("Node specificity", "Off: every entity of the question weighs the same"),
    "synonymy": ("Synonymy edges", "Off: the walk crosses triples only"),
    "spread": ("Spread", "pagerank walks; seeds and neighbours are the paper's ablations"),
    "ensemble": ("Ensemble", "uncertainty: averaged with dense where an entity is linked unsurely"),
    "certain": ("Sure from cosine θ", "Below it a link is unsure; for the ensemble"),
    "candidates": ("Candidates c", "Dense ranks the k × c passages that BM25 ranks first"),
    "hop_k": ("Passages a later hop", "So many enter the final fusion"),
    "sure": ("Sure from score", "A match below it rewrites nothing"),
    "triples": ("Triples matched", "partial leaves one side out, as the paper; full does not"),
    "shortlist": ("Shortlist", "Off: all triples of the passages found are matched"),
    "composed": ("Composed retrieval", "Off: BM25 and dense are fused by rank instead"),
    "same_as": ("Synonyms of join entities", "Off: only the entity's own name joins"),
    "pool_k": ("Passages a query", "So many of each query's enter the pool"),
    "first_k": ("Passages of the question", "So many it brings itself, if more than a query does"),
    "later_power": (
        "Power of later queries",
        "Their scores from 0 to 1 are raised to it: above 1 only their first hits count",
    ),
    "prompt_k": ("Passages read", "So many of the pool the reader sees"),
    "unsure_weight": (
        "An unsure query counts",
        "It rests on no sure fact. 1: whole, as in the paper",
    ),
    "rounds": ("Rounds R", "After the first retrieval"),
    "chain.rounds": ("Rounds of links", "Each starts from the ranking of the one before it"),
    "starts": ("Passages started from", "Their mentions are followed to others, each round"),
    "most_holders": ("Holders at most", "A mention that more passages hold links none of them"),
    "base_weight": ("Weight of base", "Of the rank before any link"),
    "alone_weight": ("Weight of alone", "For a passage that no link reaches, in place of a link's"),
    "parts_weight": ("Weight of parts", "Of how near parts of the query a link's sentences are"),
    "start_weight": ("Weight of start", "Of what a link's first sentence covers of the query"),
    "link_weight": ("Weight of link", "Of how few passages hold what a link goes by"),
    "cover_weight": ("Weight of cover", "Of what a link's second sentence adds of the query"),
    "spread_weight": ("Weight of spread", "Of what a walk over shared mentions brings"),
    "thoughts": ("Thoughts a round", "dual: a fast and a slow one; single: one, as IRCoT"),
    "calibrate": ("Calibrate", "Off: no chain, no verifier, no promotion"),
    "verify_k": ("Passages verified", "So many of the pool the verifier sees"),
    "cut_k": ("Scores for the cut", "So many give its mean and deviation"),
    "least": ("Handed on at least", "Passages given to answering in any case"),
}


def label_and_help(name: str, method: str) -> tuple[str, str]:
    """A setting's label and what it means; one that has none here goes by its own name.

    Of a method whose setting means something else than that of others, its own.
    """
    last = name.split(".")[-1]
    usual = LABELS.get(last, (last.replace("_", " ").capitalize(), ""))
    owners, _ = _owner(method, name)
    return LABELS.get(f"{owners[-1]}.{last}", usual)


def words(name: str, value: object, method: str) -> str:
    """A setting of a method, by full name, and its value: "Width b 5"."""
    return f"{label_and_help(name, method)[0]} {value_words(value)}"


def told(method: str, config: Mapping[str, Any], names: Sequence[str]) -> list[str]:
    """The named settings of a whole configuration in words, each on its own: what makes a method
    that of its paper is told as one, before the others.
    """
    paper = as_paper(method) if names and is_as_paper(method, config) else {}
    others = [words(name, config[name], method) for name in names if name not in paper]
    return [*([PAPER] if paper else []), *others]


def paper_words(method: str) -> str:
    """What a method as in its paper has in the place of its defaults, in a sentence or two."""
    changes, names = as_paper(method), method.split(":")
    ours = [name for name in names if METHODS[name].ours]
    if not changes:
        whose = f"{base_name_capital(names[0])} is ours: no paper describes it."
        return whose if ours else "Its settings are those of the paper as they are."
    sentence = f"{', '.join(words(name, changes[name], method) for name in changes)}."
    stays = "".join(
        f" {base_name_capital(name)} below it is ours and stays as it is." for name in ours
    )
    return f"{sentence}{stays}"


def value_words(value: object) -> str:
    """A value in words."""
    return {"True": "on", "False": "off"}.get(str(value), str(value))


PARTS = {"beam": "beam search", "base": "base and fusion"}

Kind = Literal["switch", "choice", "whole", "number", "words"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One field of a form.

    `group` is the part of the method it belongs to; `low` and `high` None: no bound.
    """

    name: str
    group: str
    label: str
    help: str
    kind: Kind
    default: Any
    choices: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


class SettingValue(NamedTuple):
    """A setting of a run beside the method's default."""

    setting: Setting
    value: Any

    @property
    def differs(self) -> bool:
        """Whether the run was not made with the default."""
        return str(self.value) != str(self.setting.default)


def form(method: str) -> list[Setting]:
    """Every setting of a method and of what it is over, in order.

    Those of BM25 and dense, which need none, are not.
    """
    config = config_for(method)
    options, limits = choices(config), bounds(config)
    return [
        _setting(
            name,
            _group(method, name),
            label_and_help(name, method),
            default,
            options.get(name, ()),
            limits.get(name, (None, None)),
        )
        for name, default in settings(config).items()
        if not _unused(method, name)
    ]


def groups(found: Sequence[Setting]) -> list[tuple[str, list[Setting]]]:
    """The settings under the part each belongs to, in order."""
    return [
        (name, list(there)) for name, there in groupby(found, key=lambda setting: setting.group)
    ]


def heading(group: str) -> Html:
    """The part that the settings below it belong to."""
    return tag("div", group, class_="gear-part")


def of_run(method: str, config: Mapping[str, Any]) -> list[SettingValue]:
    """A run's settings beside the defaults of today.

    Those that the method no longer has are left out. Of a method that is not known any more, all
    settings, none of them changed.
    """
    try:
        known = form(method)
    except GearError:
        known = [
            _setting(name, method, label_and_help(name, method), value, (), (None, None))
            for name, value in config.items()
        ]
    return [SettingValue(one, config[one.name]) for one in known if one.name in config]


def changed_words(method: str, config: Mapping[str, Any]) -> str:
    """What a run was set to other than by default, in one line; "" for nothing."""
    names = [one.setting.name for one in of_run(method, config) if one.differs]
    return ", ".join(told(method, config, names))


def in_words(error: str, method: str) -> str:
    """What is wrong with a setting, with its label in the place of its name."""
    name, _, rest = error.partition(" ")
    found = [one.label for one in form(method) if f".{one.name}".endswith(f".{name}")]
    return f"{found[0]} {rest}" if len(found) == 1 else error


def rows(method: str, config: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A run's settings as a table."""
    return [
        {
            "part": one.setting.group,
            "setting": one.setting.label,
            "value": value_words(one.value),
            "default": value_words(one.setting.default),
            "changed": "changed" if one.differs else "",
            "meaning": one.setting.help,
        }
        for one in of_run(method, config)
    ]


def _setting(
    name: str,
    group: str,
    label_and_help_: tuple[str, str],
    default: Any,  # noqa: ANN401
    options: tuple[str, ...],
    limits: tuple[float | None, float | None],
) -> Setting:
    return Setting(
        name, group, *label_and_help_, _kind(default, options), default, options, *limits
    )


def _kind(default: object, options: tuple[str, ...]) -> Kind:
    if isinstance(default, bool):
        return "switch"
    if options:
        return "choice"
    if isinstance(default, int):
        return "whole"
    return "number" if isinstance(default, float) else "words"


def _group(method: str, name: str) -> str:
    """The part a setting belongs to: "IRCoT", "SyncGE, beam search", "Hybrid"."""
    owners, part = _owner(method, name)
    title = method_name(owners[-1]) if len(owners) == 1 else base_name_capital(owners[-1])
    return f"{title}, {PARTS.get(part, part)}" if part else title


def _unused(method: str, name: str) -> bool:
    """Every base retriever has the settings of all; methods over one fuse by the constant."""
    last = name.rpartition(".")[2]
    if last not in settings(BaseConfig()):
        return False
    owners, _ = _owner(method, name)
    base = next(iter(method.split(":")[len(owners) :]), "hybrid")
    return last not in BASE_SETTINGS.get(owners[-1], ("constant", *BASE_SETTINGS[base]))


def _owner(method: str, name: str) -> tuple[list[str], str]:
    """The methods from the first to the one a setting belongs to, and the part of that one."""
    names, part = method.split(":"), ""
    owners = names[:1]
    for step in name.split(".")[:-1]:
        if step == "base" and owners[-1] in METHODS and METHODS[owners[-1]].over == "step":
            owners, part = [*owners, *(names[len(owners) :] or ["hybrid"])[:1]], ""
        else:
            part = step
    return owners, part
