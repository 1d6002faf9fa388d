"""Tables of an evaluation. A table is a long frame of cells, a row for every question (or gold
passage) behind a number: its numbers are means or sums of these, and the questions behind a number
are the rows with its row and column.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from gear_app.core.errors import BadInput, GearError
from gear_app.evaluation import question_set
from gear_app.evaluation.evaluation import DIGITS, Evaluation, ranks_by_place
from gear_app.evaluation.frames import FIRST, PLACE, measure_by_question
from gear_app.evaluation.question_set import ranks_before
from gear_app.evaluation.variants import backbones, grids
from gear_app.store.evaluations import ORACLE
from gear_app.trace.lost import Cause
from gear_app.workspace.workspace import Workspace

RANK_BINS = (5, 10, 15, 20, 50, 100, 200)  # the last rank of each bin of the histogram of ranks
BINS = [f"{low + 1}–{high}" for low, high in zip((0, *RANK_BINS), RANK_BINS, strict=False)]
NOT_RANKED = "not ranked"
CELL = ["row", "column"]
WIDEST = 20  # letters of "2 hops", for the order
COSTS = ("iterations", "calls", "tokens", "cost", "ms")
FATES = ("both", "only this", "only baseline", "neither", "neither, but the oracle")


@dataclass(frozen=True)
class Table:
    """`cells` have `row`, `column`, `method`, `question`, `value`, `rank` (the column of ranks that
    the value is of), `change` (the value's distance from what it is compared with, NaN without
    such) and, if they are of gold passages, `key`.
    """

    cells: pd.DataFrame
    total: str = "mean"  # of the values of a cell, or "sum"

    @cached_property
    def numbers(self) -> pd.DataFrame:
        """Numbers by row and column. A mean over several methods counts each method alike."""
        if self.cells.empty:
            return pd.DataFrame()
        values = self.cells.groupby([*CELL, "method"], sort=False)["value"].agg(self.total)
        numbers = values.groupby(CELL, sort=False).agg(self.total).unstack("column")
        order = [list(dict.fromkeys(self.cells[name])) for name in CELL]
        return numbers.reindex(index=order[0], columns=order[1])

    def behind(self, evaluation: Evaluation, cell: tuple[Any, Any], k: int) -> pd.DataFrame:
        """Questions behind the number of a cell, the worst first, of costs the highest. Columns:
        `value`, the question's part in the number, and its `change`; `run`; `ranks` of the gold
        passages by key; `missed`: not all of them are among the first k; `decided_by`, the gold
        passage that decided: the cell's own, else the first missed one, else the lowest.
        """
        row, column = cell
        cells = self.cells[(self.cells["row"] == row) & (self.cells["column"] == column)]
        if cells.empty:
            raise BadInput(f"{row}, {column}: no number of this evaluation")
        by_run = cells.groupby(PLACE, sort=False)
        rows = by_run.agg({"value": self.total, "change": "mean", "key": "first", "rank": "first"})
        runs = evaluation.measured.reset_index(drop=True).set_index(PLACE)
        rows = rows.join(runs[["run", "searches"]]).reset_index()
        gold = evaluation.gold.merge(rows[PLACE]) if len(rows) else evaluation.gold
        if "before" in set(rows["rank"]):
            gold = ranks_before(evaluation)
        by_place = {rank: ranks_by_place(gold, rank) for rank in set(rows["rank"])}
        ranks = [
            by_place[rank][method, question]
            for method, question, rank in rows[[*PLACE, "rank"]].itertuples(index=False)
        ]
        missing = [
            [key for key, rank in ranks_.items() if rank is None or rank > k] for ranks_ in ranks
        ]
        decided = [
            key
            if isinstance(key, str)
            else (missed or [max(ranks_, key=lambda key: ranks_[key] or 0)])[0]
            for key, missed, ranks_ in zip(rows["key"], missing, ranks, strict=True)
        ]
        rows = rows.assign(ranks=ranks, missed=list(map(bool, missing)), decided_by=decided)
        lowest_first = column not in COSTS and not str(column).endswith(("given", "written"))
        return rows.sort_values(["value", "change"], ascending=[lowest_first, True], kind="stable")


def table(parts: Iterable[pd.DataFrame], baseline: str = "", total: str = "mean") -> Table:
    """A table of cells, compared with the cells of the baseline in the same column."""
    cells = pd.concat([pd.DataFrame(columns=[*CELL, *PLACE, "value", "rank", "key"]), *parts])
    if "change" not in cells:
        usual = cells[cells["row"] == baseline].set_index(["column", "question"])["value"]
        usual = usual[~usual.index.duplicated()].rename("usual")
        cells = cells.join(usual, on=["column", "question"])
        cells["change"] = cells["value"] - cells.pop("usual") if total == "mean" else np.nan
    return Table(cells.astype({"value": float, "change": float}).reset_index(drop=True), total)


def _of_methods(values: pd.Series, column: object, rank: str = "rank") -> pd.DataFrame:
    """Cells of a column from values by method and question."""
    frame = values.rename("value").reset_index()
    return frame.assign(row=frame["method"], column=column, rank=rank)


def _of_passages(gold: pd.DataFrame, column: object) -> pd.DataFrame:
    return gold[[*PLACE, "key"]].assign(row=gold["method"], column=column, rank="rank", value=1.0)


def measured(evaluation: Evaluation, baseline: str) -> Table:
    """All measures of all methods, and what their runs took."""
    names = [*evaluation.metrics, *COSTS]
    return table([_of_methods(evaluation.values(name), name) for name in names], baseline)


def rounds(evaluation: Evaluation, k: int, baseline: str) -> Table:
    """Recall after every iteration (GEAR Fig. 2): over all questions, those that had stopped with
    what they had.
    """
    iterations = _iterations(evaluation)
    values = {n: evaluation.values(f"recall@{k}", f"rank@{n}") for n in iterations}
    return table([_going(evaluation, values[n], n, n) for n in iterations], baseline)


def questions_by_iteration(evaluation: Evaluation) -> Table:
    """Questions that make each iteration."""
    last = evaluation.values("rounds").drop(ORACLE, level="method", errors="ignore")
    parts = [_of_methods(last[last >= n] * 0 + 1, n) for n in _iterations(evaluation)]
    return table(parts, total="sum")


def tokens(evaluation: Evaluation) -> Table:
    """Tokens given to a model and written by it until each iteration (GEAR Fig. 4), of methods that
    call one.
    """
    spent = evaluation.values("tokens").groupby("method").sum()
    parts = [
        _going(evaluation, evaluation.values(f"{part}@{n}"), f"{part} until {n}", n)
        for n in _iterations(evaluation)
        for part in ("given", "written")
    ]
    return table(cells[cells["method"].map(spent) > 0] for cells in parts)


def _iterations(evaluation: Evaluation) -> range:
    last = evaluation.measured["rounds"].max()
    return range(1, 1 + (0 if np.isnan(last) else int(last)))


def _going(evaluation: Evaluation, values: pd.Series, column: object, n: int) -> pd.DataFrame:
    """Cells of methods that make iteration n for some question."""
    last, cells = evaluation.values("rounds"), _of_methods(values, column, f"rank@{n}")
    return cells[cells["method"].map(last.groupby("method").max()) >= n]


def groups(evaluation: Evaluation, column: str, metric: str, baseline: str) -> Table:
    """A measure by group of questions: `hops`, `type` or `density`, fewest first."""
    cells = _of_methods(evaluation.values(metric), "").drop(columns="column")
    cells = cells.join(evaluation.question_groups[column].rename("column"), on="question")
    names = evaluation.question_groups[column]
    order = {"density": names.index.map(evaluation.densities), "hops": names.str.rjust(WIDEST)}
    names = names.iloc[np.argsort(order.get(column, names).to_numpy(), kind="stable")]
    parts = [cells[cells["column"] == name] for name in dict.fromkeys(names) if name]
    return table(parts, baseline)


def links(evaluation: Evaluation, k: int, baseline: str) -> Table:
    """The share of the passages of every link of the chain that is missed, from link 1. A passage
    that is two links counts at both.
    """
    hops = [
        {"column": link, "question": question.id, "key": hop.supporting_key}
        for question in evaluation.questions
        for link, hop in enumerate(question.decomposition, start=1)
    ]
    frame = pd.DataFrame(hops, columns=["column", "question", "key"])
    cells = frame.merge(evaluation.gold, on=["question", "key"])
    cells = cells.assign(row=cells["method"], value=(~(cells["rank"] <= k)).astype(float))
    if k > FIRST:
        cells = cells[cells["method"] != ORACLE]
    return table([cells.assign(rank="rank").sort_values("column", kind="stable")], baseline)


def gold_by_rank(evaluation: Evaluation) -> Table:
    """Gold passages by rank (BDTR Fig. 4), and those in no ranking."""
    bins = pd.cut(evaluation.gold["rank"], (0, *RANK_BINS, np.inf), labels=[*BINS, NOT_RANKED])
    cells = _of_passages(evaluation.gold, bins).sort_values("column", kind="stable")
    return table([cells.astype({"column": object})], total="sum")


def overlap(evaluation: Evaluation, baseline: str, k: int) -> Table:
    """Gold passages of the questions of a method and of the baseline, by which of the two has them
    among its first k (BDTR Fig. 3).
    """
    keys = ["question", "key"]
    ranks = evaluation.gold.pivot(index=keys, columns="method", values="rank")
    ranks = ranks.reindex(columns=[baseline, ORACLE]).set_axis(["usual", "oracle"], axis=1)
    pairs = evaluation.gold.join(ranks, on=keys).dropna(subset="usual")
    pairs = pairs[(pairs["method"] != baseline) & ((pairs["method"] != ORACLE) | (k <= FIRST))]
    hit, other = pairs["rank"] <= k, pairs["usual"] <= k
    neither = ~hit & ~other
    known_split = neither & (pairs["oracle"] <= min(k, FIRST))
    masks = (hit & other, hit & ~other, ~hit & other, neither, known_split)
    parts = [_of_passages(pairs[mask], name) for name, mask in zip(FATES, masks, strict=True)]
    return table(parts, total="sum")


def grid(evaluation: Evaluation, words: Mapping[tuple[str, str], str], metric: str) -> Table:
    """A measure of methods by row and column."""
    values = evaluation.values(metric)
    by_method = dict(list(values.groupby("method")))
    return table(
        _of_methods(by_method[method], column).assign(row=row)
        for (row, column), method in words.items()
        if method in by_method
    )


def before_after(evaluation: Evaluation, k: int) -> tuple[Table, Table]:
    """Recall of a question set when it was picked and now, and gold passages found and lost."""
    gold, parts = ranks_before(evaluation), []
    for metric in (f"recall@{k}", f"all@{k}"):
        before, now = (measure_by_question(gold, metric, rank) for rank in ("before", "rank"))
        parts.append(_of_methods(before, f"{metric} before", "before"))
        parts.append(_of_methods(now, f"{metric} now").assign(change=(now - before).to_numpy()))
    hits = gold["before"] <= k, gold["rank"] <= k
    gained = _of_passages(gold[~hits[0] & hits[1]], "found")
    dropped = _of_passages(gold[hits[0] & ~hits[1]], "lost")
    return table(parts), table([gained, dropped], total="sum")


def share_of_gap(evaluation: Evaluation, method: str, baseline: str, k: int) -> float | None:
    """How much of the way from the baseline's recall to the oracle's a method goes, on the
    questions whose decomposition is known. It can exceed 1; None if there is no such way.
    """
    recall = evaluation.values(f"recall@{k}").unstack("method")
    frame = recall.reindex(columns=[method, baseline, ORACLE])
    frame = frame[frame[ORACLE].notna()]
    if frame.empty or frame.isna().any(axis=None):
        return None
    value, low, high = frame.mean()
    return float((value - low) / (high - low)) if high > low else None


def missed_passages(workspace: Workspace, evaluation: Evaluation, k: int) -> pd.DataFrame:
    """Gold passages that are not among the first k, each with its `cause`, in the order of the
    steps; from stored events, without loading a model. None of run files, which have no events, and
    of failed runs.
    """
    gold = evaluation.gold.join(evaluation.measured.set_index(PLACE)["run"], on=PLACE)
    missed = gold[
        ~(gold["rank"] <= k) & (gold["run"] != "") & gold["method"].isin(evaluation.methods)
    ]
    rows = missed[[*PLACE, "key", "run"]].assign(cause="")
    for at, run, key in rows[["run", "key"]].itertuples():
        try:
            rows.loc[at, "cause"] = workspace.reruns.explain(run, key, k).cause.value
        except GearError:  # its collection was deleted
            continue
    order = [cause.value for cause in Cause if cause is not Cause.FOUND]
    rows = rows[rows["cause"].isin(order)]
    return rows.sort_values("cause", key=lambda causes: causes.map(order.index), kind="stable")


def causes(missed: pd.DataFrame) -> Table:
    """Missed gold passages by cause and method."""
    cells = missed.assign(row=missed["cause"], column=missed["method"], rank="rank", value=1.0)
    return table([cells], total="sum")


def to_json(evaluation: Evaluation, baseline: str, k: int) -> dict[str, Any]:
    """Every table at a cut-off, by name, row and column."""
    recall = f"recall@{k}"
    named = {
        "iterations": rounds(evaluation, k, baseline),
        "questions_by_iteration": questions_by_iteration(evaluation),
        "tokens": tokens(evaluation),
        "links": links(evaluation, k, baseline),
        **{name: groups(evaluation, name, recall, baseline) for name in evaluation.question_groups},
        "ranks": gold_by_rank(evaluation),
        "overlap": overlap(evaluation, baseline, k),
        "backbones": grid(evaluation, backbones(evaluation.methods), recall),
        **dict(zip(("before", "found"), before_after(evaluation, k), strict=True)),
        **{
            grid_.method: grid(evaluation, grid_.words, recall)
            for grid_ in grids(evaluation.methods)
        },
    }
    numbers = {
        name: table.numbers.round(DIGITS) for name, table in named.items() if len(table.cells)
    }
    shares = {name: share_of_gap(evaluation, name, baseline, k) for name in evaluation.methods}
    return {
        **{name: json.loads(frame.to_json(orient="index")) for name, frame in numbers.items()},
        "of_ceiling": shares,
        "before_after": question_set.differences(evaluation, k),
    }
