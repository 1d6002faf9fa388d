"""Measure methods on a collection's questions: every question is a stored run, every number is of its ranking."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gear_app.errors import GearError, ModelFailed, NotReady
from gear_app.evaluate.metrics import all_recall_at, found_at, recall_at, reciprocal_rank
from gear_app.evaluate.variants import Variant, variant
from gear_app.types import Question
from gear_app.workspace import Answer, Workspace

KS = (5, 10, 15)


@dataclass(frozen=True, slots=True)
class Row:
    """One question under one method, named as it was asked for. A run that failed found nothing and has `error`."""

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


Tell = Callable[[Row], None]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All rows, methods in the order asked for."""

    collection: str
    methods: tuple[str, ...]
    rows: tuple[Row, ...]

    def of(self, method: str) -> list[Row]:
        """A method's rows, in the order of the questions."""
        return [row for row in self.rows if row.method == method]

    def summary(self, method: str) -> dict[str, Any]:
        """A method's means over questions, as `eval --json` prints them."""
        rows = self.of(method)
        times = sorted(row.ms for row in rows if not row.error) or [0.0]
        return {
            "method": method,
            "n": len(rows),
            "recall": {str(k): _mean([row.recall[k] for row in rows]) for k in rows[0].recall},
            "all_recall": {str(k): _mean([row.all_recall[k] for row in rows]) for k in rows[0].all_recall},
            "mrr": _mean([row.reciprocal_rank for row in rows]),
            "tokens": {"input": sum(r.input_tokens for r in rows), "output": sum(r.output_tokens for r in rows)},
            "ms_p50": round(statistics.median(times), 1),
            "ms_p95": round(times[min(len(times) - 1, int(0.95 * len(times)))], 1),
            "failed": sum(bool(row.error) for row in rows),
        }

    def to_json(self) -> dict[str, Any]:
        """Exactly what `eval --json` prints (DESIGN §7)."""
        return {
            "collection": self.collection,
            "methods": [self.summary(method) for method in self.methods],
            "questions": [
                {"id": r.id, "method": r.method, "recall": {str(k): v for k, v in r.recall.items()}, "run": r.run}
                for r in self.rows
            ],
        }


@dataclass(frozen=True, slots=True)
class _How:
    """What is the same for every question."""

    workspace: Workspace
    collection: str
    ks: Sequence[int]
    triples: str | None
    reader: str
    twice: bool

    def ask(self, question: str, method: Variant) -> Answer:
        """A stored run at the deepest cut-off."""
        return self.workspace.ask(
            question, self.collection, method.method,
            triples=self.triples, reader=self.reader, k=max(self.ks), settings=method.settings,
        )  # fmt: skip


def evaluate(
    workspace: Workspace,
    collection: str,
    methods: Sequence[str],
    *,
    ks: Sequence[int] = KS,
    triples: str | None = None,
    limit: int | None = None,
    reader: str = "local",
    twice: bool = False,
    tell: Tell = lambda row: None,
) -> Evaluation:
    """Ask every question that has gold passages with every method, at k = max(ks), and cut the ranking at `ks`.

    A method can be followed by settings: `hipporag synonymy=false`. `twice`: the second of two runs is measured, so
    that no method pays for the vectors of texts that another one made before. Questions without gold (unanswerable
    ones) cannot have a recall and are left out. A run that fails counts as recall 0. Raises NotReady where no question
    has gold, and what a wrong name raises.
    """
    questions = [question for question in workspace.questions(collection) if question.supporting_keys][:limit]
    if not questions:
        raise NotReady(f"No question of {collection!r} has gold passages. Import a question set, or mark some.")
    how = _How(workspace, collection, ks, triples, reader, twice)
    variants = {" ".join(words.split()): variant(words) for words in methods}
    for (
        method
    ) in variants.values():  # models and arrays are loaded outside of what is timed; a wrong name fails at once
        with contextlib.suppress(ModelFailed):  # which is counted below
            how.ask(questions[0].question, method)
    rows = []
    for name, method in variants.items():
        for question in questions:
            row = _measured(how, question, name, method)
            rows.append(row)
            tell(row)
    return Evaluation(collection, tuple(variants), tuple(rows))


def _measured(how: _How, question: Question, name: str, method: Variant) -> Row:
    run, ranking, ms, tokens, error = "", [], 0.0, (0, 0), ""
    try:
        if how.twice:
            how.ask(question.question, method)
        answer = how.ask(question.question, method)
    except GearError as failure:
        error = str(failure)
        last = how.workspace.runs(how.collection, limit=1)
        run = next((r.id for r in last if r.question == question.question), "")
    else:
        run, ms, tokens = answer.run, answer.ms, (answer.input_tokens, answer.output_tokens)
        ranking = [line.key for line in answer.ranking]
    gold = question.supporting_keys
    return Row(
        id=question.id,
        method=name,
        run=run,
        gold=len(dict.fromkeys(gold)),
        found={k: found_at(ranking, gold, k) for k in how.ks},
        recall={k: recall_at(ranking, gold, k) for k in how.ks},
        all_recall={k: all_recall_at(ranking, gold, k) for k in how.ks},
        reciprocal_rank=reciprocal_rank(ranking, gold),
        ms=ms,
        input_tokens=tokens[0],
        output_tokens=tokens[1],
        error=error,
    )


def _mean(values: Sequence[float]) -> float:
    return round(statistics.fmean(values), 6)
