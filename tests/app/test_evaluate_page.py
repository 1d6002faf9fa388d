"""The page Evaluate: begun with one button, gone on with, and every number leads to its questions."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
from streamlit.testing.v1 import AppTest

from gear_app.app.shared.method_form import PAPER
from gear_app.evaluation import results
from gear_app.evaluation.definition import Definition, define
from gear_app.evaluation.service import EvaluationService
from gear_app.models.server import Spec
from gear_app.workspace.jobs.imports import Pasted
from gear_app.workspace.workspace import Workspace
from tests.app.conftest import on_tab, sentences, visit

PAGE = "evaluate/page.py"

Work = Callable[[], None]


def tables(at: AppTest) -> dict[str, pd.DataFrame]:
    """The tables of the page by the name of their section."""
    found = {}
    for element in at.dataframe:
        key = element.proto.id.rpartition("-evaluate-")[2]
        found[key.rpartition("-")[0]] = element.value
    return found


def begin(page: AppTest, work: Work) -> None:
    """Press the one button there is, and see what came of it."""
    page.run()
    page.button(key="evaluate-button").click().run()
    work()
    page.run()


def test_one_button_begins_and_the_numbers_are_those_of_the_command_line(
    world: Workspace, page: AppTest, work: Work
) -> None:
    page.run()
    assert "“demo” was not evaluated yet" in sentences(page)
    page.button(key="evaluate-button").click().run()
    (id_,) = [one.id for one in world.store.evaluations.all()]
    assert page.query_params["evaluation"] in (id_, [id_])
    assert EvaluationService(world).progress(id_).going == 3
    work()
    page.run()
    assert "3 runs complete, 0 failed" in sentences(page)
    found, shown = results.load(world, id_), tables(page)["measures"]
    for method, of_method in found.to_json()["compared"]["methods"].items():
        for metric in ("recall@5", "all@5", "mrr"):
            assert f"{of_method[metric]['mean']:.3f}" in set(
                shown.filter(regex="@|MRR").to_numpy().ravel()
            ), method


def test_every_tab_is_drawn(world: Workspace, page: AppTest, work: Work) -> None:
    begin(page, work)
    for tab, table in (
        ("Kinds of question", "hops"),
        ("Causes", "causes"),
        ("Papers’ tables", "ranks"),
    ):
        on_tab(page, tab, "results")
        assert table in tables(page), tab
    on_tab(page, "Files", "results")
    assert "gear-app eval --collection demo" in page.code[0].value


def test_a_list_of_questions_becomes_a_set_that_shows_before_and_after(
    world: Workspace, page: AppTest, work: Work
) -> None:
    begin(page, work)
    page.button(key="evaluate-set").click().run()
    made, first = world.store.evaluations.all()
    assert page.query_params["evaluation"] in (made.id, [made.id])
    definition = EvaluationService(world).definition(made.id)
    assert definition.choice.ids and set(definition.before) == set(definition.methods)
    page.run()
    assert "Before and after" in sentences(page)
    assert "before" in tables(page)
    page.multiselect(key="evaluate-methods").set_value([*definition.methods, "bm25"]).run()
    page.button(key="evaluate-button").click().run()
    assert [one.id for one in world.store.evaluations.all()] == [made.id, first.id]
    world.imports.do(Pasted("New", "Some new words."), "demo")
    work()
    page.run()
    assert "4 runs from before passages, triples or gold changed" in sentences(page)
    page.button(key="evaluate-anew").click().run()
    assert EvaluationService(world).progress(made.id).going == 4
    work()
    page.run()
    assert "gold changed" not in sentences(page)


def test_the_form_for_a_method_is_that_of_explore_and_its_reader_is_that_of_all_runs(
    world: Workspace, page: AppTest, work: Work
) -> None:
    page.run()
    page.session_state["settings-open"] = True
    page.run().selectbox(key="method").set_value("gear").run()
    assert not any(field.label == "k" for field in page.number_input)
    page.number_input(key="set-gear-beam.width").set_value(3).run()
    page.button(key="evaluate-add").click().run()
    page.toggle(key=PAPER).set_value(True).run()
    page.number_input(key="set-gear-beam.width").set_value(10).run()
    page.button(key="evaluate-add").click().run()
    chosen = page.multiselect(key="evaluate-methods")
    assert chosen.value[-2:] == ["gear beam.width=3", "gear as-paper"]
    assert [label for label in chosen.options if "GEAR, " in label] == [
        "GEAR, width 3",
        "GEAR, as in the paper",
    ]
    chosen.set_value(["gear beam.width=3"]).run()
    page.checkbox(key="set-answer").set_value(True).run()
    page.button(key="evaluate-button").click().run()
    (row,) = world.store.evaluations.all()
    definition = EvaluationService(world).definition(row.id)
    assert (definition.methods, definition.answer) == (("gear beam.width=3",), True)
    page.session_state["settings-open"] = False
    page.switch_page("explore/page.py").run()
    page.session_state["settings-open"] = True
    assert page.run().checkbox(key="set-answer").value


def test_a_set_that_asks_a_language_model_goes_on_with_a_cap_alone(
    world: Workspace, page: AppTest
) -> None:
    service = EvaluationService(world)
    asks = Spec("http://127.0.0.1:9/v1", "tiny")
    made = service.create(define(world, Definition("demo", ("gear",), reader="llm"), asks))
    visit(page, evaluation=made)
    page.button(key="evaluate-resume").click().run()
    assert "Estimate: " in sentences(page)
    assert service.progress(made).going == 0 and world.store.evaluations.get(made).budget is None
    page.number_input(key="evaluate-cap").set_value(1234)  # sent together with the click
    page.button(key="evaluate-confirm").click().run()
    assert world.store.evaluations.get(made).budget == 1234
    assert service.progress(made).going == 1
    page.button(key="evaluate-stop").click().run()
    page.button(key="evaluate-resume").click().run()
    assert service.progress(made).going == 1 and world.store.evaluations.get(made).budget == 1234
