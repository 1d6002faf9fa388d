"""Rows of the CSV files in docs/results, from what was measured."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from gear_app.core.paths import commit
from gear_app.evaluation import tables as shown
from gear_app.evaluation.comparison import compare
from gear_app.evaluation.definition import KS
from gear_app.evaluation.evaluation import Evaluation, means
from gear_app.evaluation.frames import FIRST
from gear_app.store.evaluations import ORACLE
from tests.bench.results.benchmark import (
    CASES,
    EVERYDAY,
    FAMILIES,
    HELD_OUT,
    OTHER,
    Family,
)
from tests.bench.results.measured_sets import MeasuredSet
from tests.bench.results.misses_removed import Interval, misses_removed_interval

RESULTS = Path(__file__).parents[3] / "docs" / "results"
BASELINE = "hybrid"
POOLED = {  # small sets of one folder, which are also measured together
    "everyday, pooled": {name.rpartition("/")[2] for name in EVERYDAY},
    "other genres, pooled": {name.rpartition("/")[2] for name in OTHER},
    "held-out genres, pooled": {name.rpartition("/")[2] for name in HELD_OUT},
}
Line = dict[str, Any]  # one row of a table by column


def tables(measured: Sequence[MeasuredSet]) -> dict[str, list[Line]]:
    """The rows of each table, by the name of its file."""
    sets = [one for one in measured if one.name != CASES]
    for name, members in POOLED.items():
        sets += together([one for one in sets if one.name in members], name)
    return {
        "methods": [line for one in sets for line in methods(one)],
        "links": [line for one in sets for line in links(one)],
        "ablations": [line for one in sets for line in ablations(one, FAMILIES)],
        "cases": [line for one in measured if one.name == CASES for line in cases(one)],
    }


def update(file: Path, lines: Sequence[Line], keys: list[str]) -> None:
    """Write the rows to a CSV file with date and commit. They replace those with the same keys;
    all other rows of the file stay.
    """
    if not lines:
        return
    stamp = {"date": datetime.datetime.now(datetime.UTC).date(), "commit": commit()}
    frame = pd.DataFrame([stamp | line for line in lines]).astype(str).drop_duplicates()
    if file.exists():
        old = pd.read_csv(file, dtype=str, keep_default_na=False)
        same = pd.MultiIndex.from_frame(old[keys]).isin(pd.MultiIndex.from_frame(frame[keys]))
        frame = pd.concat([old[~same], frame])
    frame.to_csv(file, index=False)


def together(sets: Sequence[MeasuredSet], name: str) -> list[MeasuredSet]:
    """Several sets as one, with the methods that were measured on all of them; empty for fewer than
    two sets. Ids of questions differ from set to set.
    """
    if len(sets) < 2:
        return []
    first, *others = (one.evaluation for one in sets)
    shared = tuple(m for m in first.methods if all(m in one.methods for one in others))
    evaluation = Evaluation(
        name,
        shared,
        first.ks,
        tuple(question for one in sets for question in one.evaluation.questions),
        pd.concat([one.evaluation.runs for one in sets]),
        pd.concat([one.evaluation.gold for one in sets]),
    )
    evaluation = only(evaluation, shared)
    timed = frozenset().union(*(one.timed for one in sets))
    return [replace(sets[0], name=name, evaluation=evaluation, timed=timed)]


def methods(one: MeasuredSet) -> Iterator[Line]:
    """A row for each method on a set, and one for the oracle decomposition if it is known."""
    evaluation = one.evaluation
    baseline = evaluation.runs_of(BASELINE)
    gold = int((evaluation.gold["method"] == BASELINE).sum())
    differs = _differs(evaluation, BASELINE)
    for method in evaluation.methods:
        rows, summary = evaluation.runs_of(method), evaluation.summary(method)
        times = rows["ms"][rows["question"].isin(one.timed)]
        line = _set(one) | {"method": method, "questions": len(baseline), "gold": gold}
        for k in KS:
            line[f"recall_{k}"] = percent(summary["recall"][str(k)])
            line[f"differs_{k}"] = differs.get((method, k), "no")
        line |= {f"all_{k}": percent(summary["all_recall"][str(k)]) for k in KS}
        line["mrr"] = f"{summary['mrr']:.3f}" if len(rows) else ""
        for k in KS:
            line |= _removed(evaluation, method, k)
        yield line | {
            "ms": f"{times.median():.0f}" if len(times) else "",
            "failed": summary["failed"],
        }
    oracle = evaluation.runs_of(ORACLE)
    if len(oracle):
        found = means(oracle, [k for k in KS if k <= FIRST])
        line = _set(one) | {"method": ORACLE, "questions": len(oracle), "gold": gold}
        line |= {f"recall_{k}": percent(found["recall"].get(str(k))) for k in KS}
        line |= {f"all_{k}": percent(found["all_recall"].get(str(k))) for k in KS}
        yield dict.fromkeys(_COLUMNS, "") | line | {"mrr": f"{found['mrr']:.3f}"}


def links(one: MeasuredSet) -> Iterator[Line]:
    """The share of passages missed at the first cut-off, for each method and link of the known
    decompositions.
    """
    evaluation = one.evaluation
    cells = shown.links(evaluation, KS[0], BASELINE).cells
    missed = cells.groupby(["method", "column"])["value"].agg(["size", "mean"])
    for method in (*evaluation.methods, ORACLE):
        for number, row in missed[missed.index.get_level_values("method") == method].iterrows():
            line = _set(one) | {"method": method, "link": number[1], "questions": int(row["size"])}
            yield line | {f"missed_{KS[0]}": percent(row["mean"])}


def ablations(one: MeasuredSet, families: Iterable[Family]) -> Iterator[Line]:
    """A row for each variant of a method and cut-off, if all variants were measured on the set.
    `differs` compares with the whole method, which is the family's first.
    """
    for family in families:
        variants = tuple(family.variants)
        if not set(variants) <= set(one.evaluation.methods):
            continue
        evaluation = only(one.evaluation, variants)
        differs = _differs(evaluation, variants[0])
        for method, words in family.variants.items():
            summary = evaluation.summary(method)
            for k in KS:
                line = {"family": family.title, "variant": words, "method": method} | _set(one)
                yield line | {
                    "k": k,
                    "recall": percent(summary["recall"][str(k)]),
                    "differs": differs.get((method, k), "no"),
                    "all": percent(summary["all_recall"][str(k)]),
                }


def cases(one: MeasuredSet) -> Iterator[Line]:
    """A row for each method and question of a set that is too small for means."""
    runs = one.evaluation.measured
    for row in runs[runs["method"] != ORACLE].to_dict("records"):
        line = {"question": row["question"], "method": row["method"]}
        line |= {f"recall_{k}": percent(row[f"recall@{k}"]) for k in KS}
        yield line | {
            f"all_{KS[0]}": "yes" if row[f"all@{KS[0]}"] else "no",
            "ms": f"{row['ms']:.0f}",
        }


def percent(value: float | None) -> str:
    """A fraction in percent; empty if nothing was measured."""
    return "" if value is None else f"{100 * value:.1f}"


def interval(name: str, value: Interval | None) -> Line:
    """A share in percent and its interval, as three columns; empty for None."""
    ends = ("", "", "") if value is None else (value.value, value.low, value.high)
    shown = [end if end == "" else f"{100 * end:.0f}" for end in ends]
    return dict(zip((name, f"{name}_low", f"{name}_high"), shown, strict=True))


def _set(one: MeasuredSet) -> Line:
    return {"set": one.name, "triples": one.triple_set}


def _removed(evaluation: Evaluation, method: str, k: int) -> Line:
    """Misses removed at k, of the questions that both the method and the baseline have."""
    ranks = evaluation.gold.pivot(index=["question", "key"], columns="method", values="rank")
    pairs = ranks.reindex(columns=evaluation.methods).dropna(subset=[method, BASELINE])
    if method == BASELINE or pairs.empty:
        return interval(f"removed_{k}", None)
    hits = (pairs <= k).groupby(level="question", sort=False)
    found, gold = hits.sum(), hits.size()
    counts = list(found[method]), list(found[BASELINE]), list(gold)
    return interval(f"removed_{k}", misses_removed_interval(*counts))


def _differs(evaluation: Evaluation, baseline: str) -> Mapping[tuple[str, int], str]:
    """Whether a method's recall at k differs from the baseline's after Holm's correction."""
    found = compare(evaluation, baseline, [f"recall@{k}" for k in KS])
    return {
        (method, k): "yes" if row["verdict"] in ("above", "below") else "no"
        for method in evaluation.methods
        for k in KS
        if (row := found.row(method, f"recall@{k}"))
    }


def only(evaluation: Evaluation, methods: tuple[str, ...]) -> Evaluation:
    """An evaluation of these methods and the oracle decomposition."""
    runs, gold = (
        frame[frame["method"].isin([*methods, ORACLE])]
        for frame in (evaluation.runs, evaluation.gold)
    )
    return replace(evaluation, methods=methods, runs=runs, gold=gold)


_COLUMNS = (
    *("set", "triples", "method", "questions", "gold"),
    *(name for k in KS for name in (f"recall_{k}", f"differs_{k}")),
    *(f"all_{k}" for k in KS),
    "mrr",
    *(name for k in KS for name in interval(f"removed_{k}", None)),
    *("ms", "failed"),
)
