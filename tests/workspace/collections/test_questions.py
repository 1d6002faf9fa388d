"""Questions of one's own and their gold passages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gear_app.core.errors import BadInput, Unknown
from gear_app.core.types import Question
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION


def test_a_question_of_ones_own_is_kept_once_and_its_gold_is_known_to_later_runs(
    films: Workspace,
) -> None:
    films.collections["films"].save_question(Question("", "Who built  the bridge of Port Mira?"))
    with pytest.raises(BadInput, match="with these words already"):
        films.collections["films"].save_question(Question("", "who built the bridge of port mira"))
    films.collections["films"].set_gold("Who built the bridge of Port Mira?", ["mira"])
    run = films.runs.get(
        films.runs.enqueue(RunRequest("Who built the bridge of Port Mira", "films", "gear"))
    )
    assert run.gold == ("mira",)
    with pytest.raises(Unknown, match="nowhere"):
        films.collections["films"].set_gold("Who?", ["nowhere"])


def test_gold_marked_by_hand_is_known_to_every_run_of_the_question(films: Workspace) -> None:
    asked = "Who studied law?"
    first, second = (films.ask(asked, "films", method).run for method in ("bm25", "hybrid"))
    other = films.ask("Who studied film?", "films", "bm25").run
    films.collections["films"].set_gold("who studied law", ["quill"])
    assert [films.runs.get(run).gold for run in (first, second, other)] == [("quill",)] * 2 + [()]
    question = films.store.questions.find(films.store.collections.get("films").id, asked)
    assert question is not None
    films.collections["films"].save_question(replace(question, supporting_keys=("quill", "vane")))
    assert [films.runs.get(run).gold for run in (first, second)] == [("quill", "vane")] * 2
    films.collections["films"].set_gold(asked, [])
    assert [films.runs.get(run).gold for run in (first, second)] == [(), ()]


def test_a_question_is_edited_and_runs_keep_the_words_they_were_asked_with(
    films: Workspace,
) -> None:
    run = films.ask(QUESTION, "films", "bm25").run
    (question,) = films.collections["films"].questions()
    changed = replace(question, question="Where is Ada  Quill from?", answers=("Port Mira", "Mira"))
    assert films.collections["films"].save_question(changed).question == "Where is Ada Quill from?"
    (kept,) = films.collections["films"].questions()
    assert (kept.id, kept.answers) == (question.id, ("Port Mira", "Mira"))
    assert kept.supporting_keys == question.supporting_keys
    assert films.runs.get(run).question == QUESTION
    assert films.runs.get(run).answers == question.answers


def test_a_question_is_bounded_however_it_comes(films: Workspace, tmp_path: Path) -> None:
    long, controls = "word " * 401, "Who\x1b[2J wrote\nit?"
    for ask in (
        lambda: films.collections["films"].save_question(Question("", long)),
        lambda: films.ask(long, "films", "bm25"),
    ):
        with pytest.raises(BadInput, match="2,004 characters; at most 2,000"):
            ask()
    assert (
        films.collections["films"].save_question(Question("", controls)).question
        == "Who [2J wrote it?"
    )
    rows = [{"id": "l", "question": long}, {"id": "s", "question": "Who wrote it?"}]
    (tmp_path / "set.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (report,) = films.imports.do(tmp_path / "set.jsonl", "films")
    assert "1 row not in the form of questions" in report.message
    assert [one.id for one in films.collections["films"].questions() if one.id in "ls"] == ["s"]


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "x" * 201])
def test_a_name_is_bounded_however_it_is_given(films: Workspace, name: str) -> None:
    for give in (
        lambda: films.store.collections.create(name),
        lambda: films.store.collections.rename("films", name),
        lambda: films.jobs.extract("films", "toy", name),
    ):
        with pytest.raises(BadInput, match="name"):
            give()


def test_a_deleted_question_can_be_saved_again_and_its_runs_stay(films: Workspace) -> None:
    run = films.ask(QUESTION, "films", "bm25").run
    (question,) = films.collections["films"].questions()
    films.collections["films"].delete_question(question.id)
    assert films.collections["films"].questions() == []
    assert films.runs.get(run).gold == question.supporting_keys
    films.collections["films"].save_question(question)
    assert films.collections["films"].questions() == [question]
    with pytest.raises(Unknown, match="gone"):
        films.collections["films"].delete_question("gone")


def test_a_collection_suggests_questions_of_its_active_triples(films: Workspace) -> None:
    first, *_ = films.collections["films"].suggestions()
    assert (first.question, first.answer) == (QUESTION, "Port Mira")
    films.store.collections.create("empty")
    assert films.collections["empty"].suggestions() == []
