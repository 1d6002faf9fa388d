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


def test_a_run_whose_later_steps_are_hidden_sends_nothing_of_them(
    world: Workspace, app: AppTest
) -> None:
    visit(app, run=played(world, "gear", EVENTS))
    app.toggle(key="hide").set_value(True).run()
    assert app.query_params["hide"] == "1" and current_step(app) == 0
    sent = everything_sent(app)
    assert ANSWER not in sent and "Marc Isambard Brunel was" not in sent
    assert "15 more steps with →" in sent and "Gist memory" not in sent
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
