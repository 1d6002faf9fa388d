"""What an evaluation found: a row for every question and method, sums, and scores of answers."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gear_app.errors import BadInput
from gear_app.evaluate.definition import KS
from gear_app.evaluate.run_facts import NO_ANSWER, AnswerScore, Ranks, Scores, TokensTaken
from gear_app.evaluate.run_files import BroughtRun, is_brought
from gear_app.store.rows import Spent
from gear_app.types import Question, Source

UNKNOWN = ("tokens", "calls", "kept", "unusable", "cost", "iterations", "ms_p50", "ms_p95")
"""What a summary cannot tell of a run file."""
PERFECT = "perfect reader"  # the ceiling of one simple way to search, as its rows are named
BOUNDS: tuple[Source, ...] = ("gold", "nothing")


def mean_score(of: Iterable[AnswerScore]) -> dict[str, Any]:
    """EM and F1 as fractions averaged over questions, and how many these are; null over none."""
    found = list(of)
    if not found:
        return {"em": None, "f1": None, "n": 0}
    em, f1_ = (round(statistics.fmean(values), 6) for values in zip(*found, strict=True))
    return {"em": em, "f1": f1_, "n": len(found)}


def bounds(asked: Iterable[tuple[str, Scores]]) -> dict[str, dict[str, Any]]:
    """The mean scores of answers from the gold passages and from nothing (GEAR Table 3).

    `asked` are (question id, scores); a question counts once, though every method's run has asked
    for its bounds. Of several runs the best counts: what one of them could not use, another could.
    """
    best: dict[tuple[Source, str], AnswerScore] = {}
    for id_, found in asked:
        for source in BOUNDS:
            if source in found:
                best[source, id_] = max(found[source], best.get((source, id_), NO_ANSWER))
    return {
        source: mean_score(score for (of, _), score in best.items() if of == source)
        for source in BOUNDS
    }


@dataclass(frozen=True, slots=True)
class Row:
    """One question under one method, named as it was asked for; a run that failed has none.

    `scores` are those of its answers; none where none was asked for or no answer is known. `ranks`
    and `rounds` are of the gold passages in their order (run_facts), `tokens` those taken after
    each iteration. Of a run file (run_files) only ranks are known: `run` is "", `rounds` are none
    and `iterations` 0. `searches` are the runs of a perfect reader, one for every link of the
    chain.
    """

    id: str
    method: str
    run: str
    recall: dict[int, float]
    all_recall: dict[int, float]
    reciprocal_rank: float
    ms: float
    spent: Spent = field(default_factory=Spent)
    scores: Scores = field(default_factory=dict)
    ndcg: dict[int, float] = field(default_factory=dict)
    ranks: Ranks = ()
    rounds: tuple[Ranks, ...] = ()
    tokens: tuple[TokensTaken, ...] = ()
    iterations: int = 1
    stopped: str = ""
    stale: bool = False
    searches: tuple[str, ...] = ()

    @property
    def gold(self) -> int:
        """How many gold passages the question has."""
        return len(self.ranks)

    def value(self, metric: str) -> float | None:
        """One measure by name: `recall@5`, `all@5`, `ndcg@10`, `mrr`, `em`, `f1`; None where it is
        not defined. Raises BadInput for others, and for a cut-off that was not measured.
        """
        return value_of(metric)(self)


def value_of(metric: str) -> Callable[[Row], float | None]:
    """What takes a measure out of a row, as `Row.value` does; its name is read once."""
    name, _, cut = metric.partition("@")
    if name == "mrr" and not cut:
        return lambda row: row.reciprocal_rank
    if name in ("em", "f1") and not cut:
        return lambda row: getattr(row.scores["retrieved"], name) if row.scores else None
    by_k = {"recall": "recall", "all": "all_recall", "ndcg": "ndcg"}.get(name, "")
    k = int(cut) if cut.isdecimal() else 0

    def value(row: Row) -> float | None:
        values: Mapping[int, float] = getattr(row, by_k) if by_k else {}
        if k not in values:
            cuts = ", ".join(map(str, row.recall))
            raise BadInput(
                f"There is no measure {metric!r} here. Available: recall@k, all@k and ndcg@k with k"
                f" in {cuts}; mrr; em and f1 with answers"
            )
        return values[k]

    return value


@dataclass(frozen=True, slots=True)
class FailedRun:
    """A question that has no number under a method, since its run failed or a model gave no reply
    in it and it ended with what it had; why, and what it took all the same.
    """

    id: str
    method: str
    run: str
    why: str
    spent: Spent


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All rows, methods in the order asked for. A question is in no row of a method under which its
    run is among `failed`: nothing that is counted or averaged knows of it.

    Where a budget was reached, or before all is measured, `unmeasured` are the ids of the questions
    that were not asked (any more, or to the end), by method; they have no rows, and `reached` is
    the budget's sentence. `answered`: the runs were to write answers. `questions` are those
    measured, in order; `ceiling` the rows of the perfect reader, of those with a known
    decomposition. `id` is "" where it is not stored. `brought` are the run files among the methods;
    `before` what was found when the questions were picked (question_set). `densities` is how many
    triples the gold passages of a question have on average, by question; without questions whose
    gold has none in the collection.
    """

    collection: str
    methods: tuple[str, ...]
    rows: tuple[Row, ...]
    unmeasured: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reached: str = ""
    ks: tuple[int, ...] = ()
    answered: bool = False
    id: str = ""
    questions: tuple[Question, ...] = ()
    ceiling: tuple[Row, ...] = ()
    brought: tuple[BroughtRun, ...] = ()
    before: Mapping[str, Mapping[str, Ranks]] = field(default_factory=dict)
    densities: Mapping[str, float] = field(default_factory=dict)
    failed: tuple[FailedRun, ...] = ()

    def of(self, method: str) -> list[Row]:
        """A method's rows, in the order of the questions."""
        return [row for row in self.rows if row.method == method]

    def failed_of(self, method: str) -> list[FailedRun]:
        """A method's runs that failed."""
        return [run for run in self.failed if run.method == method]

    @property
    def failures(self) -> Counter[str]:
        """Why runs failed, and how many for each reason."""
        return Counter(run.why for run in self.failed)

    def summary(self, method: str) -> dict[str, Any]:
        """A method's means over the questions it was measured on, as `eval --json` prints them.

        None over none. Calls, tokens and cost are sums; those of runs that failed count, those of
        runs that a budget stopped do not. Of a run file they are not known, and None.
        """
        rows, failed = self.of(method), self.failed_of(method)
        took = sum([*(row.spent for row in rows), *(run.spent for run in failed)], Spent())
        ks = tuple(rows[0].recall) if rows else self.ks
        times = sorted(row.ms for row in rows) or [0.0]
        return {
            "method": method,
            "n": len(rows),
            **means(rows, ks),
            "tokens": {
                "input": took.input_tokens,
                "output": took.output_tokens,
            },
            "calls": took.calls,
            "kept": took.kept,
            "unusable": took.unusable,
            "cost": None if took.cost is None else round(took.cost, 6),
            "iterations": _mean([row.iterations for row in rows]),
            "ms_p50": round(statistics.median(times), 1),
            "ms_p95": round(times[min(len(times) - 1, int(0.95 * len(times)))], 1),
            "failed": len(failed),
            "not_measured": list(self.unmeasured.get(method, ())),
            **self.answers(method),
            **(dict.fromkeys(UNKNOWN) if is_brought(method) else {}),
        }

    def answers(self, method: str) -> dict[str, Any]:
        """EM and F1 of a method's answers, over the `n_answers` questions with a known one.

        {} where none were written.
        """
        if not self.answered:
            return {}
        found = mean_score(row.scores["retrieved"] for row in self.of(method) if row.scores)
        return {"em": found["em"], "f1": found["f1"], "n_answers": found["n"]}

    @property
    def bounds(self) -> dict[str, dict[str, Any]]:
        """EM, F1 and n of answers from the gold passages and from nothing, each question once."""
        return bounds((row.id, row.scores) for row in self.rows)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The measures of its table by name, in its order."""
        names = [f"{name}@{k}" for name in ("recall", "all") for k in self.ks]
        names += ["mrr", *(f"ndcg@{k}" for k in self.ks)]
        return (*names, "em", "f1") if self.answered else tuple(names)

    def values(self, method: str, metric: str) -> dict[str, float]:
        """A measure of a method, by question; without those it is not defined for."""
        value = value_of(metric)
        found = {row.id: value(row) for row in self.of(method)}
        return {id_: value for id_, value in found.items() if value is not None}

    def to_json(self) -> dict[str, Any]:
        """Exactly what `eval --json` prints, but for the comparison of methods."""
        return {
            "collection": self.collection,
            "methods": [self.summary(method) for method in self.methods],
            "questions": [
                {
                    "id": r.id,
                    "method": r.method,
                    "recall": {str(k): v for k, v in r.recall.items()},
                    "ranks": list(r.ranks),
                    "run": r.run,
                }
                | (_own(r) if self.answered else {})
                for r in self.rows
            ]
            + [_without_numbers(run, self.ks, answered=self.answered) for run in self.failed],
            **({"bounds": self.bounds} if self.answered else {}),
        }


def means(rows: Sequence[Row], ks: Sequence[int] = KS) -> dict[str, Any]:
    """The mean measures of rankings over some rows, by name; None over none."""
    return {
        "recall": {str(k): _mean([row.recall[k] for row in rows]) for k in ks},
        "all_recall": {str(k): _mean([row.all_recall[k] for row in rows]) for k in ks},
        "ndcg": {str(k): _mean([row.ndcg[k] for row in rows if k in row.ndcg]) for k in ks},
        "mrr": _mean([row.reciprocal_rank for row in rows]),
    }


def _own(row: Row) -> dict[str, float | None]:
    """A question's own EM and F1; null where no answer is known."""
    em, f1 = row.scores["retrieved"] if row.scores else (None, None)
    return {"em": em, "f1": f1}


def _without_numbers(run: FailedRun, ks: Sequence[int], *, answered: bool) -> dict[str, Any]:
    """A question whose run failed, in the form of the others."""
    nothing = dict.fromkeys(map(str, ks))
    told = {"id": run.id, "method": run.method, "recall": nothing, "ranks": None, "run": run.run}
    return told | ({"em": None, "f1": None} if answered else {}) | {"failed": run.why}


def _mean(values: Sequence[float]) -> float | None:
    return round(statistics.fmean(values), 6) if values else None
