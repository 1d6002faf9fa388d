"""EM and F1 of an evaluation: over questions with known answers, one that failed has none, a bound
counts once.
"""

from __future__ import annotations

from gear_app.evaluation.frames import answer_scores
from gear_app.trace.events import Answered, Failed
from tests.display.evaluated import evaluation, line


def test_a_run_without_an_answer_scores_nothing_where_one_is_known_and_is_not_counted_where_none_is() -> (
    None
):
    happened = [
        Answered("retrieved", "the Port", (), iteration=0),
        Failed("answer", "…", iteration=0),
    ]
    assert answer_scores(happened, ["port"]) == {
        "retrieved em": 1.0,
        "retrieved f1": 1.0,
        "gold em": 0.0,
        "gold f1": 0.0,
        "nothing em": 0.0,
        "nothing f1": 0.0,
    }
    assert answer_scores(happened, []) == {}


def test_a_bound_counts_each_question_once_and_the_best_of_what_its_runs_got() -> None:
    right, half, none = (1.0, 1.0), (0.0, 0.5), (0.0, 0.0)
    scores = [
        ("hybrid", "a", {"gold": none, "nothing": half}),
        ("hybrid", "b", {"gold": half, "nothing": none}),
        ("gear", "a", {"gold": right, "nothing": none}),
        ("gear", "b", {"gold": half, "nothing": none}),
        ("gear", "c", {}),
    ]
    lines = [
        line(
            id_,
            method,
            [1],
            **{
                f"{source} {name}": score
                for source, both in of.items()
                for name, score in zip(("em", "f1"), both, strict=True)
            },
        )
        for method, id_, of in scores
    ]
    assert evaluation(lines, answered=True).bounds == {
        "gold": {"em": 0.5, "f1": 0.75, "n": 2},
        "nothing": {"em": 0.0, "f1": 0.25, "n": 2},
    }
