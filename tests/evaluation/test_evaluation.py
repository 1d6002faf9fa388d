"""EM and F1 of an evaluation: over questions with known answers, one that failed has none, a bound
counts once.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gear_app import methods as retrievers
from gear_app.core.errors import ModelFailed
from gear_app.evaluation.frames import answer_scores
from gear_app.trace.events import Answered, Failed
from gear_app.workspace.workspace import Workspace
from tests.display.evaluated import evaluation, line
from tests.evaluating import evaluate, small_with
from tests.small import QUESTION


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """The small collection with a second question that nobody knows the answer of, and a third with
    another answer.
    """
    unknown = {"id": "q2", "question": "Who studied law?", "supporting_ids": ["quill"]}
    other = {"id": "q3", "question": "Who directed Winter Lights?", "supporting_ids": ["winter"]}
    return small_with(tmp_path, unknown | {"answers": []}, other | {"answers": ["Hale"]})


def test_a_run_without_an_answer_scores_nothing_where_one_is_known_and_is_not_counted_where_none_is() -> (
    None
):
    happened = [
        Answered("retrieved", "the Port", (), iteration=0),
        Failed("answer", "…", iteration=0),
    ]
    assert answer_scores(happened, ["port"]) == {
        "retrieved": (1.0, 1.0),
        "gold": (0, 0),
        "nothing": (0, 0),
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


def test_an_evaluation_measures_answers_where_they_are_known(space: Workspace) -> None:
    found = json.loads(
        json.dumps(evaluate(space, "small", ["bm25", "gear"], ks=(5,), answer=True).to_json())
    )
    for method in found["methods"]:
        assert (method["n"], method["n_answers"]) == (3, 2)
    gear = found["methods"][1]  # "Port Mira", and "Bo Hale" of which "Hale" is known
    assert (gear["em"], gear["f1"]) == (0.5, pytest.approx((1 + 2 / 3) / 2, abs=1e-6))
    assert found["bounds"]["nothing"] == {"em": 0.0, "f1": 0.0, "n": 2}
    assert found["bounds"]["gold"]["n"] == 2 and found["bounds"]["gold"]["em"] == 0.5
    by_id = {row["question"]: row for row in found["questions"] if row["method"] == "gear"}
    assert (by_id["q1"]["em"], by_id["q2"]["em"], by_id["q2"]["f1"]) == (1.0, None, None)


def test_a_failed_run_answered_nothing(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = retrievers.answer

    def failing(retriever: Any, index: Any, question: str, *arguments: Any) -> Any:
        if question == QUESTION:
            raise ModelFailed("gone")
        return answer(retriever, index, question, *arguments)

    monkeypatch.setattr(retrievers, "answer", failing)
    (method,) = evaluate(space, "small", ["gear"], ks=(5,), answer=True).to_json()["methods"]
    assert (method["failed"], method["n_answers"], method["em"]) == (1, 1, 0.0)
    assert method["f1"] == pytest.approx(2 / 3, abs=1e-6)
