"""What Compare proposes before anything is compared."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests.app.compare.compare_page import chosen_methods, runs_of
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
