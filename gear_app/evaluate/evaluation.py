"""What an evaluation found: a row for every question and method, sums, and scores of answers."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, get_args

from gear_app.analysis.metrics import scored_answers
from gear_app.events import Event
from gear_app.types import Source

KS = (5, 10, 15)


class AnswerScore(NamedTuple):
    """EM and F1 of one answer."""

    em: float
    f1: float


Scores = Mapping[Source, AnswerScore]
BOUNDS: tuple[Source, ...] = ("gold", "nothing")
NO_ANSWER = AnswerScore(0.0, 0.0)


def answer_scores(happened: Sequence[Event], known: Sequence[str]) -> dict[Source, AnswerScore]:
    """A run's answers against the known ones; without known answers none, which is not counted.

    A source without an answer scores 0, whether the reader had none, its reply could not be used,
    or the run failed.
    """
    if not known:
        return {}
    measured = {
        one.source: AnswerScore(one.em or 0.0, one.f1 or 0.0)
        for one in scored_answers(happened, known)
    }
    return {source: measured.get(source, NO_ANSWER) for source in get_args(Source)}


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
    """One question under one method, named as it was asked for.

    A run that failed found nothing and has `error`. `failure` is why a model gave no reply, also
    where the run went on with what it had. `scores` are those of its answers; none where none was
    asked for or no answer is known.
    """

    id: str
    method: str
    run: str
    gold: int
    found: dict[int, int]
    recall: dict[int, float]
    all_recall: dict[int, float]
    reciprocal_rank: float
    ms: float
    input_tokens: int = 0
    output_tokens: int = 0
    error: str = ""
    calls: int = 0
    kept: int = 0
    unusable: int = 0
    cost: float | None = 0.0
    scores: Scores = field(default_factory=dict)
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All rows, methods in the order asked for.

    Where a budget was reached, `unmeasured` are the ids of the questions that were not asked any
    more, or not to the end, by method; they have no rows, and `reached` says why. `answered`: the
    runs were to write answers. `failure` is the first one of a model, "" where none failed.
    """

    collection: str
    methods: tuple[str, ...]
    rows: tuple[Row, ...]
    unmeasured: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reached: str = ""
    ks: tuple[int, ...] = ()
    answered: bool = False
    failure: str = ""

    def of(self, method: str) -> list[Row]:
        """A method's rows, in the order of the questions."""
        return [row for row in self.rows if row.method == method]

    def summary(self, method: str) -> dict[str, Any]:
        """A method's means over the questions it was measured on, as `eval --json` prints them.

        None over none. Calls, tokens and cost are sums; those of runs that failed count, those of
        runs that a budget stopped do not.
        """
        rows = self.of(method)
        ks = tuple(rows[0].recall) if rows else self.ks
        times = sorted(row.ms for row in rows if not row.error) or [0.0]
        return {
            "method": method,
            "n": len(rows),
            "recall": {str(k): _mean([row.recall[k] for row in rows]) for k in ks},
            "all_recall": {str(k): _mean([row.all_recall[k] for row in rows]) for k in ks},
            "mrr": _mean([row.reciprocal_rank for row in rows]),
            "tokens": {
                "input": sum(r.input_tokens for r in rows),
                "output": sum(r.output_tokens for r in rows),
            },
            "calls": sum(row.calls for row in rows),
            "kept": sum(row.kept for row in rows),
            "unusable": sum(row.unusable for row in rows),
            "cost": _total([row.cost for row in rows]),
            "ms_p50": round(statistics.median(times), 1),
            "ms_p95": round(times[min(len(times) - 1, int(0.95 * len(times)))], 1),
            "failed": sum(bool(row.error) for row in rows),
            "not_measured": list(self.unmeasured.get(method, ())),
            **self.answers(method),
        }

    def answers(self, method: str) -> dict[str, Any]:
        """EM and F1 of a method's answers, over the `n_answers` questions with a known one.

        {} where none were written. A run that failed answered nothing and counts as 0.
        """
        if not self.answered:
            return {}
        found = mean_score(row.scores["retrieved"] for row in self.of(method) if row.scores)
        return {"em": found["em"], "f1": found["f1"], "n_answers": found["n"]}

    @property
    def bounds(self) -> dict[str, dict[str, Any]]:
        """EM, F1 and n of answers from the gold passages and from nothing, each question once."""
        return bounds((row.id, row.scores) for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """Exactly what `eval --json` prints (DESIGN §7)."""
        return {
            "collection": self.collection,
            "methods": [self.summary(method) for method in self.methods],
            "questions": [
                {
                    "id": r.id,
                    "method": r.method,
                    "recall": {str(k): v for k, v in r.recall.items()},
                    "run": r.run,
                }
                | (_own(r) if self.answered else {})
                for r in self.rows
            ],
            **({"bounds": self.bounds} if self.answered else {}),
        }


def _own(row: Row) -> dict[str, float | None]:
    """A question's own EM and F1; null where no answer is known."""
    em, f1 = row.scores["retrieved"] if row.scores else (None, None)
    return {"em": em, "f1": f1}


def _mean(values: Sequence[float]) -> float | None:
    return round(statistics.fmean(values), 6) if values else None


def _total(costs: Sequence[float | None]) -> float | None:
    """Dollars; None where one is not known."""
    known = [cost for cost in costs if cost is not None]
    return round(sum(known), 6) if len(known) == len(costs) else None


@dataclass(frozen=True, slots=True)
class Case:
    """A question that is shown on its own, with the titles of its gold passages."""

    id: str
    question: str
    gold: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MeasuredSet:
    """An evaluation, its corpus, and questions to show one by one (none: only the means)."""

    name: str
    triple_set: str
    passages: int
    triples: int
    max_iterations: int | None
    evaluation: Evaluation
    cases: tuple[Case, ...] = ()

    @property
    def title(self) -> str:
        """The set and its triples."""
        return f"{self.name}, triples: {self.triple_set}"
