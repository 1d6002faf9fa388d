"""Effects of settings over the configurations of an evaluation: the mean for each value, a grid of
two settings, and beams with and without diversity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import pandas as pd

from gear_app import retrievers
from gear_app.config import ENCODER
from gear_app.evaluate.comparison import tested_difference
from gear_app.evaluate.definition import encoder_of, variant, with_paper
from gear_app.evaluate.evaluation import Evaluation, remember
from gear_app.evaluate.run_files import is_file
from gear_app.overrides import full_name, settings
from gear_app.retrievers import METHODS

DIVERSITY, OFF = "gamma", "none"
ALONE = "alone"  # the row of the bases themselves


class SettingGrid(NamedTuple):
    """Configurations of a method by two settings (GEAR Table 9): `table` has the words of each,
    with the values of the first setting as rows and those of the second as columns.
    """

    method: str
    names: tuple[str, str]
    table: pd.DataFrame


def effects(evaluation: Evaluation, metric: str) -> list[dict[str, Any]]:
    """The mean of a measure over all `configurations` with each `value` of every `setting` that
    the methods have with several values.
    """
    result = []
    for (setting, value), methods in with_values(evaluation).items():
        means = evaluation.means(metric)
        measured = [means[words] for words in methods if words in means]
        if measured:
            line = {"setting": setting, "value": value, "mean": fmean(measured)}
            result.append(line | {"configurations": len(measured)})
    several = pd.Series([line["setting"] for line in result]).value_counts()
    return [line for line in result if several[line["setting"]] > 1]


@remember
def with_values(evaluation: Evaluation) -> dict[tuple[str, str], list[str]]:
    """Configurations with each value of every setting that some of them name, defaults included:
    beside `gear width=5`, `gear` has width 10. A method counts only if it is measured with several
    values, so that a value's mean is not another method's. `width` and `beam.width` are the same.
    """
    by_words = {words: _by_short_name(words) for words in _configurations(evaluation)}
    named = dict.fromkeys(name for words in by_words for name in _named(words))
    result: dict[tuple[str, str], list[str]] = {}
    for setting in named:
        values = {words: own[setting] for words, own in by_words.items() if setting in own}
        by_method: dict[str, set[str]] = {}
        for words, value in values.items():
            by_method.setdefault(variant(words).method, set()).add(value)
        for words, value in values.items():
            if len(by_method[variant(words).method]) > 1:
                result.setdefault((setting, value), []).append(words)
    return result


def _by_short_name(words: str) -> dict[str, str]:
    """All settings of a configuration, each by the last part of its name if that is unique."""
    every = {**settings(variant(words).config), ENCODER: "the workspace's own"} | encoder_of(words)
    return {_short(name, every): str(value) for name, value in every.items()}


def _named(words: str) -> list[str]:
    parsed = variant(words)
    every = settings(parsed.config)
    return [_short(full_name(parsed.config, name), every) for name in parsed.settings]


def _short(name: str, every: Mapping[str, Any]) -> str:
    last = name.rpartition(".")[2]
    alike = sum(other.rpartition(".")[2] == last for other in every)
    return last if alike == 1 else name


def grids(evaluation: Evaluation) -> list[SettingGrid]:
    """A grid for each method measured with every combination of several values of exactly two
    settings.
    """
    lines: dict[str, list[tuple[tuple[str, str], str, str, str]]] = {}
    for words in _configurations(evaluation):
        parsed = variant(words)
        if len(parsed.settings) == 2:
            method = with_paper(parsed.method) if parsed.as_paper else parsed.method
            first, second = parsed.settings
            line = (first, second), parsed.settings[first], parsed.settings[second], words
            lines.setdefault(method, []).append(line)
    result = []
    for method, of_method in lines.items():
        names = {line[0] for line in of_method}
        table = _table([line[1:] for line in of_method])
        if len(names) == 1 and min(table.shape) > 1 and table.notna().all(axis=None):
            result.append(SettingGrid(method, names.pop(), table))
    return result


def backbones(evaluation: Evaluation) -> SettingGrid | None:
    """Iterative methods by their base (BDTR Table 1), and each base alone; None without two bases
    of one method.
    """
    plain = {
        retrievers.parse(parsed.method): words
        for words in _configurations(evaluation)
        if not (parsed := variant(words)).settings and not parsed.as_paper
    }
    over = {pair: words for pair, words in plain.items() if METHODS[pair[0]].over == "step"}
    bases = tuple(dict.fromkeys(base for _, base in over))
    if len(bases) < 2:
        return None
    names = {retrievers.parse(base): base for base in bases}
    alone = [(ALONE, names[pair], words) for pair, words in plain.items() if pair in names]
    lines = [*alone, *((method, base, words) for (method, base), words in over.items())]
    return SettingGrid("", ("", "over"), _table(lines).reindex(columns=bases))


def _table(lines: Sequence[tuple[str, str, str]]) -> pd.DataFrame:
    """Words by row and column, in the order they come."""
    rows, columns = (list(dict.fromkeys(line[at] for line in lines)) for at in (0, 1))
    frame = pd.DataFrame(lines, columns=["row", "column", "words"])
    return frame.pivot(index="row", columns="column", values="words").reindex(rows, columns=columns)


@remember
def diversity(evaluation: Evaluation) -> pd.DataFrame:
    """Methods with (`on`) and without (`off`) weights for diversity, all other settings alike (GEAR
    Table 4): a row for every pair and cut-off `k`, with mean `recall_on` and `recall_off`,
    `all_on` and `all_off`, the mean `difference` with its interval, and `p` of the paired test, not
    corrected (None if runs failed), over the questions that both have.
    """
    rest = {words: _without_diversity(words) for words in _configurations(evaluation)}
    pairs = [
        (on, off)
        for off in rest
        for on in rest
        if rest[off][1] == OFF and rest[on][1] != OFF and rest[on][0] == rest[off][0]
    ]
    rows = [_pair(evaluation, on, off, k) for on, off in pairs for k in evaluation.ks]
    return pd.DataFrame([row for row in rows if row])


def _pair(evaluation: Evaluation, on: str, off: str, k: int) -> dict[str, Any]:
    names = {"recall": f"recall@{k}", "all": f"all@{k}"}
    frame = pd.DataFrame(
        {
            f"{name}_{side}": evaluation.values(words, metric)
            for name, metric in names.items()
            for side, words in (("on", on), ("off", off))
        }
    ).dropna()
    if frame.empty:
        return {}
    difference = (frame["recall_on"] - frame["recall_off"]).to_numpy()
    tested = evaluation.failed_of(on).empty and evaluation.failed_of(off).empty
    return {
        "on": on,
        "off": off,
        "k": k,
        **frame.mean().to_dict(),
        **tested_difference(difference, tested=tested),
    }


def lacks_diversity(evaluation: Evaluation) -> str:
    """The method to add to see what diversity does: the first configuration with beams, without
    it; "" without beams, or if a pair is measured.
    """
    configurations = _configurations(evaluation)
    beams = [words for words in configurations if _without_diversity(words)[1] not in ("", OFF)]
    return f"{beams[0]} {DIVERSITY}={OFF}" if beams and diversity(evaluation).empty else ""


def _without_diversity(words: str) -> tuple[Mapping[str, Any], str]:
    """Method and settings of a configuration without diversity, and that; "" without beams."""
    parsed = variant(words)
    every = {name: str(value) for name, value in settings(parsed.config).items()}
    gamma = [name for name in every if name.rpartition(".")[2] == DIVERSITY]
    diverse = every.pop(gamma[0]) if gamma else ""
    return {"method": parsed.method, **every}, diverse


def _configurations(evaluation: Evaluation) -> Sequence[str]:
    return [words for words in evaluation.methods if not is_file(words)]


def to_json(evaluation: Evaluation) -> dict[str, Any]:
    """The settings of `eval --json`: effects at the first cut-off and at each, and diversity."""
    by_k = {str(k): effects(evaluation, f"recall@{k}") for k in evaluation.ks}
    pairs: dict[tuple[str, str], dict[str, Any]] = {}
    for row in diversity(evaluation).to_dict("records"):
        name = row["on"], row["off"]
        pair = pairs.setdefault(
            name, {"on": name[0], "off": name[1], "recall": {}, "all_recall": {}}
        )
        recall = {"on": row["recall_on"], "off": row["recall_off"], "p": row["p"]}
        pair["recall"][row["k"]] = recall | {"difference": row["difference"]}
        pair["all_recall"][row["k"]] = {"on": row["all_on"], "off": row["all_off"]}
    first = by_k[str(evaluation.ks[0])]
    return {"effects": first, "effects_at": by_k, "diversity": list(pairs.values())}
