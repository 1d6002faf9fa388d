"""Evaluations of stored runs, and the tables made of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gear_app.errors import ModelFailed, NotReady
from gear_app.evaluate import evaluate
from gear_app.evaluate.experiment import Evaluation, Row
from gear_app.evaluate.tables import Measured, losses, section
from gear_app.workspace import Workspace
from tests.workspaces import pack, workspace


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    found = workspace(tmp_path)
    found.import_path(pack(tmp_path / "pack"), "small")
    return found


def row(method: str, id_: str, found: int, gold: int = 2) -> Row:
    share = found / gold
    return Row(id_, method, "r", gold, dict.fromkeys((5, 10, 15), found), dict.fromkeys((5, 10, 15), share),
               {k: float(found == gold) for k in (5, 10, 15)}, share, 10.0)  # fmt: skip


def test_the_json_has_exactly_the_promised_fields(space: Workspace) -> None:
    printed = json.loads(json.dumps(evaluate(space, "small", ["bm25", "gear"], ks=(1, 5)).to_json()))
    assert list(printed) == ["collection", "methods", "questions"]
    assert [list(method) for method in printed["methods"]] == [
        ["method", "n", "recall", "all_recall", "mrr", "tokens", "ms_p50", "ms_p95", "failed"]
    ] * 2
    assert [(q["id"], q["method"]) for q in printed["questions"]] == [("q1", "bm25"), ("q1", "gear")]
    assert all(list(q) == ["id", "method", "recall", "run"] for q in printed["questions"])


def test_every_number_is_of_a_stored_run(space: Workspace) -> None:
    printed = evaluate(space, "small", ["gear"], ks=(1, 2, 5)).to_json()
    method, question = printed["methods"][0], printed["questions"][0]
    assert method["recall"] == {"1": 0.5, "2": 1.0, "5": 1.0}
    assert method["all_recall"] == {"1": 0.0, "2": 1.0, "5": 1.0}
    assert (method["n"], method["mrr"], method["failed"], method["tokens"]) == (1, 1.0, 0, {"input": 0, "output": 0})
    assert space.run(question["run"]).method == "gear"


def test_a_failed_run_counts_as_recall_zero(space: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise ModelFailed("no model")

    monkeypatch.setattr(space, "ask", broken)
    found = evaluate(space, "small", ["dense"], ks=(5,))
    assert found.summary("dense")["recall"] == {"5": 0.0}
    assert found.summary("dense")["failed"] == 1
    assert found.rows[0].error == "no model"


def test_without_gold_there_is_nothing_to_measure(tmp_path: Path) -> None:
    empty = workspace(tmp_path)
    empty.create_collection("none")
    with pytest.raises(NotReady, match="No question of 'none' has gold passages"):
        evaluate(empty, "none", ["bm25"])


def test_the_table_stars_what_is_significant_and_says_what_was_measured() -> None:
    ids = [f"q{i}" for i in range(20)]
    rows = [row("hybrid", i, 1) for i in ids] + [row("gear", i, 2) for i in ids]
    text = section(Measured("set", "local", 1234, 5678, 2, Evaluation("set", ("hybrid", "gear"), tuple(rows))))
    assert "20 questions with 40 gold passages, 1,234 passages, 5,678 triples (`local`), at most 2 iterations." in text
    assert "| `hybrid` | 50.0 | 50.0 | 50.0 | 0.0 | 0.500 |  |  |  | 10 |" in text
    assert "| `gear` | 100.0* | 100.0* | 100.0* | 100.0 | 1.000 | 100 % (100 to 100) |" in text


def test_losses_are_listed_by_question() -> None:
    rows = [row("hybrid", "a", 1), row("hybrid", "b", 1), row("gear", "a", 0), row("gear", "b", 2)]
    measured = Measured("set", "local", 1, 1, None, Evaluation("set", ("hybrid", "gear"), tuple(rows)))
    assert losses(measured, "gear") == "* `a`: 0 of 2, hybrid 1"
