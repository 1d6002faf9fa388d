"""The page Annotate, its component spoken to as the browser does."""

from __future__ import annotations

import json
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.annotate.record import Case, Label, Record
from gear_app.evaluate.question_set import of_runs
from gear_app.evaluate.service import EvaluationService
from gear_app.ui.annotate import charts as drawn
from gear_app.ui.annotate import runs_to_make
from gear_app.workspace import Workspace
from tests import factories
from tests.app.conftest import on_tab, sentences, visit
from tests.app.explored import component
from tests.app.played import missing_runs

PAGE = "annotate/page.py"
FORM = {"note": "", "category": "reader", "verdict": "", "severity": "", "step": ""}


@pytest.fixture
def judged(world: Workspace) -> list[str]:
    return missing_runs(world, 4)


def annotate(start: AppTest, name: str = "ann", **address: str) -> AppTest:
    return visit(start.run().switch_page(PAGE), annotator=name, **address)


def told(at: AppTest) -> str:
    """What the page says, apostrophes as they are read."""
    return unescape(sentences(at))


def data(at: AppTest) -> dict[str, Any]:
    return component(at, "annotate")


def test_the_name_is_asked_once_and_stays_in_the_address(judged: list[str], start: AppTest) -> None:
    at = start.run().switch_page(PAGE).run()
    at.text_input(key="annotator-typed").set_value("  Ann  B ")
    at.button(key="annotator-begin").click().run()
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
    assert "1 of 4 runs judged, 3 to go" in sentences(at)
    assert [one["name"] for one in told["categories"]["gear"]][:2] == [
        "Base retriever",
        "Reasoner hallucination",
    ]
    assert {"value": "iteration 2, read", "name": "2, read"} in told["steps"][told["here"]]


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
    monkeypatch.setattr("gear_app.ui.annotate.desk.draw_desk", chosen)
    annotate(start, **address)
    (record,) = world.annotations.labels("demo").values()
    assert (record.label.suggestion.shown, record.label.category) == (shown, "reader")


def test_another_persons_label_is_nowhere_before_an_own_one(
    world: Workspace, judged: list[str], start: AppTest
) -> None:
    world.annotations.commit(judged[0], "ben", Label("a secret", "graph", "fail", complete=True))
    at = annotate(start, seed="3")
    assert data(at)["places"][0]["state"] == "open" and data(at)["counts"]["all"] == 4
    assert data(at)["places"][0]["label"]["category"] == ""
    assert "secret" not in json.dumps(data(at)) + sentences(at)
    on_tab(at, "Charts", "annotate")
    assert "1 of 1 run failed when judged" in told(at) and drawn.hidden_words(1) in told(at)
    assert world.runs.get(judged[0]).question not in told(at)
    on_tab(at, "Files", "annotate")
    assert "Without others' labels of 1 run" in told(at)
    world.annotations.commit(judged[0], "ann", Label("n", "reader", "fail", complete=True))
    assert "Without others' labels" not in told(at.run())


def test_a_sample_and_its_seed_are_in_the_address(judged: list[str], start: AppTest) -> None:
    at = annotate(start, sample="2", seed="3")
    assert data(at)["counts"]["all"] == 2
    at.number_input(key="annotate-sample").set_value(3).run()
    assert at.query_params["sample"] in ("3", ["3"])
    assert data(at)["counts"]["all"] == 3


def test_the_judged_case_is_in_the_address(judged: list[str], start: AppTest) -> None:
    at = annotate(start)
    cases = [place["case"] for place in data(at)["places"]]
    assert at.query_params["case"] in (cases[0], [cases[0]])
    visit(at, case=cases[2])
    assert data(at)["here"] == cases[2]


def without_runs(world: Workspace, *methods: str) -> None:
    """Labels whose runs are in another workspace."""
    cases = [Case(factories.QUESTION, method) for method in methods]
    label = Label("n", "reader", "fail", complete=True)
    records = [Record(case, "ben", "2026-01-01T00:00:00Z", label, run="else") for case in cases]
    world.annotations.save(world.store.collections.get("demo").id, records)


def make(at: AppTest) -> AppTest:
    at.button(key="annotate-make").click().run()
    return at


