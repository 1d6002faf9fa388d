"""Runs side by side: waiting, done, failed, out of date, without gold or collection."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.compare.compare_page import (
    Work,
    asked,
    compared,
    heads,
    open_runs,
    runs_of,
)
from tests.app.conftest import leaks, sentences, visit

PICKER = "gear_app.app.shared.panels.picker"


def test_methods_wait_run_and_fill_in(world: Workspace, page: AppTest, work: Work) -> None:
    compared(page, "hybrid", "gear")
    assert [run.method for run in world.runs.recent()] == ["gear", "hybrid"]
    assert [head["words"] for head in heads(page)] == ["Next in the queue", "Waiting, 1 before it"]
    assert "loading its models" in sentences(page)
    work()
    page.run()
    assert [(head["label"], head["state"]) for head in heads(page)] == [
        ("Hybrid", "done"),
        ("GEAR", "done"),
    ]
    assert runs_of(page) == [run.id for run in reversed(world.runs.recent())]
    (gold,) = (frame.value for frame in page.dataframe)
    assert list(gold.columns) == ["Gold passage", "Hybrid", "GEAR"]
    assert len(page.get("plotly_chart")) == 1
    assert page.segmented_control(key="compare-axis").options == ["Time"]


def test_a_stored_run_is_shown_with_a_note(world: Workspace, page: AppTest) -> None:
    there = world.ask(factories.QUESTION, "demo", "hybrid").run
    compared(page, "hybrid", "bm25")
    assert len(world.runs.recent()) == 2
    assert runs_of(page)[0] == there
    assert "From stored runs: Hybrid." in sentences(page)
    assert [head["cached"] for head in heads(page)] == [True, False]


def test_a_refused_method_stops_no_other(empty: Workspace, page: AppTest) -> None:
    empty.imports.text("Clifton", "The bridge was designed by Brunel.", "mine")
    compared(page, "gear", "bm25", question="Who designed it?")
    assert "GEAR was not run" in sentences(page)
    assert "gear-app extract --collection mine" in sentences(page)
    assert [run.method for run in empty.runs.recent()] == ["bm25"]


def test_a_run_there_is_already_can_be_put_beside_the_others(
    world: Workspace, page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = world.ask(factories.QUESTION, "demo", "hybrid").run
    added = world.ask(factories.QUESTION, "demo", "naive_ge").run
    world.ask("Another?", "demo", "bm25")
    visit(page, runs=shown)
    offered: list[str] = []

    def picked(table: Any, key: str) -> str:
        offered.extend(row["id"] for row in table)
        return added

    monkeypatch.setattr(PICKER, picked)
    page.button(key="compare-earlier").click().run()
    assert offered == [added]
    assert runs_of(page) == [shown, added]
    assert [head["label"] for head in heads(page)] == ["Hybrid", "NaiveGE"]


def test_without_gold_the_rest_is_shown_and_it_says_how_to_mark_it(
    world: Workspace, page: AppTest
) -> None:
    question = "Which river flows under the city?"
    ids = asked(world, "bm25", "hybrid", question=question)
    open_runs(page, *ids)
    assert "No gold passage is known for this question" in sentences(page)
    assert [head["change"]["words"] for head in heads(page)[1:]] == ["1 new in 5"]
    assert page.get("plotly_chart") == []
    world.runs.mark_gold(ids[0], ["rouen"])
    page.run()
    assert "The runs know different gold passages" in sentences(page)
    assert list(page.dataframe[0].value["Gold passage"]) == ["★1 Rouen"]


def test_runs_of_the_last_collection_outlive_it_on_both_pages(
    world: Workspace, page: AppTest
) -> None:
    ids = asked(world, "bm25", "hybrid")
    world.collections.delete("demo")
    open_runs(page, *ids)
    assert "This workspace is empty" in sentences(page)
    assert len(heads(page)) == 2


def test_events_of_finished_runs_are_read_once(
    world: Workspace, page: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = asked(world, "gear", "hybrid")
    open_runs(page, *ids)

    def refuse(*args: object, **named: object) -> None:
        raise AssertionError("the events were worked through again")

    monkeypatch.setattr("gear_app.trace.timeline.steps", refuse)
    monkeypatch.setattr("gear_app.trace.events.from_row", refuse)
    page.segmented_control(key="compare-k").set_value(10).run()


def test_words_of_documents_never_reach_markdown(world: Workspace, page: AppTest) -> None:
    question = "a page that says href script alert"
    ids = asked(world, "naive_ge", "bm25", question=question)
    world.runs.mark_gold(ids[0], ["hostile"])
    open_runs(page, *ids)
    assert leaks(page) == []
