"""A set of picked questions is asked again after a fix, and what the fix made of them is told."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from gear_app.cli import parser
from gear_app.core.errors import NotReady, Unknown
from gear_app.evaluation import results, tables
from gear_app.evaluation.definition import Definition, QuestionChoice, ReaderChoice, define
from gear_app.evaluation.evaluation import ranks_by_question
from gear_app.evaluation.question_set import before_after, of_evaluation, of_runs
from gear_app.evaluation.service import EvaluationService
from gear_app.models.server import Spec
from gear_app.workspace.runs.request import ALL_RIGHTS
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
    space.import_path(folder, "small")


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
    rows = before_after(service.load(id_), 1)
    assert [(row["before"], row["after"], row["found"]) for row in rows] == [(0.5, 0.5, 0)] * 2
    assert service.outdated(id_) == 0
    add_what_was_missing(space, tmp_path / "fix")
    assert service.outdated(id_) == 4
    assert service.start(id_) == 4
    service.work(id_)
    found = service.load(id_)
    first, _ = before_after(found, 1)
    assert [first[name] for name in ("n", "before", "after")] == [2, 0.5, 1.0]
    assert [first[name] for name in ("found", "lost", "difference", "p")] == [1, 0, 0.5, 1.0]
    counts = tables.before_after(found, 1)[1]
    assert list(counts.behind(found, ("bm25", "found"), 1)["question"]) == ["q3"]
    assert list(counts.numbers) == ["found"]
    printed = results.load(space, id_).to_json()["tables"]
    assert [[row["after"] for row in at["before_after"]] for at in printed.values()] == [
        [1.0, 1.0]
    ] * 2
    assert Definition.from_json("small", json.loads(json.dumps(made.to_json()))) == made


def test_questions_whose_gold_was_changed_since_are_not_compared(space: Workspace) -> None:
    found = evaluate(space, "small", ["bm25"], ks=(1, 5))
    then = {"q1": {"harbour": 1, "quill": None}, "q2": {"hale": 1, "mira": 2}}
    (row,) = before_after(replace(found, before={"bm25": then}), 1)
    assert row["n"] == 1


def test_a_passage_that_is_no_more_found_counts_as_lost(space: Workspace) -> None:
    found = evaluate(space, "small", ["bm25"], ks=(1, 5))
    ranks = ranks_by_question(found.gold_of("bm25"))
    set_ = replace(found, before={"bm25": {**ranks, "q3": {"glacier": 1}}})
    (row,) = before_after(set_, 1)
    assert (row["found"], row["lost"]) == (0, 1)
    counts = tables.before_after(set_, 1)[1]
    assert list(counts.behind(set_, ("bm25", "lost"), 1)["question"]) == ["q3"]
    assert before_after(found, 1) == []


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


def test_questions_are_named_by_id_and_the_command_says_which(space: Workspace) -> None:
    made = define(space, "small", ["bm25"], chosen=QuestionChoice(ids=("q3", "q1")))
    assert made.questions == ("q1", "q3") and made.choice.ids
    assert not define(space, "small", ["bm25"], chosen=QuestionChoice(limit=2)).choice.ids
    assert not define(space, "small", ["bm25"], chosen=QuestionChoice(sample=2, seed=1)).choice.ids
    with pytest.raises(Unknown, match="q9"):
        define(space, "small", ["bm25"], chosen=QuestionChoice(ids=("q9",)))
    id_ = EvaluationService(space).create(made)
    command = results.load(space, id_).command
    told = parser().parse_args(shlex.split(command)[1:])
    assert (told.questions, told.workspace) == ("q1,q3", str(space.path.absolute()))


def test_the_command_names_the_language_model_and_no_key(space: Workspace) -> None:
    asks = Spec("http://127.0.0.1:9/v1", "tiny model", key_from="environment")
    id_ = EvaluationService(space, ALL_RIGHTS).create(
        define(space, "small", ["gear"], reading=ReaderChoice("llm", asks))
    )
    command = results.load(space, id_).command
    assert command.startswith(
        "OPENAI_BASE_URL=http://127.0.0.1:9/v1 GEAR_MODEL='tiny model' gear-app eval "
    )
    assert "--reader llm" in command
