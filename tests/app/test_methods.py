"""Explore for every method: its pickers, its settings, each of its steps, whatever its base."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from gear_app.display.compare.entries import Entry
from gear_app.methods import METHODS
from gear_app.models.reader.roles import NEEDS_MODEL
from gear_app.trace.events import Event
from gear_app.workspace.workspace import Workspace
from tests import factories, rivals
from tests.acting import LOCAL
from tests.app.conftest import sentences, visit
from tests.app.explored import asked, component, drawn_steps
from tests.app.played import played

BASES = [
    *("over BM25", "over dense", "over hybrid"),
    *("over weighted hybrid", "over sentences", "over ColBERT", "over chain"),
]


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


def test_an_agent_without_a_language_model_is_refused_in_a_sentence(
    world: Workspace, app: AppTest
) -> None:
    before = len(world.runs.recent("demo"))
    asked(visit(app, collection="demo"), factories.QUESTION, "agent")
    assert f"{NEEDS_MODEL} Choose a language model as the reader." in sentences(app)
    assert len(world.runs.recent("demo")) == before


def test_a_step_without_a_card_of_its_own_is_drawn_by_its_ranking_or_in_a_line(
    world: Workspace, app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.run()
    monkeypatch.setattr("gear_app.display.step.TELLERS", {})
    events = rivals.hippo_run()
    run = played(world, "hipporag", events)
    assert drawn_steps(app, run) == ["recognise", "walk", "rank"]
    visit(app, run=run, step="1")
    assert component(app, "ranking")["lines"]


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


def test_the_bases_offered_are_those_the_method_takes(world: Workspace, app: AppTest) -> None:
    app.run()
    assert app.selectbox(key="base").options == BASES
    app.selectbox(key="method").set_value("ircot").run()
    steps = [name for name, found in METHODS.items() if found.single_step]
    assert len(app.selectbox(key="base").options) == len(steps)
    app.selectbox(key="base").set_value("sync_ge").run()
    assert app.selectbox(key="base-2").options == BASES
    app.selectbox(key="base-2").set_value("bm25").run()
    app.selectbox(key="method").set_value("gear").run()
    assert app.selectbox(key="base").value == "hybrid"  # SyncGE is no base of GEAR
    app.selectbox(key="method").set_value("bm25").run()
    assert "base" not in {box.key for box in app.selectbox}


@pytest.fixture
def opened(world: Workspace, app: AppTest) -> AppTest:
    """The page whose settings are open."""
    app.session_state["settings-open"] = True
    return app.run()


def test_methods_that_share_a_configuration_keep_their_own_defaults(
    world: Workspace, opened: AppTest
) -> None:
    opened.selectbox(key="method").set_value("bdtr").run()
    assert opened.toggle(key="set-bdtr-calibrate").value is True
    opened.selectbox(key="method").set_value("dtr").run()
    assert opened.toggle(key="set-dtr-calibrate").value is False
    asked(opened, factories.QUESTION, "dtr")
    assert world.runs.recent()[0].config["calibrate"] is False


def test_a_runs_settings_fill_the_form_and_are_shown(world: Workspace, opened: AppTest) -> None:
    settings = {"rounds": 1, "calibrate": "false"}
    run = world.ask(factories.QUESTION, "demo", "bdtr:bm25", settings=settings).run
    visit(opened, run=run)
    assert "Set to: Rounds R 1, Calibrate off" in sentences(opened)
    assert opened.number_input(key="set-bdtr-rounds").value == 1
    assert opened.toggle(key="set-bdtr-calibrate").value is False
    assert opened.selectbox(key="base").value == "bm25"
    opened.button(key="set-back").click().run()
    assert opened.number_input(key="set-bdtr-rounds").value == 2
    assert opened.toggle(key="set-bdtr-calibrate").value is True


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
