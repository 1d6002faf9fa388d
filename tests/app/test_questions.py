"""Questions on the page Collections: written, edited, deleted, asked; and gold for any passage."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit


@pytest.fixture
def tab(app: AppTest) -> AppTest:
    """The tab Questions, not drawn yet."""
    at = app.run().switch_page("collections/page.py")
    at.session_state["tab"] = "Questions"
    return at


def field(at: AppTest, name: str) -> str:
    """The key of a field of the form that is shown: it names the question as well."""
    inputs = [*at.text_area, *at.text_input, *at.number_input]
    return next(one.key for one in inputs if one.key and one.key.endswith(name))


def test_a_question_is_written_with_answers_and_gold_by_title(
    world: Workspace, tab: AppTest
) -> None:
    tab.run()
    tab.toggle(key="question-new").set_value(True).run()
    tab.text_area(key=field(tab, "-words")).set_value("Who dug the tunnel?")
    tab.text_area(key=field(tab, "-answers")).set_value("Marc Brunel\n\nBrunel")
    search = next(
        one.key
        for one in tab.text_input
        if one.key and one.key.endswith("-search") and "question-demo" in one.key
    )
    tab.text_input(key=search).set_value("thames brunel").run()
    next(one for one in tab.button if one.key and one.key.endswith("-add-marc")).click().run()
    tab.button(key="question-save").click().run()
    kept = world.collections["demo"].questions()[-1]
    assert (kept.question, kept.answers) == ("Who dug the tunnel?", ("Marc Brunel", "Brunel"))
    assert kept.supporting_keys == ("marc",)


def test_a_question_is_edited_and_deleted(world: Workspace, tab: AppTest) -> None:
    tab.run()
    tab.text_area(key=field(tab, "-words")).set_value("Who taught him?").run()
    tab.button(key="question-save").click().run()
    (kept,) = world.collections["demo"].questions()
    assert (kept.question, kept.supporting_keys) == ("Who taught him?", factories.GOLD)
    tab.button(key="question-delete").click().run()
    assert world.collections["demo"].questions() == []


def test_gold_of_a_passage_that_was_not_ranked_changes_the_recall_shown(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask("Thames tunnel", "demo", "bm25", k=1).run
    world.store.runs.mark_gold(run, ["marc"])
    assert [one.key for one in world.runs.answer(run).ranking] == ["tunnel", "marc"]
    app.session_state["details"] = True
    visit(app)
    assert "<b" in sentences(app) and ">1.00<" in sentences(app)
    app.text_input(key=f"gold-{run}-search").set_value("clifton").run()
    app.button(key=f"gold-{run}-add-clifton").click().run()
    assert world.runs.get(run).gold == ("marc", "clifton")
    kept = world.store.questions.find(world.store.collections.get("demo").id, "Thames tunnel")
    assert kept is not None and kept.supporting_keys == ("marc", "clifton")
    assert ">0.50<" in sentences(app)
    app.button(key=f"gold-{run}-remove-marc").click().run()
    assert world.runs.get(run).gold == ("clifton",)
