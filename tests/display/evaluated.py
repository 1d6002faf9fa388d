"""Evaluations made up for tests of what is shown of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gear_app.core.types import Hop, Question
from gear_app.evaluation.comparison import compare
from gear_app.evaluation.definition import Definition
from gear_app.evaluation.evaluation import Evaluation
from gear_app.evaluation.frames import Row, frames
from gear_app.evaluation.results import Facts, Results
from gear_app.store.evaluations import ORACLE

KS = (5, 10)
Ranks = Sequence[int | None]
TOKENS = {"given@1": 400, "written@1": 100, "given@2": 900, "written@2": 300}
WORSE, BETTER = [[1, None]], [[1, 20], [1, 3]]  # of one question; the second in two iterations
HOPS = (Hop("First?", "x", "a"), Hop("Then?", "y", "b"))


def line(id_: str, method: str, *rounds: Ranks, **more: object) -> Row:
    """The line of a run from the ranks of the gold passages a, b, … after each iteration."""
    ranks = dict(zip("abcde", map(list, zip(*rounds, strict=True)), strict=False))
    made = {"question": id_, "method": method, "run": f"{method}-{id_}", "ranks": ranks}
    made |= {"rounds": len(rounds), "iterations": len(rounds), "ms": 10.0}
    return made | dict.fromkeys(("calls", "kept", "unusable", "cost"), 0) | more


def failed(id_: str, method: str, why: str = "no model") -> Row:
    spent = {"calls": 1, "kept": 0, "unusable": 0, "input_tokens": 100, "output_tokens": 0}
    return {"question": id_, "method": method, "run": "r", "failure": why, "cost": 0.0} | spent


def question(id_: str, gold: str = "ab", decomposition: tuple[Hop, ...] = HOPS) -> Question:
    return Question(
        id_,
        f"Who <b>is</b> number {id_[1:]}?",
        supporting_keys=tuple(gold),
        type="bridge",
        hops=2,
        decomposition=decomposition,
    )


def evaluation(
    lines: Iterable[Row],
    ks: Sequence[int] = KS,
    densities: Mapping[str, float] | None = None,
    **more: Any,
) -> Evaluation:
    """An evaluation of these lines; its questions and methods are those of the lines."""
    listed = list(lines)
    methods = dict.fromkeys(one["method"] for one in listed)
    ids = dict.fromkeys(one["question"] for one in listed)
    given = {"questions": tuple(map(question, ids))} | more
    given.setdefault("methods", tuple(words for words in methods if words != ORACLE))
    runs, gold = frames(listed, ks, given["questions"])
    gold["triples"] = gold["question"].map(densities or {}).astype(float)
    return Evaluation("demo", ks=tuple(ks), runs=runs, gold=gold, **{"id": "e", **given})


def compared(evaluated: Evaluation, **facts: object) -> Results:
    """Results of an evaluation against its first method."""
    count = len(evaluated.questions)
    known = Facts(
        "demo", 1714, count, 2 * count, "", "local", 19_082, "mini", "local", 15, "1", "c"
    )
    ids = tuple(one.id for one in evaluated.questions)
    definition = Definition("demo", evaluated.methods, ids, evaluated.ks)
    return Results(evaluated, compare(evaluated), replace(known, **facts), definition)


def lines_of(methods: Mapping[str, Sequence[Sequence[Ranks]]]) -> list[Row]:
    """Lines of questions q0, q1, …: of each method, of each question, the rounds."""
    return [
        line(f"q{n}", name, *rounds)
        for name, questions in methods.items()
        for n, rounds in enumerate(questions)
    ]


def results(methods: Mapping[str, Sequence[Sequence[Ranks]]], **more: Any) -> Results:
    """Results of questions with two gold passages, both of which the oracle finds."""
    count = len(next(iter(methods.values())))
    oracle = [line(f"q{n}", ORACLE, [1, 2]) for n in range(count)]
    return compared(evaluation([*lines_of(methods), *oracle], **more))


def strong() -> Results:
    return results({"hybrid": [WORSE] * 12, "gear width=5": [BETTER] * 12, "bm25": [WORSE] * 12})
