"""What settings do, over the configurations that an evaluation has: the mean effect of each value,
a grid of two settings, and beams with and without diversity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from gear_app import retrievers
from gear_app.analysis.metrics import Interval
from gear_app.config import ENCODER
from gear_app.evaluate.comparison import DIGITS, mean_interval
from gear_app.evaluate.definition import encoder_of, variant, with_paper
from gear_app.evaluate.evaluation import Evaluation
from gear_app.evaluate.run_files import is_brought
from gear_app.evaluate.significance import p_value
from gear_app.overrides import full_name, settings
from gear_app.retrievers import METHODS

DIVERSITY, OFF = "gamma", "none"
ALONE = "alone"  # the row of what others stand over


class Effect(NamedTuple):
    """The mean of a measure over all configurations with this value of a setting."""

    setting: str
    value: str
    mean: float
    configurations: int


class SettingGrid(NamedTuple):
    """The configurations of one method by two settings (GEAR Table 9): their names, their values in
    the order they come, and the words of the configuration with each pair.
    """

    method: str
    names: tuple[str, str]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    words: Mapping[tuple[str, str], str]


class DiversityPair(NamedTuple):
    """A method with and without weights for diversity (GEAR Table 4): the words of both, and by
    cut-off the mean recall with and without, the mean difference of the questions that both have,
    and the p-value of the paired test, not corrected, none where runs of either failed;
    `all_recall` is the share of questions with all their gold.
    """

    on: str
    off: str
    recall: Mapping[int, tuple[float, float]]
    difference: Mapping[int, Interval]
    p: Mapping[int, float]
    all_recall: Mapping[int, tuple[float, float]]


def effects(evaluation: Evaluation, metric: str) -> list[Effect]:
    """The mean effect of every setting that the methods have with several values."""
    found = []
    for (setting, value), configurations in with_values(evaluation).items():
        values = [evaluation.values(words, metric) for words in configurations]
        means = [fmean(one.values()) for one in values if one]
        found += [Effect(setting, value, fmean(means), len(means))] if means else []
    several = [one.setting for one in found]
    return [one for one in found if several.count(one.setting) > 1]


def with_values(evaluation: Evaluation) -> dict[tuple[str, str], list[str]]:
    """The configurations with each value of every setting that some of them name, the method's own
    value included: beside `gear width=5`, `gear` has width 10. Only methods of which several values
    are there, so that a value's mean is not another method's. `width` and `beam.width` are one.
    """
    known = {words: _by_short_name(words) for words in _own(evaluation)}
    named = dict.fromkeys(name for words in known for name in _named(words))
    found: dict[tuple[str, str], list[str]] = {}
    for setting in named:
        having = {words: own[setting] for words, own in known.items() if setting in own}
        values: dict[str, set[str]] = {}
        for words, value in having.items():
            values.setdefault(variant(words).method, set()).add(value)
        for words, value in having.items():
            if len(values[variant(words).method]) > 1:
                found.setdefault((setting, value), []).append(words)
    return found


def _by_short_name(words: str) -> dict[str, str]:
    """All settings of a configuration, each by the last part of its name where that is unique."""
    whole = {**settings(variant(words).config), ENCODER: "the workspace's own"} | encoder_of(words)
    return {_short(name, whole): str(value) for name, value in whole.items()}


def _named(words: str) -> list[str]:
    """The settings that a configuration's words name."""
    found = variant(words)
    whole = settings(found.config)
    return [_short(full_name(found.config, name), whole) for name in found.settings]


def _short(name: str, whole: Mapping[str, Any]) -> str:
    last = name.rpartition(".")[2]
    alike = sum(one.rpartition(".")[2] == last for one in whole)
    return last if alike == 1 else name


def grids(evaluation: Evaluation) -> list[SettingGrid]:
    """A grid for each method of which every combination of values of exactly two settings is there,
    and several values of both.
    """
    methods: dict[str, dict[tuple[tuple[str, str], ...], str]] = {}
    for words in _own(evaluation):
        found = variant(words)
        method = with_paper(found.method) if found.as_paper else found.method
        methods.setdefault(method, {})[tuple(found.settings.items())] = words
    made = []
    for method, configurations in methods.items():
        pairs = {pair: words for pair, words in configurations.items() if len(pair) == 2}
        names = {tuple(name for name, _ in pair) for pair in pairs}
        rows, columns = (tuple(dict.fromkeys(pair[place][1] for pair in pairs)) for place in (0, 1))
        words_of = {(pair[0][1], pair[1][1]): words for pair, words in pairs.items()}
        whole = len(words_of) == len(rows) * len(columns)
        if len(names) == 1 and whole and len(rows) > 1 and len(columns) > 1:
            first, second = names.pop()
            made.append(SettingGrid(method, (first, second), rows, columns, words_of))
    return made


