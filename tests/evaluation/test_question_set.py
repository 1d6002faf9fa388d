"""A set of picked questions is asked again after a fix, and what the fix made of them is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gear_app.core.errors import NotReady
from gear_app.evaluation import results, tables
from gear_app.evaluation.definition import Definition
from gear_app.evaluation.question_set import differences, of_evaluation, of_runs
from gear_app.evaluation.service import EvaluationService
from gear_app.workspace.workspace import Workspace
from tests.evaluating import evaluate, small_with
from tests.small import QUESTION

ASKED = {"q2": ("Who studied music?", ["hale"]), "q3": ("What is on the river Sel?", ["glacier"])}


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    more = [
        {"id": id_, "question": question, "supporting_ids": gold}
        for id_, (question, gold) in ASKED.items()
    ]
    return small_with(tmp_path, *more)


def add_what_was_missing(space: Workspace, folder: Path) -> None:
    """The fix: the gold passage of q3 comes in."""
    folder.mkdir()
    row = {"id": "glacier", "title": "Glacier", "text": "What is on the river Sel? A glacier."}
    (folder / "corpus.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    space.imports.do(folder, "small")


def test_a_set_remembers_what_was_found_and_shows_what_a_fix_made_of_it(
    space: Workspace, tmp_path: Path
) -> None:
    whole = evaluate(space, "small", ["bm25", "dense"], ks=(1, 5))
    made = of_evaluation(space, whole.id, ["q3", "q2"])
    assert made.questions == ("q2", "q3") and made.methods == ("bm25", "dense")
    assert made.before["bm25"]["q3"] == {"glacier": None}
    service = EvaluationService(space)
    id_ = service.create(made)
    assert service.start(id_) == 0, "the runs are there"
    service.work(id_)
    assert {row["difference"] for row in differences(service.load(id_), 1).values()} == {0.0}
    assert service.outdated(id_) == 0
    add_what_was_missing(space, tmp_path / "fix")
    assert service.outdated(id_) == 4
    assert service.start(id_) == 4
    service.work(id_)
    found = service.load(id_)
    first = differences(found, 1)["bm25"]
    assert [first[name] for name in ("n", "picked", "difference", "p")] == [2, 2, 0.5, 1.0]
    means, counts = tables.before_after(found, 1)
    assert list(means.numbers.loc["bm25"])[:2] == [0.5, 1.0]
    assert list(counts.behind(found, ("bm25", "found"), 1)["question"]) == ["q3"]
    assert list(counts.numbers) == ["found"]
    printed = results.load(space, id_).to_json()["tables"]["1"]
    assert printed["before"]["bm25"]["recall@1 now"] == printed["found"]["bm25"]["found"] == 1.0
    assert Definition.from_json("small", json.loads(json.dumps(made.to_json()))) == made


def test_the_runs_of_a_queue_become_a_set_with_their_methods_and_settings(
    space: Workspace,
) -> None:
    asked = [(QUESTION, "hybrid", {}), (QUESTION, "sync_ge", {"width": "5"})]
    asked.append((ASKED["q2"][0], "hybrid", {}))
    runs = [
        space.runs.get(space.ask(question, "small", method, settings=given).run)
        for question, method, given in asked
    ]
    made = of_runs(space, "small", runs)
    assert made.questions == ("q1", "q2") and made.triples == "curated"
    assert made.methods == ("hybrid", "sync_ge beam.width=5")
    assert set(made.before["hybrid"]) == {"q1", "q2"} and set(made.before[made.methods[1]]) == {
        "q1"
    }
    service = EvaluationService(space)
    queued = service.start(service.create(made))
    assert queued == 2, "SyncGE of the second question, and a search of the oracle"
    unknown = space.runs.get(space.ask("Something else?", "small", "bm25").run)
    with pytest.raises(NotReady, match="question set of 'small'"):
        of_runs(space, "small", [unknown])
