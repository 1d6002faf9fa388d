"""Runs side by side: waiting, done, failed, out of date, without gold or collection."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.workspace import Workspace
from tests.app.compare.compare_page import (
    Work,
    asked,
    compared,
    heads,
    open_runs,
    runs_of,
)
from tests.app.conftest import leaks, sentences


def test_methods_wait_run_and_fill_in(world: Workspace, page: AppTest, work: Work) -> None:
    compared(page, "hybrid", "gear")
    assert [run.method for run in world.runs.recent()] == ["gear", "hybrid"]
    assert [head["words"] for head in heads(page)] == [
        "Waiting in the queue.",
        "Waiting in the queue, 1 before it.",
    ]
    assert "0 of 2 runs complete." in sentences(page)
    work()
    page.run()
    assert [(head["label"], head["state"]) for head in heads(page)] == [
        ("Hybrid", "done"),
        ("GEAR", "done"),
    ]
    assert runs_of(page) == [run.id for run in reversed(world.runs.recent())]
    (gold,) = (frame.value for frame in page.dataframe)
    assert list(gold.columns) == ["Gold passage", "Hybrid", "GEAR"]
    assert page.segmented_control(key="compare-axis").options == ["Time"]


def test_a_refused_method_stops_no_other(empty: Workspace, page: AppTest) -> None:
    empty.imports.do(Pasted("Clifton", "The bridge was designed by Brunel."), "mine")
    compared(page, "gear", "bm25", question="Who designed it?")
    assert "GEAR was not run" in sentences(page)
    assert "gear-app extract --collection mine" in sentences(page)
    assert [run.method for run in empty.runs.recent()] == ["bm25"]


def test_words_of_documents_never_reach_markdown(world: Workspace, page: AppTest) -> None:
    question = "a page that says href script alert"
    ids = asked(world, "naive_ge", "bm25", question=question)
    world.store.runs.mark_gold(ids[0], ["hostile"])
    open_runs(page, *ids)
    assert leaks(page) == []
