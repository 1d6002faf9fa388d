"""Runs and jobs in the background: turns, and watching from another process."""

from __future__ import annotations

from pathlib import Path

import pytest

from gear_app.core.errors import ModelFailed, StoreFailed
from gear_app.models.embedders.local import HashingEmbedder
from gear_app.store.tasks import Tasks
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION
from tests.waiting import finish
from tests.workspaces import ToyExtractor, corpus_of, filled


def test_a_turn_is_a_run_and_then_a_slice_of_a_job(tmp_path: Path) -> None:
    made = filled(tmp_path)
    runs = [made.runs.enqueue(RunRequest(QUESTION, "films", "bm25")) for _ in range(2)]
    job = made.jobs.enqueue_extraction("films", "toy")
    turns = made.scheduler()
    assert turns.take()
    assert [made.runs.get(run).state for run in runs] == ["done", "queued"]
    assert made.jobs.get(job).state == "running" and made.jobs.get(job).message == "8 extracted"
    finish(turns)
    assert [made.runs.get(run).state for run in runs] == ["done", "done"]
    assert [(made_job.kind, made_job.state) for made_job in made.jobs.recent()] == [
        ("vectors", "done"),
        ("extraction", "done"),
        ("vectors", "done"),
        ("import", "done"),
    ]
    assert not turns.take()


def test_two_sessions_are_served_in_turns(tmp_path: Path) -> None:
    made = filled(tmp_path)
    many = [
        made.runs.enqueue(RunRequest(f"Who is {n}?", "films", "bm25", owner="many"))
        for n in range(3)
    ]
    one = made.runs.enqueue(RunRequest("Who?", "films", "bm25", owner="one"))
    assert [made.runs.get(run).queue_position for run in [*many, one]] == [1, 3, 4, 2]
    turns = made.scheduler()
    turns.run()
    turns.run()
    assert [made.runs.get(run).state for run in [*many, one]] == [
        "done",
        "queued",
        "queued",
        "done",
    ]


def test_a_failing_run_and_a_failing_job_end_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = filled(tmp_path)
    bad = made.runs.enqueue(RunRequest(QUESTION, "films", "gear"))
    good = made.runs.enqueue(RunRequest(QUESTION, "films", "bm25", owner="other"))
    job = made.jobs.enqueue_extraction("films", "toy")
    monkeypatch.setattr(made.models, "reader", _refuse)
    monkeypatch.setattr(made.models, "extractor", _refuse)
    turns = made.scheduler()
    finish(turns)
    assert (made.runs.get(bad).state, made.runs.get(bad).message) == (
        "failed",
        "nobody is here today",
    )
    assert made.runs.get(good).state == "failed"
    assert (made.jobs.get(job).state, made.jobs.get(job).message) == (
        "failed",
        "nobody is here today",
    )
    assert next(j for j in made.jobs.recent() if j.kind == "vectors").state == "done"


def _refuse(*asked: object) -> None:
    raise ModelFailed("nobody is here today")


def test_a_cancelled_job_stops_and_its_work_stays(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=ToyExtractor())
    made.import_path(corpus_of(tmp_path, 40), "c")
    job = made.jobs.enqueue_extraction("c", "toy")
    turns = made.scheduler()
    while made.collections.get("c").triple_sets[0].triples == 0:
        turns.slice()
    made.jobs.cancel(job)
    while turns.slice():
        pass
    assert (made.jobs.get(job).state, made.jobs.get(job).message) == (
        "cancelled",
        "Cancelled. What was done is kept.",
    )
    assert made.collections.get("c").triple_sets[0].triples == 16


def test_the_background_makes_the_same_run_as_asking_here(tmp_path: Path) -> None:
    made = filled(tmp_path)
    run = made.runs.enqueue(RunRequest(QUESTION, "films", "gear"))
    made.scheduler().run()
    answer = made.ask(QUESTION, "films", "gear")
    there = made.runs.answer(run)
    assert (there.ranking, there.events, there.iterations) == (
        answer.ranking,
        answer.events,
        answer.iterations,
    )


def test_deleting_a_collection_in_the_middle_of_its_job_ends_the_job(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=ToyExtractor())
    made.import_path(corpus_of(tmp_path, 40), "c")
    made.jobs.enqueue_extraction("c", "toy")
    turns = made.scheduler()
    turns.slice()
    made.collections.delete("c")
    assert not turns.take() and made.jobs.recent() == []


def test_a_run_whose_end_could_not_be_written_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = filled(tmp_path)
    run = made.runs.enqueue(RunRequest(QUESTION, "films", "bm25"))
    turns = made.scheduler()
    with monkeypatch.context() as patch:
        patch.setattr(Tasks, "finish", _full)
        turns.run()
    assert made.runs.get(run).state == "running"
    turns.take()
    assert made.runs.get(run).state == "interrupted" and len(made.runs.events(run)) > 1


def _full(*_: object, **columns: object) -> None:
    raise StoreFailed("the disk is full")
