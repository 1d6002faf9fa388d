"""The questions behind a number of an evaluation: the rows of the query that the number sums."""

from __future__ import annotations

from typing import NamedTuple

import pandas as pd

from gear_app.errors import BadInput
from gear_app.evaluate.breakdown import BINS, NOT_RANKED, RANK_BINS
from gear_app.evaluate.configurations import with_values
from gear_app.evaluate.evaluation import GROUPS, Evaluation, ranks_by_question, remember, shares
from gear_app.evaluate.frames import FIRST
from gear_app.evaluate.question_set import paired
from gear_app.store.evaluations import ORACLE
from gear_app.text import cut, whole_number

OF_PASSAGES = ("cause", "missed", "pair", "fate")  # lists of passages (evaluate.causes)
TOOK = ("took", "tokens")  # costs of a run: the highest first
KINDS = (
    *("measure", "over", "share", "setting", "round", "asking", *TOOK),
    *("link", "ranks", "kind", "only", "both", "neither"),
    *("before", "after", "found", "lost", *OF_PASSAGES),
)
ALL_METHODS = ""
COSTS = {name: [name] for name in ("iterations", "calls", "cost", "ms")}
COSTS |= {"tokens": ["input_tokens", "output_tokens"]}
PARTS = {"": ("given", "written"), "given": ("given",), "written": ("written",)}


class Pick(NamedTuple):
    """A number: its kind, a detail, and the method, which may be the oracle decomposition.

    `measure` with a measure's name; `over` with a cut-off and the method that it is compared with;
    `share` of the way to the oracle; `setting`, as "width=5", of all methods that have it. `round`,
    `asking` and `tokens` with an iteration: recall after it, questions that make it, tokens until
    its end, all or "given" or "written". `took` with a field of a summary. `link` with a place in
    the chain, `ranks` with a bin, `kind` with a group of questions. `only`, `both` and `neither`
    with another method. `before` and `after` (with "all": all-recall), `found` and `lost`: of a
    question set. Of passages: `cause` of a loss, all `missed`, `pair` with two steps,
    `fate` with a cause, that under the other method, and the other method.
    """

    kind: str
    what: str
    method: str

    @classmethod
    def parse(cls, text: str) -> Pick:
        """The inverse of `str`. Raises BadInput."""
        parts = text.split("|")
        if len(parts) != len(cls._fields) or parts[0] not in KINDS:
            raise BadInput(f"{text!r} names no number of an evaluation")
        return cls(*parts)

    def __str__(self) -> str:
        """The pick as it is in an address."""
        return "|".join(self)


@remember
def behind(evaluation: Evaluation, pick: Pick, baseline: str, k: int) -> pd.DataFrame:
    """The rows of `runs` that a number is over, the worst first, of costs the highest. Columns:
    `value`, the question's part in the number; `change`, how far that is above the baseline's, or
    what the number is compared with; `ranks` of its gold passages by key, at that time; `missed`:
    not all were among the first k; `decided_by`, the gold passage that decided: the first missed
    one, else the lowest. Raises BadInput if the evaluation has no such number.
    """
    methods = [pick.method]
    if pick.kind == "setting" and pick.method == ALL_METHODS:
        name, _, value = pick.what.partition("=")
        methods = with_values(evaluation).get((name, value), [])
    for method in methods:
        if method not in (*evaluation.methods, ORACLE):
            raise BadInput(f"{method!r} was not measured here")
    parts = [_behind(evaluation, pick._replace(method=method), baseline, k) for method in methods]
    sign = -1 if pick.kind in TOOK else 1
    rows = pd.concat([evaluation.of(ALL_METHODS), *parts])
    order = rows.assign(order=sign * rows["value"]).sort_values(["order", "change"], kind="stable")
    return order.drop(columns="order")