def backbones(evaluation: Evaluation) -> SettingGrid | None:
    """Iterative methods by what they stand over (BDTR Table 1), and each of these alone; None where
    there are no two of these under one method.
    """
    plain = {
        retrievers.parse(found.method): words
        for words in _own(evaluation)
        if not (found := variant(words)).settings and not found.as_paper
    }
    over = {pair: words for pair, words in plain.items() if METHODS[pair[0]].over == "step"}
    bases = tuple(dict.fromkeys(base for _, base in over))
    if len(bases) < 2:
        return None
    names = {retrievers.parse(base): base for base in bases}
    alone = {(ALONE, names[pair]): words for pair, words in plain.items() if pair in names}
    rows = (*([ALONE] if alone else []), *dict.fromkeys(method for method, _ in over))
    return SettingGrid("", ("", "over"), rows, bases, {**alone, **over})


def diversity(evaluation: Evaluation) -> list[DiversityPair]:
    """Every configuration without diversity beside that with it, all other settings alike."""
    known = {words: _without(words) for words in _own(evaluation)}
    pairs = []
    for off, (rest, gamma) in known.items():
        if gamma == OFF:
            others = [words for words, one in known.items() if one[0] == rest and one[1] != OFF]
            pairs += [_pair(evaluation, on, off) for on in others]
    return [pair for pair in pairs if pair.recall]


def lacks_diversity(evaluation: Evaluation) -> str:
    """What to add to see what diversity does: the first configuration with beams as it is without;
    "" where there is none, or a pair is there.
    """
    beams = [words for words in _own(evaluation) if _without(words)[1] not in ("", OFF)]
    if not beams or diversity(evaluation):
        return ""
    return f"{beams[0]} {DIVERSITY}={OFF}"


def _own(evaluation: Evaluation) -> Sequence[str]:
    return [words for words in evaluation.methods if not is_brought(words)]


def _without(words: str) -> tuple[Mapping[str, Any], str]:
    """All settings of a configuration but diversity, its method among them, and its diversity; ""
    where it has no beams.
    """
    found = variant(words)
    whole = {name: str(value) for name, value in settings(found.config).items()}
    gamma = [name for name in whole if name.rpartition(".")[2] == DIVERSITY]
    own = whole.pop(gamma[0]) if gamma else ""
    return {"method": found.method, **whole}, own


def _pair(evaluation: Evaluation, on: str, off: str) -> DiversityPair:
    recall, difference, p, whole = {}, {}, {}, {}
    for k in evaluation.ks:
        mine, its = (evaluation.values(words, f"recall@{k}") for words in (on, off))
        common = [id_ for id_ in mine if id_ in its]
        if common:
            with_, without = [mine[id_] for id_ in common], [its[id_] for id_ in common]
            recall[k] = fmean(with_), fmean(without)
            difference[k] = mean_interval([a - b for a, b in zip(with_, without, strict=True)])
            if not evaluation.failed_of(on) and not evaluation.failed_of(off):
                p[k] = round(p_value(with_, without), DIGITS)
            complete, without_ = (evaluation.values(words, f"all@{k}") for words in (on, off))
            whole[k] = (
                fmean(complete[id_] for id_ in common),
                fmean(without_[id_] for id_ in common),
            )
    return DiversityPair(on, off, recall, difference, p, whole)


def to_json(evaluation: Evaluation) -> dict[str, Any]:
    """All of it, as `eval --json` prints it: effects at the first cut-off and at each."""
    by_k = {
        str(k): [one._asdict() for one in effects(evaluation, f"recall@{k}")] for k in evaluation.ks
    }
    return {
        "effects": by_k[str(evaluation.ks[0])],
        "effects_at": by_k,
        "diversity": [
            {
                "on": one.on,
                "off": one.off,
                "recall": {
                    k: {
                        "on": on,
                        "off": off,
                        "difference": one.difference[k].value,
                        "p": one.p.get(k),
                    }
                    for k, (on, off) in one.recall.items()
                },
                "all_recall": {
                    k: {"on": on, "off": off} for k, (on, off) in one.all_recall.items()
                },
            }
            for one in diversity(evaluation)
        ],
    }
