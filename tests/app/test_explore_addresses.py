"""Explore by its address: runs, steps, collections, and back and on."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.explored import component, step_slider


def test_a_link_opens_its_run_at_its_step(world: Workspace, app: AppTest) -> None:
    first = world.ask(factories.QUESTION, "demo", "sync_ge").run
    world.ask("Another?", "demo", "hybrid")
    visit(app, run=first, step="1")
    assert component(app, "strip")["current"] == 1
    assert step_slider(app).value == 2
    assert app.query_params["step"] == "1"


def test_a_step_out_of_range_or_in_words_does_not_break_the_page(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    for written in ("99", "-1", "first", "1e9"):
        visit(app, run=run, step=written)
        assert app.query_params["step"] in ("0", "1")


def test_an_unknown_run_says_so_and_shows_another(world: Workspace, app: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    visit(app, run="![x](http://evil.example/x.png)")
    told = sentences(app)
    assert "is not in this workspace. " in told and "Available" not in told
    assert app.query_params["run"] == run
    app.button(key="show-runs").click().run()
    assert list(app.dataframe[-1].value["id"]) == [run]
    assert "evil.example" not in "".join(element.value for element in [*app.markdown, *app.error])


def test_the_beginning_of_an_id_leads_to_its_run_at_the_step(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "sync_ge").run
    world.ask(factories.QUESTION, "demo", "hybrid")
    visit(app, run=run[:4], step="2")
    assert (app.query_params["run"], app.query_params["step"]) == (run, "2")


def test_back_on_and_slider_move_the_step_and_the_address(world: Workspace, app: AppTest) -> None:
    world.ask(factories.QUESTION, "demo", "sync_ge")
    app.run()
    step_slider(app).set_value(1).run()
    assert app.query_params["step"] == "0"
    assert app.button(key="back").disabled
    app.button(key="on").click().run()
    assert (app.query_params["step"], step_slider(app).value) == ("1", 2)
    app.button(key="back").click().run()
    assert (app.query_params["step"], step_slider(app).value) == ("0", 1)
    step_slider(app).set_value(6).run()
    assert app.button(key="on").disabled


def test_two_quick_presses_are_two_steps(world: Workspace, app: AppTest) -> None:
    """The second comes with the address of before the first."""
    before = "4"
    visit(app, run=world.ask(factories.QUESTION, "demo", "sync_ge").run, step=before)
    app.button(key="back").click().run()
    app.query_params["step"] = before
    app.button(key="back").click().run()
    assert (app.query_params["step"], step_slider(app).value) == ("2", 3)
    app.query_params["step"] = before  # alone it is the browser's back button
    app.run()
    assert (app.query_params["step"], step_slider(app).value) == ("4", 5)


def test_going_back_to_a_run_comes_back_to_the_step_it_was_left_at(
    world: Workspace, app: AppTest
) -> None:
    runs = [world.ask(factories.QUESTION, "demo", method).run for method in ("sync_ge", "hybrid")]
    visit(app, run=runs[0], step="3")
    visit(app, run=runs[1], step="0")
    app.query_params["run"] = runs[0]  # as it was in the address while it was made
    del app.query_params["step"]
    app.run()
    assert (app.query_params["run"], app.query_params["step"]) == (runs[0], "3")
