"""A method with settings of its own is added to the comparison."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.app.shared.method_form import PAPER
from gear_app.display.comparison_tables import Entry, entry_words
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.compare.compare_page import Work, heads


@pytest.fixture
def form(world: Workspace, page: AppTest) -> AppTest:
    """The page whose settings are open, for GEAR."""
    page.run()
    page.session_state["settings-open"] = True
    page.run().selectbox(key="method").set_value("gear").run()
    return page


def test_two_of_a_method_compare_by_their_settings(
    world: Workspace, form: AppTest, work: Work
) -> None:
    form.number_input(key="set-gear-beam.width").set_value(3)
    form.selectbox(key="set-gear-beam.scoring").set_value("exact")
    form.button(key="compare-add").click().run()
    chosen = form.multiselect(key="compare-entries").value
    assert chosen[-1] == Entry("gear", (("beam.width", "3"), ("beam.scoring", "exact")))
    form.multiselect(key="compare-entries").set_value([Entry("gear"), chosen[-1]])
    form.text_input(key="compare-question").set_value(factories.QUESTION)
    form.button(key="compare-button").click().run()
    work()
    form.run()
    assert [head["label"] for head in heads(form)] == ["GEAR", "GEAR, Width b 3, Scoring exact"]
    assert [run.config["beam.width"] for run in world.runs.recent()] == [3, 10]


def test_one_switch_fills_in_what_the_paper_has_and_goes_off_where_that_is_changed(
    form: AppTest,
) -> None:
    assert not form.toggle(key=PAPER).value
    form.toggle(key=PAPER).set_value(True).run()
    form.button(key="compare-add").click().run()
    entry = form.multiselect(key="compare-entries").value[-1]
    assert entry_words(entry) == "GEAR, as in the paper"
    form.selectbox(key="set-gear-beam.scoring").set_value("screened").run()
    assert not form.toggle(key=PAPER).value
    form.toggle(key=PAPER).set_value(True).run()
    form.toggle(key=PAPER).set_value(False).run()
    assert form.number_input(key="set-gear-fusion_constant").value == 1
    form.selectbox(key="method").set_value("chain").run()
    assert any("Chain is ours" in one.value for one in form.caption)
