"""Explore: asking, following a run, and what a run shows at its steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ElementTree

from gear_app.app.explore.found import nearest_facts
from gear_app.display.origin_words import origin_words
from gear_app.models.reader.edits import ReadingEdit
from gear_app.store.processes import new_name
from gear_app.trace import timeline
from gear_app.trace.passage_origin import origin_of
from gear_app.trace.rankings import final
from gear_app.workspace.runs.request import EVALUATION, RunRequest
from gear_app.workspace.runs.rerun import RunChange
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.explored import Work, asked, component, step_slider

PICKER = "gear_app.app.shared.panels.picker"


def test_enter_and_a_click_on_run_are_one_request(world: Workspace, app: AppTest) -> None:
    app.run()
    asked(app, factories.QUESTION, "hybrid")
    first = app.query_params["run"]
    app.button(key="run-button").click().run()
    assert app.query_params["run"] == first and len(world.runs.recent()) == 1


def test_an_empty_workspace_says_what_to_do(empty: Workspace, app: AppTest) -> None:
    app.run()
    assert "gear-app demo" in sentences(app)


def test_a_session_without_a_run_sees_the_latest_finished_one(
    world: Workspace, app: AppTest
) -> None:
    done = world.ask(factories.QUESTION, "demo", "gear").run
    world.runs.enqueue(RunRequest("Still waiting?", "demo", "hybrid"))
    visit(app, all="1")
    assert app.query_params["run"] == done
    assert app.text_input(key="question").value == factories.QUESTION
    assert "Gold passages" in sentences(app)
    assert "first fact" in str(component(app, "columns")["html"])


def test_a_question_waits_runs_and_is_shown(world: Workspace, app: AppTest, work: Work) -> None:
    app.run()
    asked(app, factories.QUESTION)
    (run,) = world.runs.recent()
    assert (run.state, run.method, run.question) == ("queued", "gear", factories.QUESTION)
    assert app.query_params["run"] == run.id
    assert "loading its models" in sentences(app)
    work()
    app.run()
    assert world.runs.get(run.id).state == "done"
    steps = component(app, "strip")["steps"]
    assert isinstance(steps, list)
    assert [step["verb"] for step in steps][:3] == ["retrieve", "read", "link"]
    assert steps[-1]["verb"] == "rank"
    assert component(app, "strip")["current"] == len(steps) - 1  # it was followed to its end


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
    assert list(app.dataframe[-1].value["question"]) == [factories.QUESTION]
    monkeypatch.setattr(PICKER, lambda rows, key: rows[0]["id"])
    app.button(key="picked").click().run()
    assert app.text_input(key="question").value == factories.QUESTION


def test_picking_an_earlier_run_opens_it(
    world: Workspace, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.ask("Another?", "demo", "bm25", owner=EVALUATION)
    app.run()
    app.button(key="earlier").click().run()
    assert list(app.dataframe[-1].value["method"]) == ["Hybrid"]
    monkeypatch.setattr(PICKER, lambda rows, key: rows[0]["id"])
    app.button(key="earlier").click().run()
    assert app.query_params["run"] == first
    assert app.selectbox(key="method").value == "hybrid"


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


@contextmanager
def lagging(
    monkeypatch: pytest.MonkeyPatch, sent: Sequence[WidgetStates] = ()
) -> Iterator[list[WidgetStates]]:
    """A browser that sends once more what it sent before; without that, what it sends now."""
    states, recorded = ElementTree.get_widget_states, list(sent)

    def sends(tree: ElementTree) -> WidgetStates:
        if not sent:
            recorded.append(states(tree))
        return recorded[0]

    with monkeypatch.context() as browser:
        browser.setattr(ElementTree, "get_widget_states", sends)
        yield recorded


@pytest.mark.parametrize("fewer, more", [(2, 3), (6, 8)], ids=["1 and 2 steps", "5 and 6 steps"])
def test_a_browser_that_lags_behind_does_not_stop_the_following(
    world: Workspace, app: AppTest, monkeypatch: pytest.MonkeyPatch, fewer: int, more: int
) -> None:
    """It sends the slider of fewer steps once more: that is nobody's hand."""
    events = world.runs.events(world.ask(factories.QUESTION, "demo", "gear").run)
    app.run()
    asked(app, factories.QUESTION, "bm25")
    run = app.query_params["run"]
    number = world.runs.get(run).number
    assert world.store.tasks.claim(number, new_name())

    def happens(until: int) -> None:
        for position in range(len(world.runs.events(run)), until):
            world.store.events.add(number, position + 1, 0.0, events[position])

    happens(fewer)
    app.run()
    happens(more)
    with lagging(monkeypatch) as sent:
        app.run()
    with lagging(monkeypatch, sent):
        app.run()
    happens(12)
    app.run()
    strip = component(app, "strip")
    assert strip["current"] == len(list(strip["steps"])) - 1 > 6  # type: ignore[call-overload]
    assert "step" not in app.query_params


def test_a_browser_that_lags_behind_does_not_move_a_run_by_the_slider_of_another(
    world: Workspace, app: AppTest, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit(app, run=world.ask(factories.QUESTION, "demo", "bm25").run)
    step_slider(app).set_value(1).run()
    with lagging(monkeypatch) as sent:
        app.run()
    asked(app, factories.QUESTION, "bm25")
    work()
    app.run()
    with lagging(monkeypatch, sent):
        app.run()
    assert component(app, "strip")["current"] == 1  # it was followed to its end, and stays there


def test_the_nearest_fact_can_be_marked_and_the_run_goes_on_from_it(
    world: Workspace, app: AppTest
) -> None:
    question = "Which school did the designer of the Clifton Suspension Bridge attend?"
    run = world.ask(question, "demo", "gear").run
    (fact, *_) = nearest_facts(world.runs.events(run))
    app.session_state[f"found-{run}"] = True
    visit(app, run=run, all="1")
    app.button(key="mark-0").click().run()
    words = fact.subject, fact.predicate, fact.object
    change = RunChange.from_json("".join(app.query_params["what"]))
    assert change.edits == (ReadingEdit("gist", words, taken=True),)
    assert f"{fact.text} · taken" in sentences(app)


def test_a_run_without_an_answer_offers_other_methods(world: Workspace, app: AppTest) -> None:
    run = world.ask("Who painted the harbour of Lorn?", "demo", "gear").run
    app.session_state[f"found-{run}"] = True
    visit(app, run=run, all="1")
    assert "No answer: the built-in rules found none here." in sentences(app)
    app.button(key="way-gear:chain").click().run()
    newest = world.runs.recent("demo", limit=1)[0]
    assert (newest.id != run, newest.method, newest.question) == (
        True,
        "gear:chain",
        "Who painted the harbour of Lorn?",
    )


def test_the_final_ranking_says_where_a_passage_comes_from_and_leads_there(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "gear:chain").run
    events = world.runs.events(run)
    gold, last = world.runs.get(run).gold, len(timeline.steps(events)) - 1
    opened = next(one for one in final(events) if one.key in gold)
    origin = origin_of(events, opened.key)
    visit(app, run=run, all="1", step=str(last))
    assert origin_words(origin)[1:] in sentences(app)
    app.button(key=f"origin-{run}-{last}").click().run()
    assert step_slider(app).value == (origin.step or 0) + 1
