"""The rows of the panels to pick a question or a run from."""

from __future__ import annotations

from dataclasses import replace

from gear_app.runs.request import EVALUATION
from gear_app.types import Question
from gear_app.ui.shared import panels
from tests.views.compared import run


def test_a_questions_row_says_type_hops_gold_and_recall() -> None:
    questions = [
        Question("a", "Who, then?", (), ("k1", "k2"), "bridge", 2),
        Question("b", "Why?"),
    ]
    table = panels.question_table(questions, {"who then": 0.5})
    assert [(row["id"], row["cells"]) for row in table["rows"]] == [
        ("a", ["Who, then?", "bridge", "2", "2", "0.50"]),
        ("b", ["Why?", "", "", "0", ""]),
    ]
    assert [one["name"] for one in table["columns"] if one.get("filter")] == ["type", "hops"]


def test_runs_of_evaluations_are_hidden_and_other_collections_filtered() -> None:
    one = run("a" * 10)
    other = replace(one, id="f" * 10, collection="other", owner=EVALUATION)
    table = panels.run_table([one, other], {one.id: 1.0}, EVALUATION, "other")
    assert [row["hidden"] for row in table["rows"]] == [False, True]
    assert [row["cells"][5] for row in table["rows"]] == ["1.00", ""]
    assert [column.get("wanted") for column in table["columns"] if column.get("filter")] == [
        "other"
    ]


def test_the_recall_of_a_question_is_that_of_its_newest_run_that_has_one() -> None:
    newest, middle, oldest = (run(id_, question="Who, then?") for id_ in "abc")
    recalls = {"a": None, "b": 0.5, "c": 1.0}
    assert panels.latest_recalls([newest, middle, oldest], recalls) == {"who then": 0.5}
