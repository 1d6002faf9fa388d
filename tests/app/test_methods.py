"""Explore for every method: its pickers, its settings, each of its steps, whatever its base."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.display.comparison_tables import Entry
from gear_app.trace.events import Event
from gear_app.workspace.workspace import Workspace
from tests import factories, rivals
from tests.acting import LOCAL
from tests.app.conftest import sentences, visit
from tests.app.explored import drawn_steps
from tests.app.played import played


@pytest.mark.parametrize(
    "name",
    [
        *LOCAL,
        *("bdtr:hipporag", "ircot:naive_ge:bm25", "gear:chain"),
    ],
)
def test_every_method_is_asked_and_each_of_its_steps_is_drawn(
    name: str, world: Workspace, app: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", name).run
    assert drawn_steps(app, run)[-1] == "rank"
    assert world.runs.get(run).state == "done"
    assert app.selectbox(key="method").value == name.partition(":")[0]


def test_hostile_words_reach_no_markup(world: Workspace, app: AppTest) -> None:
    run = world.ask("a page that says href script alert", "demo", "hipporag").run
    for id_ in (run, played(world, "bdtr", _hostile(rivals.bdtr_run()))):
        drawn_steps(app, id_)
        assert "<script>alert" not in sentences(app)
        assert "<img" not in sentences(app)


def _hostile(events: list[Event]) -> list[Event]:
    kinds: dict[str, Callable[[Event], Event]] = {
        "Thought": lambda e: replace(e, text=rivals.EVIL, query=rivals.EVIL),  # type: ignore[call-arg]
        "Chained": lambda e: replace(e, nodes=(rivals.EVIL,)),  # type: ignore[call-arg]
    }
    return [kinds.get(type(event).__name__, lambda e: e)(event) for event in events]


@pytest.fixture
def opened(world: Workspace, app: AppTest) -> AppTest:
    """The page whose settings are open."""
    app.session_state["settings-open"] = True
    return app.run()


def test_the_row_and_its_settings_are_those_of_every_page(
    world: Workspace, opened: AppTest
) -> None:
    run = world.ask(factories.QUESTION, "demo", "gear:bm25", settings={"beam.width": "3"}).run
    visit(opened, run=run)
    opened.number_input(key="set-gear-beam.width").set_value(4).run()
    opened.session_state["settings-open"] = False
    opened.switch_page("compare/page.py").run()
    opened.button(key="compare-add").click().run()
    added = opened.multiselect(key="compare-entries").value[-1]
    assert added == Entry("gear:bm25", (("beam.width", "4"),))
    opened.switch_page("explore/page.py").run()
    opened.button(key="run-button").click().run()
    newest = world.runs.recent()[0]
    assert (newest.method, newest.question) == ("gear:bm25", factories.QUESTION)
    assert newest.config["beam.width"] == 4
