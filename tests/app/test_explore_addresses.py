"""Explore by its address: runs, steps, hidden steps, the slide."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.explored import component, current_step
from tests.app.played import played

EVENTS = factories.gear_run()
ANSWER = "François Carpentier"


def everything_sent(at: AppTest) -> str:
    """All HTML, and the data of all components."""
    data = [str(json.loads(one.proto.json or "null")) for one in at.get("bidi_component")]
    return "\n".join([sentences(at), *data])


def test_a_link_by_the_beginning_of_an_id_opens_its_run_at_its_step(
    world: Workspace, app: AppTest
) -> None:
    first = world.ask(factories.QUESTION, "demo", "sync_ge").run
    world.ask("Another?", "demo", "hybrid")
    visit(app, run=first[:4], step="1")
    assert current_step(app) == 1 and factories.QUESTION in sentences(app)


def test_a_step_out_of_range_or_in_words_does_not_break_the_page(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    for written in ("99", "-1", "first", "1e9", "²", "9" * 5000):
        visit(app, run=run, step=written)
        assert current_step(app) in (0, 1)


def test_an_unknown_run_says_so_and_shows_another(world: Workspace, app: AppTest) -> None:
    run = world.ask(factories.QUESTION, "demo", "hybrid").run
    visit(app, run="![x](http://evil.example/x.png)")
    assert "instead" in sentences(app) and factories.QUESTION in sentences(app)
    app.button(key="show-runs").click().run()
    assert list(app.dataframe[-1].value["id"]) == [run]
    assert "evil.example" not in "".join(element.value for element in [*app.markdown, *app.error])


def test_the_arrows_move_the_step_and_the_address_and_back_comes_back(
    world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "sync_ge").run
    app.run()
    assert "run" not in app.query_params  # else the back button would not leave the page
    visit(app, run=run, step="0")
    assert app.button(key="back").disabled
    app.button(key="on").click().run()
    assert (app.query_params["step"], current_step(app)) == ("1", 1)
    app.button(key="back").click().run()
    assert (app.query_params["step"], current_step(app)) == ("0", 0)
    visit(app, step="5")
    assert app.button(key="on").disabled and current_step(app) == 5


def test_two_quick_presses_are_two_steps(world: Workspace, app: AppTest) -> None:
    """The second comes with the address of before the first."""
    visit(app, run=world.ask(factories.QUESTION, "demo", "sync_ge").run, step="4")
    app.button(key="back").click().run()
    app.query_params["step"] = "4"
    app.button(key="back").click().run()
    assert current_step(app) == 2


def test_a_run_opens_with_its_answer_where_the_method_shows_best_what_it_does(
    world: Workspace, app: AppTest
) -> None:
    played(world, "gear", EVENTS)
    app.run()
    assert current_step(app) == 3 and not app.toggle(key="hide").value
    assert ANSWER in sentences(app)


def test_a_run_whose_later_steps_are_hidden_sends_nothing_of_them(
    world: Workspace, app: AppTest
) -> None:
    visit(app, run=played(world, "gear", EVENTS))
    app.toggle(key="hide").set_value(True).run()
    assert app.query_params["hide"] == "1" and current_step(app) == 0
    sent = everything_sent(app)
    assert ANSWER not in sent and "Marc Isambard Brunel was" not in sent
    assert "15 more steps to come" in sent and "Gist memory" not in sent
    app.button(key="on").click().run()
    assert current_step(app) == 1 and ANSWER not in everything_sent(app)
    app.toggle(key="hide").set_value(False).run()
    assert "hide" not in app.query_params and ANSWER in sentences(app)


def test_presenter_mode_is_one_slide_and_ends_where_it_is(world: Workspace, app: AppTest) -> None:
    visit(app, run=played(world, "gear", EVENTS), step="3")
    app.button(key="present-button").click().run()
    assert (app.query_params["present"], app.query_params["step"]) == ("1", "3")
    slide = component(app, "presenter")
    assert slide["number"] == 3
    assert slide["heading"].startswith("The facts lead to “Isambard")
    assert "<h1" not in sentences(app)


def test_a_run_that_goes_on_shows_its_newest_step_as_so_far(world: Workspace, app: AppTest) -> None:
    played(world, "gear", EVENTS[:6], done=False)
    html = sentences(app.run())
    assert "so far" in html and "the run goes on" in html and ">final<" not in html
    assert current_step(app) == len(component(app, "strip")["steps"]) - 1