def _behind(evaluation: Evaluation, pick: Pick, baseline: str, k: int) -> pd.DataFrame:
    """Rows of one method."""
    rows, gold, rank, metric = (
        evaluation.of(pick.method),
        evaluation.gold_of(pick.method),
        "rank",
        f"recall@{k}",
    )
    against = pd.Series(dtype=float)
    if pick.kind in ("before", "after"):
        gold = paired(evaluation, pick.method)
        metric = f"all@{k}" if pick.what == "all" else metric
        rank = "rank" if pick.kind == "after" else "before"
        values = shares(gold, metric, rank).droplevel("method")
        if pick.kind == "after":
            against = shares(gold, metric, "before").droplevel("method")
    elif pick.kind in TOOK:
        values = _taken(evaluation, pick)
    else:
        metric = pick.what if pick.kind == "measure" else metric
        if pick.kind == "over":
            cut_, _, baseline = pick.what.partition(" ")
            metric = f"recall@{_number(cut_)}"
        if pick.kind in ("round", "asking"):
            rank = f"rank@{_iteration(evaluation, pick.what)}"
        values = evaluation.values(pick.method, metric, rank)
        against = evaluation.values(baseline, metric, rank)
        if pick.kind == "over":
            values = values[values.index.isin(against.index)]
        values = values[values.index.isin(_chosen(evaluation, pick, k))]
        k = _number(metric.partition("@")[2]) if "@" in metric else k
        if pick.method == ORACLE and k > FIRST:
            raise BadInput(f"The {ORACLE} is not known below rank {FIRST}")
    rows = rows.loc[values.index].assign(value=values)
    rows["change"] = (values - against.reindex(values.index)).fillna(0.0)
    ranks = ranks_by_question(gold, rank)
    rows["ranks"] = [ranks[question] for question in rows.index]
    missing = [
        [key for key, place in of.items() if place is None or place > k] for of in rows["ranks"]
    ]
    rows["missed"] = [bool(keys) for keys in missing]
    lowest = [max(of, key=lambda key: of[key] or 0) for of in rows["ranks"]]
    rows["decided_by"] = [
        keys[0] if keys else low for keys, low in zip(missing, lowest, strict=True)
    ]
    return rows


def _taken(evaluation: Evaluation, pick: Pick) -> pd.Series:
    """Costs of a method's runs, by the name of the figure or tokens until an iteration."""
    rows = evaluation.of(pick.method)
    if pick.kind == "tokens":
        n, _, part = pick.what.partition(" ")
        if part not in PARTS:
            raise BadInput(f"{pick.what!r} names no tokens of an evaluation")
        at = _iteration(evaluation, n)
        return rows[[f"{name}@{at}" for name in PARTS[part]]].sum(axis=1)
    if pick.what not in COSTS:
        raise BadInput(f"{pick.what!r} is nothing that a run takes")
    return rows[COSTS[pick.what]].sum(axis=1)


def _chosen(evaluation: Evaluation, pick: Pick, k: int) -> pd.Index:
    """Ids of the questions that a number is about."""
    rows, gold = evaluation.of(pick.method), evaluation.gold_of(pick.method)
    if pick.kind == "asking":
        return rows.index[rows["rounds"] >= _number(pick.what)]
    if pick.kind == "share":
        return evaluation.oracle.index
    if pick.kind == "kind":
        asked = evaluation.asked
        return asked.index[(asked[list(GROUPS)] == pick.what).any(axis=1)]
    if pick.kind == "link":
        links = evaluation.links[evaluation.links.index == _number(pick.what)]
        chosen = links[links[pick.method] > k]
    elif pick.kind == "ranks":
        chosen = gold[_in_bin(gold["rank"], pick.what)]
    elif pick.kind in ("only", "both", "neither"):
        if pick.what not in evaluation.ranks:
            raise BadInput(f"{pick.what!r} was not measured here")
        pairs = evaluation.ranks.dropna(subset=[pick.method, pick.what]).reset_index()
        hit, other = pairs[pick.method] <= k, pairs[pick.what] <= k
        chosen = pairs[{"only": hit & ~other, "both": hit & other}.get(pick.kind, ~hit & ~other)]
    elif pick.kind in ("found", "lost"):
        pairs = paired(evaluation, pick.method)
        before, after = pairs["before"] <= k, pairs["rank"] <= k
        chosen = pairs[~before & after if pick.kind == "found" else before & ~after]
    else:
        return rows.index
    return pd.Index(chosen["question"])


def _in_bin(ranks: pd.Series, name: str) -> pd.Series:
    if name == NOT_RANKED:
        return ranks > RANK_BINS[-1]
    if name not in BINS:
        raise BadInput(f"{name!r} are no ranks of an evaluation")
    low, _, high = name.partition("–")
    return ranks.between(int(low), int(high))


def _iteration(evaluation: Evaluation, text: str) -> int:
    """An iteration, at most the last of the evaluation."""
    last = sum(str(name).startswith("rank@") for name in evaluation.gold.columns)
    return min(max(1, _number(text)), last)


def _number(text: str) -> int:
    number = whole_number(text)
    if number is None:
        raise BadInput(f"{cut(text, 40)!r} is no number")
    return number
