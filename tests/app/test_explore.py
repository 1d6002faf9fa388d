from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ElementTree

import gear_app
from gear_app.ui.shared import session
from gear_app.workspace import EVALUATION, RunRequest, Workspace
from tests import factories
from tests.app.conftest import sentences

Work = Callable[[], None]
PICKER = "gear_app.ui.shared.components.picker"


def component(at: AppTest, name: str) -> dict[str, object]:
    """The data of one of our components as the page sends it."""
    for element in at.get("bidi_component"):
        if element.proto.component_name == f"gear_app.{name}":
            data: dict[str, object] = json.loads(element.proto.json)
            return data
    raise AssertionError(f"no {name} on the page")


def asked(at: AppTest, question: str, method: str = "gear") -> AppTest:
    at.text_input(key="question").set_value(question)
    at.selectbox(key="method").set_value(method)
    return at.button(key="run-button").click().run()


def test_enter_and_a_click_on_run_are_one_request(world: Workspace, app: AppTest) -> None:
    app.run()
    asked(app, factories.QUESTION, "hybrid")
    first = app.query_params["run"]
    app.button(key="run-button").click().run()
    assert app.query_params["run"] == first and len(world.runs.recent()) == 1


def test_an_empty_workspace_says_what_to_do(empty: Workspace, app: AppTest) -> None:
    app.run()
    assert not app.exception
    assert "gear-app demo" in sentences(app)


def test_a_collection_without_runs_invites_to_ask(world: Workspace, app: AppTest) -> None:
    app.run()
    assert "Nothing has been asked of “demo” yet" in sentences(app)
    assert app.text_input(key="question").value == ""


def test_a_session_without_a_run_sees_the_latest_finished_one(
    world: Workspace, app: AppTest
) -> None:
    done = world.ask(factories.QUESTION, "demo", "gear").run
    world.runs.enqueue(RunRequest("Still waiting?", "demo", "hybrid"))
    app.query_params["all"] = "1"
    app.run()
    assert not app.exception
    assert app.query_params["run"] == done
    assert app.text_input(key="question").value == factories.QUESTION
    assert "Gold passages" in sentences(app)
    assert component(app, "beams")["query"] == factories.QUESTION


def test_a_question_waits_runs_and_is_shown(world: Workspace, app: AppTest, work: Work) -> None:
    app.run()
    asked(app, factories.QUESTION)
    assert not app.exception
    (run,) = world.runs.recent()
    assert (run.state, run.method, run.question) == ("queued", "gear", factories.QUESTION)
    assert app.query_params["run"] == run.id
    assert "loading its models" in sentences(app)
    work()
    app.run()
    assert not app.exception
    assert world.runs.get(run.id).state == "done"
    steps = component(app, "strip")["steps"]
    assert isinstance(steps, list)
    assert [step["verb"] for step in steps][:3] == ["retrieve", "read", "link"]
    assert steps[-1]["verb"] == "rank"
    assert component(app, "strip")["current"] == len(steps) - 1  # it was followed to its end


def test_the_simpler_methods_show_the_steps_they_have(
    world: Workspace, app: AppTest, work: Work
) -> None:
    for method, verbs in {
        "hybrid": ["retrieve", "rank"],
        "naive_ge": ["retrieve", "expand", "fuse", "rank"],
        "sync_ge": ["retrieve", "read", "link", "expand", "fuse", "rank"],
    }.items():
        app.run()
        asked(app, factories.QUESTION, method)
        work()
        app.run()
        assert not app.exception
        steps = component(app, "strip")["steps"]
        assert isinstance(steps, list)
        assert [step["verb"] for step in steps] == verbs


def test_a_link_opens_its_run_at_its_step(world: Workspace, app: AppTest) -> None:
    first = world.ask(factories.QUESTION, "demo", "sync_ge").run
    world.ask("Another?", "demo", "hybrid")
    app.query_params["run"] = first
    app.query_params["step"] = "1"
    app.run()
    assert component(app, "strip")["current"] == 1
    assert app.slider(key="step").value == 2
    assert app.query_params["step"] == "1"


