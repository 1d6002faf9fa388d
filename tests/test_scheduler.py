"""Runs and jobs in the background: turns, and watching from another process."""

from __future__ import annotations

from pathlib import Path

from gear_app.models.embedders.local import HashingEmbedder
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION
from tests.waiting import finish
from tests.workspaces import ToyExtractor, corpus_of, filled


def test_a_turn_is_a_run_and_then_a_slice_of_a_job(tmp_path: Path) -> None:
    made = filled(tmp_path)
    runs = [made.runs.enqueue(RunRequest(QUESTION, "films", "bm25")) for _ in range(2)]
    job = made.jobs.enqueue_extraction("films", "toy")
    turns = made.worker()
    assert turns.take()
    assert [made.runs.get(run).state for run in runs] == ["done", "queued"]
    assert (
        made.store.tasks.job(job).state == "running"
        and made.store.tasks.job(job).message == "8 extracted"
    )
    finish(turns)
    assert [made.runs.get(run).state for run in runs] == ["done", "done"]
    assert [(made_job.kind, made_job.state) for made_job in made.jobs.recent()] == [
        ("vectors", "done"),
        ("extraction", "done"),
        ("vectors", "done"),
        ("import", "done"),
    ]
    assert not turns.take()


def test_a_cancelled_job_stops_and_its_work_stays(tmp_path: Path) -> None:
    made = Workspace(tmp_path / "w.db", embedder=HashingEmbedder(), extractor=ToyExtractor())
    made.imports.do(corpus_of(tmp_path, 40), "c")
    job = made.jobs.enqueue_extraction("c", "toy")
    turns = made.worker()
    while made.collections.get("c").triple_sets[0].triples == 0:
        turns.slice()
    made.jobs.cancel(job)
    while turns.slice():
        pass
    assert (made.store.tasks.job(job).state, made.store.tasks.job(job).message) == (
        "cancelled",
        "Cancelled. What was done is kept.",
    )
    assert made.collections.get("c").triple_sets[0].triples == 16


def test_the_background_makes_the_same_run_as_asking_here(tmp_path: Path) -> None:
    made = filled(tmp_path)
    run = made.runs.enqueue(RunRequest(QUESTION, "films", "gear"))
    made.worker().run()
    answer = made.ask(QUESTION, "films", "gear")
    there = made.runs.answer(run)
    assert (there.ranking, there.events, there.iterations) == (
        answer.ranking,
        answer.events,
        answer.iterations,
    )
