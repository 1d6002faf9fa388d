"""A run that is there already need not be made again."""

from __future__ import annotations

from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests.small import QUESTION


def test_a_run_of_exactly_this_is_found(films: Workspace) -> None:
    made = films.ask(QUESTION, "films", "sync_ge", settings={"width": 5}).run
    found = films.runs.same(
        RunRequest(f"  {QUESTION} ", "films", "sync_ge", settings={"beam.width": "5"})
    )
    assert found is not None
    assert (found.id, found.state) == (made, "done")


def test_anything_that_differs_is_another_run(films: Workspace) -> None:
    films.ask(QUESTION, "films", "sync_ge")
    assert films.runs.same(RunRequest(QUESTION, "films", "sync_ge", settings={"width": 5})) is None
    assert films.runs.same(RunRequest(QUESTION, "films", "sync_ge", k=5)) is None
    assert films.runs.same(RunRequest(QUESTION, "films", "naive_ge")) is None
    assert films.runs.same(RunRequest("Who?", "films", "sync_ge")) is None


def test_one_made_before_the_passages_changed_is_out_of_date(films: Workspace) -> None:
    films.ask(QUESTION, "films", "hybrid")
    films.imports.do(Pasted("New", "A passage that nobody had seen."), "films")
    assert films.runs.same(RunRequest(QUESTION, "films", "hybrid")) is None