def test_the_runs_of_cases_judged_elsewhere_are_made_and_can_be_stopped(
    world: Workspace, start: AppTest, work: Callable[[], None]
) -> None:
    without_runs(world, "hybrid", "bm25")
    at = annotate(start, "")
    assert runs_to_make.missing_words(2) in told(at) and not at.get("progress")
    make(at)
    assert [one.proto.text for one in at.get("progress")] == [runs_to_make.making_words(2)]
    assert {run.method for run in world.runs.recent()} == {"hybrid", "bm25"}
    world.scheduler().take()
    at.run().button(key="annotate-stop").click().run()
    assert not at.get("progress")
    assert sorted(run.state for run in world.runs.recent()) == ["cancelled", "done"]
    assert runs_to_make.missing_words(1) in told(at)
    make(at)
    work()
    at.run()
    assert not [one for one in at.button if one.key == "annotate-make"]


def test_a_judged_run_that_fails_or_is_refused_keeps_no_other_back(
    world: Workspace, start: AppTest, work: Callable[[], None]
) -> None:
    without_runs(world, "no-such-method", "bm25", "hybrid")
    at = make(annotate(start, ""))
    assert "no-such-method" in told(at)
    failing = next(run for run in world.runs.recent() if run.method == "bm25")
    world.store.db.execute(
        "UPDATE tasks SET state = 'failed', message = 'The disk is full' WHERE id = ?", [failing.id]
    )
    work()
    at.run()
    assert runs_to_make.failed_words([world.runs.get(failing.id)]) in told(at)
    assert runs_to_make.missing_words(2) in told(at)


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
        "number": 7,
    }


def test_a_method_without_reader_or_triples_is_offered_no_category_of_theirs(
    world: Workspace, start: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "chain").run
    world.ask(factories.QUESTION, "demo", "gear")
    at = annotate(start, show="all")
    numbers = {one["value"]: one["number"] for one in data(at)["categories"]["chain"]}
    assert numbers == {"base-retriever": 1, "data-set": 4, "graph": 6}
    assert len(data(at)["categories"]["gear"]) == 6
    world.annotations.commit(run, "ann", Label("n", "reader", "fail", complete=True))
    kept = [one["value"] for one in data(at.run())["categories"]["chain"]]
    assert kept == ["base-retriever", "data-set", "graph", "reader"]


def test_the_part_of_a_document_that_was_missed_is_named(world: Workspace, start: AppTest) -> None:
    text = "\n\n".join(f"{word} " * 300 for word in ("Alpha", "Beta", "Gamma"))
    world.imports.text("Rates", text, "parts")
    run = world.ask("Who is Brunel?", "parts", "bm25").run
    last = world.collections.passages("parts")[-1]
    world.runs.mark_gold(run, [last.key])
    at = annotate(start, collection="parts")
    label = world.collections.label(last)
    assert " of " in label and f"★ {label}" in sentences(at)


def test_the_questions_of_failures_are_evaluated_again(world: Workspace, start: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid", settings={"depth": "50"}).run
    world.annotations.commit(run, "ann", Label("n", "graph", "fail", complete=True))
    at = annotate(start)
    on_tab(at, "Charts", "annotate")
    assert "1 of 1 run failed when judged" in sentences(at)
    at.button(key="set-evaluate").click().run()
    (row,) = world.store.evaluations.all()
    definition = EvaluationService(world).definition(row.id)
    assert (definition.questions, definition.methods) == (("q1",), ("hybrid depth=50",))
    assert definition.choice.words == "1 question picked on Annotate"
    assert definition.before["hybrid depth=50"]["q1"] == {
        key: next((at for at, hit in enumerate(ranked, start=1) if hit == key), None)
        for key in factories.GOLD
        for ranked in [world.store.events.ranked_keys(world.runs.get(run).number)]
    }


def test_the_queue_as_it_is_filtered_becomes_a_question_set(
    world: Workspace, start: AppTest
) -> None:
    for method in ("hybrid", "bm25"):
        world.ask(factories.QUESTION, "demo", method)
    at = annotate(start, method="bm25", show="all")
    (button,) = [one for one in at.button if one.key == "queue-set"]
    assert button.label == "Make a question set of this 1 question"
    button.click().run()
    (row,) = world.store.evaluations.all()
    assert EvaluationService(world).definition(row.id).methods == ("bm25",)


def test_the_queue_of_a_question_set_has_its_runs_alone(world: Workspace, start: AppTest) -> None:
    other = "What opened in Bristol?"
    runs = [world.ask(asked, "demo", "bm25").run for asked in (factories.QUESTION, other)]
    world.runs.mark_gold(runs[1], ["clifton"])
    service = EvaluationService(world)
    made = service.create(of_runs(world, "demo", [world.runs.get(runs[0])]))
    assert len(world.annotations.items("demo")) == 2
    told = sentences(annotate(start, show="all", set=made))
    assert "0 of 1 run judged" in told and "a set of 1 question" in told
