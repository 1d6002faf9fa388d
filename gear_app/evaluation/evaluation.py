"""An evaluation: the frames of its runs and gold passages, and sums of their columns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from gear_app.core.types import Question
from gear_app.evaluation.definition import Ranks
from gear_app.evaluation.frames import PLACE, SPENT, measure_by_question, measure_names
from gear_app.evaluation.run_files import FileRun
from gear_app.evaluation.variants import is_file
from gear_app.store.evaluations import ORACLE

DIGITS = 6
# Fields of a summary that are unknown for a run file.
UNKNOWN = ("tokens", "calls", "kept", "unusable", "cost", "iterations", "ms_p50", "ms_p95")


@dataclass(frozen=True)
class Evaluation:
    """Frames and their dimensions. A failed run is a row with a `failure` and without numbers."""

    collection: str
    methods: tuple[str, ...]  # in the order they were named, run files last
    ks: tuple[int, ...]
    questions: tuple[Question, ...]
    runs: pd.DataFrame  # as `frames.frames` makes them; also of the oracle decomposition
    gold: pd.DataFrame
    answered: bool = False  # whether the runs were to write answers
    id: str = ""  # "" if it is not stored
    reached: str = ""  # the budget's sentence, if it was reached
    files: tuple[FileRun, ...] = ()
    before: Mapping[str, Mapping[str, Ranks]] = field(default_factory=dict)
    # when the questions were picked (question_set), by method and question

    @cached_property
    def densities(self) -> pd.Series:
        """Mean number of triples of each question's gold passages that are in the collection."""
        return self.gold.groupby("question")["triples"].mean().dropna()

    @cached_property
    def question_groups(self) -> pd.DataFrame:
        """The groups of every question by id, "" for none: by `hops`, `type` and `density`."""
        ids = [question.id for question in self.questions]
        hops = [f"{question.hops} hops" if question.hops else "" for question in self.questions]
        types = [question.type or "" for question in self.questions]
        density = _density_groups(self.densities.reindex(ids))
        groups = {"hops": hops, "type": types, "density": density}
        return pd.DataFrame(groups, index=ids).rename_axis("question")

    @cached_property
    def measured(self) -> pd.DataFrame:
        """Runs that did not fail, by question, with its groups."""
        runs = self.runs[self.runs["failure"] == ""].set_index("question", drop=False)
        return runs.join(self.question_groups)

    def runs_of(self, method: str) -> pd.DataFrame:
        """Measured runs of a method by question, in the order of the questions."""
        return self.measured[self.measured["method"] == method]

    @property
    def oracle_is_complete(self) -> bool:
        """Whether the oracle is measured on the same questions as every method, so that its means
        can be compared with theirs.
        """
        ids = set(self.runs_of(ORACLE)["question"])
        return bool(ids) and all(
            set(self.runs_of(name)["question"]) == ids for name in self.methods
        )

    @cached_property
    def failed(self) -> pd.DataFrame:
        """Runs that failed."""
        return self.runs[self.runs["failure"] != ""]

    @cached_property
    def unmeasured(self) -> Mapping[str, list[str]]:
        """Ids of questions without a run, by method: not made yet, or refused by the budget."""
        ended = self.runs.groupby("method")["question"].agg(set)
        ids = [question.id for question in self.questions]
        missing = {
            words: [id_ for id_ in ids if id_ not in ended.get(words, ())] for words in self.methods
        }
        return {words: missed for words, missed in missing.items() if missed}

    @cached_property
    def common(self) -> set[str]:
        """Ids of the questions on which every method is measured."""
        return set.intersection(*(set(self.runs_of(words)["question"]) for words in self.methods))

    @cached_property
    def complete(self) -> bool:
        """Whether all methods are measured on the same questions and no run failed. If not, their
        means cannot be compared.
        """
        alike = all(len(self.runs_of(words)) == len(self.common) for words in self.methods)
        return alike and self.failed.empty

    @property
    def metrics(self) -> tuple[str, ...]:
        """Measures by name, in the order of the table."""
        answers = ("em", "f1") if self.answered else ()
        return (*measure_names(self.ks), *answers)

    def values(self, metric: str, rank: str = "rank") -> pd.Series:
        """A number of every run by method and question, without those that do not have it: a
        column of `runs`, or a measure at any cut-off from a column of ranks. Raises BadInput.
        """
        if metric in self.measured and rank == "rank":
            return self.measured.reset_index(drop=True).set_index(PLACE)[metric].dropna()
        return measure_by_question(self.gold, metric, rank)

    def means(self, metric: str) -> dict[str, float]:
        """Means of a measure by method, without methods that no question is measured with."""
        return dict(self.values(metric).groupby("method", sort=False).mean())

    def summary(self, method: str) -> dict[str, Any]:
        """A method's means over its questions, as `eval --json` prints them; None over none. Calls,
        tokens and cost are sums, with those of failed runs.
        """
        rows, failed = self.runs_of(method), self.failed[self.failed["method"] == method]
        spent = pd.concat([rows, failed])[list(SPENT)]
        sums = spent.drop(columns="cost").sum().astype(int).to_dict()
        times = rows["ms"].quantile([0.5, 0.95]).round(1)
        summary: dict[str, Any] = {"method": method, "n": len(rows), **means(rows, self.ks)}
        summary |= {
            "tokens": {"input": sums.pop("input_tokens"), "output": sums.pop("output_tokens")},
            **sums,
            "cost": rounded(spent["cost"].sum(skipna=False)),
            "iterations": rounded(rows["iterations"].mean()),
            "ms_p50": rounded(times[0.5]),
            "ms_p95": rounded(times[0.95]),
            "failed": len(failed),
            "not_measured": self.unmeasured.get(method, []),
        }
        if self.answered:
            score = _score(rows, "em", "f1")
            summary |= {"em": score["em"], "f1": score["f1"], "n_answers": score["n"]}
        return summary | (dict.fromkeys(UNKNOWN) if is_file(method) else {})

    @property
    def bounds(self) -> dict[str, dict[str, Any]]:
        """EM, F1 and n of answers from the gold passages and from nothing (GEAR Table 3). A
        question counts once, with the best of its runs: what one could not use, another could.
        """
        names = {source: [f"{source} em", f"{source} f1"] for source in ("gold", "nothing")}
        best = {
            source: self.runs.sort_values(scores).groupby("question")[scores].last()
            for source, scores in names.items()
        }
        return {source: _score(best[source], *scores) for source, scores in names.items()}

    def to_json(self) -> dict[str, Any]:
        """The first part of `eval --json`: methods and questions."""
        ranks = self.gold.groupby(PLACE)["rank"].agg(
            lambda ranks: [None if np.isinf(rank) else int(rank) for rank in ranks]
        )
        rows = self.runs[self.runs["method"] != ORACLE].join(ranks.rename("ranks"), on=PLACE)
        rows = rows[[*PLACE, *self.metrics, "ranks", "run", "failure"]]
        return {
            "collection": self.collection,
            "methods": [self.summary(method) for method in self.methods],
            "questions": json.loads(rows.to_json(orient="records", double_precision=15)),
            **({"bounds": self.bounds} if self.answered else {}),
        }


