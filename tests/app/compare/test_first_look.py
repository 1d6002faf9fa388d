"""What Compare proposes before anything is compared."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.compare.compare_page import asked, chosen_methods, runs_of
from tests.app.conftest import sentences


def test_the_first_look_proposes_methods_and_the_question_asked_last(
    world: Workspace, page: AppTest
) -> None:
    world.ask("Which river flows under the city?", "demo", "hybrid")
    page.run()
    assert page.text_input(key="compare-question").value == "Which river flows under the city?"
    assert chosen_methods(page)[:3] == [
        "hybrid",
        "chain",
        "gear",
    ]
    assert "No run is compared yet" in sentences(page)
    assert world.runs.recent()[1:] == []


def test_a_collection_without_triples_proposes_methods_that_need_none(
    empty: Workspace, page: AppTest
) -> None:
    empty.imports.text("Clifton", "The bridge was designed by Brunel.", "mine")
    page.run()
    assert chosen_methods(page) == [
        "bm25",
        "dense",
        "hybrid",
        "chain",
        "linearrag",
    ]
    assert "has no triples yet" in sentences(page)


def test_the_page_opens_on_the_question_that_most_methods_were_asked(
    world: Workspace, page: AppTest
) -> None:
    ids = asked(world, "gear", "hybrid")
    world.ask("Which river flows under the city?", "demo", "hybrid")
    page.run()
    assert runs_of(page) == ids[::-1]  # hybrid first, as methods are listed
    assert page.text_input(key="compare-question").value == factories.QUESTION


def test_one_click_compares_the_proposed_methods(world: Workspace, page: AppTest) -> None:
    page.run()
    page.button(key="compare-button").click().run()
    assert {run.method for run in world.runs.recent()} == {
        "hybrid",
        "chain",
        "gear",
        "hipporag",
        "griever",
        "ircot",
    }
    assert len(runs_of(page)) == 6


def test_another_collection_begins_a_new_comparison(world: Workspace, page: AppTest) -> None:
    page.query_params["runs"] = world.ask(factories.QUESTION, "demo", "hybrid").run
    world.imports.text("Clifton", "The bridge was designed by Brunel.", "mine")
    page.run()
    page.selectbox(key="collection").set_value("mine").run()
    assert "No run is compared yet" in sentences(page)
    assert (runs_of(page), page.text_input(key="compare-question").value) == ([], "")
