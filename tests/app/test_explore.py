"""Explore: asking, and runs that wait, fail, are outdated, marked, or whose collection is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import gear_app
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.runs.request import RunRequest
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import leaks, sentences, visit
from tests.app.explored import Work, asked, component, current_step, drawn_steps


def test_an_empty_workspace_and_an_empty_question_say_what_to_do(
    empty: Workspace, app: AppTest
) -> None:
    assert "gear-app demo" in sentences(app.run())
    empty.imports.do(Pasted("Clifton", "The bridge was designed by Brunel."), "mine")
    asked(app.run(), "   ")
    assert "There is no question yet" in sentences(app) and empty.runs.recent() == []


def test_a_collection_opens_with_its_pinned_run_else_the_latest_finished_one(
    world: Workspace, app: AppTest
) -> None:
    done = world.ask(factories.QUESTION, "demo", "gear").run
    world.runs.enqueue(RunRequest("Still waiting?", "demo", "hybrid"))
    app.run()
    assert app.text_input(key="question").value == factories.QUESTION
    assert "Gold passages" in sentences(app)
    assert "first fact" in str(component(app, "columns")["html"])
    world.runs.pin(done)
    last = world.ask("Another?", "demo", "hybrid").run
    app.session_state["run"] = None
    app.run()
    assert app.text_input(key="question").value == factories.QUESTION
    visit(app, run=last)
    assert app.text_input(key="question").value == "Another?"


def test_a_question_waits_runs_and_is_followed_to_its_end(
    world: Workspace, app: AppTest, work: Work
) -> None:
    asked(app.run(), factories.QUESTION)
    (run,) = world.runs.recent()
    assert (run.state, run.method, run.question) == ("queued", "gear", factories.QUESTION)
    assert app.query_params["run"] == run.id
    assert "loading its models" in sentences(app)
    work()
    app.run()
    steps = component(app, "strip")["steps"]
    assert [step["verb"] for step in steps][:3] == ["retrieve", "read", "link"]
    assert current_step(app) == len(steps) - 1 and steps[-1]["verb"] == "rank"
    assert "step" not in app.query_params  # each would be one more press of the back button


def test_an_answer_is_asked_for_in_the_settings_and_the_run_ends_with_it(
    world: Workspace, app: AppTest, work: Work
) -> None:
    app.session_state["settings-open"] = True
    app.run().checkbox(key="set-answer").check().run()
    asked(app, factories.QUESTION, "hybrid")
    assert world.runs.recent()[0].options["answer"] is True
    work()
    app.run()
    assert [step["verb"] for step in component(app, "strip")["steps"]][-2:] == ["rank", "answer"]
    html = sentences(app) + str(component(app, "columns")["html"])
    for words in ("From the first 5 passages", "upper bound of retrieval", "François Carpentier"):
        assert words in html
    assert "Answered by the local reader: rules, not a language model" in html


def test_a_waiting_run_can_be_cancelled_and_run_again(
    world: Workspace, app: AppTest, work: Work
) -> None:
    asked(app.run(), factories.QUESTION, "hybrid")
    app.button(key="cancel-run").click().run()
    assert "The run was cancelled" in sentences(app)
    app.button(key="again").click().run()
    work()
    app.run()
    assert [run.state for run in world.runs.recent()] == ["done", "cancelled"]
    assert app.query_params["run"] == world.runs.recent()[0].id


def test_words_of_documents_never_reach_markdown(world: Workspace, app: AppTest) -> None:
    run = world.ask("a page that says href script alert", "demo", "naive_ge").run
    world.store.runs.mark_gold(run, ["hostile"])
    for number, _ in enumerate(drawn_steps(app, run)):
        visit(app, run=run, step=str(number))
        assert leaks(app) == []


def test_a_workspace_that_cannot_be_read_is_one_sentence(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database at all" * 100)
    monkeypatch.setattr(Workspace, "ensure_worker", lambda self: None)
    monkeypatch.setattr(gear_app, "open", lambda path=None: Workspace(broken))
    st.cache_resource.clear()
    assert "is not a workspace" in sentences(app.run())