def test_a_step_out_of_range_or_in_words_does_not_break_the_page(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    for written in ("99", "-1", "first", "1e9"):
        app.query_params["run"], app.query_params["step"] = run, written
        app.run()
        assert not app.exception
        assert app.query_params["step"] in ("0", "1")


def test_a_collection_opens_with_its_pinned_run_not_with_whoever_asked_last(
    world: Workspace, app: AppTest
) -> None:
    pinned = world.ask(factories.QUESTION, "demo", "gear").run
    world.runs.pin(pinned)
    last = world.ask(factories.QUESTION, "demo", "hybrid").run
    app.run()
    assert app.query_params["run"] == pinned
    app.query_params["run"] = last
    app.run()
    assert app.query_params["run"] == last
    app.selectbox(key="collection").set_value("demo").run()
    del app.query_params["run"]
    app.query_params["collection"] = "demo"
    app.run()
    assert (app.query_params["run"], "collection" in app.query_params) == (pinned, False)


def test_an_address_of_an_unknown_collection_says_so(world: Workspace, app: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    app.query_params["collection"] = "nowhere"
    app.run()
    assert not app.exception
    assert "names the collection “nowhere”, which is not here" in sentences(app)
    assert app.query_params["run"] == run


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


def test_an_unknown_run_says_so_and_shows_another(world: Workspace, app: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    app.query_params["run"] = "![x](http://evil.example/x.png)"
    app.run()
    assert not app.exception
    assert ". The address names no run of this workspace; here is another one." in sentences(app)
    assert app.query_params["run"] == run
    assert "evil.example" not in "".join(element.value for element in [*app.markdown, *app.error])


def test_the_beginning_of_an_id_leads_to_its_run_at_the_step(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "sync_ge").run
    world.ask(factories.QUESTION, "demo", "hybrid")
    app.query_params["run"], app.query_params["step"] = run[:4], "2"
    app.run()
    assert not app.exception
    assert (app.query_params["run"], app.query_params["step"]) == (run, "2")


def test_back_on_and_slider_move_the_step_and_the_address(world: Workspace, app: AppTest) -> None:
    world.ask(factories.QUESTION, "demo", "sync_ge")
    app.run()
    app.slider(key="step").set_value(1).run()
    assert app.query_params["step"] == "0"
    assert app.button(key="back").disabled
    app.button(key="on").click().run()
    assert (app.query_params["step"], app.slider(key="step").value) == ("1", 2)
    app.button(key="back").click().run()
    assert (app.query_params["step"], app.slider(key="step").value) == ("0", 1)
    app.slider(key="step").set_value(6).run()
    assert app.button(key="on").disabled


def test_the_step_survives_a_look_at_the_other_page(world: Workspace, app: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "sync_ge").run
    app.run()
    app.slider(key="step").set_value(3).run()
    app.switch_page("collections/page.py").run()
    assert not app.exception
    app.switch_page("explore/page.py").run()
    assert component(app, "strip")["current"] == 2
    assert app.query_params["run"] == run


def test_a_beam_card_opens_into_its_arithmetic_and_its_sentence(
    world: Workspace, app: AppTest
) -> None:
    world.ask(factories.QUESTION, "demo", "naive_ge")
    app.query_params["all"] = "1"
    app.run()
    data = component(app, "beams")
    assert data["selected"]
    html = sentences(app)
    assert "Selected triple" in html
    assert "= score" in html
    assert re.search(r"<mark>.+</mark>", html)
    assert "closest match" in html  # the pack's triples came without sentences


def test_every_step_of_a_run_can_be_drawn(world: Workspace, app: AppTest) -> None:
    world.ask(factories.QUESTION, "demo", "gear")
    app.run()
    steps = component(app, "strip")["steps"]
    assert isinstance(steps, list)
    for number in range(len(steps)):
        app.slider(key="step").set_value(number + 1).run()
        assert not app.exception, steps[number]
        assert component(app, "strip")["current"] == number


def test_the_local_readers_output_says_what_it_is(world: Workspace, app: AppTest) -> None:
    world.ask(factories.QUESTION, "demo", "gear")
    app.query_params["all"] = "1"
    app.run()
    html = sentences(app)
    assert "rules, not a language model; English only" in html


def test_a_method_without_its_triples_names_the_command(empty: Workspace, app: AppTest) -> None:
    empty.imports.text("Clifton", "The bridge was designed by Brunel.", "mine")
    app.run()
    asked(app, "Who designed it?", "gear")
    assert not app.exception
    assert "gear-app extract --collection mine" in sentences(app)
    assert empty.runs.recent() == []


def test_no_question_is_no_run(world: Workspace, app: AppTest) -> None:
    app.run()
    asked(app, "   ")
    assert "There is no question yet" in sentences(app)
    assert world.runs.recent() == []


def test_settings_go_into_the_run_and_wrong_ones_are_explained(
    world: Workspace, app: AppTest
) -> None:
    app.run()
    app.number_input(key="set-gear-beam.width").set_value(3)
    app.text_input(key="set-gear-beam.gamma").set_value("none")
    app.number_input(key="set-gear-max_iterations").set_value(2)
    app.selectbox(key="base").set_value("bm25")
    asked(app, factories.QUESTION)
    (run,) = world.runs.recent()
    assert run.method == "gear:bm25"
    assert (run.config["beam.width"], run.config["beam.gamma"], run.config["max_iterations"]) == (
        3,
        "none",
        2,
    )
    app.text_input(key="set-gear-beam.gamma").set_value("much")
    asked(app, factories.QUESTION)
    assert "Diversity γ takes" in sentences(app)
    assert len(world.runs.recent()) == 1


def test_the_collections_iteration_limit_holds_unless_it_is_overruled(
    world: Workspace, app: AppTest
) -> None:
    world.collections.set_max_iterations("demo", 2)
    app.run()
    assert app.number_input(key="set-gear-max_iterations").value == 2
    asked(app, factories.QUESTION)
    app.number_input(key="set-gear-max_iterations").set_value(4)
    asked(app, factories.QUESTION)
    assert [run.config["max_iterations"] for run in world.runs.recent()] == [4, 2]


def test_picking_a_question_fills_the_field(
    world: Workspace, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.run()
    app.button(key="picked").click().run()
    table = component(app, "picker")
    assert [row["cells"][0] for row in rows_of(table)] == [factories.QUESTION]
    monkeypatch.setattr(PICKER, lambda table, key: table["rows"][0]["id"])
    app.button(key="picked").click().run()
    assert not app.exception
    assert app.text_input(key="question").value == factories.QUESTION


def test_picking_an_earlier_run_opens_it(
    world: Workspace, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.ask("Another?", "demo", "bm25", owner=EVALUATION)
    app.run()
    app.button(key="earlier").click().run()
    shown = [(row["cells"][1], row["hidden"]) for row in rows_of(component(app, "picker"))]
    assert shown == [("BM25", True), ("Hybrid", False)]
    monkeypatch.setattr(PICKER, lambda table, key: table["rows"][1]["id"])
    app.button(key="earlier").click().run()
    assert app.query_params["run"] == first
    assert app.selectbox(key="method").value == "hybrid"


def rows_of(table: dict[str, object]) -> list[dict[str, Any]]:
    rows = table["rows"]
    assert isinstance(rows, list)
    return rows


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


def test_a_failed_run_says_why_and_what_to_do(world: Workspace, app: AppTest, work: Work) -> None:
    app.run()
    asked(app, factories.QUESTION, "hybrid")
    world.collections.delete("demo")
    world.collections.create("other")
    work()
    app.run()
    assert not app.exception
    assert "The run failed" in sentences(app)
    assert "run it again" in sentences(app)


def test_a_stale_run_says_that_the_collection_changed(world: Workspace, app: AppTest) -> None:
    world.ask(factories.QUESTION, "demo", "hybrid")
    world.imports.text("New", "Something new about bridges.", "demo")
    app.run()
    assert "The collection changed after this run" in sentences(app)


def test_gold_that_came_with_the_question_is_shown_and_cannot_be_changed(
    world: Workspace, app: AppTest
) -> None:
    world.ask(factories.QUESTION, "demo", "hybrid")
    app.run()
    data = component(app, "ranking")
    lines = data["lines"]
    assert isinstance(lines, list)
    assert data["markable"] is False
    assert {line["key"] for line in lines if line["gold"]} <= set(factories.GOLD)


def test_a_question_of_ones_own_can_be_marked(world: Workspace, app: AppTest) -> None:
    run = world.ask("Which river flows under the city?", "demo", "hybrid").run
    app.run()
    assert component(app, "ranking")["markable"] is True
    assert "No gold passage is known" in sentences(app)
    world.runs.mark_gold(run, ["rouen"])
    app.run()
    assert component(app, "ranking")["markable"] is True
    assert "gold marked later" in sentences(app)


def test_words_of_documents_never_reach_markdown(world: Workspace, app: AppTest) -> None:
    run = world.ask("a page that says href script alert", "demo", "naive_ge").run
    world.runs.mark_gold(run, ["hostile"])
    app.run()
    steps = component(app, "strip")["steps"]
    assert isinstance(steps, list)
    for number in range(len(steps)):
        app.slider(key="step").set_value(number + 1).run()
        read_as_markdown = [
            *app.markdown,
            *app.caption,
            *app.error,
            *app.warning,
            *app.info,
            *app.success,
        ]
        assert all(
            "evil.example" not in element.value and "<script" not in element.value
            for element in read_as_markdown
        )
        assert "<script>alert" not in sentences(app)
        assert "<img" not in sentences(app)


def test_a_workspace_that_cannot_be_read_is_one_sentence(
    app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"this is no database at all" * 100)
    monkeypatch.setattr(Workspace, "ensure_worker", lambda self: None)
    monkeypatch.setattr(gear_app, "open", lambda path=None: Workspace(broken))
    st.cache_resource.clear()
    app.run()
    assert not app.exception
    assert "is not a workspace" in sentences(app)


def test_a_run_of_a_deleted_collection_says_so_and_is_not_run_again(
    world: Workspace, app: AppTest
) -> None:
    world.collections.create("aardvark")
    gone = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.collections.delete("demo")
    app.query_params["run"] = gone
    app.run()
    assert not app.exception
    assert "collection was deleted" in sentences(app)
    assert "again" not in {button.key for button in app.button}
    assert app.selectbox(key="collection").value is None
    assert app.button(key="run-button").disabled


def test_a_run_of_the_last_collection_outlives_it(world: Workspace, app: AppTest) -> None:
    app.query_params["run"] = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.collections.delete("demo")
    app.run()
    assert not app.exception
    assert "This workspace is empty" in sentences(app) and factories.QUESTION in sentences(app)


def test_another_collection_shows_its_own_run_or_invites_to_ask(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.collections.create("empty one")
    app.run()
    app.selectbox(key="collection").set_value("empty one").run()
    assert not app.exception
    assert "Nothing has been asked of “empty one” yet" in sentences(app)
    assert factories.QUESTION not in sentences(app)
    assert "run" not in app.query_params
    app.run()
    assert "Nothing has been asked of “empty one” yet" in sentences(app)
    app.selectbox(key="collection").set_value("demo").run()
    assert app.query_params["run"] == run
    assert factories.QUESTION in sentences(app)


def test_a_followed_run_writes_no_step_until_it_is_over(
    world: Workspace, app: AppTest, work: Work
) -> None:
    app.run()
    asked(app, factories.QUESTION, "naive_ge")
    assert "step" not in app.query_params
    work()
    app.run()
    assert component(app, "strip")["current"] == 3
    assert app.query_params["step"] == "3"


def test_a_browser_that_lags_behind_does_not_stop_the_following(
    world: Workspace, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sends the slider of fewer steps once more: that is nobody's hand."""
    events = world.runs.events(world.ask(factories.QUESTION, "demo", "gear").run)
    app.run()
    asked(app, factories.QUESTION, "bm25")
    run = app.query_params["run"]
    assert world.store.runs.claim(run, "worker:1")

    def happens(until: int) -> None:
        for position in range(len(world.runs.events(run)), until):
            world.store.events.add(2, position + 1, 0.0, events[position])

    states = ElementTree.get_widget_states
    sent: list[WidgetStates] = []

    def recorded(tree: ElementTree) -> WidgetStates:
        sent.append(states(tree))
        return sent[-1]

    happens(6)
    app.run()
    happens(8)
    with monkeypatch.context() as browser:
        browser.setattr(ElementTree, "get_widget_states", recorded)
        app.run()
        browser.setattr(ElementTree, "get_widget_states", lambda tree: sent[0])
        app.run()
    happens(12)
    app.run()
    strip = component(app, "strip")
    assert strip["current"] == len(list(strip["steps"])) - 1 > 6  # type: ignore[call-overload]
    assert "step" not in app.query_params


def test_methods_of_one_step_have_numbers_and_no_iterations(world: Workspace, app: AppTest) -> None:
    for method in ("hybrid", "naive_ge"):
        app.query_params["run"] = world.ask(factories.QUESTION, "demo", method).run
        app.run()
        assert not app.exception
        assert "R@15" in sentences(app)
        assert app.get("plotly_chart") == []
        assert "teration 1" not in sentences(app)


def test_marking_gold_after_the_collection_is_gone_marks_the_run_alone(world: Workspace) -> None:
    asked_ = world.ask("Which river flows under the city?", "demo", "hybrid").run
    world.collections.delete("demo")
    world.collections.create("demo")
    session.mark_gold(world, world.runs.get(asked_), ["rouen"])
    assert world.runs.get(asked_).gold == ("rouen",)
    assert world.collections.questions("demo") == []


def test_a_fresh_run_that_is_over_at_once_lands_on_its_last_step(
    world: Workspace, app: AppTest, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.ask(factories.QUESTION, "demo", "naive_ge")
    app.run()
    app.slider(key="step").set_value(2).run()
    enqueue = world.runs.enqueue

    def at_once(request: RunRequest) -> str:
        run = enqueue(request)
        work()
        return run

    monkeypatch.setattr(world.runs, "enqueue", at_once)
    asked(app, factories.QUESTION, "naive_ge")
    assert component(app, "strip")["current"] == 3
    assert app.query_params["step"] == "3"


def test_a_collection_without_triples_says_why_its_methods_are_few(
    empty: Workspace, app: AppTest
) -> None:
    empty.imports.text("Clifton", "The bridge was designed by Brunel.", "mine")
    app.run()
    assert app.selectbox(key="method").value == "chain"
    assert "has no triples yet. Chain needs none" in sentences(app)
    app.selectbox(key="method").set_value("hipporag").run()
    assert "press Extract triples" in sentences(app)


def test_a_collection_with_triples_says_nothing_of_the_kind(world: Workspace, app: AppTest) -> None:
    app.run()
    assert "has no triples yet" not in sentences(app)


def test_passages_of_one_document_are_told_apart_in_the_ranking_and_the_run_keeps_the_title(
    world: Workspace, app: AppTest
) -> None:
    lamps = " ".join(f"Lamp {n} of Bluefin was lit by Priya in the year {n}." for n in range(40))
    world.imports.text("Lamps", lamps, "demo")
    run = world.ask("Which lamp did Priya light?", "demo", "bm25").run
    app.query_params["run"] = run
    app.run()
    lines = component(app, "ranking")["lines"]
    assert isinstance(lines, list)
    titles = sorted("".join(piece["text"] for piece in line["title"]) for line in lines)
    assert titles == [f"Lamps · {number} of {len(titles)}" for number in range(1, len(titles) + 1)]
    assert len(titles) > 2
    assert {passage.title for passage in world.runs.answer(run).ranking} == {"Lamps"}


def test_the_collection_of_the_address_is_opened(world: Workspace, app: AppTest) -> None:
    world.ask(factories.QUESTION, "demo", "bm25")
    world.imports.text("Lamps", "A lamp was lit.", "ops")
    app.query_params["collection"] = "ops"
    app.run()
    assert app.selectbox(key="collection").value == "ops"
    assert "Nothing has been asked of" in sentences(app)
