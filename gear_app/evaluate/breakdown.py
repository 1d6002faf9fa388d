"""Queries behind an evaluation's means: by iteration, group of questions, link, rank, overlap.

A gold passage is missed if it is not among the first k.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from gear_app.evaluate.evaluation import GROUPS, Evaluation, remember
from gear_app.evaluate.frames import FIRST
from gear_app.store.evaluations import ORACLE

RANK_BINS = (5, 10, 15, 20, 50, 100, 200)  # the last rank of each bin of the histogram of ranks
BINS = [f"{low + 1}–{high}" for low, high in zip((0, *RANK_BINS), RANK_BINS, strict=False)]
NOT_RANKED = "not ranked"


@remember
def rounds(evaluation: Evaluation, method: str, k: int) -> pd.DataFrame:
    """A row for every iteration from 1 (GEAR Fig. 2): mean `recall` of all questions, those that
    had stopped with what they had; how many are `asking`, that is, make the iteration; mean
    `tokens` until its end and the `output_tokens` among them. Empty for a run file.
    """
    rows = evaluation.of(method)
    last = 0 if rows["rounds"].isna().all() else int(rows["rounds"].max())
    return pd.DataFrame(
        {
            n: {
                "recall": evaluation.means(f"recall@{k}", f"rank@{n}")[method],
                "asking": int((rows["rounds"] >= n).sum()),
                "tokens": rows[f"given@{n}"].mean() + rows[f"written@{n}"].mean(),
                "output_tokens": rows[f"written@{n}"].mean(),
            }
            for n in range(1, last + 1)
        },
        index=["recall", "asking", "tokens", "output_tokens"],
    ).T


def oracle_mean(evaluation: Evaluation, metric: str) -> float | None:
    """The oracle decomposition's mean of a measure, over the questions whose decomposition is
    known; None without such, for answers, and deeper than its rankings are stored.
    """
    name, _, k = metric.partition("@")
    if evaluation.oracle.empty or name in ("em", "f1") or (k and int(k) > FIRST):
        return None
    return evaluation.means(metric)[ORACLE]


def oracle_is_complete(evaluation: Evaluation) -> bool:
    """Whether the oracle is measured on the same questions as every method, so that its means can
    be compared with theirs.
    """
    ids = set(evaluation.oracle["question"])
    return bool(ids) and all(
        set(evaluation.of(method)["question"]) == ids for method in evaluation.methods
    )


@remember
def share_of_gap(evaluation: Evaluation, method: str, baseline: str, k: int) -> float | None:
    """How much of the way from the baseline's recall to the oracle's a method goes, on the
    questions whose decomposition is known. It can exceed 1; None if there is no such way.
    """
    if k > FIRST:
        return None
    names, metric = (method, baseline, ORACLE), f"recall@{k}"
    frame = pd.DataFrame({name: evaluation.values(name, metric) for name in set(names)})
    frame = frame[frame[ORACLE].notna()]
    if frame.empty or frame.isna().any(axis=None):
        return None
    value, low, high = (frame[name].mean() for name in names)
    return float((value - low) / (high - low)) if high > low else None


def recall_caps(evaluation: Evaluation) -> dict[int, float]:
    """The most that mean R@k can be, for cut-offs that some question has more gold than."""
    longest = max(evaluation.methods, key=lambda method: len(evaluation.of(method)))
    sizes = evaluation.gold_of(longest).groupby("question").size()
    caps = {k: float((sizes.clip(upper=k) / sizes).mean()) for k in evaluation.ks}
    return {k: cap for k, cap in caps.items() if cap < 1}


def group_names(evaluation: Evaluation, column: str) -> list[str]:
    """Names of the groups of a column of `asked` in order: fewest hops or triples first."""
    grouped = evaluation.asked[evaluation.asked[column] != ""]
    if column == "density":
        return list(grouped.sort_values("triples", kind="stable")[column].unique())
    return sorted(grouped[column].unique(), key=lambda name: (column == "hops" and len(name), name))


@remember
def groups(
    evaluation: Evaluation, column: str, metric: str
) -> dict[str, dict[str, dict[str, float]]]:
    """By group of questions and method, with the oracle: `mean`, `25%`, `50%` and `75%` of a
    measure, and `count` of its questions; without methods that have no value.
    """
    values = evaluation.measured.dropna(subset=[metric])
    grouped = values.groupby([column, "method"], sort=False)[metric]
    columns = {f"{100 * share:.0f}%": grouped.quantile(share) for share in (0.25, 0.5, 0.75)}
    table = pd.DataFrame(columns | {"mean": grouped.mean(), "count": grouped.size()})
    by_group: dict[str, dict[str, dict[str, float]]] = {}
    for (group, method), row in table.to_dict("index").items():
        by_group.setdefault(group, {})[method] = row
    return {name: by_group.get(name, {}) for name in group_names(evaluation, column)}


@remember
def positions(evaluation: Evaluation, method: str, k: int) -> pd.DataFrame:
    """A row for every link of the chain, from 1: passages `missed`, `of` how many, and their
    `share`; 0 of 0 for a link that is gold of no question. A passage that is two links counts at
    both. Empty if no decomposition names its passages.
    """
    ranks = evaluation.links[method].dropna()
    missed = ~(ranks <= k)
    table = missed.groupby(level="link").agg(missed="sum", of="size")
    table = table.reindex(range(1, int(table.index.max()) + 1 if len(table) else 1), fill_value=0)
    return table.assign(share=table["missed"] / table["of"].clip(lower=1))


def repeated_links(evaluation: Evaluation) -> int:
    """How many questions have a gold passage that is more than one link of the chain."""
    links = evaluation.links
    return int(links[links.duplicated(["question", "key"])]["question"].nunique())


@remember
def burial(evaluation: Evaluation, method: str) -> dict[str, int]:
    """How many gold passages are at which ranks (BDTR Fig. 4), and how many in no ranking."""
    ranks = evaluation.gold_of(method)["rank"]
    numbers = pd.cut(ranks, [0, *RANK_BINS], labels=BINS).value_counts()
    return {name: int(numbers[name]) for name in BINS} | {
        NOT_RANKED: int((ranks > RANK_BINS[-1]).sum())
    }


def deep_recall(evaluation: Evaluation, method: str, name: str = "recall") -> dict[int, float]:
    """Mean recall as deep as rankings go (BDTR Fig. 4), by cut-off; with "all" the share of
    questions with all their gold. Empty if nothing is measured.
    """
    cuts = [k for k in RANK_BINS if method != ORACLE or k <= FIRST]
    means = {k: evaluation.means(f"{name}@{k}").get(method) for k in cuts}
    return {k: mean for k, mean in means.items() if mean is not None}


@remember
def overlap(evaluation: Evaluation, first: str, second: str, k: int) -> dict[str, int | None]:
    """Gold passages, of the questions of both methods, by which of these has them among its first k
    (BDTR Fig. 3): `both`, `first`, `second`, `neither`. `ceiling`: how many of those that neither
    has the oracle has, of the `ceiling_of` whose decomposition is known; None if none is.
    """
    ranks = evaluation.ranks.dropna(subset=[first, second])
    hits = (ranks[first] <= k), (ranks[second] <= k)
    neither = ranks[~hits[0] & ~hits[1]][ORACLE].dropna()
    measured = evaluation.ranks[ORACLE].notna().any() and k <= FIRST
    return {
        "both": int((hits[0] & hits[1]).sum()),
        "first": int((hits[0] & ~hits[1]).sum()),
        "second": int((~hits[0] & hits[1]).sum()),
        "neither": int((~hits[0] & ~hits[1]).sum()),
        "ceiling": int((neither <= k).sum()) if measured else None,
        "ceiling_of": len(neither) if k <= FIRST else 0,
    }


def to_json(evaluation: Evaluation, baseline: str) -> dict[str, Any]:
    """The breakdown of `eval --json`: at the first cut-off, and `at` each of them."""
    first, *_ = evaluation.ks
    names = evaluation.methods
    return {
        "k": first,
        **_at(evaluation, baseline, first),
        "ranks": {name: burial(evaluation, name) for name in names},
        "deep_recall": {name: deep_recall(evaluation, name) for name in names},
        "deep_all_recall": {name: deep_recall(evaluation, name, "all") for name in names},
        "at": {str(k): _at(evaluation, baseline, k) for k in evaluation.ks},
    }


def _at(evaluation: Evaluation, baseline: str, k: int) -> dict[str, Any]:
    names = evaluation.methods
    keys = dict(zip(GROUPS, ("hops", "types", "triple_density"), strict=True))
    return {
        "rounds": {name: rounds(evaluation, name, k).to_dict("records") for name in names},
        **{key: _groups_json(evaluation, column, k) for column, key in keys.items()},
        "positions": {
            name: positions(evaluation, name, k)[["missed", "of"]].to_dict("records")
            for name in names
        },
        "of_ceiling": {name: share_of_gap(evaluation, name, baseline, k) for name in names},
        "overlap": {
            name: overlap(evaluation, name, baseline, k) for name in names if name != baseline
        },
    }


def _groups_json(evaluation: Evaluation, column: str, k: int) -> list[dict[str, Any]]:
    recall, complete = (groups(evaluation, column, f"{name}@{k}") for name in ("recall", "all"))
    sizes = evaluation.asked[column].value_counts()
    result = []
    for name, rows in recall.items():
        means = {method: row["mean"] for method, row in rows.items()}
        alls = {method: row["mean"] for method, row in complete[name].items()}
        line = {"name": name, "n": int(sizes[name]), "ceiling": means.pop(ORACLE, None)}
        line |= {"ceiling_n": int(rows.get(ORACLE, {}).get("count", 0))}
        line |= {"ceiling_all": alls.pop(ORACLE, None)}
        result.append(line | {"recall": means, "all_recall": alls})
    return result
