"""What if on Explore: a dial is turned, the worker makes the variant, and it can be kept."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.workspace.runs.rerun import RerunService, RunChange
from gear_app.workspace.workspace import Workspace
from tests import factories
from tests.app.conftest import sentences, visit

Work = Callable[[], None]
OPEN = "open"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worker is at work only when a test says so."""
    draft = RerunService.enqueue_draft
    monkeypatch.setattr(RerunService, "enqueue_draft", lambda self, *of: draft(self, *of[:3]))


def opened(world: Workspace, app: AppTest, change: str = OPEN) -> str:
    run = world.ask(factories.QUESTION, "demo", "sync_ge").run
    visit(app, run=run, what=change)
    return run


def address(app: AppTest) -> str:
    value = app.query_params["what"]
    return value if isinstance(value, str) else value[0]


def test_a_dial_makes_a_variant_and_the_address_holds_it(
    world: Workspace, app: AppTest, work: Work
) -> None:
    run = opened(world, app)
    app.button_group(key="what-dial-beam.width").set_value("1").run()
    assert "is being made" in sentences(app)
    work()
    app.run()
    assert "With Width b 1: " in sentences(app)
    assert RunChange.from_json(address(app)) == RunChange({"beam.width": "1"})
    assert [info.id for info in world.runs.recent()] == [run]


def test_a_step_that_differs_is_shown_before_and_after(
    world: Workspace, app: AppTest, work: Work
) -> None:
    opened(world, app, RunChange({"beam.width": "1"}).to_json())
    work()
    app.run()
    told = sentences(app)
    names = ("The same step before and after", "Out: ", "Before<", "After<")
    places = [told.find(words) for words in names]
    assert -1 not in places and places == sorted(places)
    app.button(key="what-step").click().run()
    assert "what" not in app.query_params


def test_a_passage_is_taken_out_or_put_first(world: Workspace, app: AppTest, work: Work) -> None:
    run = opened(world, app)
    first, *_, last = (line.key for line in world.runs.answer(run).ranking)
    app.selectbox(key="what-passage").set_value(first).run()
    next(button for button in app.button if button.label == "Take out").click().run()
    assert RunChange.from_json(address(app)) == RunChange(absent=(first,))
    work()
    assert "Without the passage " in sentences(app.run()) or "without the passage " in sentences(
        app
    )
    app.selectbox(key="what-passage").set_value(last).run()
    next(button for button in app.button if button.label == "Put first").click().run()
    assert RunChange.from_json(address(app)) == RunChange(absent=(first,), leader=last)
