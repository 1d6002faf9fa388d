"""Rows and evaluations made up for tests."""

from __future__ import annotations

from gear_app.evaluate.evaluation import Evaluation, FailedRun, Row
from gear_app.store.rows import Spent
from gear_app.types import Hop, Question
from tests.bench.results.measured_sets import MeasuredSet


def row(method: str, id_: str, found: int, gold: int = 2) -> Row:
    share = found / gold
    return Row(
        id_,
        method,
        "r",
        dict.fromkeys((5, 10, 15), share),
        {k: float(found == gold) for k in (5, 10, 15)},
        share,
        10.0,
        ndcg=dict.fromkeys((5, 10, 15), share),
        ranks=tuple(n + 1 if n < found else None for n in range(gold)),
    )


def failed(method: str, id_: str, why: str = "no model") -> FailedRun:
    return FailedRun(id_, method, "r", why, Spent(calls=1, input_tokens=100))


def measured(
    name: str,
    found: dict[str, list[int]],
    decomposition: tuple[Hop, ...] = (),
) -> MeasuredSet:
    """Every method's gold passages found, of two, question by question: a, b, c, …; with a
    decomposition every question has it, and a perfect reader who finds all.
    """
    rows = [
        row(method, chr(97 + n), count)
        for method, counts in found.items()
        for n, count in enumerate(counts)
    ]
    ids = list(dict.fromkeys(one.id for one in rows))
    evaluation = Evaluation(
        name,
        tuple(found),
        tuple(rows),
        questions=tuple(
            Question(id_, "?", supporting_keys=("x", "y"), decomposition=decomposition)
            for id_ in ids
        ),
        ceiling=tuple(row("perfect reader", id_, 2) for id_ in ids) if decomposition else (),
    )
    return MeasuredSet(name, "local", evaluation, frozenset(ids[:1]))
