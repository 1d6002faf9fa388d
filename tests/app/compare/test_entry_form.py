"""Entries with settings of their own are added to the comparison."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.display.compare.entries import Entry, entry_words
from gear_app.workspace.workspace import Workspace
from tests.app.compare.compare_page import Work, heads
from tests.app.conftest import sentences


def test_two_of_a_method_compare_by_their_settings(
    world: Workspace, page: AppTest, work: Work
) -> None:
    page.run()
    page.number_input(key="variant-gear-beam.width").set_value(3)
    page.selectbox(key="variant-gear-beam.scoring").set_value("exact")
    page.button(key="variant-add").click().run()
    chosen = page.multiselect(key="compare-entries").value
    assert chosen[-1] == Entry("gear", (("beam.width", "3"), ("beam.scoring", "exact")))
    page.multiselect(key="compare-entries").set_value([Entry("gear"), chosen[-1]])
    page.button(key="compare-button").click().run()
    work()
    page.run()
    assert [head["label"] for head in heads(page)] == ["GEAR", "GEAR, Width b 3, Scoring exact"]
    assert [run.config["beam.width"] for run in world.runs.recent()] == [3, 10]


def test_a_wrong_setting_is_explained_and_nothing_is_added(world: Workspace, page: AppTest) -> None:
    page.run()
    before = page.multiselect(key="compare-entries").value
    page.text_input(key="variant-gear-beam.gamma").set_value("much")
    page.button(key="variant-add").click().run()
    assert "Diversity γ takes a whole number or auto or none, not" in sentences(page)
    assert page.multiselect(key="compare-entries").value == before


def test_fields_of_the_closed_popover_show_what_would_be_added(
    world: Workspace, page: AppTest, unopened: None
) -> None:
    page.run()
    page.run()
    method = page.selectbox(key="variant-method")
    assert (method.value, method.proto.set_value) == ("gear", True)


def test_settings_that_were_typed_survive_another_method_and_another_page(
    world: Workspace, page: AppTest
) -> None:
    page.run()
    page.number_input(key="variant-gear-beam.width").set_value(4).run()
    page.selectbox(key="variant-method").set_value("ircot").run()
    page.switch_page("explore/page.py").run()
    page.switch_page("compare/page.py").run()
    assert page.selectbox(key="variant-method").value == "ircot"
    page.selectbox(key="variant-method").set_value("gear").run()
    assert page.number_input(key="variant-gear-beam.width").value == 4


def test_one_switch_fills_in_what_the_paper_has_and_goes_off_where_that_is_changed(
    world: Workspace, page: AppTest, work: Work
) -> None:
    page.run()
    switch = "variant-gear-As in the paper"
    assert not page.toggle(key=switch).value
    page.toggle(key=switch).set_value(True).run()
    page.button(key="variant-add").click().run()
    entry = page.multiselect(key="compare-entries").value[-1]
    assert entry_words(entry) == "GEAR, as in the paper"
    page.multiselect(key="compare-entries").set_value([entry])
    page.button(key="compare-button").click().run()
    work()
    page.run()
    assert [head["label"] for head in heads(page)] == ["GEAR, as in the paper"]
    page.selectbox(key="variant-gear-beam.scoring").set_value("screened").run()
    assert not page.toggle(key=switch).value
    page.toggle(key=switch).set_value(True).run()
    page.toggle(key=switch).set_value(False).run()
    assert page.number_input(key="variant-gear-fusion_constant").value == 1
    page.selectbox(key="variant-method").set_value("chain").run()
    assert any("Chain is ours" in one.value for one in page.caption)