def means(rows: pd.DataFrame, ks: Sequence[int]) -> dict[str, Any]:
    """Mean measures of rankings over some runs, by name; None over none."""
    names = {"recall": "recall", "all_recall": "all", "ndcg": "ndcg"}
    cuts = {
        name: {str(k): rounded(rows[f"{column}@{k}"].mean()) for k in ks}
        for name, column in names.items()
    }
    return {**cuts, "mrr": rounded(rows["mrr"].mean())}


def ranks_by_place(gold: pd.DataFrame, rank: str = "rank") -> dict[tuple[str, str], Ranks]:
    """Ranks of gold passages by key, for each method and question; None: not in the ranking."""
    places = [int(place) if np.isfinite(place) else None for place in gold[rank]]
    groups = gold.assign(place=pd.Series(places, gold.index, object)).groupby(PLACE, sort=False)
    return {place: dict(zip(rows["key"], rows["place"], strict=True)) for place, rows in groups}


def rounded(value: float | None) -> float | None:
    """A number as it is printed as JSON; None for NaN."""
    return None if value is None or np.isnan(value) else round(float(value), DIGITS)


def _score(rows: pd.DataFrame, em: str, f1: str) -> dict[str, Any]:
    scored = rows[em].dropna()
    return {"em": rounded(scored.mean()), "f1": rounded(rows[f1].mean()), "n": len(scored)}


def _density_groups(triples: pd.Series) -> list[str]:
    """Names of up to four groups of about as many questions, where GEAR Table 12 has fixed numbers,
    as "3 < triples ≤ 4.5"; "" if all would be in one.
    """
    groups = pd.qcut(triples, 4, precision=1, duplicates="drop")
    bins = groups.cat.categories
    names = {bin_: f"{bin_.left:g} < triples ≤ {bin_.right:g}" for bin_ in bins}
    return [names.get(bin_, "") if len(names) > 1 else "" for bin_ in groups]
