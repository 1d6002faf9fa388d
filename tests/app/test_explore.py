"""Explore: asking, and runs that wait, fail, are outdated, marked, or whose collection is gone."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import gear_app
from gear_app.app.shared import session
from gear_app.display.origin_words import origin_words
from gear_app.trace.events import Answered, Failed
from gear_app.trace.passage_origin import origin_of
from gear_app.trace.rankings import final
from gear_app.workspace.runs.request import EVALUATION, RunRequest
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import leaks, sentences, visit
from tests.app.explored import Work, asked, component, current_step, drawn_steps
from tests.app.played import played
from tests.display.test_answers import answered

PICKER = "gear_app.app.shared.panels.picker"


def test_enter_and_a_click_on_run_are_one_request(world: Workspace, app: AppTest) -> None:
    asked(app.run(), factories.QUESTION, "hybrid")
    first = app.query_params["run"]
    app.button(key="run-button").click().run()
    assert app.query_params["run"] == first and len(world.runs.recent()) == 1


def test_an_empty_workspace_and_an_empty_question_say_what_to_do(
    empty: Workspace, app: AppTest
) -> None:
    assert "gear-app demo" in sentences(app.run())
    empty.imports.text("Clifton", "The bridge was designed by Brunel.", "mine")
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


def test_settings_go_into_the_run_and_wrong_ones_are_explained(
    world: Workspace, app: AppTest
) -> None:
    app.session_state["settings-open"] = True
    app.run()
    app.number_input(key="set-gear-beam.width").set_value(3)
    app.text_input(key="set-gear-beam.gamma").set_value("none")
    app.selectbox(key="base").set_value("bm25")
    asked(app, factories.QUESTION)
    (run,) = world.runs.recent()
    assert run.method == "gear:bm25"
    assert (run.config["beam.width"], run.config["beam.gamma"]) == (3, "none")
    app.text_input(key="set-gear-beam.gamma").set_value("much")
    asked(app, factories.QUESTION)
    assert "Diversity γ takes" in sentences(app)
    assert len(world.runs.recent()) == 1


def test_the_collections_iteration_limit_holds_unless_it_is_overruled(
    world: Workspace, app: AppTest
) -> None:
    world.collections.set_max_iterations("demo", 2)
    app.session_state["settings-open"] = True
    app.run()
    assert app.number_input(key="set-gear-max_iterations").value == 2
    asked(app, factories.QUESTION)
    app.number_input(key="set-gear-max_iterations").set_value(4)
    asked(app, factories.QUESTION)
    assert [run.config["max_iterations"] for run in world.runs.recent()] == [4, 2]


def test_a_question_and_an_earlier_run_are_picked_from_lists(
    world: Workspace, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.ask("First?", "demo", "hybrid").run
    world.ask("Another?", "demo", "bm25", owner=EVALUATION)
    app.run().button(key="earlier").click().run()
    assert list(app.dataframe[-1].value["method"]) == ["Hybrid"]
    monkeypatch.setattr(PICKER, lambda rows, key: rows[0]["id"])
    app.button(key="earlier").click().run()
    assert app.query_params["run"] == first
    assert app.selectbox(key="method").value == "hybrid"
    app.button(key="picked").click().run()
    assert app.text_input(key="question").value == factories.QUESTION


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


def test_an_answer_that_failed_shows_why_and_words_stay_words(
    world: Workspace, app: AppTest
) -> None:
    events = answered(factories.gear_run(), "![x](http://evil.example/x.png)")
    assert isinstance(events[-1], Answered)
    failed = Failed("answer", "No answer without passages. It is <b>empty</b>.", "# raw")
    events[-1] = dataclasses.replace(failed, iteration=0)
    visit(app, run=played(world, "gear", events), step="99")
    html = sentences(app)
    assert "No answer without passages. It is &lt;b&gt;empty" in html
    assert "![x]" in html and all("![x]" not in str(one.value) for one in app.markdown)


def test_a_run_without_an_answer_offers_other_methods(world: Workspace, app: AppTest) -> None:
    question = "Who painted the harbour of Lorn?"
    visit(app, run=world.ask(question, "demo", "gear").run)
    assert "No answer: the built-in rules found none here." in sentences(app)
    app.button(key="way-gear:chain").click().run()
    newest = world.runs.recent("demo", limit=1)[0]
    assert (newest.method, newest.question) == ("gear:chain", question)


def test_the_final_ranking_says_where_a_passage_comes_from_and_leads_there(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "gear:chain").run
    events = world.runs.events(run)
    opened = next(line for line in final(events) if line.key in world.runs.get(run).gold)
    origin = origin_of(events, opened.key)
    visit(app, run=run, step="99")
    assert origin_words(origin)[1:] in sentences(app)
    app.button(key=f"origin-{run}-{current_step(app)}").click().run()
    assert current_step(app) == origin.step


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


def test_a_stale_run_says_that_the_collection_changed(world: Workspace, app: AppTest) -> None:
    world.ask(factories.QUESTION, "demo", "hybrid")
    world.imports.text("New", "Something new about bridges.", "demo")
    assert "The collection changed after this run" in sentences(app.run())


def test_marking_on_a_run_that_knows_no_gold_keeps_that_of_its_question(
    world: Workspace, app: AppTest
) -> None:
    words = "Which river flows under the city?"
    run = world.ask(words, "demo", "hybrid").run
    question = world.collections.add_question("demo", words)
    row = world.store.collections.get("demo")
    world.store.questions.set_gold(row.id, question.id, {"rouen": 1})  # as an import does
    app.session_state["details"] = True
    visit(app, run=run)
    app.text_input(key=f"gold-{run}-search").set_value("clifton").run()
    app.button(key=f"gold-{run}-add-clifton").click().run()
    assert world.runs.get(run).gold == ("rouen", "clifton")


def test_marking_gold_after_the_collection_is_gone_marks_the_run_alone(world: Workspace) -> None:
    run = world.ask("Which river flows under the city?", "demo", "hybrid").run
    world.collections.delete("demo")
    world.collections.create("demo")
    session.mark_gold(world, world.runs.get(run), ["rouen"])
    assert world.runs.get(run).gold == ("rouen",)
    assert world.collections.questions("demo") == []


def test_words_of_documents_never_reach_markdown(world: Workspace, app: AppTest) -> None:
    run = world.ask("a page that says href script alert", "demo", "naive_ge").run
    world.runs.mark_gold(run, ["hostile"])
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


def test_a_run_of_a_deleted_collection_says_so_and_is_not_run_again(
    world: Workspace, app: AppTest
) -> None:
    world.collections.create("aardvark")
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.collections.delete("demo")
    visit(app, run=run)
    assert "collection was deleted" in sentences(app)
    assert "again" not in {button.key for button in app.button}
    assert app.selectbox(key="collection").value is None
    assert app.button(key="run-button").disabled


def test_another_collection_shows_its_own_run_or_invites_to_ask(
    world: Workspace, app: AppTest
) -> None:
    visit(app, run=world.ask(factories.QUESTION, "demo", "hybrid").run)
    world.collections.create("empty one")
    app.run()
    app.selectbox(key="collection").set_value("empty one").run()
    assert "Nothing has been asked of “empty one” yet" in sentences(app)
    assert factories.QUESTION not in sentences(app)
    assert "run" not in app.query_params
    app.selectbox(key="collection").set_value("demo").run()
    assert factories.QUESTION in sentences(app)
