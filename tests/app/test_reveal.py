"""Reveal as I step, presenter mode, and headings, on the page."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit
from tests.app.explored import component, step_slider
from tests.app.played import played

EVENTS = factories.gear_run()
ANSWER = "François Carpentier"


def everything_sent(at: AppTest) -> str:
    """All HTML, and the data of all components."""
    data = [str(json.loads(one.proto.json or "null")) for one in at.get("bidi_component")]
    return "\n".join([sentences(at), *data])


def test_a_run_opens_at_its_first_step_and_sends_nothing_that_comes_later(
    world: Workspace, app: AppTest
) -> None:
    played(world, "gear", EVENTS)
    app.run()
    assert (app.query_params["step"], step_slider(app).value) == ("0", 1)
    sent = everything_sent(app)
    assert ANSWER not in sent and "Marc Isambard Brunel was" not in sent
    assert "15 more steps to come" in sent and "Gist memory" not in sent
    assert "all" not in app.query_params


def test_the_switch_shows_all_and_is_kept_in_the_address(world: Workspace, app: AppTest) -> None:
    played(world, "gear", EVENTS)
    app.run()
    app.toggle(key="reveal").set_value(False).run()
    assert (app.query_params["all"], app.query_params["step"]) == ("1", "0")
    assert ANSWER in sentences(app) and "more steps" not in sentences(app)
    app.toggle(key="reveal").set_value(True).run()
    assert "all" not in app.query_params and ANSWER not in everything_sent(app)


def test_a_link_that_shows_all_opens_where_the_method_shows_best_what_it_does(
    world: Workspace, app: AppTest
) -> None:
    visit(app, run=played(world, "gear", EVENTS), all="1")
    assert app.query_params["step"] == "3" and not app.toggle(key="reveal").value
    assert ANSWER in sentences(app)


def test_showing_all_lasts_for_the_session_over_other_runs_and_pages(
    world: Workspace, app: AppTest
) -> None:
    first = played(world, "gear", EVENTS)
    visit(app, run=first, all="1")
    app.switch_page("collections/page.py").run()
    app.switch_page("explore/page.py").run()
    assert not app.toggle(key="reveal").value and app.query_params["all"] == "1"


def test_the_browsers_back_button_brings_the_hiding_back(world: Workspace, app: AppTest) -> None:
    played(world, "gear", EVENTS)
    app.run()
    app.toggle(key="reveal").set_value(False).run()
    del app.query_params["all"]
    app.run()
    assert app.toggle(key="reveal").value and "all" not in app.query_params


def test_presenter_mode_is_one_slide_and_ends_where_it_is(world: Workspace, app: AppTest) -> None:
    visit(app, run=played(world, "gear", EVENTS), step="3")
    app.button(key="present-button").click().run()
    assert (app.query_params["present"], app.query_params["step"]) == ("1", "3")
    data = component(app, "presenter")
    assert data["number"] == 3
    assert data["heading"].startswith("The facts lead to “Isambard")  # type: ignore[attr-defined]
    assert "<h1" not in sentences(app)


def test_a_run_that_goes_on_is_told_as_so_far(world: Workspace, app: AppTest) -> None:
    played(world, "gear", EVENTS[:6], done=False)
    app.run()
    html = sentences(app)
    assert "so far" in html and "the run goes on" in html and ">final<" not in html
