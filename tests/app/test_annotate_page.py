"""The page Annotate, its component spoken to as the browser does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.annotate.record import Label
from gear_app.evaluate.question_set import of_runs
from gear_app.evaluate.service import EvaluationService
from gear_app.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences
from tests.app.explored import component
from tests.app.judged import missing_runs

PAGE = "annotate/page.py"
FORM = {"note": "", "category": "reader", "verdict": "", "severity": "", "step": ""}


@pytest.fixture
def judged(world: Workspace) -> list[str]:
    return missing_runs(world, 4)


def annotate(start: AppTest, name: str = "ann", **address: str) -> AppTest:
    at = start.run().switch_page(PAGE)
    for key, value in {"annotator": name, **address}.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception
    return at


def data(at: AppTest) -> dict[str, Any]:
    return component(at, "annotate")


def test_the_name_is_asked_once_and_stays_in_the_address(judged: list[str], start: AppTest) -> None:
    at = start.run().switch_page(PAGE).run()
    at.text_input(key="annotator-typed").set_value("  Ann  B ")
    at.button(key="annotator-begin").click().run()
    assert not at.exception
    assert at.query_params["annotator"] in ("Ann B", ["Ann B"])
    assert data(at)["counts"]["all"] == 4
    at.button(key="annotator-change").click().run()
    assert at.text_input(key="annotator-typed").value == ""


def test_what_was_judged_is_drawn_before_one_gives_a_name(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    at = start.run().switch_page(PAGE).run()
    assert "by category and method" not in sentences(at)
    for run in judged:
        world.annotations.commit(run, "ben", Label("n", "graph", "fail", complete=True))
    assert "by category and method" in sentences(at.run())


def test_the_queue_begins_with_the_first_run_that_is_not_judged(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    world.annotations.commit(judged[0], "ann", Label("n", "reader", "fail", complete=True))
    at = annotate(start)
    told = data(at)
    assert [place["state"] for place in told["places"]] == ["done", "open", "open", "open"]
    assert told["here"] == told["places"][1]["case"]
    assert told["places"][0]["aside"] == "GEAR · 3 of 4 gold"
    assert "1 of 4 judged, 3 to go" in sentences(at)
    assert [one["name"] for one in told["categories"]["gear"]][:2] == [
        "Base retriever",
        "Reasoner hallucination",
    ]
    assert {"value": "iteration 2, read", "name": "2, read"} in told["steps"][told["here"]]
    (held,) = world.annotations.reservations("demo")
    assert (held.case, held.annotator) == (told["here"], "ann")


def test_the_suggested_cause_is_not_in_the_page_before_a_category_is_chosen(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    at = annotate(start)
    assert data(at)["suggested"] == {} and "not in the collection" not in json.dumps(data(at))
    at.toggle(key="annotate-show-causes").set_value(True).run()
    here = data(at)["here"]
    assert data(at)["suggested"] == {here: ["nowhere: not in the collection"]}
    at.toggle(key="annotate-show-causes").set_value(False).run()
    world.annotations.commit(judged[0], "ann", Label(category="reader"))
    at.run()
    assert data(at)["suggested"] == {here: ["nowhere: not in the collection"]}


@pytest.mark.parametrize(
    ("address", "shown"), [({}, "after"), ({"cause": "not in the collection"}, "before")]
)
def test_a_cause_that_the_queue_is_filtered_by_was_seen_before(
    world: Workspace,
    judged: list[str],
    start: AppTest,
    monkeypatch: pytest.MonkeyPatch,
    address: dict[str, str],
    shown: str,
) -> None:
    def chosen(told: dict[str, Any], commit: Any, opened: Any) -> None:
        commit({"kind": "label", "run": judged[0], "case": told["here"], "label": FORM})

    start.run().switch_page(PAGE).run()  # which registers the component
    monkeypatch.setattr("gear_app.ui.annotate.component.desk", chosen)
    at = annotate(start, **address)
    assert not at.exception
    (record,) = world.annotations.records("demo")
    assert (record.label.suggestion.shown, record.label.category) == (shown, "reader")


def test_another_persons_labels_of_a_run_that_two_judge_are_nowhere(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    world.annotations.commit(judged[0], "ben", Label("a secret", "graph", "fail", complete=True))
    world.annotations.set_share("demo", 1.0)
    at = annotate(start, double="0", seed="3")  # nothing that a viewer says uncovers them
    assert data(at)["places"][0]["state"] == "open"
    assert data(at)["places"][0]["label"]["category"] == ""
    assert "secret" not in json.dumps(data(at)) + sentences(at)
    at.slider(key="annotate-double").set_value(0).run()
    assert "would no longer be hidden" in sentences(at)
    assert at.slider(key="annotate-double").value == 100 and data(at)["counts"]["all"] == 4
    at.session_state["annotate-tab"] = "Files"
    at.run()
    assert "labels of 1 run that two are to judge" in sentences(at)
    world.annotations.commit(judged[0], "ann", Label("n", "reader", "fail", complete=True))
    at.run()
    assert "labels of 1 run that two" not in sentences(at)
    at.session_state["annotate-tab"] = "Queue"
    at.run()
    at.slider(key="annotate-double").set_value(0).run()
    assert world.annotations.share("demo") == 0
    assert annotate(start, "eve").slider(key="annotate-double").value == 0, "it is everybody's"


def test_a_sample_and_its_seed_are_in_the_address(judged: list[str], start: AppTest) -> None:
    at = annotate(start, sample="2", seed="3")
    assert data(at)["counts"]["all"] == 2
    at.number_input(key="annotate-sample").set_value(3).run()
    assert at.query_params["sample"] in ("3", ["3"])
    assert data(at)["counts"]["all"] == 3


def test_the_tab_and_what_is_judged_are_in_the_address(judged: list[str], start: AppTest) -> None:
    at = annotate(start)
    cases = [place["case"] for place in data(at)["places"]]
    assert at.query_params["case"] in (cases[0], [cases[0]])
    at.query_params["case"] = cases[2]
    at.run()
    assert data(at)["here"] == cases[2]
    at.query_params["tab"] = "agreement"
    at.run()
    assert at.session_state["annotate-tab"] == "Agreement"
    at.session_state["annotate-tab"] = "Files"
    at.run()
    assert at.query_params["tab"] in ("files", ["files"])
    assert not at.exception


def test_judgements_that_came_without_their_runs_offer_to_make_them(
    world: Workspace, start: AppTest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run = world.ask("Who designed the Clifton Suspension Bridge?", "demo", "hybrid").run
    world.annotations.commit(run, "ann", Label("n", "reader", "fail", complete=True))
    world.store.db.execute("DELETE FROM runs")
    at = annotate(start)
    assert "Judgements of 1 run came without the runs" in sentences(at)
    at.button(key="annotate-make").click().run()
    assert not at.exception
    (made,) = world.runs.recent()
    assert (made.method, made.state) == ("hybrid", "queued")


def test_a_category_of_ones_own_is_offered_and_a_bad_one_refused(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    at = annotate(start)
    world.annotations.add_category("Ranked too low", "Others stand above it.", "ann")
    at.run()
    assert data(at)["categories"]["gear"][-1] == {
        "value": "ranked-too-low",
        "name": "Ranked too low",
        "about": "Others stand above it.",
        "source": "own",
    }


def test_a_workspace_without_runs_says_what_to_do(world: Workspace, start: AppTest) -> None:
    assert "gear-app eval --collection demo" in sentences(annotate(start))


def test_the_questions_of_failures_are_evaluated_again(world: Workspace, start: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid", settings={"depth": "50"}).run
    world.annotations.commit(run, "ann", Label("n", "graph", "fail", complete=True))
    at = annotate(start)
    at.session_state["annotate-tab"] = "Charts"
    at.run()
    assert "1 of 1 judged run failed" in sentences(at)
    at.button(key="set-evaluate").click().run()
    assert not at.exception
    (row,) = EvaluationService(world).all()
    definition = EvaluationService(world).definition(row.id)
    assert (definition.questions, definition.methods) == (("q1",), ("hybrid depth=50",))
    assert definition.choice == "1 question picked on Annotate"
    assert definition.before["hybrid depth=50"]["q1"] == tuple(
        next((at for at, hit in enumerate(ranked, start=1) if hit == key), None)
        for key in factories.GOLD
        for ranked in [world.store.events.ranked_keys(world.runs.get(run).number)]
    )


def test_the_queue_as_it_is_filtered_becomes_a_question_set(
    world: Workspace, start: AppTest
) -> None:
    for method in ("hybrid", "bm25"):
        world.ask(factories.QUESTION, "demo", method)
    at = annotate(start, method="bm25", show="all")
    (button,) = [one for one in at.button if one.key == "queue-set"]
    assert button.label == "Make a question set of this 1 question"
    button.click().run()
    assert not at.exception
    (row,) = EvaluationService(world).all()
    assert EvaluationService(world).definition(row.id).methods == ("bm25",)


def test_the_queue_of_a_question_set_has_its_runs_alone(world: Workspace, start: AppTest) -> None:
    other = "What opened in Bristol?"
    runs = [world.ask(asked, "demo", "bm25").run for asked in (factories.QUESTION, other)]
    world.runs.mark_gold(runs[1], ["clifton"])
    service = EvaluationService(world)
    made = service.create(of_runs(world, "demo", [world.runs.get(runs[0])]))
    assert len(world.annotations.items("demo")) == 2
    told = sentences(annotate(start, show="all", set=made))
    assert "0 of 1 judged" in told and "a set of 1 question" in told


def test_a_chart_says_what_it_hides_from_somebody_who_is_yet_to_judge(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    for run in judged[:3]:
        world.annotations.commit(run, "ben", Label("n", "graph", "fail", complete=True))
    world.annotations.set_share("demo", 1.0)
    at = annotate(start)
    at.session_state["annotate-tab"] = "Charts"
    at.run()
    assert "3 runs that others have judged and two are to judge stay hidden" in sentences(at)
    assert "judged runs failed" not in sentences(at)
