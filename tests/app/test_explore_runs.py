"""Runs on Explore that wait, fail, are outdated, pinned, marked, or whose collection is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import gear_app
from gear_app.app.shared import session
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import leaks, sentences, visit
from tests.app.explored import Work, asked, component, step_slider


def test_a_collection_opens_with_its_pinned_run_not_with_whoever_asked_last(
    world: Workspace, app: AppTest
) -> None:
    pinned = world.ask(factories.QUESTION, "demo", "gear").run
    world.runs.pin(pinned)
    last = world.ask(factories.QUESTION, "demo", "hybrid").run
    app.run()
    assert app.query_params["run"] == pinned
    visit(app, run=last)
    assert app.query_params["run"] == last


def test_a_run_is_pinned_and_unpinned_beside_its_header(world: Workspace, app: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    app.run()
    assert app.button(key="pin").label == "Pin"
    app.button(key="pin").click().run()
    assert (world.runs.get(run).pinned, app.button(key="pin").label) == (True, "Unpin")
    app.button(key="pin").click().run()
    assert (world.runs.get(run).pinned, app.button(key="pin").label) == (False, "Pin")
    world.collections.delete("demo")
    app.button(key="pin").click().run()
    assert "there is nothing to open with it" in sentences(app)
    assert not [button for button in app.button if button.key == "pin"]


def test_a_waiting_run_can_be_cancelled_and_run_again(
    world: Workspace, app: AppTest, work: Work
) -> None:
    app.run()
    asked(app, factories.QUESTION, "hybrid")
    app.button(key="cancel-run").click().run()
    assert "The run was cancelled" in sentences(app)
    app.button(key="again").click().run()
    work()
    app.run()
    assert [run.state for run in world.runs.recent()] == ["done", "cancelled"]
    assert app.query_params["run"] == world.runs.recent()[0].id


def test_a_stale_run_says_that_the_collection_changed(world: Workspace, app: AppTest) -> None:
    world.ask(factories.QUESTION, "demo", "hybrid")
    world.imports.text("New", "Something new about bridges.", "demo")
    app.run()
    assert "The collection changed after this run" in sentences(app)


def test_marking_on_a_run_that_knows_no_gold_keeps_that_of_its_question(
    world: Workspace, app: AppTest
) -> None:
    asked = "Which river flows under the city?"
    run = world.ask(asked, "demo", "hybrid").run
    question = world.collections.add_question("demo", asked)
    row = world.store.collections.get("demo")
    world.store.questions.set_gold(row.id, question.id, {"rouen": 1})  # as an import does
    visit(app, all="1")
    app.text_input(key=f"gold-{run}-search").set_value("clifton").run()
    app.button(key=f"gold-{run}-add-clifton").click().run()
    assert world.runs.get(run).gold == ("rouen", "clifton")


def test_words_of_documents_never_reach_markdown(world: Workspace, app: AppTest) -> None:
    run = world.ask("a page that says href script alert", "demo", "naive_ge").run
    world.runs.mark_gold(run, ["hostile"])
    app.run()
    steps = component(app, "strip")["steps"]
    assert isinstance(steps, list)
    for number in range(len(steps)):
        step_slider(app).set_value(number + 1).run()
        assert leaks(app) == []


def test_a_workspace_that_cannot_be_read_is_one_sentence(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database at all" * 100)
    monkeypatch.setattr(Workspace, "ensure_worker", lambda self: None)
    monkeypatch.setattr(gear_app, "open", lambda path=None: Workspace(broken))
    st.cache_resource.clear()
    app.run()
    assert "is not a workspace" in sentences(app)


def test_a_run_of_a_deleted_collection_says_so_and_is_not_run_again(
    world: Workspace, app: AppTest
) -> None:
    world.collections.create("aardvark")
    gone = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.collections.delete("demo")
    visit(app, run=gone)
    assert "collection was deleted" in sentences(app)
    assert "again" not in {button.key for button in app.button}
    assert app.selectbox(key="collection").value is None
    assert app.button(key="run-button").disabled


def test_another_collection_shows_its_own_run_or_invites_to_ask(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.collections.create("empty one")
    app.run()
    app.selectbox(key="collection").set_value("empty one").run()
    assert "Nothing has been asked of “empty one” yet" in sentences(app)
    assert factories.QUESTION not in sentences(app)
    assert "run" not in app.query_params
    app.run()
    assert "Nothing has been asked of “empty one” yet" in sentences(app)
    app.selectbox(key="collection").set_value("demo").run()
    assert app.query_params["run"] == run
    assert factories.QUESTION in sentences(app)


def test_marking_gold_after_the_collection_is_gone_marks_the_run_alone(world: Workspace) -> None:
    asked_ = world.ask("Which river flows under the city?", "demo", "hybrid").run
    world.collections.delete("demo")
    world.collections.create("demo")
    session.mark_gold(world, world.runs.get(asked_), ["rouen"])
    assert world.runs.get(asked_).gold == ("rouen",)
    assert world.collections.questions("demo") == []
