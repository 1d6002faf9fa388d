"""Results of an evaluation made up for tests of what is said and drawn of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gear_app.evaluate.comparison import compare
from gear_app.evaluate.definition import Definition
from gear_app.evaluate.evaluation import Evaluation, Row
from gear_app.evaluate.measures import measures_of_ranks
from gear_app.evaluate.results import Facts, Results
from gear_app.evaluate.run_facts import TokensTaken
from gear_app.types import Hop, Question

KS = (5, 10)
Ranks = Sequence[int | None]


def row(id_: str, method: str, *rounds: Ranks) -> Row:
    """A question's row from the ranks of its gold passages after each iteration."""
    last = tuple(rounds[-1])
    found = measures_of_ranks({id_: last}, {id_: [1] * len(last)}, KS)[id_]
    return Row(
        id=id_,
        method=method,
        run=f"{method}-{id_}",
        recall=found.recall,
        all_recall=found.all_recall,
        reciprocal_rank=found.reciprocal_rank,
        ms=10.0,
        ndcg=found.ndcg,
        ranks=last,
        rounds=tuple(tuple(ranks) for ranks in rounds),
        iterations=len(rounds),
    )


def results(methods: Mapping[str, Sequence[Sequence[Ranks]]], **facts: object) -> Results:
    """Results of questions with two gold passages: of each method, of each question, the rounds."""
    count = len(next(iter(methods.values())))
    questions = tuple(
        Question(
            f"q{n}",
            f"Who <b>is</b> number {n}?",
            supporting_keys=("a", "b"),
            type="bridge",
            hops=2,
            decomposition=(Hop("First?", "x", "a"), Hop("Then?", "y", "b")),
        )
        for n in range(count)
    )
    rows = [row(f"q{n}", name, *of) for name, all_ in methods.items() for n, of in enumerate(all_)]
    ceiling = tuple(row(f"q{n}", "perfect reader", [1, 2]) for n in range(count))
    evaluation = Evaluation(
        "demo", tuple(methods), tuple(rows), ks=KS, id="e", questions=questions, ceiling=ceiling
    )
    known = Facts(
        "demo", 1714, count, 2 * count, "", "local", 19_082, "mini", "local", 15, "1", "c"
    )
    definition = Definition("demo", tuple(one.id for one in questions), tuple(methods), KS)
    return Results(evaluation, compare(evaluation), replace(known, **facts), definition)


TOKENS = (TokensTaken(400, 100), TokensTaken(900, 300))
WORSE, BETTER = [[1, None]], [[1, 20], [1, 3]]  # of one question; the second in two iterations


def strong() -> Results:
    return results({"hybrid": [WORSE] * 12, "gear width=5": [BETTER] * 12, "bm25": [WORSE] * 12})
